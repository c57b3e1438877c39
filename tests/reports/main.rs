//! Reports in every form, as people and programs get them: the text at 80 columns against golden
//! files, the machine formats against their schemas, the page in a real browser.
//!
//! `SAMOVAR_BLESS=1` writes the golden files anew; look at the difference before keeping it.

mod browser;
mod formats;
mod graphs;
mod outputs;
mod project;
mod text;
mod trails;

use samovar_tests::binary::samovar;
use samovar_tests::build::programs;
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// Checks a program of ours where its source is; files go to the scratch directory.
fn check(scratch: &Scratch, options: &[&str], program: &str, args: &[&str]) -> Outcome {
    let trail = scratch.join("trail.json").display().to_string();
    let words = [&["check", "--trail", &trail], options, &[program], args].concat();
    Job::new(samovar(), &words).directory(&programs().join("check")).run()
}

/// The same with a JSON report.
fn report(scratch: &Scratch, options: &[&str], program: &str, args: &[&str]) -> Value {
    let outcome = check(scratch, &[&["--format", "json"], options].concat(), program, args);
    let text = outcome.stdout_text();
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error} in {text:?}, {}", outcome.stderr_text()))
}

/// Runs samovar in the scratch directory.
fn run(scratch: &Scratch, words: &[&str]) -> Outcome {
    Job::new(samovar(), words).directory(scratch.path()).run()
}

/// A refusal: exit status 2 and one sentence with these words.
fn assert_refused(outcome: &Outcome, words: &[&str]) {
    let said = outcome.stderr_text();
    assert_eq!(outcome.ending(), "exit status 2", "{said}");
    assert!(said.starts_with("samovar: ") && said.lines().count() == 1, "{said:?}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not said: {said}");
    }
}
