//! Programs that nobody here wrote: their output inside the virtual CPU is byte-identical to the
//! native one, with the library models and without.
//!
//! `cargo run --release -p samovar-tests --bin debian-table` prints the same as a table.

use samovar_tests::compare::{MODELS, complaints};
use samovar_tests::debian::{Case, cases};
use std::sync::Mutex;

/// The first words of the cases each test takes; the last test takes whatever is left.
const GROUPS: &[&[&str]] = &[
    &["busybox"],
    &["sqlite3", "bc", "dc", "jq", "openssl"],
    &["lua5.4", "dash", "bash", "mawk", "gawk", "perl", "python3"],
    &["gzip", "xz", "pigz", "pbzip2", "bzip2", "zstd"],
];

fn group_of(case: &Case) -> usize {
    let program = case.name.split(' ').next().unwrap_or_default();
    GROUPS.iter().position(|names| names.contains(&program)).unwrap_or(GROUPS.len())
}

/// Runs a group's cases on two threads: most of them are short, some are not.
fn check(group: usize) {
    let mut wanted = cases(samovar_tests::everything());
    wanted.retain(|case| group_of(case) == group);
    let queue = Mutex::new(wanted);
    let bad = Mutex::new(Vec::new());
    assert!(queue.lock().is_ok_and(|q| !q.is_empty()), "no program of this group is installed");
    let next = || queue.lock().expect("no panic while taking").pop();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = next() {
                    let found = check_case(&case);
                    bad.lock().expect("no panic while adding").extend(found);
                }
            });
        }
    });
    let bad = bad.into_inner().expect("no panic while adding");
    assert!(bad.is_empty(), "{} complaints:\n{}", bad.len(), bad.join("\n"));
}

fn check_case(case: &Case) -> Vec<String> {
    let native = case.job.run();
    let again = case.job.run();
    let same = native.stdout == again.stdout && native.stderr == again.stderr;
    assert!(same, "{} does not repeat itself natively: a useless case", case.name);
    let mut found = complaints(&case.job, &native, MODELS);
    if samovar_tests::everything() {
        found.extend(complaints(&case.job, &native, &[("v2", &["--cpu", "v2"])]));
    }
    found.into_iter().map(|line| format!("{}: {line}", case.name)).collect()
}

#[test]
fn busybox() {
    check(0);
}

#[test]
fn databases_and_calculators() {
    check(1);
}

#[test]
fn interpreters() {
    check(2);
}

#[test]
fn compressors() {
    check(3);
}

#[test]
fn utilities() {
    check(4);
}
