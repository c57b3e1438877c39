//! Prints what each store makes of a few programs, and what SPIN's verifier makes of their twins in
//! Promela: states, transitions a second, bytes a state.
//!
//! Everything is measured in the same run, one after the other. The programs are those of
//! `programs/counts`, explored with all moves, so that their spaces are those of the models; SPIN
//! verifies without partial-order reduction, too, compiled with -O2, with and without -DCOLLAPSE.
//! Its models are a little coarser or finer than machine code, so states are not the same in
//! number: compare rates, and seconds for about the same question. Bytes are of all that the search
//! keeps for samovar (states alone in the column before), of the whole process for SPIN.
//!
//! SPIN's seconds come twice: of the verifier alone, and with `spin -a` and the C compiler, which
//! is what a question costs; samovar's likewise, without and with compiling and loading.
//!
//! Arguments select programs by part of the name; `--large` takes larger ones. Other tables instead
//! of this one: `--answers`, how long both take for the same answers, each with its own reduction;
//! `--growth`, one family of spaces to beyond 50 million states; `--cores`, one core against two;
//! `--reconstruction`, the thesis's table of state reconstruction, with `--seconds=S` for each of
//! its searches, and larger sizes with `--large`. `--all` prints all of them, large ones included.

#[path = "store_table/answers.rs"]
mod answers;
#[path = "store_table/cores.rs"]
mod cores;
#[path = "store_table/reconstruction.rs"]
mod reconstruction;
#[path = "store_table/spin.rs"]
mod spin;

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::build::programs;
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use serde_json::Value;
use std::time::Duration;

/// Ways to remember states.
const STORES: &[&[&str]] = &[
    &["--store", "exact"],
    &["--store", "compact"],
    &["--store", "bitstate", "--memory", "1G"],
    &["--store", "reconstruct"],
];
const MIB: f64 = (1 << 20) as f64;
/// How long one search may take.
const HANG: Duration = Duration::from_secs(600);

/// A program and its twin.
struct Subject {
    name: &'static str,
    flags: &'static str,
    args: &'static [&'static str],
    defines: &'static [&'static str],
}

const SMALL: &[Subject] = &[
    Subject { name: "philosophers", flags: "-static", args: &["6", "1"], defines: &["-DN=6"] },
    Subject { name: "counter", flags: "", args: &["5", "4"], defines: &["-DN=5", "-DTIMES=4"] },
    Subject { name: "peterson", flags: "-DTIDY", args: &[], defines: &[] },
    Subject { name: "buffer", flags: "", args: &["3", "2"], defines: &["-DP=3", "-DC=2"] },
];
const LARGE: &[Subject] = &[
    Subject { name: "philosophers", flags: "-static", args: &["8", "1"], defines: &["-DN=8"] },
    Subject { name: "counter", flags: "", args: &["6", "6"], defines: &["-DN=6", "-DTIMES=6"] },
    Subject { name: "buffer", flags: "", args: &["5", "4"], defines: &["-DP=5", "-DC=4"] },
];

/// One line of the table.
struct Row {
    way: String,
    states: f64,
    transitions: f64,
    /// Of the search.
    seconds: f64,
    /// From the source file to the answer.
    all_seconds: f64,
    /// Of the visited states alone.
    state_bytes: f64,
    all_bytes: f64,
}

fn main() {
    let (options, wanted): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let has = |name: &str| options.iter().any(|option| option == name);
    let is_all = has("--all");
    let is_large = is_all || has("--large");
    let seconds = options.iter().find_map(|option| option.strip_prefix("--seconds="));
    let seconds = seconds.and_then(|s| s.parse().ok()).unwrap_or(60);
    let others: [(&str, &dyn Fn()); 4] = [
        ("--answers", &answers::print),
        ("--growth", &print_growth),
        ("--cores", &cores::print),
        ("--reconstruction", &|| reconstruction::print(is_large, seconds)),
    ];
    if is_all || !others.iter().any(|(name, _)| has(name)) {
        print_stores(is_large, &wanted);
    }
    for (name, print) in others {
        if is_all || has(name) {
            println!();
            print();
        }
    }
}

/// What stores make of programs, and SPIN of their twins.
fn print_stores(is_large: bool, wanted: &[String]) {
    println!(
        "| program | store | states | transitions | seconds | with compiling | transitions/s \
         | bytes/state: states | all |\n|---|---|{}",
        "---:|".repeat(7)
    );
    for subject in if is_large { LARGE } else { SMALL } {
        if !wanted.is_empty() && !wanted.iter().any(|part| subject.name.contains(part.as_str())) {
            continue;
        }
        let rows = STORES.iter().map(|store| checked(subject, store)).chain(spun(subject));
        for row in rows {
            print(subject, &row);
        }
    }
}

