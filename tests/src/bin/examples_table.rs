//! Prints the number of states of every example in every configuration, and whether the verdict is
//! the stated one. Arguments select by part of the name; `--main` shows one configuration only.

use samovar_tests::examples::{Case, Configuration, cases};
use std::io::Write;

fn main() {
    let (options, wanted): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let mut ways = vec![Configuration::MAIN];
    if options.is_empty() {
        ways.extend(Configuration::others());
    }
    legend(&ways);
    let heads: Vec<String> = (1..=ways.len()).map(|number| number.to_string()).collect();
    println!("| example | expected | {} |", heads.join(" | "));
    println!("|---|---|{}", "---:|".repeat(ways.len()));
    let (mut right, mut all) = (0, 0);
    for case in cases() {
        let name = case.to_string();
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        print!("| {name} | {} |", case.verdict);
        for way in &ways {
            let (text, counts) = cell(&case, way);
            print!(" {text} |");
            let _ = std::io::stdout().flush();
            all += u32::from(counts.is_some());
            right += u32::from(counts == Some(true));
        }
        println!();
    }
    println!("\n{right} of {all} checks as stated");
}

fn legend(ways: &[Configuration]) {
    println!("States of each example in each configuration:");
    for (number, way) in ways.iter().enumerate() {
        println!("{}. {way}", number + 1);
    }
    println!();
}

/// The number of states, or why there is none; and whether all is as stated, if it was run.
fn cell(case: &Case, way: &Configuration) -> (String, Option<bool>) {
    if !case.allows(way) {
        return ("–".to_string(), None);
    }
    let answer = case.run(way);
    match answer.complaint {
        None if case.not_yet(way).is_some() => {
            (format!("{} ({})", answer.states, answer.verdict), Some(true))
        }
        None => (answer.states.to_string(), Some(true)),
        Some(complaint) => (format!("**{complaint}**"), Some(false)),
    }
}
