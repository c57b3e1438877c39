//! Searches in other orders than depth-first and breadth-first: what they find, how directly, and
//! that none of them claims more than it has seen.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// Searches that look at everything if they find nothing.
const WHOLE: &[&str] =
    &["dfs", "bfs", "idfs", "best-first", "astar", "idastar", "novelty", "refine"];
/// Searches that do not.
const LOSSY: &[&str] = &["beam", "random", "pct"];

fn run(scratch: &Scratch, options: &[&str], example: &str) -> Outcome {
    let program = workspace().join("examples").join(example).display().to_string();
    let words = [&["check", "--format", "json"], options, &[&program]].concat();
    Job::new(samovar(), &words).directory(scratch.path()).run()
}

fn report(options: &[&str], example: &str) -> Value {
    let scratch = Scratch::new("directed");
    let outcome = run(&scratch, options, example);
    serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{options:?} {example}: {error}, {}", outcome.stderr_text()))
}

fn number(report: &Value, key: &str) -> u64 {
    report["stats"][key].as_u64().expect("a number")
}

fn trail(report: &Value) -> usize {
    report["trail"].as_array().map_or(0, Vec::len)
}

fn reason(report: &Value) -> &str {
    report["incomplete"]["reason"].as_str().unwrap_or_default()
}

#[test]
fn every_search_finds_errors() {
    for (example, kind) in [("philosophers.c", "deadlock"), ("race.c", "race")] {
        for search in WHOLE.iter().chain(LOSSY) {
            let report = report(&["--search", search], example);
            assert_eq!(report["error"]["kind"], kind, "{example} with {search}: {report}");
        }
    }
}

#[test]
fn only_what_was_seen_whole_is_verified() {
    let fixed = ["--cflags", "-DFIX"];
    let example = "steam/philosophers.cpp";
    let with = |options: &[&str]| report(&[&fixed, options].concat(), example);
    let states = number(&with(&["--search", "dfs", "--reduce", "contended"]), "states");
    for search in WHOLE {
        let report = with(&["--search", search, "--reduce", "contended"]);
        assert_eq!(report["verdict"], "verified", "{search}: {report}");
        assert_eq!(number(&report, "states"), states, "{search}");
    }
    for (options, said) in [
        (&["--search", "beam", "--width", "2"][..], "the beam of 2 states left"),
        (&["--search", "random", "--walks", "20"], "20 random walks"),
        (&["--search", "pct", "--walks", "20"], "with a probability of at least"),
        (&["--search", "idfs", "--depth", "5"], "the bound of 5 steps cut"),
        (&["--search", "best-first", "--depth", "5"], "the bound of 5 steps cut"),
        (&["--search", "astar", "--depth", "5"], "the bound of 5 steps cut"),
        (&["--search", "beam", "--depth", "5"], "the bound of 5 steps cut"),
        (&["--preemptions", "1"], "proved up to 1 preemption,"),
    ] {
        let report = with(options);
        assert_eq!(report["verdict"], "incomplete", "{options:?}: {report}");
        assert!(reason(&report).contains(said), "{options:?}: {}", reason(&report));
    }
}

#[test]
fn runs_without_end_are_judged_after_any_order() {
    let scratch = Scratch::new("endless");
    let file = scratch.join("endless.c");
    let source = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int go, busy;\n\
        static void *spin(void *p) { while (!go) busy = !busy; return p; }\n\
        int main(void) { pthread_t t, u; pthread_create(&t, 0, spin, 0);\n\
        pthread_create(&u, 0, spin, 0); pthread_join(t, 0); return 0; }\n";
    std::fs::write(&file, source).expect("the scratch directory can be written");
    let verdict = |search: &str| {
        let words = ["check", "--format", "json", "--search", search, "endless.c"];
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        let report: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
        report["verdict"].clone()
    };
    let judge = verdict("dfs");
    for search in ["bfs", "idfs", "best-first", "astar", "beam"] {
        assert_eq!(verdict(search), judge, "{search}");
    }
}

/// States that are expanded to find the deadlock of an instance.
fn expanded(example: &str, count: usize, search: &[&str]) -> u64 {
    let size = format!("-DN={count} -DWAY=GREEDY");
    let report = report(&[search, &["--cflags", &size]].concat(), example);
    assert_eq!(report["error"]["kind"], "deadlock", "{example} {count} {search:?}");
    number(&report, "expanded")
}

#[test]
fn deadlocks_take_a_linear_number_of_states() {
    for example in ["steam/philosophers.cpp", "steam/telegraph.cpp"] {
        let ways = ["lnb", "pl2"].into_iter().flat_map(|one| [(one, "auto"), (one, "lgc")]);
        for (heuristic, reduce) in ways {
            let best_first = ["--search", "best-first", "--heuristic", heuristic];
            let search = [&best_first[..], &["--reduce", reduce]].concat();
            let numbers: Vec<u64> = (2..6).map(|count| expanded(example, count, &search)).collect();
            let steps: Vec<u64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(steps.windows(2).all(|pair| pair[0] == pair[1]), "{example} {numbers:?}");
        }
    }
}

