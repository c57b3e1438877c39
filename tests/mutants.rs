//! Damaged executables through the real command: whatever the file, samovar ends by itself, with
//! a message or with a run; it never panics, hangs, or dies by a signal that is not the guest's.
//!
//! 300 files in the quick selection, 10,000 with `SAMOVAR_TESTS=all`, or `SAMOVAR_FUZZ=n`.

use samovar_tests::build::{Build, Link, programs};
use samovar_tests::child::Job;
use samovar_tests::directives::Directives;
use samovar_tests::mutate::mutant;
use samovar_tests::scratch::Scratch;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// No mutant of a small program may make the loader take this much.
const MEMORY: u64 = 2 << 30;

/// Mutants can loop for ever by their own right: then samovar is told to stop, and that is fine.
/// A hang of the loader would show as a mutant that never executes anything; the vm's own tests
/// look for those. This bound only keeps the test moving.
const PATIENCE: Duration = Duration::from_secs(10);

fn count() -> u64 {
    let asked = std::env::var("SAMOVAR_FUZZ").ok().and_then(|n| n.parse().ok());
    asked.unwrap_or(if samovar_tests::everything() { 10_000 } else { 300 })
}

#[test]
fn mutated_executables_end_normally() {
    let scratch = Scratch::new("mutants");
    let source = programs().join("c/hello.c");
    let originals: Vec<Vec<u8>> = [Link::Pie, Link::NoPie, Link::Static, Link::StaticPie]
        .into_iter()
        .map(|link| {
            let build = Build { link, ..Build::PLAIN };
            let path = build.compile(&source, &Directives::default(), scratch.path());
            std::fs::read(path.expect("gcc is essential")).expect("the program just built")
        })
        .collect();
    let (next, ends, total) = (AtomicU64::new(0), Mutex::new(Vec::new()), count());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let path = scratch.join(&format!("mutant-{worker}"));
            let (originals, next, ends) = (&originals, &next, &ends);
            scope.spawn(move || {
                let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&n| n < total);
                while let Some(number) = take() {
                    let original = &originals[number as usize % originals.len()];
                    std::fs::write(&path, mutant(original, number)).expect("a mutant is written");
                    let end = try_mutant(&path, number);
                    ends.lock().expect("no panic while adding").push(end);
                }
            });
        }
    });
    let ends = ends.into_inner().expect("no panic while adding");
    let [refused, ran, looped] = [End::Refused, End::Ran, End::Looped]
        .map(|end| ends.iter().filter(|&&other| other == end).count() as u64);
    let tally = format!("{refused} refused, {ran} ended by themselves, {looped} stopped");
    samovar_tests::announce(&format!("{total} mutants: {tally}"));
    assert!(looped <= 2 + total / 50, "too many do not end: {tally}");
    assert!(total < 100 || (refused > total / 20 && ran > total / 20), "no variety: {tally}");
}

/// How a mutant ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Samovar would not start it.
    Refused,
    /// It ran to an end of its own, or to something unsupported.
    Ran,
    /// It ran until it was stopped from outside.
    Looped,
}

/// Runs one mutant. Samovar prints its statistics after every run, however the guest ended: dying
/// without them is a crash of samovar itself.
fn try_mutant(path: &Path, number: u64) -> End {
    let mut job = Job::new(path, &["argument"]).under_samovar(&["--stats"]);
    job.hang = PATIENCE;
    let outcome = job.run();
    let said = outcome.stderr_text();
    let what = format!("mutant {number}: {}\n{said}", outcome.ending());
    assert!(!said.contains("panicked at"), "{what}");
    assert_ne!(outcome.status.code(), Some(101), "{what}");
    assert!(outcome.peak < MEMORY, "{what}\n{} bytes of memory", outcome.peak);
    if outcome.hung {
        return End::Looped;
    }
    if said.contains("samovar: statistics") {
        return End::Ran;
    }
    assert_eq!(outcome.status.code(), Some(2), "{what}");
    assert!(said.starts_with("samovar: ") && said.lines().count() == 1, "not clear: {what}");
    End::Refused
}
