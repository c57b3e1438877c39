//! How long samovar takes for an answer about a compiled program, and SPIN's verifier for the same
//! answer about a model of it that was written by hand.
//!
//! Both do as well as they can on one core: samovar searches depth-first with an exact store and
//! its reduction, SPIN with its own, with and without -DCOLLAPSE. Time is that of the whole
//! process, from the executable to the answer, the best of three; compiling counts for neither.

use super::{HANG, compile, spin};
use samovar_tests::binary::samovar;
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// A question to both.
struct Question {
    name: &'static str,
    /// The program, from the workspace on, how it is compiled and its arguments.
    file: &'static str,
    flags: &'static [&'static str],
    args: &'static [&'static str],
    /// The model and what it defines.
    model: &'static str,
    defines: &'static [&'static str],
    /// Whether something is wrong.
    is_wrong: bool,
}

const QUESTIONS: &[Question] = &[
    Question {
        name: "dining 10, deadlock",
        file: "examples/philosophers.c",
        flags: &[],
        args: &["10"],
        model: "dining",
        defines: &["-DN=10"],
        is_wrong: true,
    },
    Question {
        name: "dining 10, careful",
        file: "examples/philosophers.c",
        flags: &[],
        args: &["10", "careful"],
        model: "dining",
        defines: &["-DN=10", "-DCAREFUL"],
        is_wrong: false,
    },
    Question {
        name: "counter 4x4",
        file: "examples/benchmarks/counter.c",
        flags: &["-DN=4", "-DK=4"],
        args: &[],
        model: "additions",
        defines: &["-DN=4", "-DK=4"],
        is_wrong: false,
    },
    Question {
        name: "counter 4x3",
        file: "examples/benchmarks/counter.c",
        flags: &["-DN=4", "-DK=3"],
        args: &[],
        model: "additions",
        defines: &["-DN=4", "-DK=3"],
        is_wrong: false,
    },
    Question {
        name: "peterson",
        file: "tests/programs/counts/peterson.c",
        flags: &["-DTIDY"],
        args: &[],
        model: "peterson",
        defines: &[],
        is_wrong: false,
    },
    Question {
        name: "buffer 3+2",
        file: "tests/programs/counts/buffer.c",
        flags: &[],
        args: &["3", "2"],
        model: "buffer",
        defines: &["-DP=3", "-DC=2"],
        is_wrong: false,
    },
];

/// Runs of which the fastest counts.
const RUNS: usize = 3;

/// Prints the table, if there is a SPIN.
pub fn print() {
    println!(
        "| question | samovar: states | seconds | SPIN: states | seconds | times samovar's \
         | -DCOLLAPSE: seconds | times samovar's |\n|---|{}",
        "---:|".repeat(7)
    );
    for question in QUESTIONS {
        print_row(question);
    }
}

fn print_row(question: &Question) {
    let (states, seconds) = checked(question);
    let Some([plain, collapsed]) = spun(question) else {
        return println!("| {} | {states} | {seconds:.3} | no SPIN | | | | |", question.name);
    };
    println!(
        "| {} | {states} | {seconds:.3} | {} | {:.3} | {:.1} | {:.3} | {:.1} |",
        question.name,
        plain.0,
        plain.1,
        plain.1 / seconds,
        collapsed.1,
        collapsed.1 / seconds
    );
}

/// States and seconds of samovar.
fn checked(question: &Question) -> (u64, f64) {
    let scratch = Scratch::new("answers");
    compile(question.file, question.flags, &scratch);
    let common = ["check", "--search", "dfs", "--format", "json", "--trail", "t.json", "./program"];
    let words = [&common, question.args].concat();
    let fastest = fastest(|| Job { hang: HANG, ..Job::new(samovar(), &words) }, &scratch);
    let report: Value = serde_json::from_slice(&fastest.stdout).expect("a report");
    let expected = if question.is_wrong { "error" } else { "verified" };
    assert_eq!(report["verdict"], expected, "{}", question.name);
    let states = report["stats"]["states"].as_u64().expect("a number of states");
    (states, fastest.time.as_secs_f64())
}

/// States and seconds of SPIN, without and with -DCOLLAPSE.
fn spun(question: &Question) -> Option<[(String, f64); 2]> {
    let scratch = Scratch::new("spin-answers");
    let verify = |flags: &[&str]| {
        spin::compile(question.model, question.defines, flags, &scratch)?;
        let pan = scratch.join("pan");
        let fastest = fastest(|| Job { hang: HANG, ..Job::new(&pan, &["-m1000000"]) }, &scratch);
        let said = fastest.stdout_text();
        let errors = format!("errors: {}", u8::from(question.is_wrong));
        assert!(said.contains(&errors), "{}: {said}", question.name);
        let states = spin::figure(&said, " states, stored");
        Some((format!("{states:.0}"), fastest.time.as_secs_f64()))
    };
    Some([verify(&["-DSAFETY"])?, verify(&["-DSAFETY", "-DCOLLAPSE"])?])
}

fn fastest(job: impl Fn() -> Job, scratch: &Scratch) -> Outcome {
    let runs = (0..RUNS).map(|_| job().directory(scratch.path()).run());
    runs.min_by_key(|outcome| outcome.time).expect("at least one run")
}