/// What is only looked at is not kept, and threads that are created do not make the searches forget
/// what the others do: twice the threads take twice the work and twice the memory, not four times.
#[test]
fn looking_ahead_is_linear_in_the_threads() {
    let with = |count: usize| {
        let size = format!("-DN={count}");
        let search = ["--search", "best-first", "--heuristic", "lnb", "--reduce", "lgc"];
        let report =
            report(&[&search[..], &["--cflags", &size]].concat(), "steam/philosophers.cpp");
        assert_eq!(report["error"]["kind"], "deadlock", "{count}: {report}");
        let number = |value: &Value| value.as_f64().expect("a number");
        let stats = &report["stats"];
        (number(&stats["memory_bytes"]["worlds"]), number(&stats["moves"]["executed"]))
    };
    let ((memory, moves), (more_memory, more_moves)) = (with(80), with(160));
    assert!(more_memory < memory * 2.5, "{memory} bytes, {more_memory} bytes");
    assert!(more_moves < moves * 2.5, "{moves} moves, {more_moves} moves");
}

/// Thread creation is no place to switch for that reduction, nor is what only the C library does.
#[test]
fn depth_first_search_gets_far_with_locks_and_globals() {
    for (example, count) in [("steam/philosophers.cpp", 20), ("steam/telegraph.cpp", 6)] {
        let size = format!("-DENDLESS -DN={count}");
        let options = ["--search", "dfs", "--reduce", "lgc", "--cflags", &size];
        let report = report(&options, example);
        assert_eq!(report["error"]["kind"], "deadlock", "{example}: {report}");
        assert!(number(&report, "expanded") < 20_000, "{example}: {report}");
    }
}

/// What other searches learn in their turns does not keep the proof from leaving out moves.
#[test]
fn the_proof_of_the_autopilot_is_that_of_a_depth_first_search() {
    let numbers = |search: &str, size: &str| {
        let report = report(&["--search", search, "--cflags", size], "benchmarks/counter.c");
        assert_eq!(report["verdict"], "verified", "{search} {size}: {report}");
        ["states", "transitions"].map(|key| number(&report, key))
    };
    for size in ["-DN=4 -DK=4", "-DN=5 -DK=4"] {
        assert_eq!(numbers("auto", size), numbers("dfs", size), "{size}");
    }
}

#[test]
fn many_threads_are_no_obstacle() {
    let count = 80;
    for example in ["steam/philosophers.cpp", "steam/telegraph.cpp", "deadlock/philosophers.c"] {
        for search in [&["--search", "best-first"][..], &[]] {
            let expanded = expanded(example, count, search);
            assert!(expanded <= 6 * count as u64, "{example} {search:?}: {expanded} states");
        }
    }
}

#[test]
fn shortest_trails_are_as_short_as_breadth_first() {
    for (example, flags) in [
        ("philosophers.c", "-DX"),
        ("steam/philosophers.cpp", "-DN=2"),
        ("steam/philosophers.cpp", "-DN=3"),
        ("steam/philosophers.cpp", "-DN=4"),
        ("steam/telegraph.cpp", "-DN=2"),
        ("steam/telegraph.cpp", "-DN=3"),
        ("condition/lost_wakeup.c", "-DX"),
    ] {
        let with = |options: &[&str]| {
            let common = ["--reduce", "contended", "--cflags", flags, "--check", "deadlock"];
            let report = report(&[&common, options].concat(), example);
            assert_eq!(report["error"]["kind"], "deadlock", "{example} {flags} {options:?}");
            report
        };
        let judge = with(&["--search", "bfs"]);
        let directed = with(&["--search", "astar", "--heuristic", "mb"]);
        assert_eq!(trail(&directed), trail(&judge), "A*, {example} {flags}");
        assert!(number(&directed, "expanded") <= number(&judge, "expanded"), "{example} {flags}");
        for search in [&["--search", "idfs"][..], &["--search", "idastar", "--heuristic", "mb"]] {
            assert_eq!(trail(&with(search)), trail(&judge), "{search:?}, {example} {flags}");
        }
    }
}

#[test]
fn every_heuristic_leads_somewhere() {
    let names =
        "mb lnb pl1 pl2 pba pbb int rw aa branch alive novelty formula lnb+alive mb+rw+branch";
    for name in names.split(' ') {
        let found = report(&["--search", "best-first", "--heuristic", name], "philosophers.c");
        assert_eq!(found["error"]["kind"], "deadlock", "{name}");
    }
}

#[test]
fn known_errors_are_found_again() {
    let scratch = Scratch::new("toward");
    for example in ["philosophers.c", "condition/lost_wakeup.c"] {
        let first = run(&scratch, &["--search", "dfs", "--trail", "first.json"], example);
        let first: Value = serde_json::from_slice(&first.stdout).expect("a report");
        for heuristic in ["hamming", "fsm", "fsm+lnb"] {
            let options = ["--search", "best-first", "--heuristic", heuristic];
            let again =
                run(&scratch, &[&options[..], &["--toward", "first.json"]].concat(), example);
            let again: Value = serde_json::from_slice(&again.stdout).expect("a report");
            assert_eq!(again["error"]["kind"], first["error"]["kind"], "{heuristic} {example}");
            // Where there is much to pass by, it is passed by.
            let (new, old) = (number(&again, "expanded"), number(&first, "expanded"));
            assert!(old < 30 || new < old, "{heuristic} {example}: {new} instead of {old}");
        }
    }
}

