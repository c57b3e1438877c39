//! SPIN's verifiers of the models in `tests/promela`.

use super::HANG;
use samovar_tests::binary::workspace;
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use std::path::Path;

/// Generates and compiles the verifier `pan` of a model in a directory; how many seconds that took,
/// if there is a SPIN.
pub fn compile(model: &str, defines: &[&str], flags: &[&str], scratch: &Scratch) -> Option<f64> {
    let (spin, compiler) = (need("spin")?, need("gcc")?);
    let model = workspace().join("tests/promela").join(format!("{model}.pml"));
    let model = model.display().to_string();
    let run = |program: &Path, words: &[&str]| {
        let job = Job { hang: HANG, ..Job::new(program, words) };
        let outcome = job.directory(scratch.path()).run();
        assert!(outcome.status.success(), "{words:?}: {}", outcome.stderr_text());
        outcome.time.as_secs_f64()
    };
    let generating = run(&spin, &[defines, &["-a", &model]].concat());
    let common = ["-O2", "-w", "-DMEMLIM=8192", "-o", "pan", "pan.c"];
    Some(generating + run(&compiler, &[&common, flags].concat()))
}

/// The number before some words in what a verifier said.
pub fn figure(said: &str, words: &str) -> f64 {
    let line = said.lines().find(|line| line.contains(words)).unwrap_or_default();
    let before = line.split(words).next().unwrap_or_default();
    let number = before.split_whitespace().next_back();
    number.and_then(|number| number.parse().ok()).unwrap_or(f64::NAN)
}

/// The number behind some words.
pub fn figure_behind(said: &str, words: &str) -> f64 {
    let line = said.lines().find(|line| line.contains(words)).unwrap_or_default();
    let behind = line.split(words).nth(1).unwrap_or_default();
    let number = behind.split_whitespace().next();
    number.and_then(|number| number.parse().ok()).unwrap_or(f64::NAN)
}
