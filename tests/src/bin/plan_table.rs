//! Prints what `samovar plan` is measured by: puzzles, and the multi-agent manufacturing problem,
//! simulated and planned, next to what StEAM came to (Mehler's thesis, table 8.9). Every schedule
//! is validated. Arguments: `puzzles`, `mamp` or both, and a number of runs (ten).

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::mamp::{Instance, schedule};
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Agents, jobs, parallel steps simulated and planned, as the thesis has them.
const THESIS: &[(usize, usize, f64, f64)] = &[
    (5, 10, 286.0, 255.0),
    (5, 20, 546.0, 510.0),
    (5, 50, 1149.0, 1143.0),
    (5, 100, 2478.0, 2426.0),
    (10, 10, 261.0, 246.0),
    (10, 20, 432.0, 460.0),
    (10, 50, 839.0, 814.0),
    (10, 100, 1809.0, 1783.0),
    (15, 10, 261.0, 216.0),
    (15, 20, 417.0, 387.0),
    (15, 50, 767.0, 725.0),
    (15, 100, 1607.0, 1548.0),
];

/// Boards, and how to solve them.
const PUZZLES: &[(&str, &str)] = &[
    ("1 4 2 3 7 5 6 8 0", "bfs"),
    ("8 6 7 2 5 4 3 0 1", "bfs"),
    ("8 6 7 2 5 4 3 0 1", "astar"),
    ("8 7 6 0 4 1 2 5 3", "astar"),
    ("0 1 9 7 11 13 5 3 14 12 4 2 8 6 10 15", "astar"),
    ("14 1 9 6 4 8 12 5 7 2 3 0 10 11 13 15", "astar"),
    ("14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", "best-first"),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runs = words.iter().find_map(|word| word.parse().ok()).unwrap_or(10);
    let wants = |name: &str| words.iter().all(|word| word.parse::<u32>().is_ok() || word == name);
    let scratch = Scratch::new("plan-table");
    if wants("puzzles") {
        puzzles(&scratch);
    }
    if wants("mamp") {
        mamp(&scratch, runs);
    }
}

/// Compiles an example.
fn compiled(scratch: &Scratch, name: &str) -> String {
    let out = scratch.join(name.trim_end_matches(".c"));
    let status = Command::new("cc")
        .args(["-g", "-O1", "-pthread", "-I"])
        .arg(workspace().join("runtime-lib/include"))
        .arg(workspace().join("examples/planning").join(name))
        .arg("-o")
        .arg(&out)
        .status()
        .expect("a C compiler");
    assert!(status.success(), "{name} is not compiled");
    out.display().to_string()
}

fn plan(directory: &Path, words: &[String]) -> Value {
    let all: Vec<String> =
        ["plan", "--format=json"].map(String::from).iter().chain(words).cloned().collect();
    let outcome = Job::new(samovar(), &all).directory(directory).run();
    serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{all:?}: {error}, {}", outcome.stderr_text()))
}

fn puzzles(scratch: &Scratch) {
    let program = compiled(scratch, "puzzle.c");
    println!("| board | search | moves | states | seconds |");
    println!("|---|---|---:|---:|---:|");
    for (board, search) in PUZZLES {
        let mut words = vec!["--goal=wrong == 0".to_string(), format!("--search={search}")];
        if *search != "bfs" {
            words.push("--estimate=estimate".to_string());
        }
        words.push(program.clone());
        words.extend(board.split(' ').map(String::from));
        let report = plan(scratch.path(), &words);
        println!(
            "| {board} | {search} | {} | {} | {:.1} |",
            report["cost"],
            report["stats"]["states"],
            report["stats"]["seconds"].as_f64().unwrap_or(f64::NAN)
        );
    }
    println!();
}

fn mamp(scratch: &Scratch, runs: u64) {
    let program = compiled(scratch, "mamp.c");
    println!("Parallel steps, average of {runs} runs; every schedule validated.");
    println!("| agents | jobs | simulated | planned | gain | planning s, most | StEAM's gain |");
    println!("|---:|---:|---:|---:|---:|---:|---:|");
    let (mut wins, mut larger) = (0, 0);
    for &(agents, jobs, old_simulated, old_planned) in THESIS {
        let (mut simulated, mut planned, mut seconds) = (0.0, 0.0, 0f64);
        for seed in 1..=runs {
            let instance = Instance::new(agents, jobs, seed, 100);
            let mut run = |option: &str| {
                let mut words = vec![format!("--seed={seed}"), option.to_string(), program.clone()];
                words.extend([agents as u64, jobs as u64, seed].map(|number| number.to_string()));
                let report = plan(scratch.path(), &words);
                let complaint = instance.complaint(&schedule(&report));
                assert_eq!(complaint, None, "{agents} {jobs} {seed}: {report}");
                seconds = seconds.max(report["planning_seconds"].as_f64().unwrap_or(f64::NAN));
                report["cost"].as_f64().unwrap_or(f64::NAN)
            };
            simulated += run("--simulate");
            planned += run("--phase=rollouts");
        }
        let gain = 100.0 * (1.0 - planned / simulated);
        let old_gain = 100.0 * (1.0 - old_planned / old_simulated);
        wins += u32::from(planned < simulated);
        larger += u32::from(old_gain < gain);
        let (simulated, planned) = (simulated / runs as f64, planned / runs as f64);
        println!(
            "| {agents} | {jobs} | {simulated:.0} | {planned:.0} | {gain:.1} % | {seconds:.1} \
             | {old_gain:.1} % |"
        );
        let _ = std::io::stdout().flush();
    }
    let rows = THESIS.len();
    println!("\nplanning is better in {wins} of {rows} rows, by more than StEAM in {larger}");
}