#[test]
fn a_goal_directs_the_search() {
    let goal = ["--goal", "forks[0] + forks[1] + forks[2] == 5", "--cflags", "-DFIX"];
    let with = |search: &str| {
        let report = report(&[&goal[..], &["--search", search]].concat(), "steam/philosophers.cpp");
        assert_eq!(report["verdict"], "error", "{search}: {report}");
        number(&report, "expanded")
    };
    let (directed, blind) = (with("best-first"), with("bfs"));
    assert!(directed < blind, "{directed} states instead of {blind}");
}

#[test]
fn seeds_decide_walks() {
    for search in ["random", "pct"] {
        let with = |seed: &str| {
            let options =
                ["--search", search, "--seed", seed, "--walks", "30", "--cflags", "-DFIX"];
            let mut report = report(&options, "steam/philosophers.cpp");
            report["stats"].take()["states"].take()
        };
        assert_eq!(with("1"), with("1"), "{search}");
        assert_ne!(with("1"), with("2"), "{search}");
    }
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let scratch = Scratch::new("refused");
    for (options, said) in [
        (
            &["--heuristic", "lnb"][..],
            "--heuristic is for --search best-first, astar, idastar, beam or novelty",
        ),
        (&["--search", "bfs", "--width", "3"], "--width is for --search beam"),
        (&["--search", "dfs", "--walks", "3"], "--walks is for --search random or pct"),
        (&["--search", "random", "--orderings", "2"], "--orderings is for --search pct"),
        (&["--search", "astar", "--heuristic", "luck"], "heuristics are mb, lnb"),
        (&["--search", "beam", "--width", "0"], "--width"),
        (&["--search", "astar", "--heuristic", "fsm"], "name its trail with --toward"),
        (&["--toward", "some.json"], "--toward is for --heuristic hamming or fsm"),
        (&["--preemptions", "1.."], "write it as 2, or as 0.."),
        (&["--search", "bfs", "--preemptions", "1"], "--preemptions"),
        (&["--depth", "3", "--preemptions", "1"], "--preemptions"),
    ] {
        let outcome = run(&scratch, options, "race.c");
        let text = outcome.stderr_text();
        assert_eq!(outcome.ending(), "exit status 2", "{options:?}: {text}");
        assert!(text.contains(said), "{options:?}: {text}");
    }
}

#[test]
fn the_autopilot_finds_what_depth_first_search_does_not_come_to() {
    let report = report(&["--cflags", "-DBUG -DN=12"], "benchmarks/lastzero.c");
    assert_eq!(report["error"]["kind"], "assertion");
    let attempts = report["semantics"]["attempts"].as_array().expect("what was tried");
    assert_eq!(attempts[0]["search"], "depth-first");
    let last = attempts.last().expect("one that found it");
    assert_ne!(last["search"], "depth-first", "{attempts:?}");
    assert_eq!(last["expanded"], report["stats"]["expanded"]);
}

#[test]
fn the_autopilot_proves_what_depth_first_search_proves() {
    let with = |search: &str| {
        let options = ["--reduce", "contended", "--cflags", "-DFIX -DN=4", "--search", search];
        let mut report = report(&options, "steam/philosophers.cpp");
        assert_eq!(report["verdict"], "verified", "{search}");
        report["stats"]["seconds"].take();
        report
    };
    let (auto, plain) = (with("auto"), with("dfs"));
    for key in ["states", "expanded", "transitions", "revisits", "terminal", "depth"] {
        assert_eq!(number(&auto, key), number(&plain, key), "{key}");
    }
    let attempts = auto["semantics"]["attempts"].as_array().expect("what was tried");
    assert!(1 < attempts.len(), "{attempts:?}");
    assert_eq!(attempts.last().expect("a proof")["search"], "depth-first");
    assert_eq!(plain["semantics"]["attempts"], Value::Array(Vec::new()));
    assert_eq!(with("auto")["semantics"], auto["semantics"], "the same every time");
}

#[test]
fn limits_stop_every_search() {
    for search in WHOLE.iter().chain(LOSSY).chain(&["auto"]) {
        for (limit, what) in [(["--time", "0.2"], "time"), (["--memory", "1M"], "memory")] {
            let options = ["--search", search, "--cflags", "-DN=7 -DK=7"];
            let scratch = Scratch::new("limits");
            let outcome = run(&scratch, &[&options[..], &limit].concat(), "counter.c");
            assert_eq!(outcome.status.code(), Some(3), "{search} {limit:?}");
            let report: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
            assert_eq!(report["verdict"], "incomplete", "{search} {limit:?}");
            let said = reason(&report);
            let expected = format!("the {what} limit of ");
            assert!(said.starts_with(&expected), "{search} {limit:?}: {said}");
        }
    }
}
