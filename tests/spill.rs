//! Searches that keep their states in a directory: they come to what the one in memory comes to,
//! also after they were killed, and say in one sentence what is wrong with a directory or a disk.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::build::execute;
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Examples with all verdicts: where they lie, flags, arguments.
const EXAMPLES: &[(&str, &str, &[&str])] = &[
    ("examples/philosophers.c", "", &[]),
    ("examples/race.c", "", &[]),
    ("examples/condition/lost_wakeup.c", "", &[]),
    ("examples/condition/bounded_buffer.c", "-DFIX", &[]),
    ("examples/deadlock/partial.c", "", &[]),
    ("examples/deadlock/partial.c", "-DFIX", &[]),
    ("examples/locks/peterson.c", "", &[]),
    ("examples/locks/peterson.c", "-DLATE_FLAG", &[]),
    ("examples/locks/peterson.c", "-DNO_TURN", &[]),
    ("examples/locks/spin.c", "-DFORGET", &[]),
    ("tests/programs/counts/counter.c", "", &["3", "3"]),
    ("tests/programs/counts/buffer.c", "", &["2", "2"]),
    ("tests/programs/counts/philosophers.c", "-static", &["4", "1"]),
];

/// A program with a few hundred states, and what decides about it.
const COUNTER: &str = "tests/programs/counts/counter.c";

fn words(options: &[&str], file: &str, args: &[&str]) -> Vec<String> {
    let file = workspace().join(file).display().to_string();
    let all = [&["check", "--format", "json"], options, &[&file], args].concat();
    all.into_iter().map(str::to_string).collect()
}

fn run(scratch: &Scratch, options: &[&str], file: &str, args: &[&str]) -> Outcome {
    Job::new(samovar(), &words(options, file, args)).directory(scratch.path()).run()
}

fn read(outcome: &Outcome) -> Value {
    serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.stderr_text()))
}

fn report(scratch: &Scratch, options: &[&str], file: &str, args: &[&str]) -> Value {
    read(&run(scratch, options, file, args))
}

/// Numbers that say how much was explored.
fn counts(report: &Value) -> Vec<u64> {
    let keys = ["states", "transitions", "revisits", "terminal", "depth"];
    keys.iter().map(|key| report["stats"][key].as_u64().expect("a number")).collect()
}

fn reason(report: &Value) -> &str {
    report["incomplete"]["reason"].as_str().unwrap_or_default()
}

fn spill<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["--spill", "kept"], more].concat()
}

#[test]
fn it_comes_to_what_the_search_in_memory_comes_to() {
    for (file, flags, args) in EXAMPLES {
        for reduce in ["auto", "contended"] {
            let scratch = Scratch::new("spill");
            let common = ["--cflags", flags, "--reduce", reduce];
            let with =
                |options: &[&str]| report(&scratch, &[&common[..], options].concat(), file, args);
            let expected = with(&["--search", "bfs"]);
            let found = with(&spill(&["--spill-buffer", "4K"]));
            let name = format!("{file} {flags} {reduce}");
            assert_eq!(found["verdict"], expected["verdict"], "{name}: {found}");
            assert_eq!(found["error"]["kind"], expected["error"]["kind"], "{name}");
            assert_eq!(found["semantics"]["search"], "bfs");
            assert!(0 < found["stats"]["disk_bytes"].as_u64().unwrap_or(0), "{name}");
            if expected["verdict"] == "verified" && reduce == "contended" {
                assert_eq!(counts(&found), counts(&expected), "{name}");
            }
            // Runs without end are found depth-first in memory, and not on the shortest way.
            let is_endless = ["livelock", "partial-deadlock"].map(Value::from);
            if expected["verdict"] == "error" && !is_endless.contains(&expected["error"]["kind"]) {
                let steps = |report: &Value| report["trail"].as_array().map(Vec::len);
                assert_eq!(steps(&found), steps(&expected), "{name}");
            }
        }
    }
}

/// The space of every access is large enough for many levels and runs.
#[test]
fn every_access_can_be_interleaved_on_a_disk() {
    let scratch = Scratch::new("spill");
    let expected = report(&scratch, &["--reduce", "none", "--search", "bfs"], COUNTER, &["2", "2"]);
    let options = spill(&["--reduce", "none", "--spill-buffer", "64K"]);
    let found = report(&scratch, &options, COUNTER, &["2", "2"]);
    assert_eq!(found["verdict"], "verified", "{found}");
    assert_eq!(counts(&found), counts(&expected));
}

