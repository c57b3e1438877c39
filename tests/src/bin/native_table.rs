//! Prints for every buggy example whether the real program can be made to fail as its trail says,
//! and how often of ten times. Arguments select by part of the name; `--times=N` is for another
//! number.

use samovar_tests::binary::samovar;
use samovar_tests::child::Job;
use samovar_tests::examples::{Case, cases};
use samovar_tests::scratch::Scratch;
use std::io::Write;

fn main() {
    let (options, wanted): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let times = options.iter().find_map(|word| word.strip_prefix("--times="));
    let times: u32 = times.and_then(|number| number.parse().ok()).unwrap_or(10);
    println!("| example | finding | fails natively | seconds | how it shows |");
    println!("|---|---|---:|---:|---|");
    let (mut always, mut hidden, mut all) = (0, 0, 0);
    for case in cases() {
        let name = case.to_string();
        let is_wanted = wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
        if !is_wanted || case.slow || !case.verdict.starts_with("error") {
            continue;
        }
        let (succeeded, seconds, said) = attempts(&case, times);
        let verdict = &case.verdict["error ".len()..];
        println!("| {name} | {verdict} | {succeeded} of {times} | {seconds:.2} | {said} |");
        let _ = std::io::stdout().flush();
        all += 1;
        let shows = !said.contains("nothing shows");
        always += u32::from(succeeded == times && shows);
        hidden += u32::from(succeeded == times && !shows);
    }
    println!("\n{always} of {all} fail natively, {times} of {times} times;");
    println!("{hidden} get to the error, {times} of {times} times, without showing it");
}

/// How many attempts succeed, how long one takes, and what the first one or the first failure says.
fn attempts(case: &Case, times: u32) -> (u32, f64, String) {
    let scratch = Scratch::new("native");
    case.record(&scratch);
    let (mut succeeded, mut seconds, mut said) = (0, 0.0, String::new());
    let mut failed = false;
    for _ in 0..times {
        let words = ["replay", "--native", "trail.json"];
        let outcome =
            Job::new(samovar(), &words).env("COLUMNS", "160").directory(scratch.path()).run();
        seconds += outcome.time.as_secs_f64();
        let success = outcome.status.code() == Some(1);
        succeeded += u32::from(success);
        if said.is_empty() || !success && !failed {
            let text = outcome.stdout_text() + &outcome.stderr_text();
            let text = text.split("the real program ").nth(1).map_or(text.clone(), str::to_string);
            said = text.split_whitespace().collect::<Vec<_>>().join(" ");
            failed |= !success;
        }
    }
    (succeeded, seconds / f64::from(times.max(1)), said)
}
