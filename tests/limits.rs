//! Too little of something: a disk that is full, a directory that cannot be written, less memory
//! than a search needs. One sentence says what it was, the verdict is "incomplete", and what was
//! kept can be gone on with.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::build::{execute, programs};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A program with 2941 states.
const COUNTER: &str = "examples/benchmarks/counter.c";

fn compile(scratch: &Scratch) -> String {
    compile_with(scratch, "4")
}

/// The same with so many threads and rounds.
fn compile_with(scratch: &Scratch, size: &str) -> String {
    let program = scratch.join("counter");
    let source = workspace().join(COUNTER);
    let mut command = Command::new("gcc");
    let size = [format!("-DN={size}"), format!("-DK={size}")];
    execute(command.args(["-g", "-O1", "-pthread"]).args(size).arg("-o").arg(&program).arg(source));
    program.display().to_string()
}

/// What a report says: the verdict, the reason if it is incomplete, states.
fn told(report: &Value) -> (&str, &str, u64) {
    (
        report["verdict"].as_str().expect("a verdict"),
        report["incomplete"]["reason"].as_str().unwrap_or_default(),
        report["stats"]["states"].as_u64().unwrap_or(0),
    )
}

fn read(outcome: &Outcome) -> Value {
    serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.stderr_text()))
}

/// Runs a script in a world of its own in which file systems can be mounted; `None` if the host
/// does not allow that. What is mounted is gone afterwards.
fn in_own_world(scratch: &Scratch, script: &str, words: &[&str]) -> Option<Outcome> {
    let unshare = need("unshare")?;
    let try_to = |script: &str, words: &[&str]| {
        let all = [&["--user", "--map-root-user", "--mount", "sh", "-c", script], words].concat();
        Job::new(&unshare, &all).directory(scratch.path()).run()
    };
    fs::create_dir_all(scratch.join("disk")).expect("a directory");
    if try_to("mount -t tmpfs -o size=16k none disk", &[]).status.success() {
        return Some(try_to(script, words));
    }
    println!("skipped: this host does not let tests mount a file system");
    None
}

/// A real disk that is full, at many sizes; then it has room again and the search goes on.
#[test]
fn a_search_on_a_full_disk_stops_and_goes_on_when_there_is_room() {
    let scratch = Scratch::new("full");
    let program = compile(&scratch);
    let samovar = samovar().display().to_string();
    let plain = Job::new(Path::new(&samovar), &["check", "--format", "json", &program]).run();
    let all = told(&read(&plain)).2;
    let mut full = 0;
    for size in [4, 8, 16, 32, 64, 128, 256] {
        let script = format!(
            "mount -t tmpfs -o size={size}k none disk || exit 99
             $0 check --format json --spill disk/kept --spill-buffer 4096 $1 > first
             echo $? > status
             mount -o remount,size=64m disk || exit 99
             test -e disk/kept/manifest.json && again=--resume
             exec $0 check --format json --spill disk/kept --spill-buffer 4096 $again $1"
        );
        let Some(outcome) = in_own_world(&scratch, &script, &[&samovar, &program]) else { return };
        let first = fs::read(scratch.join("first")).expect("a report");
        let first: Value = serde_json::from_slice(&first)
            .unwrap_or_else(|error| panic!("{size}: {error}, {}", outcome.stderr_text()));
        let status = fs::read_to_string(scratch.join("status")).expect("a status");
        let (verdict, reason, _) = told(&first);
        if verdict == "incomplete" {
            assert_eq!(status.trim(), "3", "{size}: {first}");
            assert!(reason.contains("no space left on device"), "{size}: {reason}");
            assert!(reason.contains("disk/kept"), "{size}: {reason}");
            assert!(!reason.contains('\n') && !reason.contains("panicked"), "{reason}");
            full += 1;
        } else {
            assert_eq!((verdict, status.trim()), ("verified", "0"), "{size}: {first}");
        }
        // One that was verified leaves its files, and says so again.
        let again = read(&outcome);
        assert_eq!(told(&again).0, "verified", "{size}: {again}");
        assert_eq!(told(&again).2, all, "{size}");
    }
    assert!(2 <= full, "only {full} disks were full");
}

