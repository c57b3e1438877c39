//! `samovar check` on programs that take more and more of something, or do the same for ever: each
//! comes to a verdict that says so, within the memory that it may take.

use samovar_tests::binary::samovar;
use samovar_tests::build::{execute, programs};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use serde_json::Value;
use std::process::Command;

/// Memory that a check may take, and what it may come to beyond: limits are looked at now and then,
/// and tables grow by doubling.
const MEMORY: u64 = 600 << 20;
const BEYOND: u64 = 900 << 20;

fn built(scratch: &Scratch, compiler: &str, flags: &[&str]) -> String {
    let program = scratch.join("endless");
    let mut command = Command::new(need(compiler).expect("a compiler"));
    command.args(["-w", "-O1", "-pthread"]).args(flags);
    command.arg(programs().join("check/endless.c")).arg("-o").arg(&program);
    execute(&mut command);
    program.display().to_string()
}

/// Checks the program; the exit status and the report.
fn check(scratch: &Scratch, options: &[&str], program: &str, args: [&str; 2]) -> (Outcome, Value) {
    let memory = format!("--memory={MEMORY}");
    let words = [&["check", "--format", "json", &memory], options, &[program], &args].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let report = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|_| panic!("{args:?}: {}, {}", outcome.ending(), outcome.stderr_text()));
    (outcome, report)
}

/// What a program does without end, and what is said of it: the exit status, and words from the
/// report's reason or error.
type Endless = (&'static str, &'static str, i32, &'static str);

/// Of a thread that does more than any move should need.
const WORKS_ON: &str = "T1 works on without end in sight";

const CASES: &[Endless] = &[
    ("malloc", "main", 3, "the memory limit of 600 MiB was reached before the first thread"),
    ("malloc", "thread", 3, WORKS_ON),
    ("fill", "main", 3, "the memory limit of 600 MiB was reached before the first thread"),
    ("fill", "thread", 3, WORKS_ON),
    ("free", "main", 3, "before its first thread; with --time it may go on"),
    ("free", "thread", 3, WORKS_ON),
    ("map", "main", 3, "the memory limit of 600 MiB was reached before the first thread"),
    ("map", "thread", 3, "the memory limit of 600 MiB was reached"),
    ("open", "main", 1, "without end"),
    ("open", "thread", 1, "for ever"),
    ("print", "main", 3, "instructions before its first thread"),
    ("print", "thread", 3, WORKS_ON),
    ("count", "main", 3, "instructions before its first thread; with --time it may go on"),
    ("count", "thread", 3, WORKS_ON),
    ("nothing", "main", 1, "without end"),
    ("nothing", "thread", 1, "without end"),
    ("recurse", "main", 1, "the stack of main runs over"),
    ("recurse", "thread", 1, "the stack of T1 runs over"),
];

fn assert_told(scratch: &Scratch, options: &[&str], program: &str, case: Endless) {
    let (word, place, status, words) = case;
    let (outcome, report) = check(scratch, options, program, [word, place]);
    let (error, reason) = (&report["error"]["message"], &report["incomplete"]["reason"]);
    let said = error.as_str().or(reason.as_str()).unwrap_or_default();
    assert_eq!(outcome.ending(), format!("exit status {status}"), "{word} {place}: {said}");
    assert!(said.contains(words), "{word} {place}: {said}");
    let peak = outcome.peak;
    assert!(peak <= MEMORY + BEYOND, "{word} {place} took {} MiB", peak >> 20);
}

#[test]
fn endless_programs_are_told() {
    let scratch = Scratch::new("endless");
    let program = built(&scratch, "gcc", &["-g"]);
    for &case in CASES {
        assert_told(&scratch, &[], &program, case);
    }
}
