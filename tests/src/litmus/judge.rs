//! Both opinions on a program: the interpreter's and samovar's.
//!
//! Programs are compiled many at a time. Each is checked with the errors not counting and all
//! ends of executions listed, so that one search tells everything; if the interpreter knows of an
//! error or of a way to wait busily for ever, it is checked a second time with errors counting,
//! which must find one. Small ones are also checked without any reduction, and with errors counting
//! even if there are none, which must not be found.

use super::brute::{self, Answer};
use super::machine::{End, Machine, Wake};
use super::program::Program;
use super::source::{self, Assertions};
use crate::binary::{samovar, workspace};
use crate::build::execute;
use crate::child::Job;
use crate::scratch::Scratch;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// Largest number of states of the interpreter, beyond which a program is passed over.
pub const STATES_MAX: usize = 60_000;
/// The same for a check without reduction, which has many more states than the interpreter.
pub const STATES_MAX_UNREDUCED: usize = 400;
/// The same for the number of threads.
pub const THREADS_MAX_UNREDUCED: usize = 3;

/// How programs are compiled and checked.
#[derive(Clone, Debug)]
pub struct Way {
    /// Options for the compiler.
    pub flags: Vec<String>,
    /// Values of `--reduce` for every program.
    pub reductions: Vec<String>,
    /// Values of `--reduce` for small programs only.
    pub small: Vec<String>,
    /// Further options for samovar.
    pub options: Vec<String>,
    /// Which waiting thread a signal wakes, in the interpreter's opinion.
    pub wake: Wake,
    /// How assertions are written.
    pub assertions: Assertions,
}

impl Way {
    /// What a change has to pass.
    pub fn ordinary() -> Way {
        let words = |text: &str| text.split(' ').map(str::to_string).collect();
        Way {
            flags: words("-O1 -static"),
            reductions: words("auto contended"),
            small: words("none"),
            options: Vec::new(),
            wake: Wake::Any,
            assertions: Assertions::Reading,
        }
    }
}

/// A difference of opinion.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The value of `--reduce`.
    pub reduce: String,
    /// The options of the check.
    pub options: String,
    /// What is different.
    pub what: String,
}

/// The interpreter's opinion; `None` if the program is too large for it.
pub fn expected(program: &Program, wake: Wake) -> Option<Answer> {
    brute::explore(&Machine::new(program, wake), STATES_MAX)
}

/// Compiled programs.
#[derive(Debug)]
pub struct Compiled {
    scratch: Scratch,
}

impl Compiled {
    /// Compiles programs into one executable.
    pub fn new(programs: &[&Program], way: &Way) -> Compiled {
        let scratch = Scratch::new("litmus");
        let file = scratch.join("programs.c");
        std::fs::write(&file, source::file(programs, way.assertions))
            .expect("the scratch directory can be written");
        let mut command = Command::new("cc");
        command.args(["-w", "-g", "-pthread", "-I"]).arg(workspace().join("runtime-lib/include"));
        execute(command.args(&way.flags).arg(&file).arg("-o").arg(scratch.join("programs")));
        Compiled { scratch }
    }

    /// All differences between the interpreter and samovar on one of the programs.
    pub fn compare(&self, number: usize, answer: &Answer, way: &Way) -> Option<Mismatch> {
        let is_small =
            answer.states <= STATES_MAX_UNREDUCED && answer.threads <= THREADS_MAX_UNREDUCED;
        let small: &[String] = if is_small { &way.small } else { &[] };
        for reduce in way.reductions.iter().chain(small) {
            let mut runs = vec![true];
            if answer.has_error() || is_small {
                runs.push(false);
            }
            for all in runs {
                let mut words = vec!["--reduce", reduce];
                words.extend(way.options.iter().map(String::as_str));
                // Nothing ends with another status, so no error counts. Races are left out: the
                // interpreter does not know them.
                words.extend(match all {
                    true => &["--outcomes", "--check", "exit"][..],
                    // Memory that nobody has written is zero to the interpreter.
                    false if !answer.has_error() => &["--check", "deadlock,assertion,lock"],
                    false => &["--check", "deadlock,assertion,memory,lock"],
                });
                let report = self.check(number, &words);
                let difference = match all {
                    true => difference_of_ends(&report, answer),
                    false => difference_of_verdicts(&report, answer),
                };
                if let Some(what) = difference {
                    let (reduce, options) = (reduce.clone(), words.join(" "));
                    return Some(Mismatch { reduce, options, what });
                }
            }
        }
        None
    }