#[test]
fn a_directory_that_cannot_be_written_is_told() {
    let scratch = Scratch::new("unwritable");
    let program = compile(&scratch);
    let samovar = samovar().display().to_string();
    let script = "mount -t tmpfs -o ro none disk || exit 99
         exec $0 check --format json --spill disk/kept $1";
    if let Some(outcome) = in_own_world(&scratch, script, &[&samovar, &program]) {
        let said = outcome.stderr_text();
        assert_eq!(outcome.status.code(), Some(2), "{said}");
        assert!(said.contains("disk/kept: the search cannot be kept there"), "{said}");
        assert!(said.contains("read-only"), "{said}");
    }
    let words = ["check", "--format", "json", "--spill", "/proc/self/kept", &program];
    let outcome = Job::new(Path::new(&samovar), &words).directory(scratch.path()).run();
    let said = outcome.stderr_text();
    assert_eq!(outcome.status.code(), Some(2), "{said}");
    assert!(said.contains("/proc/self/kept: the search cannot be kept there"), "{said}");
}

/// Every search and every store.
const WAYS: &[&[&str]] = &[
    &["--search", "auto"],
    &["--search", "dfs"],
    &["--search", "bfs"],
    &["--search", "dfs", "--jobs", "2"],
    &["--search", "idfs"],
    &["--search", "best-first"],
    &["--search", "astar"],
    &["--search", "idastar"],
    &["--search", "novelty"],
    &["--search", "beam", "--width", "1000000"],
    &["--search", "random", "--walks", "1000000000"],
    &["--search", "pct", "--walks", "1000000000"],
    &["--search", "refine"],
    &["--preemptions", "3"],
    &["--store", "compact"],
    &["--store", "bitstate"],
    &["--store", "reconstruct"],
    &["--spill", "kept"],
];

/// A limit that is too small for any search ends each of them, with this in the verdict.
fn stops_every_search(scratch: &Scratch, limit: &[&str], said: &str) {
    // No search comes to the end of that.
    stops_every_search_of(scratch, &compile_with(scratch, "9"), limit, said);
}

fn stops_every_search_of(scratch: &Scratch, program: &str, limit: &[&str], said: &str) {
    for way in WAYS {
        let words = [&["check", "--format", "json"], limit, way, &[program]].concat();
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        let report = read(&outcome);
        let (verdict, reason, _) = told(&report);
        assert_eq!((verdict, outcome.status.code()), ("incomplete", Some(3)), "{way:?}: {report}");
        assert!(reason.contains(said), "{way:?}: {reason}");
        assert!(!reason.contains('\n'), "{way:?}: {reason}");
        assert!(report["stats"]["states"].is_u64(), "{way:?}: {report}");
    }
}

#[test]
fn too_little_memory_is_told_by_every_search() {
    stops_every_search(&Scratch::new("memory"), &["--memory", "1M"], "the memory limit");
}

/// What a search knows of states does not outgrow a limit between two looks at it.
#[test]
fn a_limit_of_memory_is_kept() {
    let scratch = Scratch::new("memory");
    let program = compile_with(&scratch, "9");
    for way in [["--search", "best-first"], ["--search", "astar"]] {
        let words = [&["check", "--format", "json", "--memory", "60M"], &way[..], &[&program]];
        let outcome = Job::new(samovar(), &words.concat()).directory(scratch.path()).run();
        let report = read(&outcome);
        assert!(told(&report).1.starts_with("the memory limit of 60 MiB was reached"), "{report}");
        assert!(outcome.peak < 72 << 20, "{way:?}: {} bytes", outcome.peak);
    }
}

