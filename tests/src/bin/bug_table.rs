//! Prints how the autopilot finds the error of every example that has one: states, steps,
//! preemptions, processor time, which search found it, and the point of no return. Arguments select
//! by part of the name.

use samovar_tests::examples::{Case, Configuration, cases};
use serde_json::Value;

/// Processor time that each may take.
const SECONDS_MAX: f64 = 10.0;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!("| example | error | states | steps | preemptions | s | found by | no return |");
    println!("|---|---|---:|---:|---:|---:|---|---|");
    let (mut found, mut all, mut slowest) = (0, 0, 0.0f64);
    for case in cases() {
        let name = case.to_string();
        let selected = wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
        let is_error = case.verdict.starts_with("error") && !case.slow;
        if !selected || !is_error || !case.allows(&Configuration::MAIN) {
            continue;
        }
        let seconds = row(&case);
        all += 1;
        found += u32::from(seconds.is_some_and(|seconds| seconds <= SECONDS_MAX));
        slowest = slowest.max(seconds.unwrap_or(0.0));
    }
    println!(
        "\n{found} of {all} found within {SECONDS_MAX} s each; the slowest took {slowest:.2} s"
    );
    std::process::exit(i32::from(found < all));
}

/// Prints what became of one; the processor time if its error was found.
fn row(case: &Case) -> Option<f64> {
    let (report, seconds) = case.report(&Configuration::MAIN);
    let Some(report) = report else {
        println!("| {case} | **no report** | | | | {seconds:.2} | | |");
        return None;
    };
    let kind = report["error"]["kind"].as_str().unwrap_or("**none**");
    let steps = report["trail"].as_array().map_or(0, Vec::len);
    let attempts = report["semantics"]["attempts"].as_array();
    let last = attempts.and_then(|all| all.last()?["search"].as_str()).unwrap_or("running alone");
    println!(
        "| {case} | {kind} | {} | {steps} | {} | {seconds:.2} | {last} | {} |",
        report["stats"]["states"],
        report["preemptions"],
        no_return(&report)
    );
    (report["verdict"] == "error").then_some(seconds)
}

/// The step, where it is, and what would have been better.
fn no_return(report: &Value) -> String {
    let point = &report["point_of_no_return"];
    let Some(exact) = point["exact"].as_bool() else { return "not found out".to_string() };
    let Some(step) = point["step"].as_u64() else { return "none: no run ends well".to_string() };
    let at = &report["trail"][step as usize - 1];
    let place = |step: &Value| {
        let line = step["location"]["line"].as_u64();
        let thread = step["thread"].as_str().unwrap_or_default();
        line.map_or_else(|| thread.to_string(), |line| format!("{thread} line {line}"))
    };
    let about = if exact { "" } else { " or later" };
    format!("step {step}{about}, {}; rather {}", place(at), place(&point["alternative"]))
}
