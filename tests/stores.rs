//! Stores of visited states: those that claim to be exact agree with the exact one, those that do
//! not say so, and none proves more than it can.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::build::programs;
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::path::Path;

/// Examples with all verdicts that a search comes to: where they lie, flags, arguments.
const EXAMPLES: &[(&str, &str, &[&str])] = &[
    ("examples/philosophers.c", "", &[]),
    ("examples/steam/philosophers.cpp", "-DFIX", &[]),
    ("examples/race.c", "", &[]),
    ("examples/condition/bounded_buffer.c", "-DFIX", &[]),
    ("examples/locks/peterson.c", "-DFIX", &[]),
    ("tests/programs/counts/counter.c", "", &["3", "3"]),
    ("tests/programs/counts/buffer.c", "", &["2", "2"]),
    ("tests/programs/counts/philosophers.c", "-static", &["4", "1"]),
];

fn run(options: &[&str], program: &Path, args: &[&str]) -> Outcome {
    let scratch = Scratch::new("stores");
    let program = program.display().to_string();
    let words = [&["check", "--format", "json"], options, &[&program], args].concat();
    Job::new(samovar(), &words).directory(scratch.path()).run()
}

fn report(options: &[&str], program: &Path, args: &[&str]) -> Value {
    let outcome = run(options, program, args);
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| {
        panic!("{options:?} {}: {error}, {}", program.display(), outcome.stderr_text())
    })
}

fn number(report: &Value, key: &str) -> u64 {
    report["stats"][key].as_u64().expect("a number")
}

fn reason(report: &Value) -> &str {
    report["incomplete"]["reason"].as_str().unwrap_or_default()
}

#[test]
fn stores_agree_with_the_exact_one() {
    for (file, flags, args) in EXAMPLES {
        let program = workspace().join(file);
        let with = |options: &[&str]| {
            let common = ["--cflags", flags, "--search", "dfs"];
            report(&[&common, options].concat(), &program, args)
        };
        let exact = with(&[]);
        let is_error = exact["verdict"] == "error";
        for options in [
            &["--store", "compact"][..],
            &["--store", "compact", "--hash", "full"],
            &["--store", "bitstate", "--memory", "1G"],
        ] {
            let lossy = with(options);
            let expected = if is_error { "error" } else { "incomplete" };
            assert_eq!(lossy["verdict"], expected, "{file} {options:?}: {lossy}");
            assert_eq!(lossy["error"]["kind"], exact["error"]["kind"], "{file} {options:?}");
            assert_eq!(number(&lossy, "states"), number(&exact, "states"), "{file} {options:?}");
            let moves = number(&lossy, "transitions");
            assert_eq!(moves, number(&exact, "transitions"), "{file} {options:?}");
        }
        for every in ["1", "3", "1000"] {
            let options = ["--store", "reconstruct", "--key-every", every];
            let rebuilt = with(&options);
            assert_eq!(rebuilt["verdict"], exact["verdict"], "{file} {options:?}: {rebuilt}");
            assert_eq!(number(&rebuilt, "states"), number(&exact, "states"), "{file} {options:?}");
        }
    }
}

#[test]
fn reconstruction_works_in_every_order_and_with_choices() {
    let counter = programs().join("counts/counter.c");
    let choices = workspace().join("examples/models/converter.c");
    for (program, args) in [(counter, &["2", "3"][..]), (choices, &[])] {
        for search in ["dfs", "bfs", "idfs", "best-first", "astar"] {
            let common = ["--search", search, "--reduce", "contended"];
            let exact = report(&common, &program, args);
            let rebuild = [&common[..], &["--store", "reconstruct", "--key-every", "4"]].concat();
            let rebuilt = report(&rebuild, &program, args);
            assert_eq!(rebuilt["verdict"], exact["verdict"], "{search}: {rebuilt}");
            assert_eq!(number(&rebuilt, "states"), number(&exact, "states"), "{search}");
            assert_eq!(number(&rebuilt, "depth"), number(&exact, "depth"), "{search}");
        }
    }
}

