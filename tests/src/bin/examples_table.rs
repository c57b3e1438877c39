//! Prints the number of states of every example in every configuration, and whether the verdict is
//! the stated one. Arguments select by part of the name; `--main` shows one configuration only,
//! `--seconds=N` is for another limit of time for each check (20), beyond which it is too large.

use samovar_tests::examples::{Answer, Case, Configuration, cases};
use std::io::Write;
use std::process::ExitCode;

/// Seconds that each check may take.
const SECONDS: u64 = 20;
/// Memory that each check may take.
const MEMORY: &str = "--memory=4G";

/// How many checks came out how.
#[derive(Debug, Default)]
struct Tally {
    right: u32,
    wrong: Vec<String>,
    too_large: u32,
    /// Where the classic reduction, which is not sound, says something else.
    classic: Vec<String>,
}

fn main() -> ExitCode {
    let (options, wanted): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let seconds = options.iter().find_map(|word| word.strip_prefix("--seconds="));
    let seconds = seconds.and_then(|number| number.parse().ok()).unwrap_or(SECONDS);
    let limit = format!("--time={seconds}");
    let mut ways = vec![Configuration::MAIN];
    if !options.iter().any(|word| word == "--main") {
        ways.extend(Configuration::others());
        ways.extend(Configuration::classic());
    }
    legend(&ways);
    let heads: Vec<String> = (1..=ways.len()).map(|number| number.to_string()).collect();
    println!("| example | expected | {} |", heads.join(" | "));
    println!("|---|---|{}", "---:|".repeat(ways.len()));
    let mut tally = Tally::default();
    for case in cases() {
        let name = case.to_string();
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        print!("| {name} | {} |", case.verdict);
        for way in &ways {
            print!(" {} |", cell(&case, way, &limit, &mut tally));
            let _ = std::io::stdout().flush();
        }
        println!();
    }
    let Tally { right, wrong, too_large, classic } = tally;
    println!("\n{right} checks as stated, {} not, {too_large} too large", wrong.len());
    wrong.iter().for_each(|line| println!("- {line}"));
    println!("the classic reduction comes to something else in {}", classic.len());
    classic.iter().for_each(|line| println!("- {line}"));
    ExitCode::from(u8::from(!wrong.is_empty()))
}

fn legend(ways: &[Configuration]) {
    println!("States of each example in each configuration:");
    for (number, way) in ways.iter().enumerate() {
        println!("{}. {way}", number + 1);
    }
    println!();
}

/// The number of states, or why there is none.
fn cell(case: &Case, way: &Configuration, limit: &str, tally: &mut Tally) -> String {
    if !case.allows(way) {
        return "–".to_string();
    }
    let Answer { verdict, states, is_cut, complaint, .. } = case.run_within(way, &[limit, MEMORY]);
    let Some(complaint) = complaint else {
        tally.right += 1;
        let is_known = case.not_yet(way).is_some();
        return if is_known { format!("{states} ({verdict})") } else { states.to_string() };
    };
    if is_cut {
        tally.too_large += 1;
        return format!("too large, {states}");
    }
    let line = format!("{case}, {way}: {complaint}");
    if way.reduce == "lgc" {
        tally.classic.push(line);
        return format!("{states} ({verdict})");
    }
    tally.wrong.push(line);
    format!("**{complaint}**")
}