/// Depth-first search stops for want of memory only where forgetting would not help.
#[test]
fn states_are_forgotten_at_every_limit() {
    let scratch = Scratch::new("memory");
    let program = compile_with(&scratch, "6");
    let common = ["check", "--format", "json", "--search", "dfs", "--time", "2"];
    let with = |memory: u64| {
        let memory = memory.to_string();
        let words = [&common[..], &["--memory", &memory, &program]].concat();
        read(&Job::new(samovar(), &words).directory(scratch.path()).run())
    };
    let least = with(1 << 20)["stats"]["peak_memory_bytes"].as_u64().expect("bytes");
    for more in [4, 5, 6, 7] {
        let report = with(least + (more << 20));
        assert!(!told(&report).1.contains("memory"), "{more} MiB more: {report}");
    }
}

#[test]
fn too_little_time_is_told_by_every_search() {
    stops_every_search(&Scratch::new("time"), &["--time", "0.3"], "the time limit of 0.3 s");
}

/// Threads that throw exceptions look at too much memory for their moves to be remembered, so they
/// are executed again and again, and time may run out in any of them.
#[test]
fn time_runs_out_in_moves_that_are_made_again() {
    let scratch = Scratch::new("again");
    let (program, source) = (scratch.join("queue"), workspace().join("examples/queue.cpp"));
    let include = workspace().join("runtime-lib/include");
    let mut command = Command::new("g++");
    command.args(["-g", "-O0", "-static", "-pthread", "-I"]).arg(include);
    execute(command.arg("-o").arg(&program).arg(source));
    let program = program.display().to_string();
    for time in ["0.6", "0.8", "1", "1.2", "1.4", "1.6"] {
        let words = ["check", "--format", "json", "--time", time, &program, "2"];
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        let is_told = matches!(outcome.status.code(), Some(0 | 3));
        assert!(is_told, "{time} s: {}", outcome.stderr_text());
    }
}

/// What is contended is looked for before the search, and a limit of time is for that, too.
#[test]
fn a_limit_of_time_is_kept_before_the_search() {
    let scratch = Scratch::new("time");
    for name in ["creator", "loaders"] {
        let source = programs().join(format!("check/{name}.c")).display().to_string();
        let words = ["check", "--format", "json", "--time", "1", &source];
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        let report = read(&outcome);
        let (verdict, reason, _) = told(&report);
        assert_eq!((verdict, outcome.status.code()), ("incomplete", Some(3)), "{name}: {report}");
        assert!(reason.contains("time limit"), "{name}: {reason}");
    }
}

/// A program that leaves open more than anybody can try, in a single choice.
fn compile_choice(scratch: &Scratch) -> String {
    let (program, source) = (scratch.join("choice"), scratch.join("choice.c"));
    let text = "#include <samovar.h>\nint v;\nint main(void) { RANGE(v, 0, 2000000000); }\n";
    fs::write(&source, text).expect("the source");
    let include = workspace().join("runtime-lib/include");
    let mut command = Command::new("gcc");
    execute(command.arg("-g").arg("-I").arg(include).arg("-o").arg(&program).arg(source));
    program.display().to_string()
}

#[test]
fn a_limit_of_time_is_kept_among_the_values_of_a_choice() {
    let scratch = Scratch::new("choice-time");
    let program = compile_choice(&scratch);
    stops_every_search_of(&scratch, &program, &["--time", "0.5"], "the time limit of 0.5 s");
    let plan = ["plan", "--format", "json", "--time", "0.5", "--goal", "v == -1", &program];
    let outcome = Job::new(samovar(), &plan).directory(scratch.path()).run();
    assert_eq!(outcome.status.code(), Some(3), "{}", outcome.stderr_text());
    assert!(outcome.stdout_text().contains("the time limit of 0.5 s"), "{}", outcome.stdout_text());
}

#[test]
fn a_limit_of_memory_is_kept_among_the_values_of_a_choice() {
    let scratch = Scratch::new("choice-memory");
    let program = compile_choice(&scratch);
    stops_every_search_of(&scratch, &program, &["--memory", "100M"], "the memory limit");
}
