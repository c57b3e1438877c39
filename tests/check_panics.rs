//! `samovar check` on panics of Rust: an error where nobody handles them, with what was said and
//! where; none where the program does.

use samovar_tests::binary::samovar;
use samovar_tests::build::{execute, programs};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::process::Command;

/// Builds the program.
fn built(scratch: &Scratch, flags: &[&str]) -> String {
    let program = scratch.join("panics").display().to_string();
    let source = programs().join("check/panics.rs");
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let words = ["--edition", "2024", "-o", &program];
    execute(Command::new(compiler).args(words).args(flags).arg(source));
    program
}

/// The verdict on one way of panicking, and the error.
fn check(scratch: &Scratch, options: &[&str], program: &str, how: &str) -> (String, Value) {
    let words = [&["check", "--format", "json"], options, &[program, how]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let report: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
    (report["verdict"].as_str().expect("a verdict").to_string(), report["error"].clone())
}

/// Ways of panicking that nobody handles: who panics, and what is told.
const LOST: [(&str, &str, &str); 7] = [
    ("main", "main", "main panics: not empty: main"),
    ("alone", "main", "; before that: not empty: alone (panics.rs:"),
    ("passed", "main", "main panics"),
    ("dropped", "T2", "T2 panics and nobody joins it: not empty: dropped"),
    ("kept", "T2", "T2 panics and nobody joins it: not empty: kept"),
    ("scoped", "main", "main panics: a scoped thread panicked; before that: not empty: scoped"),
    ("silent", "main", "main panics"),
];

const HANDLED: [&str; 5] = ["joined", "caught", "scope caught", "status", "caught, status"];

fn assert_all(flags: &[&str], options: &[&str]) {
    let scratch = Scratch::new("panics");
    let program = built(&scratch, flags);
    for (how, thread, words) in LOST {
        let (verdict, error) = check(&scratch, options, &program, how);
        let message = error["message"].as_str().unwrap_or_default();
        assert_eq!(verdict, "error", "{how} {flags:?}");
        assert_eq!(error["kind"], "assertion", "{how} {flags:?}");
        assert_eq!(error["thread"], thread, "{how} {flags:?}");
        assert!(message.contains(words), "{how} {flags:?}: {message}");
    }
    for how in HANDLED {
        let (verdict, error) = check(&scratch, options, &program, how);
        assert_eq!(verdict, "verified", "{how} {flags:?}: {error}");
    }
}

#[test]
fn debug_builds() {
    assert_all(&["-g"], &[]);
}

#[test]
fn release_builds() {
    assert_all(&["-O", "-g", "-Csymbol-mangling-version=v0"], &["--search", "bfs"]);
}

#[test]
fn without_models_and_memory_of_moves() {
    let scratch = Scratch::new("panics_bare");
    let program = built(&scratch, &["-O", "-g"]);
    for options in [["--model", "none"], ["--memo", "off"]] {
        for how in ["main", "dropped"] {
            assert_eq!(check(&scratch, &options, &program, how).0, "error", "{how} {options:?}");
        }
        for how in ["joined", "caught"] {
            assert_eq!(check(&scratch, &options, &program, how).0, "verified", "{how} {options:?}");
        }
    }
}

#[test]
fn the_place_is_that_of_the_assertion() {
    let scratch = Scratch::new("panics_place");
    let program = built(&scratch, &["-O", "-g"]);
    let source = std::fs::read_to_string(programs().join("check/panics.rs")).expect("the source");
    let line = 1 + source.lines().position(|line| line.contains("// the place")).expect("a line");
    for how in ["main", "dropped", "silent"] {
        let (_, error) = check(&scratch, &[], &program, how);
        let location = &error["location"];
        assert_eq!(location["line"], line, "{how}: {location}");
        assert!(location["file"].as_str().unwrap().ends_with("check/panics.rs"), "{location}");
    }
}

#[test]
fn a_program_without_symbols_is_judged_by_what_it_says() {
    let scratch = Scratch::new("panics_stripped");
    let program = built(&scratch, &["-O", "-Cstrip=symbols"]);
    let (verdict, error) = check(&scratch, &[], &program, "main");
    assert_eq!((verdict.as_str(), &error["kind"]), ("error", &Value::from("assertion")));
    assert!(error["message"].as_str().unwrap().contains("not empty: main"), "{error}");
    for how in ["joined", "caught", "status"] {
        assert_eq!(check(&scratch, &[], &program, how).0, "verified", "{how}");
    }
}

#[test]
fn an_exit_counts_only_if_it_is_asked_for() {
    let scratch = Scratch::new("panics_exit");
    let program = built(&scratch, &["-O", "-g"]);
    let (verdict, error) = check(&scratch, &["--check=exit"], &program, "main");
    assert_eq!((verdict.as_str(), &error["kind"]), ("error", &Value::from("exit")));
    let (verdict, _) = check(&scratch, &["--check=deadlock"], &program, "main");
    assert_eq!(verdict, "verified");
}

/// What was found can be made again from its file.
#[test]
fn trails_are_replayed() {
    let scratch = Scratch::new("panics_trail");
    let program = built(&scratch, &["-g"]);
    check(&scratch, &["--trail", "trail.json"], &program, "dropped");
    let outcome = Job::new(samovar(), &["replay", "trail.json"]).directory(scratch.path()).run();
    let said = format!("{}{}", outcome.stdout_text(), outcome.stderr_text());
    assert_eq!(outcome.ending(), "exit status 1", "{said}");
    assert!(said.contains("nobody joins it"), "{said}");
}
