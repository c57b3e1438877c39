//! Dining philosophers, many and few: that a directed search expands a number of states that is
//! linear in their number, and that A* by `mb` tells as short a trail as breadth-first search does.
//!
//! `philosophers-table [--seconds S]`. The first table has best-first search by `lnb`: states that
//! were expanded, and how many that is a philosopher. The second has the steps of the trails of A*
//! and of breadth-first search, neither of which leaves out moves; `-` where one did not end within
//! the limits, seconds of processor time and 1 GiB. The exit status is 1 if one of the two is not
//! so.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::time::Duration;

/// Their program files, with what makes it run into a deadlock.
const PROGRAMS: &[(&str, &str)] = &[
    ("deadlock/philosophers.c", "-DWAY=GREEDY"),
    ("steam/philosophers.cpp", ""),
    ("steam/philosophers.cpp", "-DENDLESS"),
];
const MANY: &[u32] = &[10, 20, 50, 100, 200, 500, 1000, 1900];
const FEW: &[u32] = &[2, 3, 4, 5, 6, 7, 8, 10, 12];
/// States that each philosopher may take.
const EACH_MAX: f64 = 6.0;

/// One search of one program.
struct Answer {
    expanded: u64,
    steps: usize,
    seconds: f64,
    megabytes: u64,
}

fn main() {
    let mut words = std::env::args().skip(1);
    let mut seconds = 60;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => {
                let value = words.next().expect("--seconds needs a value");
                seconds = value.parse().expect("a number of seconds");
            }
            _ => panic!("{word} is not understood"),
        }
    }
    let is_linear = many(seconds);
    let is_shortest = few(seconds);
    println!("\nlinear: {is_linear}; as short as breadth-first wherever that ends: {is_shortest}");
    std::process::exit(i32::from(!is_linear || !is_shortest));
}

/// Whether best-first search takes a linear number of states wherever it ends.
fn many(seconds: u64) -> bool {
    println!("| program | philosophers | expanded | each | steps | s | MB |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut is_linear = true;
    for (file, flags) in PROGRAMS {
        for &count in MANY {
            let words = ["--search=best-first", "--heuristic=lnb"];
            let Some(answer) = solve(file, flags, count, &words, seconds) else {
                println!("| {file} {flags} | {count} | - | | | | |");
                break;
            };
            let each = answer.expanded as f64 / f64::from(count);
            is_linear &= each <= EACH_MAX;
            let Answer { expanded, steps, seconds, megabytes } = answer;
            println!(
                "| {file} {flags} | {count} | {expanded} | {each:.2} | {steps} | {seconds:.1} | \
                 {megabytes} |"
            );
        }
    }
    is_linear
}

/// Whether A* tells trails that are as short as those of breadth-first search.
fn few(seconds: u64) -> bool {
    println!("\n| program | philosophers | A*, expanded | steps | bfs, expanded | steps |");
    println!("|---|---:|---:|---:|---:|---:|");
    let mut is_shortest = true;
    for (file, flags) in PROGRAMS {
        for &count in FEW {
            let solve = |words: &[&str]| {
                solve(file, flags, count, &[&["--reduce=contended"], words].concat(), seconds)
            };
            let astar = solve(&["--search=astar", "--heuristic=mb"]);
            let bfs = solve(&["--search=bfs"]);
            if let (Some(astar), Some(bfs)) = (&astar, &bfs) {
                is_shortest &= astar.steps == bfs.steps;
            }
            let cells = |answer: &Option<Answer>| match answer {
                Some(answer) => format!("{} | {}", answer.expanded, answer.steps),
                None => "- | ".to_string(),
            };
            println!("| {file} {flags} | {count} | {} | {} |", cells(&astar), cells(&bfs));
            if astar.is_none() && bfs.is_none() {
                break;
            }
        }
    }
    is_shortest
}

/// What a search for the deadlock comes to; none if it does not find it within the limits.
fn solve(file: &str, flags: &str, count: u32, words: &[&str], seconds: u64) -> Option<Answer> {
    let scratch = Scratch::new("philosophers-table");
    let source = workspace().join("examples").join(file).display().to_string();
    let flags = format!("--cflags=-DN={count} {flags}");
    let mut all = vec!["check", "--format=json", "--memory=1G", &flags];
    all.extend(words);
    all.push(&source);
    let mut job = Job::new(samovar(), &all).directory(scratch.path());
    job.processor = Some(seconds);
    job.hang = Duration::from_secs(seconds * 200);
    let outcome = job.run();
    let report: Value = serde_json::from_slice(&outcome.stdout).ok()?;
    if report["error"]["kind"] != "deadlock" {
        return None;
    }
    Some(Answer {
        expanded: report["stats"]["expanded"].as_u64()?,
        steps: report["trail"].as_array()?.len(),
        seconds: outcome.user.as_secs_f64(),
        megabytes: outcome.peak >> 20,
    })
}
