//! `samovar check` on plain variables that are accessed atomically: by macros of a header, through
//! pointers, and in statements that do something else as well.

use samovar_tests::binary::samovar;
use samovar_tests::build::{execute, programs};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::process::Command;

/// The report on the program, at two levels of optimisation.
fn reports(how: &str) -> Vec<Value> {
    let scratch = Scratch::new("atomics");
    let compiler = samovar_tests::tool::need("gcc").expect("gcc is essential");
    let source = programs().join("check/wrapped.c");
    let program = scratch.join("wrapped").display().to_string();
    let check = |level: &str| {
        let mut command = Command::new(&compiler);
        execute(command.args(["-g", level, "-pthread"]).arg(&source).args(["-o", &program]));
        let words = ["check", "--format", "json", &program, how];
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        serde_json::from_slice(&outcome.stdout).expect("a report")
    };
    ["-O0", "-O2"].map(check).into()
}

fn notes(report: &Value) -> Vec<String> {
    let notes = report["notes"].as_array().expect("notes");
    notes.iter().map(|note| note["message"].as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn macros_of_headers_are_known() {
    for report in reports("header") {
        assert_eq!(report["verdict"], "verified", "{report:#}");
        assert_eq!(notes(&report), [""; 0]);
    }
    for report in reports("plain") {
        assert_eq!(report["error"]["kind"], "race", "{report:#}");
    }
}

#[test]
fn what_goes_through_a_pointer_beside_an_atomic_operation_is_worth_a_note() {
    for (how, memory) in [("beside", "race on count"), ("heap", "block from")] {
        for report in reports(how) {
            assert_eq!(report["verdict"], "verified", "{how}: {report:#}");
            let notes = notes(&report);
            assert_eq!(notes.len(), 1, "{how}: {notes:#?}");
            assert!(notes[0].contains(memory), "{how}: {notes:#?}");
        }
    }
    for report in reports("pointer") {
        assert_eq!(report["verdict"], "verified", "{report:#}");
        assert_eq!(notes(&report), [""; 0]);
    }
}

#[test]
fn what_an_atomic_operation_is_handed_is_read_plainly() {
    for report in reports("value") {
        assert_eq!(report["error"]["kind"], "race", "{report:#}");
        let message = report["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("race on data"), "{message}");
    }
}

#[test]
fn what_a_function_of_the_file_does_is_known_where_it_is_inlined() {
    let scratch = Scratch::new("inlined");
    let compiler = samovar_tests::tool::need("gcc").expect("gcc is essential");
    let source = programs().join("check/inlined.c");
    let program = scratch.join("inlined").display().to_string();
    for level in ["-O0", "-O2"] {
        let mut command = Command::new(&compiler);
        execute(command.args(["-g", level, "-pthread"]).arg(&source).args(["-o", &program]));
        for (how, verdict) in [("plain", "error"), ("atomic", "verified")] {
            let words = ["check", "--format", "json", &program, how];
            let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
            let report: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
            assert_eq!(report["verdict"], verdict, "{level} {how}: {report:#}");
        }
    }
}