    /// What samovar reports on one of the programs.
    pub fn check(&self, number: usize, options: &[&str]) -> Result<Value, String> {
        let number = number.to_string();
        let mut words = vec!["check", "--format", "json", "--trail", "trail.json"];
        words.extend(options);
        words.extend(["./programs", &number]);
        let outcome = Job::new(samovar(), &words).directory(self.scratch.path()).run();
        serde_json::from_slice(&outcome.stdout)
            .map_err(|_| format!("{}: {}", outcome.ending(), outcome.stderr_text()))
    }
}

/// What is wrong with a report in which no error counts.
fn difference_of_ends(report: &Result<Value, String>, answer: &Answer) -> Option<String> {
    let report = match report {
        Ok(report) => report,
        Err(said) => return Some(format!("no report, {said}")),
    };
    let verdict = report["verdict"].as_str().unwrap_or_default();
    if verdict != "verified" {
        let (error, reason) = (&report["error"], &report["incomplete"]);
        return Some(format!("not everything was explored: {error} {reason}"));
    }
    let ends = ends(report);
    if ends == answer.ends {
        return None;
    }
    let list =
        |ends: Vec<&End>| ends.iter().map(|end| format!("    {end:?}\n")).collect::<String>();
    let missing = list(answer.ends.difference(&ends).collect());
    let impossible = list(ends.difference(&answer.ends).collect());
    let shared = answer.ends.intersection(&ends).count();
    let missing = format!("  missed by samovar:\n{missing}");
    let impossible = format!("  seen by samovar only:\n{impossible}");
    Some(format!("{shared} ends are the same\n{missing}{impossible}"))
}

/// The ends that a report lists.
pub fn ends(report: &Value) -> BTreeSet<End> {
    report["outcomes"].as_array().into_iter().flatten().map(end).collect()
}

/// An end as samovar lists it.
fn end(listed: &Value) -> End {
    let (end, output) = (&listed["end"], &listed["output"]);
    match (end.as_str().unwrap_or_default(), output.as_str().unwrap_or_default()) {
        ("deadlock", _) => End::Deadlock,
        (memory, _) if memory.starts_with("memory: ") => End::Memory,
        ("exit 0", output) => End::Exit(output.to_string()),
        (other, output) => match assertion_number(other) {
            Some(number) => End::Failure(number),
            None => End::Exit(format!("{other}: {output}")),
        },
    }
}

/// The number in the text of an assertion.
fn assertion_number(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("number ")?;
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// What is wrong with an ordinary report.
fn difference_of_verdicts(report: &Result<Value, String>, answer: &Answer) -> Option<String> {
    let report = match report {
        Ok(report) => report,
        Err(said) => return Some(format!("no report, {said}")),
    };
    let message = report["error"]["message"].as_str().unwrap_or_default();
    let is_right = match report["error"]["kind"].as_str().unwrap_or_default() {
        "deadlock" => answer.ends.contains(&End::Deadlock),
        "assertion" => assertion_number(message)
            .is_some_and(|number| answer.ends.contains(&End::Failure(number))),
        "memory" => answer.ends.contains(&End::Memory),
        "livelock" | "partial-deadlock" => answer.stuck,
        "" => !answer.has_error() && report["verdict"] == "verified",
        _ => false,
    };
    let verdict = &report["verdict"];
    (!is_right).then(|| {
        let errors: Vec<&End> =
            answer.ends.iter().filter(|end| !matches!(end, End::Exit(_))).collect();
        let stuck = if answer.stuck { ", and waiting for ever" } else { "" };
        format!("the verdict is {verdict} ({message}), possible are {errors:?}{stuck}")
    })
}
