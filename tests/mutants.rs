//! Damaged executables through the real command: whatever the file, samovar ends by itself, with
//! a message or with a run; it never panics, hangs, or dies by a signal that is not the guest's.
//!
//! 300 files in the quick selection, 10,000 with `SAMOVAR_TESTS=all`, or `SAMOVAR_FUZZ=n`.

use samovar_tests::build::{Build, Link, programs};
use samovar_tests::child::Job;
use samovar_tests::directives::Directives;
use samovar_tests::mutate::mutant;
use samovar_tests::scratch::Scratch;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
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
    let (next, looped, total) = (AtomicU64::new(0), AtomicU64::new(0), count());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (scratch, originals) = (&scratch, &originals);
            let (next, looped) = (&next, &looped);
            scope.spawn(move || {
                let path = scratch.join(&format!("mutant-{worker}"));
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= total {
                        break;
                    }
                    let original = &originals[number as usize % originals.len()];
                    std::fs::write(&path, mutant(original, number)).expect("a mutant is written");
                    looped.fetch_add(u64::from(try_mutant(&path, number)), Ordering::Relaxed);
                }
            });
        }
    });
    let looped = looped.into_inner();
    samovar_tests::announce(&format!("{total} mutants, {looped} of them ran until stopped"));
    assert!(looped <= 2 + total / 50, "{looped} of {total} mutants did not end");
}

/// Runs one mutant; true if it had to be stopped.
fn try_mutant(path: &Path, number: u64) -> bool {
    let mut job = Job::new(path, &["argument"]).under_samovar(&[]);
    job.hang = PATIENCE;
    let outcome = job.run();
    let said = outcome.stderr_text();
    let what = format!("mutant {number}: {}\n{said}", outcome.ending());
    assert!(!said.contains("panicked at"), "{what}");
    assert_ne!(outcome.status.code(), Some(101), "{what}");
    assert!(outcome.peak < MEMORY, "{what}\n{} bytes of memory", outcome.peak);
    if outcome.status.code() == Some(2) {
        assert!(said.lines().count() <= 2 && !said.is_empty(), "no clear message: {what}");
    }
    // A guest may die of these by its own fault; samovar passes that on.
    let natural = [libc::SIGSEGV, libc::SIGILL, libc::SIGTRAP, libc::SIGFPE, libc::SIGBUS];
    let natural = [&natural[..], &[libc::SIGABRT, libc::SIGKILL, libc::SIGSYS]].concat();
    if let Some(signal) = outcome.status.signal() {
        assert!(outcome.hung || natural.contains(&signal), "{what}");
    }
    outcome.hung
}
