//! `samovar replay --native`: the real program, on the real processor, fails as the trail says.
//!
//! The kernel is the judge: it delivers the signal, holds the sleepers and counts the exits. The
//! table of all examples is printed by `native-table`.

use samovar_tests::announce;
use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::examples::{Case, cases};
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::process::Command;

/// Examples by their names, and what their evidence says.
const SHOWN: &[(&str, &str)] = &[
    ("condition/lost_wakeup.c", "all 2 threads sleep in futexes"),
    ("condition/barrier_reuse.c", "threads sleep in futexes"),
    ("deadlock/forgotten_unlock.c", "threads sleep in futexes"),
    ("cpp/lock_order.cpp", "threads sleep in futexes"),
    ("races/order_violation.c", "SIGSEGV"),
    ("races/account.c -DMODE=0 --check=assertion", "SIGABRT"),
    ("races/unguarded.c --check=race", "the processor's own watchpoint sees both"),
    ("race.c --check=exit", "exit status 1"),
    ("models/incdec.c", "SIGABRT"),
];

/// How often each has to come out the same.
const TIMES: usize = 3;

/// Whether programs may be traced here; says so if not.
fn may_trace() -> bool {
    let scratch = Scratch::new("native-probe");
    let outcome = attempt(&find("races/order_violation.c"), &scratch);
    let refused = outcome.stderr_text().contains("cannot be traced on this machine");
    if refused {
        announce("SKIPPED: this machine does not permit to trace programs");
    }
    !refused
}

fn find(name: &str) -> Case {
    let found = cases().into_iter().find(|case| case.to_string() == name);
    found.unwrap_or_else(|| panic!("{name} is no example"))
}

/// Checks an example and forces its trail onto the real program.
fn attempt(case: &Case, scratch: &Scratch) -> Outcome {
    let outcome = case.record(scratch);
    assert_eq!(outcome.status.code(), Some(1), "{case}: {outcome:?}");
    again(scratch)
}

fn again(scratch: &Scratch) -> Outcome {
    let words = ["replay", "--native", "--format", "json", "trail.json"];
    Job::new(samovar(), &words).directory(scratch.path()).run()
}

#[test]
fn examples_fail_natively_every_time() {
    if !may_trace() {
        return;
    }
    for (name, words) in SHOWN {
        let scratch = Scratch::new("native");
        let mut outcome = attempt(&find(name), &scratch);
        for _ in 0..TIMES {
            assert_eq!(outcome.status.code(), Some(1), "{name}: {outcome:?}");
            let report: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
            let evidence = report["native"]["evidence"].as_str().unwrap_or_default();
            assert!(evidence.contains(words), "{name}: {report}");
            assert_eq!(report["native"]["shows"], true, "{name}: {report}");
            outcome = again(&scratch);
        }
    }
}

#[test]
fn what_does_not_show_is_not_said_to_fail() {
    if !may_trace() {
        return;
    }
    let scratch = Scratch::new("native-hidden");
    let outcome = attempt(&find("memory/publish_free.c"), &scratch);
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    let report: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    assert_eq!(report["native"]["shows"], false, "{report}");
    let scratch = Scratch::new("native-none");
    let outcome = attempt(&find("locks/unlock_not_owner.c"), &scratch);
    assert_eq!(outcome.status.code(), Some(2), "{outcome:?}");
    assert!(outcome.stderr_text().contains("has no symptom"), "{outcome:?}");
}

#[test]
fn static_and_fixed_programs_are_led_as_well() {
    if !may_trace() {
        return;
    }
    for flags in [&["-static"][..], &["-no-pie", "-O2"]] {
        let scratch = Scratch::new("native-static");
        let source = workspace().join("tests/programs/check/deposits.cpp");
        let status = Command::new("g++")
            .args(["-g", "-O0", "-pthread"])
            .args(flags)
            .arg(source)
            .args(["-o", "program"])
            .current_dir(scratch.path())
            .status();
        assert!(status.expect("the compiler starts").success());
        let words = ["check", "--check", "assertion", "--trail", "trail.json", "./program"];
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
        let outcome = again(&scratch);
        assert!(outcome.stdout_text().contains("SIGABRT"), "{flags:?}: {outcome:?}");
    }
}

#[test]
fn a_process_that_goes_another_way_proves_nothing() {
    if !may_trace() {
        return;
    }
    // Natively a statement of the checker is nothing, and here it decides who may go on: the
    // thread that waits in the trail goes on in the real process.
    let scratch = Scratch::new("native-stray");
    let outcome = attempt(&find("steam/philosophers.cpp -DN=2"), &scratch);
    assert_eq!(outcome.status.code(), Some(3), "{outcome:?}");
    assert!(outcome.stderr_text().contains("does not follow the trail"), "{outcome:?}");
    assert!(outcome.stdout.is_empty(), "{outcome:?}");
}
