//! `samovar plan`: plans to goals, judged by solvers that share nothing with samovar.

mod command;
mod examples;
mod goals;
mod page;
mod puzzle;
mod simulation;

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::path::PathBuf;

/// An example of planning.
fn example(name: &str) -> String {
    workspace().join("examples/planning").join(name).display().to_string()
}

/// Runs samovar in a scratch directory.
fn run<S: ToString>(scratch: &Scratch, words: &[S]) -> Outcome {
    Job::new(samovar(), words).directory(scratch.path()).run()
}

/// The report of `samovar plan --format json`, and the exit status.
fn plan<S: ToString>(scratch: &Scratch, words: &[S]) -> (Value, i32) {
    let mut all = vec!["plan".to_string(), "--format=json".to_string()];
    all.extend(words.iter().map(S::to_string));
    let outcome = run(scratch, &all);
    let report = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{all:?}: {error}, {}", outcome.stderr_text()));
    (report, outcome.status.code().unwrap_or(-1))
}

/// The names of a plan's actions.
fn actions(report: &Value) -> Vec<String> {
    let steps = report["plan"].as_array().expect("a plan");
    steps.iter().map(|step| step["action"].as_str().expect("a name").to_string()).collect()
}

/// Writes a program into a scratch directory.
fn program(scratch: &Scratch, name: &str, source: &str) -> PathBuf {
    let file = scratch.join(name);
    std::fs::write(&file, source).expect("the scratch directory can be written");
    file
}
