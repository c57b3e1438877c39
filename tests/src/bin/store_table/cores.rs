//! How much faster a search is on two cores than on one.
//!
//! Spaces above a million states, whole processes, the best of a few runs that take turns so that
//! both have the same neighbours on the machine. States must be as many on two cores as on one.

use super::{HANG, compile};
use samovar_tests::binary::samovar;
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// A search of a whole space.
struct Search {
    name: &'static str,
    /// The program, from the workspace on, how it is compiled and its arguments.
    file: &'static str,
    flags: &'static [&'static str],
    args: &'static [&'static str],
    order: &'static str,
}

const fn counter(order: &'static str) -> Search {
    let (file, flags) = ("examples/benchmarks/counter.c", &["-DN=8", "-DK=5"]);
    Search { name: "counter 8x5", file, flags, args: &[], order }
}

const fn dining(order: &'static str) -> Search {
    let (file, args) = ("examples/philosophers.c", &["13", "careful"]);
    Search { name: "dining 13, careful", file, flags: &[], args, order }
}

const SEARCHES: &[Search] = &[counter("bfs"), counter("dfs"), dining("bfs"), dining("dfs")];
/// Runs on each number of cores, of which the fastest counts.
const RUNS: usize = 3;

/// Prints the table.
pub fn print() {
    println!("| program | search | states | one core: seconds | two cores | times as fast |");
    println!("|---|---|{}", "---:|".repeat(4));
    for search in SEARCHES {
        print_row(search);
    }
}

fn print_row(search: &Search) {
    let scratch = Scratch::new("cores");
    compile(search.file, search.flags, &scratch);
    let mut best = [f64::INFINITY; 2];
    let mut states = Vec::new();
    for _ in 0..RUNS {
        for (jobs, best) in ["1", "2"].into_iter().zip(&mut best) {
            let common = ["check", "--format", "json", "--search", search.order, "--jobs", jobs];
            let words = [&common[..], &["./program"], search.args].concat();
            let job = Job { hang: HANG, ..Job::new(samovar(), &words) };
            let outcome = job.directory(scratch.path()).run();
            let report: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
            assert_eq!(report["verdict"], "verified", "{}", search.name);
            states.push(report["stats"]["states"].as_u64().expect("a number of states"));
            *best = outcome.time.as_secs_f64().min(*best);
        }
    }
    assert!(states.windows(2).all(|two| two[0] == two[1]), "{}: {states:?}", search.name);
    let [one, two] = best;
    let (name, order) = (search.name, search.order);
    println!("| {name} | {order} | {} | {one:.1} | {two:.1} | {:.2} |", states[0], one / two);
}
