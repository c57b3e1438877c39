//! Nothing that a search on several cores comes to depends on how many there are: verdict, numbers
//! and trail are those of one core, and the verdict is that of a depth-first search.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::everything;
use samovar_tests::examples::{Case, cases};
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// What a check says, as far as it must not depend on cores.
fn said(scratch: &Scratch, case: &[String], options: &[&str]) -> Value {
    let case: Vec<&str> = case.iter().map(String::as_str).collect();
    let words = [&["check", "--format", "json", "--trail", "t.json"], options, &case].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let mut report: Value = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{words:?}: {error}, {}", outcome.stderr_text()));
    let stats = &report["stats"];
    let numbers =
        ["states", "transitions", "revisits", "depth", "rounds"].map(|one| stats[one].clone());
    serde_json::json!({
        "verdict": report["verdict"].take(),
        "error": report["error"].take(),
        "trail": report["trail"].take(),
        "numbers": numbers,
    })
}

fn program(example: &str) -> String {
    workspace().join("examples").join(example).display().to_string()
}

/// Searches that use several cores.
const SEARCHES: [&str; 3] = ["bfs", "dfs", "auto"];

/// Spaces that are large enough for hands to have something to do.
#[test]
fn large_spaces_are_the_same_on_one_two_and_four_cores() {
    let scratch = Scratch::new("jobs");
    let cases = [
        ("benchmarks/counter.c", "-DN=5 -DK=4", "auto"),
        ("benchmarks/counter.c", "-DN=3 -DK=3", "contended"),
        ("deadlock/philosophers.c", "-DN=6 -DFIX", "contended"),
        ("deadlock/philosophers.c", "-DN=7", "auto"),
        ("benchmarks/lastzero.c", "-DN=6", "auto"),
        ("locks/peterson.c", "", "none"),
        ("condition/bounded_buffer.c", "", "contended"),
    ];
    for (example, flags, reduce) in cases {
        let case = ["--cflags", flags, "--reduce", reduce, &program(example)].map(String::from);
        let deep = said(&scratch, &case, &["--search", "dfs"]);
        for search in SEARCHES {
            let on = |jobs| said(&scratch, &case, &["--search", search, "--jobs", jobs]);
            let one = on("1");
            assert!(one["numbers"][0].as_u64() > Some(40), "{example} {flags}: {one}");
            for jobs in ["2", "4"] {
                assert_eq!(on(jobs), one, "{example} {flags} by {search} on {jobs}");
            }
            assert_eq!(one["verdict"], deep["verdict"], "{example} {flags} by {search}");
            assert_eq!(one["error"]["kind"], deep["error"]["kind"], "{example} {flags} {search}");
        }
    }
}

/// What is wrong with runs without end is found whatever the number of cores, and nothing else.
#[test]
fn runs_without_end_are_judged_on_several_cores() {
    let scratch = Scratch::new("jobs");
    let cases = [
        ("deadlock/partial.c", "", "partial-deadlock"),
        ("deadlock/partial.c", "-DFIX", ""),
        ("locks/peterson.c", "-DNO_TURN", "livelock"),
        ("locks/dekker.c", "-DSTUBBORN", "livelock"),
        ("locks/spin.c", "-DFORGET", "livelock"),
        ("locks/spin.c", "", ""),
        ("locks/mcs.c", "", ""),
        ("locks/filter.c", "-DNO_VICTIM -DN=2", "livelock"),
    ];
    for (example, flags, kind) in cases {
        let case = ["--cflags", flags, &program(example)].map(String::from);
        for jobs in ["1", "2", "4"] {
            let report = said(&scratch, &case, &["--search", "dfs", "--jobs", jobs]);
            let found = report["error"]["kind"].as_str().unwrap_or_default();
            assert_eq!(found, kind, "{example} {flags} on {jobs}: {report}");
        }
    }
}

/// A bound on the depth cuts the same on any number of cores, and is told.
#[test]
fn a_bound_on_the_depth_is_the_same_on_all() {
    let scratch = Scratch::new("jobs");
    let case = ["--cflags", "-DN=5 -DK=4", &program("benchmarks/counter.c")].map(String::from);
    let on = |jobs| said(&scratch, &case, &["--search", "dfs", "--depth", "30", "--jobs", jobs]);
    let one = on("1");
    assert_eq!(one["verdict"], "incomplete", "{one}");
    assert_eq!(one["numbers"][3], 30, "{one}");
    assert_eq!(on("2"), one);
    assert_eq!(on("4"), one);
}

/// Of the examples that are not asked for everything, one in so many is tried.
const SAMPLE: usize = 4;

/// Examples, whatever they come to.
#[test]
fn examples_are_the_same_on_one_two_and_four_cores() {
    let plain = |case: &Case| !case.slow && !case.is_rust() && case.options.is_empty();
    let step = if everything() { 1 } else { SAMPLE };
    let scratch = Scratch::new("jobs");
    let mut checked = 0;
    for case in cases().into_iter().filter(plain).step_by(step) {
        let file = workspace().join("examples").join(&case.file).display().to_string();
        let words = [vec!["--cflags".into(), case.cflags.join(" "), file], case.args].concat();
        for search in ["bfs", "dfs"] {
            let on = |jobs| said(&scratch, &words, &["--search", search, "--jobs", jobs]);
            let one = on("1");
            let verdict = one["verdict"].as_str().unwrap_or_default();
            assert!(case.verdict.starts_with(verdict), "{words:?} by {search}: {one}");
            assert_eq!(on("2"), one, "{words:?} by {search}");
            if search == "dfs" {
                assert_eq!(on("4"), one, "{words:?} by {search}");
            }
        }
        checked += 1;
    }
    assert!(20 < checked, "only {checked} examples");
}