#[test]
fn a_bound_on_the_depth_cuts_the_same() {
    let scratch = Scratch::new("spill");
    let bound = ["--depth", "9", "--reduce", "contended"];
    let expected =
        report(&scratch, &[&bound[..], &["--search", "bfs"]].concat(), COUNTER, &["3", "3"]);
    let found = report(&scratch, &spill(&bound), COUNTER, &["3", "3"]);
    assert_eq!(found["verdict"], "incomplete");
    assert_eq!((reason(&found), counts(&found)), (reason(&expected), counts(&expected)));
}

/// Kills a search as soon as its manifest has been written so many times, or when it is over;
/// whether it was killed.
fn kill_after(scratch: &Scratch, options: &[&str], manifests: u32) -> bool {
    let mut child = Command::new(samovar())
        .args(words(options, COUNTER, &["3", "3"]))
        .current_dir(scratch.path())
        // Part of what a search is about, and not there for others.
        .env_remove("LD_LIBRARY_PATH")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("samovar starts");
    let file = scratch.join("kept/manifest.json");
    let (mut seen, mut last) = (0, Vec::new());
    while seen < manifests {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        let manifest = fs::read(&file).unwrap_or_default();
        if manifest != last {
            (seen, last) = (seen + 1, manifest);
        }
    }
    child.kill().expect("a signal");
    child.wait().expect("a child").code().is_none()
}

#[test]
fn a_search_that_is_killed_again_and_again_comes_to_the_same() {
    for reduce in ["auto", "contended"] {
        let common = ["--reduce", reduce, "--spill-buffer", "1K"];
        let scratch = Scratch::new("spill");
        let expected = report(&scratch, &spill(&common), COUNTER, &["3", "3"]);
        assert_eq!(expected["verdict"], "verified", "{expected}");
        let scratch = Scratch::new("spill");
        let mut kills = 0;
        for manifests in 1.. {
            let resume = if scratch.join("kept").is_dir() { &["--resume"][..] } else { &[] };
            let options = spill(&[&common[..], resume].concat());
            if !kill_after(&scratch, &options, 2 + manifests % 7) {
                break;
            }
            kills += 1;
        }
        assert!(3 < kills, "{kills}");
        let found =
            report(&scratch, &spill(&[&common[..], &["--resume"]].concat()), COUNTER, &["3", "3"]);
        assert_eq!(found["verdict"], "verified", "{found}");
        assert_eq!(counts(&found), counts(&expected));
    }
}

/// Compiles the counter into a directory: compiling would not survive the limits below.
fn compile(scratch: &Scratch) -> String {
    let program = scratch.join("counter");
    let source = workspace().join(COUNTER);
    execute(Command::new("gcc").args(["-g", "-O1", "-pthread", "-o"]).arg(&program).arg(source));
    program.display().to_string()
}

/// Runs a search under a limit on the size of files: the kernel kills it in the very write that
/// would exceed the limit, or refuses the write.
fn limited(scratch: &Scratch, bytes: u64, ignore: bool, options: &[&str], file: &str) -> Outcome {
    let trap = if ignore { "trap '' XFSZ; " } else { "" };
    let script = format!("{trap}exec prlimit --core=0 --fsize={bytes} \"$0\" \"$@\"");
    let mut all = vec!["-c".to_string(), script, samovar().display().to_string()];
    all.extend(words(options, file, &["2", "2"]));
    Job::new(Path::new("/bin/sh"), &all).directory(scratch.path()).run()
}

/// The options of a search that goes on with the one that is there, if one is.
fn continued<'a>(scratch: &Scratch, common: &[&'a str]) -> Vec<&'a str> {
    let resume = if scratch.join("kept").is_dir() { &["--resume"][..] } else { &[] };
    spill(&[common, resume].concat())
}

/// Files of every size from nothing to all that is needed: a death in every kind of write.
#[test]
fn a_death_in_any_write_breaks_nothing() {
    let common = ["--spill-buffer", "512"];
    let scratch = Scratch::new("spill");
    let program = compile(&scratch);
    let expected = report(&scratch, &spill(&common), &program, &["2", "2"]);
    let mut deaths = 0;
    for bytes in (0..3500).step_by(97) {
        let scratch = Scratch::new("spill");
        let outcome = limited(&scratch, bytes, false, &spill(&common), &program);
        deaths += u32::from(outcome.status.code().is_none());
        let found = report(&scratch, &continued(&scratch, &common), &program, &["2", "2"]);
        assert_eq!(found["verdict"], "verified", "{bytes}: {found}");
        assert_eq!(counts(&found), counts(&expected), "{bytes}");
    }
    assert!(10 < deaths, "{deaths}");
}

