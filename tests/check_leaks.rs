//! `samovar check --check leak`: lost blocks are found, with their size and where they were
//! allocated, and blocks that something still refers to are not.

use samovar_tests::binary::samovar;
use samovar_tests::build::{Build, Link, programs};
use samovar_tests::child::Job;
use samovar_tests::directives::Directives;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::path::Path;

/// What leaks in each case: bytes of the block that is told, and the line that allocates it.
const LOST: &[(&str, &str, &str)] = &[
    ("race", "a block of 10 bytes", "in make_once"),
    ("argument", "a block of 4 bytes", "in main"),
    ("thread-local", "2 blocks with 24 bytes", "in fill_own"),
    ("local", "a block of 33 bytes", "in main"),
    ("cycle", "2 blocks with 64 bytes", "in main"),
    (
        "chain",
        "2 blocks with 150 bytes leak: nothing refers to them any more, the first has 100",
        "in main",
    ),
    ("overwritten", "a block of 80 bytes", "in main"),
];

/// Cases in which nothing leaks.
const KEPT: &[&str] =
    &["nothing", "list", "key", "live-local", "inside", "behind", "mapped", "handler"];

fn check(program: &Path, options: &[&str], case: &str) -> Value {
    let scratch = Scratch::new("leaks");
    let program = program.display().to_string();
    let words =
        [&["check", "--format", "json", "--check", "leak"], options, &[&program, case]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let text = outcome.stdout_text();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text:?} {outcome:?}"))
}

#[test]
fn lost_blocks_are_found_and_others_are_not() {
    let scratch = Scratch::new("leak-builds");
    for link in [Link::Pie, Link::Static] {
        let build = Build { link, ..Build::PLAIN };
        let source = programs().join("check/leaks.c");
        let program = build.compile(&source, &Directives::default(), scratch.path());
        let program = program.expect("gcc is essential");
        for case in KEPT {
            let report = check(&program, &[], case);
            assert_eq!(report["verdict"], "verified", "{case}, {link:?}: {report}");
        }
        for (case, size, function) in LOST {
            let report = check(&program, &[], case);
            let error = &report["error"];
            assert_eq!(error["kind"], "leak", "{case}, {link:?}: {report}");
            let message = error["message"].as_str().expect("a message");
            let told = message.starts_with(size) && message.ends_with(function);
            assert!(told && message.contains("leaks.c:"), "{case}, {link:?}: {message}");
        }
    }
}

#[test]
fn leaks_count_only_where_asked_for_and_where_they_can_be_seen() {
    let scratch = Scratch::new("leak-asked");
    let source = programs().join("check/leaks.c").display().to_string();
    let quiet = Job::new(samovar(), &["check", "-q", &source, "local"]).directory(scratch.path());
    assert_eq!(quiet.run().ending(), "exit status 0");
    let report = check(Path::new(&source), &["--model", "none"], "local");
    assert_eq!(report["verdict"], "incomplete", "{report}");
    let reason = report["incomplete"].to_string();
    assert!(reason.contains("allocator is not modelled"), "{report}");
}

#[test]
fn a_leak_is_replayed() {
    let scratch = Scratch::new("leak-replay");
    let source = programs().join("check/leaks.c").display().to_string();
    let words = ["check", "-q", "--check", "leak", "--trail", "t.json", &source, "race"];
    assert_eq!(
        Job::new(samovar(), &words).directory(scratch.path()).run().ending(),
        "exit status 1"
    );
    let again = Job::new(samovar(), &["replay", "t.json"]).directory(scratch.path()).run();
    assert_eq!(again.ending(), "exit status 1", "{}", again.stderr_text());
    assert!(again.stdout_text().contains("a block of 10 bytes leaks"), "{}", again.stdout_text());
}
