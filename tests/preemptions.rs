//! `samovar check --preemptions N` on random programs: exactly the ends that need no more than N
//! preemptions, as an interpreter says that shares nothing with samovar.

use samovar_tests::everything;
use samovar_tests::litmus::generate;
use samovar_tests::litmus::judge::{Compiled, Way, ends, expected};
use samovar_tests::litmus::machine::{End, Machine};
use samovar_tests::litmus::preemptions::fewest;
use samovar_tests::litmus::program::Program;
use samovar_tests::litmus::source;
use std::collections::{BTreeMap, BTreeSet};

/// Programs that are tried, and with everything.
const COUNT: u64 = 25;
const COUNT_ALL: u64 = 1_000;
/// Largest number of states of the interpreter.
const STATES_MAX: usize = 5_000;
/// The largest bound that is tried.
const BOUND_MAX: u32 = 3;

/// Small programs whose executions all end, each with its ends and the preemptions that they need.
fn programs(way: &Way) -> Vec<(u64, Program, BTreeMap<End, u32>)> {
    let count = if everything() { COUNT_ALL } else { COUNT };
    let mut programs = Vec::new();
    for seed in 1..=count {
        let program = generate::program(seed);
        let answer = expected(&program, way.wake);
        if answer.is_none_or(|answer| answer.stuck || STATES_MAX < answer.states) {
            continue;
        }
        let fewest = fewest(&Machine::new(&program, way.wake), STATES_MAX).expect("few states");
        programs.push((seed, program, fewest));
    }
    programs
}

/// The first error that counts is reached with the fewest preemptions, however it was found, and
/// the ladder without an end finds what there is.
#[test]
fn trails_have_the_fewest_preemptions() {
    let way = Way::ordinary();
    let programs = programs(&way);
    let list: Vec<&Program> = programs.iter().map(|(_, program, _)| program).collect();
    let compiled = Compiled::new(&list, &way);
    let mut found = 0;
    for (number, (seed, program, fewest)) in programs.iter().enumerate() {
        let about = || format!("seed {seed}\n{}", source::listing(program));
        let deadlock = fewest.get(&End::Deadlock);
        for options in [&["--search", "auto"][..], &["--preemptions", "0.."]] {
            let options = [&["--check", "deadlock"], options].concat();
            let report = compiled.check(number, &options).expect("a report");
            match deadlock {
                Some(needed) => {
                    assert_eq!(report["error"]["kind"], "deadlock", "{options:?} {}", about());
                    assert_eq!(report["preemptions"], *needed, "{options:?} {}", about());
                    found += 1;
                }
                None => assert_eq!(report["verdict"], "verified", "{options:?} {}", about()),
            }
        }
    }
    assert!(0 < found, "no program has a deadlock");
}

#[test]
fn ends_need_as_many_preemptions_as_the_interpreter_says() {
    let way = Way::ordinary();
    let programs = programs(&way);
    let list: Vec<&Program> = programs.iter().map(|(_, program, _)| program).collect();
    let compiled = Compiled::new(&list, &way);
    let (mut bounded, mut whole) = (0, 0);
    for (number, (seed, program, fewest)) in programs.iter().enumerate() {
        for bound in 0..=BOUND_MAX {
            let text = bound.to_string();
            let options = ["--outcomes", "--check", "exit", "--preemptions", &text];
            let report = compiled.check(number, &options).expect("a report");
            let within = fewest.iter().filter(|(_, needed)| **needed <= bound);
            let within: BTreeSet<End> = within.map(|(end, _)| end.clone()).collect();
            let about = || format!("seed {seed}, bound {bound}\n{}", source::listing(program));
            assert_eq!(ends(&report), within, "{}", about());
            if report["verdict"] == "verified" {
                assert_eq!(within.len(), fewest.len(), "{}", about());
                whole += 1;
            } else {
                let reason = report["incomplete"]["reason"].as_str().unwrap_or_default();
                assert!(reason.starts_with("proved up to"), "{report} {}", about());
                bounded += 1;
            }
        }
    }
    assert!(0 < bounded && 0 < whole, "{bounded} searches reached the bound, {whole} did not");
}