#[test]
fn a_disk_that_is_full_makes_the_verdict_incomplete() {
    let common = ["--spill-buffer", "512"];
    let scratch = Scratch::new("spill");
    let program = compile(&scratch);
    let expected = report(&scratch, &spill(&common), &program, &["2", "2"]);
    let mut full = 0;
    for bytes in (0..3500).step_by(97) {
        let scratch = Scratch::new("spill");
        let outcome = limited(&scratch, bytes, true, &spill(&common), &program);
        let report = read(&outcome);
        if outcome.status.code() == Some(0) {
            continue;
        }
        assert_eq!(outcome.status.code(), Some(3), "{bytes}: {}", outcome.stderr_text());
        assert_eq!(report["verdict"], "incomplete", "{bytes}: {report}");
        assert!(reason(&report).contains("kept"), "{}", reason(&report));
        assert!(reason(&report).contains("file too large"), "{}", reason(&report));
        full += 1;
        let found = read(&run(&scratch, &continued(&scratch, &common), &program, &["2", "2"]));
        assert_eq!(found["verdict"], "verified", "{bytes}: {found}");
        assert_eq!(counts(&found), counts(&expected), "{bytes}");
    }
    assert!(10 < full, "{full}");
}

#[test]
fn limits_stop_it_so_that_it_can_go_on() {
    let scratch = Scratch::new("spill");
    let expected = report(&scratch, &["--search", "bfs"], COUNTER, &["3", "2"]);
    let stopped = report(&scratch, &spill(&["--memory", "1M"]), COUNTER, &["3", "2"]);
    assert_eq!(stopped["verdict"], "incomplete", "{stopped}");
    assert!(reason(&stopped).contains("leaves no room to sort states"), "{}", reason(&stopped));
    let found = report(&scratch, &spill(&["--resume"]), COUNTER, &["3", "2"]);
    assert_eq!(found["verdict"], "verified", "{found}");
    assert_eq!(found["stats"]["states"], expected["stats"]["states"]);
}

/// What is learned before a search is different if there is no time to learn it.
#[test]
fn a_search_that_had_hardly_begun_can_be_gone_on_with() {
    let scratch = Scratch::new("spill");
    let program = compile(&scratch);
    let expected = report(&scratch, &["--spill", "all"], &program, &["2", "2"]);
    let mut stopped = 0;
    for milliseconds in (4..60).step_by(4) {
        let scratch = Scratch::new("spill");
        let time = format!("0.{milliseconds:03}");
        let first = report(&scratch, &spill(&["--time", &time]), &program, &["2", "2"]);
        stopped += u64::from(first["verdict"] == "incomplete");
        let found = run(&scratch, &spill(&["--resume"]), &program, &["2", "2"]);
        assert_eq!(found.status.code(), Some(0), "{time}: {}", found.stderr_text());
        assert_eq!(counts(&read(&found)), counts(&expected), "{time}");
    }
    assert!(0 < stopped);
}

#[test]
fn wrong_directories_and_options_are_refused_in_one_sentence() {
    let scratch = Scratch::new("spill");
    let refused = |options: &[&str], args: &[&str], said: &str| {
        let outcome = run(&scratch, options, COUNTER, args);
        let text = outcome.stderr_text();
        assert_eq!(outcome.status.code(), Some(2), "{options:?}: {text}");
        assert!(text.contains(said) && text.lines().count() == 1, "{options:?}: {text}");
    };
    refused(&spill(&["--resume"]), &["2", "2"], "there is no search to go on with");
    refused(&["--spill", "/proc/x"], &["2", "2"], "/proc/x: the search cannot be kept there");
    report(&scratch, &spill(&[]), COUNTER, &["2", "2"]);
    refused(&spill(&[]), &["2", "2"], "holds a search already");
    refused(&spill(&["--resume"]), &["2", "1"], "in its arguments");
    refused(&spill(&["--resume", "--reduce", "none"]), &["2", "2"], "in an option");
    refused(&spill(&["--resume", "--depth", "3"]), &["2", "2"], "in --depth");
    let other = spill(&["--resume", "--cflags", "-DTWICE -O2"]);
    refused(&other, &["2", "2"], "in an option");
    refused(&spill(&["--search", "dfs"]), &["2", "2"], "--spill is for --search bfs");
    refused(&spill(&["--store", "compact"]), &["2", "2"], "--spill is for --store exact");
    fs::create_dir(scratch.join("mine")).expect("a directory");
    fs::write(scratch.join("mine/letter"), "to somebody").expect("a file");
    refused(&["--spill", "mine"], &["2", "2"], "files that are not of a search");
    refused(&["--spill", "mine", "--resume"], &["2", "2"], "files that are not of a search");
    assert_eq!(fs::read_dir(scratch.join("mine")).expect("a directory").count(), 1);
    fs::rename(scratch.join("kept/manifest.json"), scratch.join("away")).expect("a manifest");
    refused(&spill(&["--resume"]), &["2", "2"], "there is no search to go on with");
    fs::rename(scratch.join("away"), scratch.join("kept/manifest.json")).expect("a manifest");
    let log = fs::OpenOptions::new().write(true).open(scratch.join("kept/log")).expect("a log");
    log.set_len(10).expect("a shorter log");
    refused(&spill(&["--resume"]), &["2", "2"], "log is shorter than it was");
    fs::write(scratch.join("kept/manifest.json"), "{\"samovar_spill\": 1").expect("a manifest");
    refused(&spill(&["--resume"]), &["2", "2"], "manifest.json is damaged");
}

