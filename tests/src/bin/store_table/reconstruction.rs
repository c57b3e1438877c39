//! The thesis's table of state reconstruction (T. Mehler 2005: 1.8 GHz, 512 MB, 30 minutes), run
//! again at its sizes and beyond: seconds and memory with whole states and with mini-states, with
//! key states and without.
//!
//! `phil` and `optel` are StEAM's own programs, searched best-first by `lnb` as there (GBF), or
//! breadth-first. Mini-states are what `states` and `ways` of the report's memory take: bytes a
//! state, whatever the size of the program. A row that does not end in time says so.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::time::Duration;

/// A line of the thesis's table, or one like it.
struct Instance {
    name: &'static str,
    file: &'static str,
    size: u32,
    flags: &'static str,
    search: &'static [&'static str],
    /// Seconds and megabytes without and with reconstruction.
    thesis: &'static str,
    /// Only if large ones are asked for.
    large: bool,
}

const PHIL: &str = "steam/philosophers.cpp";
const OPTEL: &str = "steam/telegraph.cpp";
const BFS: &[&str] = &["--search", "bfs"];
const GBF: &[&str] = &["--search", "best-first", "--heuristic", "lnb"];

const fn known(
    name: &'static str,
    file: &'static str,
    size: u32,
    search: &'static [&'static str],
    thesis: &'static str,
) -> Instance {
    Instance { name, file, size, flags: "", search, thesis, large: false }
}

const fn larger(instance: Instance) -> Instance {
    Instance { large: true, ..instance }
}

/// The program is right, so everything is explored.
const fn fixed(instance: Instance) -> Instance {
    Instance { flags: "-DFIX", ..instance }
}

const INSTANCES: &[Instance] = &[
    known("phil BFS", PHIL, 5, BFS, "29/402 -> 808/275"),
    fixed(known("phil BFS, all", PHIL, 4, BFS, "")),
    fixed(known("phil BFS, all", PHIL, 6, BFS, "")),
    fixed(larger(known("phil BFS, all", PHIL, 8, BFS, ""))),
    known("phil GBF", PHIL, 100, GBF, "5/199 -> 211/100"),
    known("phil GBF", PHIL, 190, GBF, "444/492 -> 663/107"),
    known("phil GBF", PHIL, 196, GBF, "out of memory -> 1557/108"),
    larger(known("phil GBF", PHIL, 1000, GBF, "")),
    larger(known("phil GBF", PHIL, 1900, GBF, "")),
    known("optel GBF", OPTEL, 40, GBF, "137/511 -> 850/106"),
    known("optel GBF", OPTEL, 46, GBF, "out of memory -> 1714/110"),
    known("optel GBF", OPTEL, 47, GBF, "out of memory -> out of time"),
    larger(known("optel GBF", OPTEL, 400, GBF, "")),
];

/// Ways to keep states.
const WAYS: &[(&str, &[&str])] = &[
    ("exact", &["--store", "exact"]),
    ("no key states", &["--store", "reconstruct", "--key-every", "4000000000"]),
    ("keys every 64", &["--store", "reconstruct", "--key-every", "64"]),
    ("keys every 4", &["--store", "reconstruct", "--key-every", "4"]),
];

/// Prints the table; what is large only if that is wanted.
pub fn print(is_large: bool, seconds_max: u64) {
    println!(
        "| program | size | store | verdict | states | moves made again | seconds \
         | bytes/state: mini-states | key states | all, MiB | thesis, s/MB |\n\
         |---|---:|---|---|{}---|",
        "---:|".repeat(6)
    );
    for instance in INSTANCES.iter().filter(|one| is_large || !one.large) {
        for (way, options) in WAYS {
            print_row(instance, way, options, seconds_max);
        }
    }
}

fn print_row(instance: &Instance, way: &str, options: &[&str], seconds_max: u64) {
    let scratch = Scratch::new("reconstruction");
    let file = workspace().join("examples").join(instance.file).display().to_string();
    let flags = format!("-DN={} {}", instance.size, instance.flags);
    let limit = seconds_max.to_string();
    let common = ["check", "--format", "json", "--trail", "t.json", "--time", &limit];
    let words = [&common, instance.search, options, &["--cflags", flags.as_str(), &file]].concat();
    let hang = Duration::from_secs(seconds_max * 4 + 60);
    let outcome = Job { hang, ..Job::new(samovar(), &words) }.directory(scratch.path()).run();
    let report: Value = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|_| panic!("{words:?}: {}", outcome.stderr_text()));
    let stats = &report["stats"];
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let memory = &stats["memory_bytes"];
    let states = number(&stats["states"]);
    let minis = number(&memory["states"]) + number(&memory["ways"]);
    let all: f64 = memory.as_object().expect("parts").values().map(number).sum();
    println!(
        "| {} | {} | {way} | {} | {states:.0} | {} | {:.2} | {:.0} | {:.0} | {:.1} | {} |",
        instance.name,
        instance.size,
        report["verdict"].as_str().unwrap_or("none"),
        stats["moves"]["replayed"],
        number(&stats["seconds"]),
        minis / states,
        number(&memory["keys"]) / states,
        all / f64::from(1 << 20),
        instance.thesis
    );
}
