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
        let one = said(&scratch, &case, &["--jobs", "1"]);
        assert!(one["numbers"][0].as_u64() > Some(40), "{example} {flags}: {one}");
        for jobs in ["2", "4"] {
            assert_eq!(
                said(&scratch, &case, &["--jobs", jobs]),
                one,
                "{example} {flags} on {jobs}"
            );
        }
        let deep = said(&scratch, &case, &["--search", "dfs"]);
        assert_eq!(one["verdict"], deep["verdict"], "{example} {flags}");
        assert_eq!(one["error"]["kind"], deep["error"]["kind"], "{example} {flags}");
    }
}

/// Of the examples that are not asked for everything, one in so many is tried.
const SAMPLE: usize = 4;

/// Examples, whatever they come to.
#[test]
fn examples_are_the_same_on_one_and_two_cores() {
    let plain = |case: &Case| !case.slow && !case.is_rust() && case.options.is_empty();
    let step = if everything() { 1 } else { SAMPLE };
    let scratch = Scratch::new("jobs");
    let mut checked = 0;
    for case in cases().into_iter().filter(plain).step_by(step) {
        let file = workspace().join("examples").join(&case.file).display().to_string();
        let words = [vec!["--cflags".into(), case.cflags.join(" "), file], case.args].concat();
        let one = said(&scratch, &words, &["--jobs", "1"]);
        assert_eq!(said(&scratch, &words, &["--jobs", "2"]), one, "{words:?}");
        checked += 1;
    }
    assert!(20 < checked, "only {checked} examples");
}
