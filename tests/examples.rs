//! Every example gets the verdict that its head comment states, however it is built and explored.
//!
//! Quick: each case in the main configuration, with its trail replayed, and one case of each file
//! in another configuration, which changes from file to file; some files in every configuration.
//! All: everything in every configuration.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::everything;
use samovar_tests::examples::{Case, Configuration, NOT_YET, cases, files};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Examples that even the quick selection checks in every configuration.
const IN_EVERY_WAY: &[&str] = &["condition/lost_wakeup.c", "cpp/once.cpp", "deadlock/transfer.c"];

#[test]
fn every_example_gets_its_verdict() {
    let jobs = selection();
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    samovar(); // built before the workers want it
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((case, way)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(complaint) = case.run(way).complaint {
                        let line = format!("{case} [{way}], not {}: {complaint}", case.verdict);
                        complaints.lock().expect("nobody panics").push(line);
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("nobody panics");
    assert!(
        complaints.is_empty(),
        "{} of {} checks:\n{}",
        complaints.len(),
        jobs.len(),
        complaints.join("\n")
    );
}

/// What is checked how.
fn selection() -> Vec<(Case, Configuration)> {
    let cases: Vec<Case> = cases().into_iter().filter(|case| everything() || !case.slow).collect();
    let mut jobs = Vec::new();
    for (number, own) in cases.chunk_by(|one, next| one.file == next.file).enumerate() {
        let in_every_way = IN_EVERY_WAY.iter().any(|name| own[0].file.as_os_str() == *name);
        for (index, case) in own.iter().enumerate() {
            let others = Configuration::others();
            let mut ways: Vec<_> = others.into_iter().filter(|way| case.allows(way)).collect();
            if !everything() && !in_every_way {
                let turn = number / own.len() * 5 % ways.len().max(1);
                let has_turn = index == number % own.len();
                ways = ways.get(turn).copied().into_iter().filter(|_| has_turn).collect();
            }
            if case.allows(&Configuration::MAIN) {
                ways.insert(0, Configuration::MAIN);
            }
            jobs.extend(ways.into_iter().map(|way| (case.clone(), way)));
        }
    }
    jobs
}

/// An example without an expectation would not be checked, and one that is always wrong shows
/// only half of the story.
#[test]
fn every_example_says_what_to_expect_and_has_a_correct_twin() {
    let (root, cases) = (workspace().join("examples"), cases());
    for file in files(&root) {
        let name = file.strip_prefix(&root).expect("files below the root");
        let mut own = cases.iter().filter(|case| case.file == name).peekable();
        assert!(own.peek().is_some(), "{} states no verdict", name.display());
        assert!(own.any(|case| case.verdict == "verified"), "{} is never right", name.display());
    }
    for name in IN_EVERY_WAY {
        assert!(cases.iter().any(|case| case.file.as_os_str() == *name), "{name} is gone");
    }
    for entry in NOT_YET {
        assert!(cases.iter().any(|case| case.to_string() == entry.case), "{} is gone", entry.case);
    }
}

/// Who looks for an example looks there.
#[test]
fn the_list_of_examples_is_complete() {
    let root = workspace().join("examples");
    let list = std::fs::read_to_string(root.join("README.md")).expect("the list");
    for file in files(&root) {
        let name = file.strip_prefix(&root).expect("files below the root").display();
        assert!(list.contains(&format!("({name})")), "{name} is not in examples/README.md");
    }
}