/// Changes a byte of a file without changing its length.
fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).expect("a file");
    bytes[at] ^= 1;
    fs::write(file, bytes).expect("the file");
}

fn refused_as_damaged(scratch: &Scratch, options: &[&str], name: &str, file: &str, args: &[&str]) {
    let outcome = run(scratch, options, file, args);
    let text = outcome.stderr_text();
    assert_eq!(outcome.status.code(), Some(2), "{name}: {text}");
    let said = format!("{name} is damaged; begin one in another directory");
    assert!(text.contains(&said) && text.lines().count() == 1, "{text}");
}

/// Of a search that is over: also what only the judgement of runs without end and the trail need.
#[test]
fn damage_is_noticed() {
    for (file, flags) in [("examples/locks/spin.c", "-DFORGET"), ("examples/lockfree/deque.c", "")]
    {
        let scratch = Scratch::new("spill");
        let common = ["--cflags", flags];
        let first = report(&scratch, &spill(&common), file, &[]);
        let resume = spill(&[&common[..], &["--resume"]].concat());
        for name in ["log", "edges", "origins"] {
            let path = scratch.join("kept").join(name);
            let length = fs::metadata(&path).expect("a file").len() as usize;
            for at in [0, 5, length / 2, length - 1] {
                flip(&path, at);
                refused_as_damaged(&scratch, &resume, name, file, &[]);
                flip(&path, at);
            }
        }
        let manifest = scratch.join("kept/manifest.json");
        let text = fs::read_to_string(&manifest).expect("a manifest");
        flip(&manifest, text.find("\"states\":").expect("a number") + 9);
        refused_as_damaged(&scratch, &resume, "manifest.json", file, &[]);
        fs::write(&manifest, text).expect("the manifest");
        let again = report(&scratch, &resume, file, &[]);
        assert_eq!(again["verdict"], first["verdict"]);
        assert_eq!(again["error"]["kind"], first["error"]["kind"]);
    }
}

/// Of a search that goes on: what it finds out when it gets there.
#[test]
fn damage_is_noticed_on_the_way() {
    let scratch = Scratch::new("spill");
    let common = ["--spill-buffer", "512", "--reduce", "none"];
    assert!(kill_after(&scratch, &spill(&common), 40));
    let manifest = fs::read(scratch.join("kept/manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("a manifest");
    let name = manifest["place"]["visited"][0]["name"].as_str().expect("a file of states");
    flip(&scratch.join("kept").join(name), 30);
    let resume = spill(&[&common[..], &["--resume"]].concat());
    refused_as_damaged(&scratch, &resume, name, COUNTER, &["3", "3"]);
}

#[test]
fn a_directory_is_for_one_search_at_a_time() {
    let scratch = Scratch::new("spill");
    report(&scratch, &spill(&[]), COUNTER, &["2", "2"]);
    let lock = fs::File::open(scratch.join("kept/lock")).expect("a lock");
    lock.lock().expect("nobody has it");
    let outcome = run(&scratch, &spill(&["--resume"]), COUNTER, &["2", "2"]);
    assert_eq!(outcome.status.code(), Some(2));
    assert!(outcome.stderr_text().contains("another search is going on there"));
    drop(lock);
    let found = report(&scratch, &spill(&["--resume"]), COUNTER, &["2", "2"]);
    assert_eq!(found["verdict"], "verified", "a search that is over ends the same way again");
}
