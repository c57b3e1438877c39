//! Moves that are remembered lead where executing them again would: with `--memo off` every search
//! sees the same states, moves and ends, and says the same.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// Examples and how to compile them: locks, conditions, semaphores, atomics, choices, the heap,
/// ends of threads, threads that wait for one another in every way.
const EXAMPLES: &[(&str, &str)] = &[
    ("philosophers.c", "-DFIX"),
    ("tutorial/buffer.c", "-DSTEP=3"),
    ("condition/lost_wakeup.c", "-DFIX"),
    ("condition/barrier_reuse.c", "-DFIX"),
    ("benchmarks/lastzero.c", "-DN=4"),
    ("models/stopwatch.c", "-DBROKEN"),
    ("lockfree/treiber.c", "-DFIX"),
    ("../tests/programs/check/awaited.c", "-DWAY=1"),
    ("../tests/programs/check/awaited.c", "-DWAY=2"),
    ("../tests/programs/check/awaited.c", "-DWAY=3"),
    ("../tests/programs/check/awaited.c", "-DWAY=4"),
];

fn numbers(example: &str, flags: &str, options: &[&str]) -> Value {
    let scratch = Scratch::new("memo");
    let program = workspace().join("examples").join(example).display().to_string();
    let common = ["check", "--format", "json", "--outcomes", "--search", "dfs", "--cflags", flags];
    let outcome = Job::new(samovar(), &[&common[..], options, &[&program]].concat())
        .directory(scratch.path())
        .run();
    let report: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| {
        panic!("{example} {options:?}: {error}, {}", outcome.stderr_text())
    });
    let stats = &report["stats"];
    serde_json::json!({
        "verdict": report["verdict"],
        "error": report["error"]["kind"],
        "outcomes": report["outcomes"],
        "states": stats["states"],
        "transitions": stats["transitions"],
        "terminal": stats["terminal"],
        "depth": stats["depth"],
    })
}

#[test]
fn remembering_changes_nothing_but_the_time() {
    for (example, flags) in EXAMPLES {
        for reduce in ["auto", "contended"] {
            let on = numbers(example, flags, &["--reduce", reduce]);
            let off = numbers(example, flags, &["--reduce", reduce, "--memo", "off"]);
            assert_eq!(on, off, "{example} {flags} with {reduce}");
            assert!(on["states"].as_u64() > Some(1), "{example} {flags}: {on}");
        }
    }
}
