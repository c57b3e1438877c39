//! The autopilot next to single searches on every example: processor time of each that answers
//! rightly, and how many times the best of them the autopilot takes; the worst ratio last.
//!
//! Compiling, loading and running up to the first thread take as long whatever search follows. That
//! is measured by a search one step deep and subtracted; what is left counts as no less than the
//! floor that is printed, because below that the clock says nothing. So where the autopilot answers
//! within the floor nothing can be better: the other searches are not run, and the example is only
//! counted. Nor is a search waited for that takes longer than the autopilot did.
//!
//! `autopilot-table [--seconds S] [NAME…]`: names select examples by part of the name.

use samovar_tests::examples::{Case, Configuration, cases};
use std::time::Instant;

/// Searches, as options of `samovar check`.
const SEARCHES: &[(&str, &[&str])] = &[
    ("dfs", &["--search=dfs"]),
    ("bfs", &["--search=bfs"]),
    ("best-first lnb", &["--search=best-first", "--heuristic=lnb"]),
    ("pct", &["--search=pct"]),
    ("preemptions 0..", &["--preemptions=0.."]),
];

/// Seconds below which no difference counts.
const FLOOR: f64 = 0.1;
/// What is promised.
const RATIO_MAX: f64 = 2.0;

fn main() {
    let (mut seconds, mut wanted) = (20.0, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => {
                let value = words.next().expect("--seconds needs a value");
                seconds = value.parse().expect("a number of seconds");
            }
            _ => wanted.push(word),
        }
    }
    println!("Processor seconds beyond start-up, at least {FLOOR}; - for no right answer in the");
    println!("time that the autopilot took.\n");
    let names: Vec<&str> = SEARCHES.iter().map(|(name, _)| *name).collect();
    println!("| example | start-up | auto | {} | auto / best |", names.join(" | "));
    println!("|---|---:|---:|{}", "---:|".repeat(names.len() + 1));
    let mut worst: Option<(f64, String)> = None;
    let (mut all, mut within, mut at_once) = (0, 0, 0);
    for case in cases() {
        let name = case.to_string();
        let selected = wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
        let chooses = case.options.iter().any(|option| is_search(option));
        if !selected || chooses || case.slow || !case.allows(&Configuration::MAIN) {
            continue;
        }
        let ratio = row(&case, seconds);
        all += 1;
        at_once += u32::from(ratio.is_none());
        let ratio = ratio.unwrap_or(1.0);
        within += u32::from(ratio <= RATIO_MAX);
        if worst.as_ref().is_none_or(|(most, _)| *most < ratio) {
            worst = Some((ratio, name));
        }
    }
    let Some((ratio, name)) = worst else { return };
    println!("\n{at_once} of {all} are answered within {FLOOR} s beyond start-up and not listed");
    println!("{within} of {all} within {RATIO_MAX} times the best; worst {ratio:.2} ({name})");
    std::process::exit(i32::from(within < all));
}

/// Whether an option of an example decides about the search itself.
fn is_search(option: &str) -> bool {
    ["--search", "--preemptions", "--store", "--depth"].iter().any(|name| option.starts_with(name))
}

/// Processor seconds with further options, if the answer is the right one.
fn time(case: &Case, options: &[&str], seconds: f64) -> (f64, bool) {
    let more = options.iter().map(|option| option.to_string());
    let limit = [format!("--time={seconds:.1}")];
    let options = case.options.iter().cloned().chain(more).chain(limit).collect();
    let (report, time) = Case { options, ..case.clone() }.report(&Configuration::MAIN);
    let verdict = report.as_ref().and_then(|report| report["verdict"].as_str()).unwrap_or("none");
    (time, case.verdict.split(' ').next() == Some(verdict))
}

/// Prints one example; how many times the best search the autopilot takes. None if it answers at
/// once.
fn row(case: &Case, seconds: f64) -> Option<f64> {
    let (start_up, _) = time(case, &["--search=bfs", "--depth=1"], seconds);
    let began = Instant::now();
    let (auto, is_right) = time(case, &["--search=auto"], seconds);
    let auto = is_right.then(|| (auto - start_up).max(FLOOR));
    if auto.is_some_and(|auto| auto <= FLOOR) {
        return None;
    }
    // By the clock, like the limit.
    let limit = began.elapsed().as_secs_f64().max(1.0);
    let cell = |time: Option<f64>| time.map_or("-".to_string(), |time| format!("{time:.2}"));
    print!("| {case} | {start_up:.2} | {} |", cell(auto));
    let mut best = auto.unwrap_or(f64::INFINITY);
    for (_, options) in SEARCHES {
        let (time, is_right) = time(case, options, limit);
        let beyond = is_right.then(|| (time - start_up).max(FLOOR));
        print!(" {} |", cell(beyond));
        best = best.min(beyond.unwrap_or(f64::INFINITY));
    }
    // Where nothing answers in time, nobody is better.
    let ratio = match auto {
        Some(auto) => auto / best,
        None if best.is_infinite() => 1.0,
        None => f64::INFINITY,
    };
    println!(" {ratio:.2} |");
    Some(ratio)
}