/// Compiles a program of the workspace as `check` would, to `program`.
fn compile(file: &str, flags: &[&str], scratch: &Scratch) {
    let source = workspace().join(file).display().to_string();
    let compiler = need("gcc").expect("a C compiler");
    let common = ["-g", "-O1", "-pthread", "-o", "program", &source];
    let job = Job::new(&compiler, &[&common, flags].concat()).directory(scratch.path());
    assert!(job.run().status.success(), "{source} compiles");
}

/// Threads and rounds of a counter whose spaces grow beyond 50 million states.
const GROWTH: &[&str] =
    &["-DN=6 -DK=6", "-DN=7 -DK=5", "-DN=8 -DK=5", "-DN=8 -DK=6", "-DN=9 -DK=5"];

/// States against time in one family of spaces, with the exact store and the default reduction.
fn print_growth() {
    println!("| counter | states | transitions/s | microseconds/state | bytes/state |");
    println!("|---|{}", "---:|".repeat(4));
    for flags in GROWTH {
        let file = workspace().join("examples/benchmarks/counter.c").display().to_string();
        let common = ["check", "--format", "json", "--search", "dfs", "--cflags", flags, &file];
        let outcome = Job { hang: HANG, ..Job::new(samovar(), &common) }.run();
        let report: Value = serde_json::from_slice(&outcome.stdout)
            .unwrap_or_else(|_| panic!("{flags}: {}", outcome.stderr_text()));
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let stats = &report["stats"];
        let (states, seconds) = (number(&stats["states"]), number(&stats["seconds"]));
        let memory = stats["memory_bytes"].as_object().expect("parts of the memory");
        println!(
            "| {flags} | {states:.0} | {:.0} | {:.2} | {:.1} |",
            number(&stats["transitions"]) / seconds,
            seconds / states * 1e6,
            memory.values().map(number).sum::<f64>() / states
        );
    }
}

fn print(subject: &Subject, row: &Row) {
    let Row { way, states, transitions, seconds, all_seconds, state_bytes, all_bytes } = row;
    let rate = transitions / seconds.max(1e-3);
    let alone = state_bytes / states;
    println!(
        "| {} {} | {way} | {states:.0} | {transitions:.0} | {seconds:.2} | {all_seconds:.2} \
         | {rate:.0} \
         | {alone:.1} \
         | {:.1} |",
        subject.name,
        subject.args.join(" "),
        all_bytes / states
    );
}

/// What a check with a store comes to.
fn checked(subject: &Subject, store: &[&str]) -> Row {
    let scratch = Scratch::new("table");
    let program = programs().join("counts").join(format!("{}.c", subject.name));
    let program = program.display().to_string();
    let common = [
        "check",
        "--format",
        "json",
        "--check",
        "exit",
        "--search",
        "dfs",
        "--reduce",
        "contended",
    ];
    let words = [&common[..], store, &["--cflags", subject.flags, &program], subject.args].concat();
    let job = Job { hang: HANG, ..Job::new(samovar(), &words) };
    let outcome = job.directory(scratch.path()).run();
    let report: Value = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|_| panic!("{words:?}: {}", outcome.stderr_text()));
    let stats = &report["stats"];
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let memory = stats["memory_bytes"].as_object().expect("parts of the memory");
    Row {
        way: store[1].to_string(),
        states: number(&stats["states"]),
        transitions: number(&stats["transitions"]),
        seconds: number(&stats["seconds"]),
        all_seconds: outcome.time.as_secs_f64(),
        state_bytes: number(&memory["states"]),
        all_bytes: memory.values().map(number).sum(),
    }
}

/// What SPIN's verifier comes to, if there is one.
fn spun(subject: &Subject) -> Vec<Row> {
    let scratch = Scratch::new("spin");
    let verify = |(way, more): (&str, &[&str])| {
        let flags = [&["-DSAFETY", "-DNOREDUCE"], more].concat();
        let compiling = spin::compile(subject.name, subject.defines, &flags, &scratch)?;
        let job = Job { hang: HANG, ..Job::new(&scratch.join("pan"), &["-m10000000"]) };
        let outcome = job.directory(scratch.path()).run();
        let said = outcome.stdout_text();
        assert!(said.contains("errors: 0"), "{said}");
        Some(Row {
            way: way.to_string(),
            states: spin::figure(&said, " states, stored"),
            transitions: spin::figure(&said, " transitions (="),
            seconds: spin::figure_behind(&said, "elapsed time"),
            all_seconds: compiling + outcome.time.as_secs_f64(),
            state_bytes: spin::figure(&said, "\tactual memory usage for states") * MIB,
            all_bytes: spin::figure(&said, "\ttotal actual memory usage") * MIB,
        })
    };
    let ways = [("SPIN", &[][..]), ("SPIN -DCOLLAPSE", &["-DCOLLAPSE"])];
    ways.into_iter().filter_map(verify).collect()
}