#[test]
fn lossy_stores_say_what_they_may_have_omitted() {
    let program = programs().join("counts/counter.c");
    let with = |options: &[&str]| report(options, &program, &["3", "2"]);
    let compact = with(&["--store", "compact"]);
    assert!(reason(&compact).contains("probability of omission"), "{}", reason(&compact));
    assert!(reason(&compact).contains("runs without end were not judged"));
    let omission = compact["stats"]["coverage"]["omission_probability"].as_f64();
    assert!(omission.is_some_and(|omission| 0.0 < omission && omission < 1e-9), "{compact}");
    let runs = with(&["--store", "bitstate", "--runs", "3", "--memory", "500M"]);
    assert!(reason(&runs).contains("estimated coverage"), "{}", reason(&runs));
    assert!(reason(&runs).contains("in 3 runs"), "{}", reason(&runs));
    assert_eq!(runs["stats"]["coverage"]["runs"], 3);
    let partial = with(&["--store", "compact", "--hash", "partial"]);
    assert_eq!(partial["verdict"], "incomplete");
    assert!(number(&partial, "states") <= number(&compact, "states"));
    assert!(reason(&partial).contains("general registers"), "{}", reason(&partial));
}

/// Trails that were found without stored states lead to their errors all the same.
#[test]
fn errors_are_real_whatever_the_store() {
    let program = workspace().join("examples/philosophers.c");
    for store in ["compact", "bitstate", "reconstruct"] {
        let scratch = Scratch::new("stores");
        let file = program.display().to_string();
        let words = ["check", "--store", store, "--trail", "found.json", &file];
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        assert_eq!(outcome.status.code(), Some(1), "{store}: {}", outcome.stderr_text());
        let replay = Job::new(samovar(), &["replay", "found.json"]).directory(scratch.path()).run();
        assert!(replay.stdout_text().contains("deadlock"), "{store}: {}", replay.stderr_text());
    }
}

#[test]
fn nonsense_is_refused_in_one_sentence() {
    let program = workspace().join("examples/philosophers.c");
    for (options, said) in [
        (&["--hash", "full"][..], "--hash is for --store compact, bitstate or reconstruct"),
        (&["--store", "compact", "--runs", "2"], "--runs is for --store bitstate"),
        (&["--store", "compact", "--positions", "2"], "--positions is for --store bitstate"),
        (&["--store", "bitstate", "--key-every", "2"], "--key-every is for --store reconstruct"),
        (&["--store", "compact", "--search", "bfs"], "--store compact is for --search dfs"),
        (&["--store", "bitstate", "--preemptions", "1"], "--store bitstate is for --search dfs"),
        (
            &["--store", "reconstruct", "--hash", "partial"],
            "--hash partial is for --store compact or bitstate",
        ),
        (&["--store", "bitstate", "--memory", "many"], "write it as 500M or 2G"),
        (&["--store", "bitstate", "--positions", "0"], "0 is not in 1..=16"),
        (&["--store", "bitstate", "--runs", "0"], "0 is not in 1.."),
        (&["--store", "reconstruct", "--key-every", "0"], "0 is not in 1.."),
    ] {
        let outcome = run(options, &program, &[]);
        let stderr = outcome.stderr_text();
        assert_eq!(outcome.status.code(), Some(2), "{options:?}: {stderr}");
        assert!(stderr.contains(said), "{options:?}: {stderr}");
        assert!(outcome.stdout.is_empty(), "{options:?}");
    }
}

#[test]
fn too_little_memory_ends_a_search_with_a_sentence() {
    let program = programs().join("counts/counter.c");
    let report = report(&["--store", "bitstate", "--memory", "1M"], &program, &["2", "2"]);
    assert_eq!(report["verdict"], "incomplete", "{report}");
    let said = "the memory limit of 1 MiB leaves no room for an array of bits";
    assert!(reason(&report).starts_with(said), "{}", reason(&report));
}

/// Where memory and moves went adds up.
#[test]
fn statistics_explain_a_search() {
    let program = programs().join("counts/counter.c");
    let report = report(&["--search", "dfs"], &program, &["3", "2"]);
    let stats = &report["stats"];
    assert!(stats["moves"]["executed"].as_u64() > Some(0), "{stats}");
    assert!(stats["moves"]["remembered"].as_u64() > Some(0), "{stats}");
    assert_eq!(stats["moves"]["replayed"], 0);
    for part in ["states", "granules", "registers", "moves"] {
        assert!(stats["memory_bytes"][part].as_u64() > Some(0), "{part}: {stats}");
    }
    assert_eq!(stats["memory_bytes"]["ways"], 0);
    let load = stats["table_load"].as_f64().expect("a number");
    assert!(0.0 < load && load <= 1.0, "{stats}");
    assert_eq!(stats["coverage"], Value::Null);
    let words = ["check", "--stats", "--search", "dfs"].map(str::to_string).to_vec();
    let words = [words, vec![program.display().to_string(), "2".into(), "2".into()]].concat();
    let scratch = Scratch::new("stores");
    let text = Job::new(samovar(), &words).directory(scratch.path()).run().stdout_text();
    for said in ["moves: ", "bytes a state: ", "time: "] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
