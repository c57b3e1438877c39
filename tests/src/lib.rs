//! What the whole-program tests share: building small programs, running them natively and under
//! `samovar run`, and comparing the two byte for byte. The native run is the judge; nothing here
//! knows what a program ought to print.
//!
//! `cargo test --release -p samovar-tests` runs a covering selection in a few minutes.
//! `SAMOVAR_TESTS=all cargo test --release -p samovar-tests` runs everything: every program in
//! every build, every Debian program, ten thousand mutated executables.
//!
//! Environment: `SAMOVAR_TESTS` (`all`), `SAMOVAR_BIN` (a samovar executable to test instead of
//! the one of this checkout), `SAMOVAR_FUZZ` (number of mutated files), `SAMOVAR_KEEP` (leave the
//! scratch directories behind), `SAMOVAR_NO_INSTALL` (never call apt-get).

pub mod binary;
pub mod build;
pub mod child;
pub mod compare;
pub mod debian;
pub mod directives;
pub mod examples;
pub mod litmus;
pub mod mamp;
pub mod mutate;
pub mod schema;
pub mod scratch;
pub mod tool;

/// True when everything was asked for (`SAMOVAR_TESTS=all`), not just the quick selection.
pub fn everything() -> bool {
    std::env::var("SAMOVAR_TESTS").is_ok_and(|v| v == "all")
}

/// Writes a line to the real standard error, past the test harness, which hides the output of
/// tests that pass: a skipped test must be seen.
pub fn announce(line: &str) {
    use std::io::Write;
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}
