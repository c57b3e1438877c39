//! `samovar check` on threads that meet at memory whose type nobody knows: a note and no error,
//! with both accesses and the locks held; nothing where the program is right; an error where the
//! type is known.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::build::{execute, programs};
use samovar_tests::child::Job;
use samovar_tests::schema::complaints;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::process::Command;

/// Builds the program.
fn built(scratch: &Scratch, flags: &[&str]) -> String {
    let source = programs().join("check/meetings.c");
    let program = scratch.join("meetings").display().to_string();
    let compiler = samovar_tests::tool::need("gcc").expect("gcc is essential");
    execute(Command::new(compiler).args(flags).arg("-pthread").arg(source).args(["-o", &program]));
    program
}

/// Checks the program; the report is as its schema says.
fn report(scratch: &Scratch, options: &[&str], program: &str, how: &str) -> (Option<i32>, Value) {
    let words = [&["check", "--format", "json"], options, &[program, how]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let value: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
    let schema = std::fs::read_to_string(workspace().join("docs/schema/report.schema.json"));
    let schema = serde_json::from_str(&schema.expect("the schema")).expect("JSON");
    assert_eq!(complaints(&schema, &value), [""; 0], "{how}");
    (outcome.status.code(), value)
}

/// A verdict of "verified", and its notes.
fn notes(scratch: &Scratch, options: &[&str], program: &str, how: &str) -> Vec<Value> {
    let (status, report) = report(scratch, options, program, how);
    assert_eq!(report["verdict"], "verified", "{how}: {report:#}");
    assert_eq!(status, Some(0), "{how}");
    report["notes"].as_array().expect("notes").clone()
}

/// The number of the line with a comment.
fn line(comment: &str) -> u64 {
    let text = std::fs::read_to_string(programs().join("check/meetings.c")).expect("the source");
    1 + text.lines().position(|line| line.contains(comment)).expect("the line") as u64
}

/// Lines and locks of the accesses of a note.
fn told(note: &Value) -> Vec<(u64, Vec<&str>)> {
    let accesses = note["accesses"].as_array().expect("accesses");
    let line = |access: &Value| access["location"]["line"].as_u64().unwrap_or(0);
    accesses.iter().map(|access| (line(access), locks(access))).collect()
}

fn locks(access: &Value) -> Vec<&str> {
    access["locks"].as_array().expect("locks").iter().filter_map(Value::as_str).collect()
}

#[test]
fn memory_without_a_type_is_worth_a_note() {
    let scratch = Scratch::new("notes");
    for flags in [["-g", "-O0"], ["-g", "-O2"]] {
        let program = built(&scratch, &flags);
        for reduce in ["--reduce=auto", "--reduce=contended", "--reduce=none"] {
            let loose = line("nothing orders this");
            let heap = notes(&scratch, &[reduce], &program, "heap");
            assert_eq!(heap.len(), 1, "{flags:?} {reduce}: {heap:#?}");
            assert_eq!(told(&heap[0]), [(loose, vec![]), (loose, vec![])]);
            let message = heap[0]["message"].as_str().expect("a message");
            assert!(message.contains("byte 8 of main's 24-byte block from "), "{message}");
            assert!(message.contains("in heap"), "{message}");
            let half = notes(&scratch, &[reduce], &program, "half");
            assert_eq!(half.len(), 1, "{flags:?} {reduce}: {half:#?}");
            let other = line("the other one does not lock");
            assert_eq!(told(&half[0]), [(loose, vec![]), (other, vec!["lock"])]);
            let stack = notes(&scratch, &[reduce], &program, "stack");
            assert_eq!(stack.len(), 1, "{flags:?} {reduce}: {stack:#?}");
            assert_eq!(told(&stack[0])[0].0, line("a variable of main's"));
        }
    }
}

#[test]
fn a_local_that_was_folded_into_such_memory_gives_it_no_type() {
    let scratch = Scratch::new("notes");
    for flags in [["-g", "-O0"], ["-g", "-O1"], ["-g", "-O2"], ["-g", "-Og"]] {
        let program = built(&scratch, &flags);
        for how in ["folded", "folded on the stack"] {
            let found = notes(&scratch, &[], &program, how);
            assert_ne!(found, [Value::Null; 0], "{flags:?} {how}");
            let is_misnamed = |note: &Value| note["message"].to_string().contains("race on was");
            assert!(!found.iter().any(is_misnamed), "{flags:?} {how}: {found:#?}");
        }
    }
}

#[test]
fn what_is_right_is_worth_none() {
    let scratch = Scratch::new("notes");
    let program = built(&scratch, &["-g", "-O1"]);
    for how in ["guarded", "atomics", "flag"] {
        assert_eq!(notes(&scratch, &[], &program, how), [Value::Null; 0], "{how}");
    }
    let asked = notes(&scratch, &["--check", "deadlock"], &program, "heap");
    assert_eq!(asked, [Value::Null; 0], "races were not asked for");
}

#[test]
fn stripped_programs_tell_addresses() {
    let scratch = Scratch::new("notes");
    let program = built(&scratch, &["-s", "-O1"]);
    let heap = notes(&scratch, &[], &program, "heap");
    assert_eq!(heap.len(), 1, "{heap:#?}");
    assert_eq!(heap[0]["accesses"][0]["location"]["line"], Value::Null);
    assert_eq!(notes(&scratch, &[], &program, "guarded"), [Value::Null; 0]);
}

#[test]
fn a_race_beside_an_atomic_in_one_word_is_an_error() {
    let scratch = Scratch::new("notes");
    for flags in [["-g", "-O0"], ["-g", "-O2"]] {
        let program = built(&scratch, &flags);
        let (status, report) = report(&scratch, &[], &program, "neighbour");
        assert_eq!(status, Some(1), "{report:#}");
        assert_eq!(report["error"]["kind"], "race");
        assert_eq!(report["error"]["location"]["line"], line("a race in a word"));
    }
}

#[test]
fn the_text_tells_a_handful() {
    let scratch = Scratch::new("notes");
    let program = built(&scratch, &["-g", "-O1"]);
    let words = ["check", &program, "half"];
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let text = outcome.stdout_text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("note: perhaps a data race on byte 8"), "{text}");
    assert!(text.contains("holds no lock; T2 holds lock;"), "{text}");
}
