//! StEAM's programs under every search and heuristic, with its lgc and with samovar's own
//! reduction: the largest instance whose error is found within limits of memory and time, the
//! length of the trail, and what the thesis has (T. Mehler 2005, tables 8.1 to 8.5: 3 GHz, 1 GB).
//!
//! `search-table [--seconds S] [--sizes A,B,C] [SEARCH…]`: arguments select searches by part of the
//! name; sizes are tried from the smallest on, up to the first that is not solved.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::io::Write;

/// The programs: file, macro for the size, further macros.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("cashit", "DISPENSERS", ""),
    ("leader", "N", "-DDUPLICATE"),
    ("telegraph", "N", ""),
    ("philosophers", "N", ""),
];

/// A search with the thesis's largest instances and trail lengths of the four programs, with lgc
/// and without.
struct Row {
    search: &'static str,
    heuristic: &'static str,
    lgc: [&'static str; 4],
    without: [&'static str; 4],
}

const NONE: [&str; 4] = ["", "", "", ""];

const fn row(
    search: &'static str,
    heuristic: &'static str,
    lgc: [&'static str; 4],
    without: [&'static str; 4],
) -> Row {
    Row { search, heuristic, lgc, without }
}

const ROWS: &[Row] = &[
    row("auto", "", NONE, NONE),
    row(
        "dfs",
        "",
        ["1/97", "80/1197", "9/8264", "90/1706"],
        ["1/1824", "12/18106", "6/10455", "20/14799"],
    ),
    row("bfs", "", ["-", "5/56", "2/21", "6/13"], ["-", "3/66", "-", "4/26"]),
    row("best-first", "lnb", ["1/97", "5/73", "60/602", "190/386"], NONE),
    row("best-first", "pl2", ["1/97", "5/73", "60/601", "190/385"], NONE),
    row("best-first", "mb", ["1/97", "80/1197", "9/6596", "150/750"], NONE),
    row(
        "best-first",
        "rw",
        ["1/61", "60/661", "2/309", "90/1706"],
        ["2/663", "40/1447", "2/494", "20/14799"],
    ),
    row("best-first", "aa", ["1/84", "5/72", "-", "6/14"], ["2/328", "3/132", "-", "4/27"]),
    row("best-first", "int", ["1/98", "5/57", "2/22", "8/18"], NONE),
    row("best-first", "pbb", ["1/97", "80/1197", "9/6596", "150/750"], NONE),
    row("astar", "pl1", ["-", "5/56", "3/32", "190/386"], NONE),
    row("astar", "rw", ["1/61", "7/78", "2/22", "6/14"], NONE),
    row("astar", "pba", ["-", "5/56", "3/32", "60/122"], NONE),
    row("astar", "mb", NONE, NONE),
    row("idastar", "mb", NONE, NONE),
    row("novelty", "", NONE, NONE),
    row("refine", "", NONE, NONE),
    row("pct", "", NONE, NONE),
];

struct Limits {
    seconds: f64,
    sizes: Vec<u32>,
}

fn main() {
    let mut limits = Limits { seconds: 60.0, sizes: vec![2, 3, 5, 10, 20, 40, 60] };
    let (mut wanted, mut words) = (Vec::new(), std::env::args().skip(1));
    while let Some(word) = words.next() {
        match (word.as_str(), &mut words) {
            ("--seconds", rest) => {
                let text = rest.next().unwrap_or_default();
                limits.seconds = text.parse().expect("a number of seconds");
            }
            ("--sizes", rest) => {
                let text = rest.next().unwrap_or_default();
                let sizes = text.split(',').map(|size| size.parse().expect("a size"));
                limits.sizes = sizes.collect();
            }
            _ => wanted.push(word),
        }
    }
    println!("Largest size / steps / seconds / MiB; in brackets what the thesis has (size/steps).");
    println!("Sizes tried: {:?}, {} s and 1 GiB each.\n", limits.sizes, limits.seconds);
    let names: Vec<&str> = PROGRAMS.iter().map(|(name, ..)| *name).collect();
    println!("| search | reduction | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(names.len()));
    for row in ROWS {
        let name = format!("{} {}", row.search, row.heuristic);
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        for (reduce, thesis) in [("auto", NONE), ("lgc", row.lgc), ("none", row.without)] {
            print!("| {name} | {reduce} |");
            for (program, thesis) in PROGRAMS.iter().zip(thesis) {
                print!(" {} |", cell(row, reduce, program, thesis, &limits));
                let _ = std::io::stdout().flush();
            }
            println!();
        }
    }
}

/// The largest instance that is solved.
fn cell(
    row: &Row,
    reduce: &str,
    program: &(&str, &str, &str),
    thesis: &str,
    limits: &Limits,
) -> String {
    let mut best = "-".to_string();
    for &size in &limits.sizes {
        match solve(row, reduce, program, size, limits) {
            Some(solved) => best = solved,
            None => break,
        }
    }
    if thesis.is_empty() { best } else { format!("{best} ({thesis})") }
}

fn solve(
    row: &Row,
    reduce: &str,
    (name, sized, flags): &(&str, &str, &str),
    size: u32,
    limits: &Limits,
) -> Option<String> {
    let scratch = Scratch::new("search-table");
    let source = workspace().join(format!("examples/steam/{name}.cpp")).display().to_string();
    let flags = format!("-D{sized}={size} {flags}");
    let seconds = limits.seconds.to_string();
    let mut words = vec!["check", "--format", "json", "--reduce", reduce, "--search", row.search];
    words.extend(["--memory", "1G", "--time", &seconds, "--cflags", &flags]);
    if !row.heuristic.is_empty() {
        words.extend(["--heuristic", row.heuristic]);
    }
    words.push(&source);
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let report: Value = serde_json::from_slice(&outcome.stdout).ok()?;
    let steps = report["trail"].as_array()?.len();
    let (seconds, peak) = (outcome.user.as_secs_f64(), outcome.peak >> 20);
    Some(format!("{size}/{steps}/{seconds:.1}/{peak}"))
}
