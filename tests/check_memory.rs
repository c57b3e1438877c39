//! `samovar check`: accesses to memory that a program must not make, each with a correct twin, at
//! several optimisation levels, dynamically and statically linked.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::build::{Build, Link, programs, rust};
use samovar_tests::child::Job;
use samovar_tests::directives::Directives;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The ways in which every program is built.
fn builds(source: &str, scratch: &Scratch) -> Vec<(String, PathBuf)> {
    let source = programs().join("check").join(source);
    let include = format!("-I{}", workspace().join("runtime-lib/include").display());
    let unguarded = "-fno-stack-protector".to_string();
    let directives = Directives { cflags: vec![include, unguarded], ..Directives::default() };
    let ways = [Link::Pie, Link::Static].into_iter().flat_map(|link| [(link, 0), (link, 2)]);
    let built = ways.map(|(link, level)| {
        let build = Build { link, level, ..Build::PLAIN };
        let program = build.compile(&source, &directives, scratch.path());
        (format!("{link:?} -O{level}"), program.expect("gcc is essential"))
    });
    built.collect()
}

fn check(program: &Path, options: &[&str], deed: &str) -> Value {
    let scratch = Scratch::new("memory");
    let program = program.display().to_string();
    let words = [&["check", "--format", "json"], options, &[&program, deed]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let text = outcome.stdout_text();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text:?} {outcome:?}"))
}

#[test]
fn what_a_thread_has_reserved_is_nobody_elses() {
    let scratch = Scratch::new("reserved");
    let wrong = [
        ("reads", "main reads what T1 has locked: account"),
        ("writes", "main writes to what T1 has locked: account"),
        ("adds", "main writes to what T1 has locked: account"),
        ("locks", "main writes to what T1 has locked: account"),
        ("prints", "main reads what T1 has locked: account"),
        ("unlocks", "main unlocks what it has not locked: account"),
    ];
    for (way, program) in builds("reserved.c", &scratch) {
        for reduce in ["auto", "lgc"] {
            for (deed, message) in wrong {
                let report = check(&program, &["--check", "deadlock", "--reduce", reduce], deed);
                let error = &report["error"];
                assert_eq!(error["kind"], "privilege", "{deed}, {way}, {reduce}: {report}");
                let told = error["message"].as_str().expect("a message");
                assert!(told.starts_with(message), "{deed}, {way}, {reduce}: {told}");
            }
            for deed in ["reserves", "elsewhere"] {
                let report = check(&program, &["--reduce", reduce], deed);
                assert_eq!(report["verdict"], "verified", "{deed}, {way}, {reduce}: {report}");
            }
        }
    }
}

#[test]
fn padding_behind_globals_belongs_to_nobody() {
    let scratch = Scratch::new("globals");
    let wrong = [
        ("read", "reads 1 byte just behind zeros, which has 10 bytes"),
        ("write", "writes 1 byte just behind zeros, which has 10 bytes"),
        ("data", ", which has 10 bytes"),
        ("loop", "writes 1 byte just behind shared, which has 13 bytes"),
        ("copy", "zeros, which has 10 bytes"),
    ];
    for (way, program) in builds("globals.c", &scratch) {
        for (deed, message) in wrong {
            let error = &check(&program, &[], deed)["error"];
            let found = (error["kind"].as_str(), error["detail"].as_str());
            assert_eq!(found, (Some("memory"), Some("out-of-bounds")), "{deed}, {way}: {error}");
            let told = error["message"].as_str().expect("a message");
            assert!(told.ends_with(message), "{deed}, {way}: {told}");
        }
        let report = check(&program, &[], "inside");
        assert_eq!(report["verdict"], "verified", "{way}: {report}");
    }
}

#[test]
fn what_nobody_has_written_decides_nothing() {
    let scratch = Scratch::new("uninitialised");
    let wrong = ["stack", "loop", "grow", "print", "address", "status", "alone"];
    for (way, program) in builds("uninitialised.c", &scratch) {
        for deed in wrong {
            let report = check(&program, &[], deed);
            let error = &report["error"];
            let found = (error["kind"].as_str(), error["detail"].as_str());
            assert_eq!(found, (Some("memory"), Some("uninitialised")), "{deed}, {way}: {report}");
            let told = error["location"]["file"].as_str();
            assert!(told.is_some_and(|file| file.ends_with("uninitialised.c")), "{way}: {error}");
        }
        // What was not asked for is not looked for.
        let report = check(&program, &["--check", "deadlock"], "stack");
        assert_eq!(report["verdict"], "verified", "{way}: {report}");
        let report = check(&program, &[], "touch");
        assert_eq!(report["verdict"], "verified", "{way}: {report}");
    }
}

#[test]
fn what_depends_on_uninitialised_memory_is_replayed() {
    let scratch = Scratch::new("replayed");
    for (way, program) in builds("uninitialised.c", &scratch).into_iter().take(1) {
        for deed in ["stack", "alone"] {
            let program = program.display().to_string();
            let trail = scratch.path().join(format!("{deed}.json")).display().to_string();
            let words = ["check", "--quiet", "--trail", &trail, &program, deed];
            let checked = Job::new(samovar(), &words).directory(scratch.path()).run();
            assert_eq!(checked.status.code(), Some(1), "{way}: {checked:?}");
            let replayed = Job::new(samovar(), &["replay", &trail]).directory(scratch.path()).run();
            assert_eq!(replayed.status.code(), Some(1), "{way}: {replayed:?}");
            let text = replayed.stdout_text();
            assert!(text.contains("uninitialised"), "{way}: {text}");
        }
    }
}

#[test]
fn frames_of_the_stack_are_not_overrun() {
    let scratch = Scratch::new("frames");
    let wrong = [
        ("write", "writes 4 bytes at ", ", beyond the frame of write_at"),
        ("read", "reads 4 bytes at ", ", beyond the frame of read_at"),
        ("smash", "writes ", ", over the return address of a function, from fill"),
    ];
    for (way, program) in builds("frames.c", &scratch) {
        for (deed, start, end) in wrong {
            let error = &check(&program, &[], deed)["error"];
            let found = (error["kind"].as_str(), error["detail"].as_str());
            assert_eq!(found, (Some("memory"), Some("out-of-bounds")), "{deed}, {way}: {error}");
            let told = error["message"].as_str().expect("a message");
            assert!(told.starts_with(start) && told.ends_with(end), "{deed}, {way}: {told}");
        }
        let report = check(&program, &[], "inside");
        assert_eq!(report["verdict"], "verified", "{way}: {report}");
    }
}

#[test]
fn threads_of_rust_run_over_their_stacks_and_do_not_meet_before() {
    let scratch = Scratch::new("deep");
    for flags in [&["-O"][..], &["-Copt-level=0"]] {
        let Some(program) = rust(&programs().join("check/deep.rs"), flags, scratch.path()) else {
            return;
        };
        let over = check(&program, &[], "over");
        assert_eq!(over["error"]["kind"], "memory", "{flags:?}: {over}");
        let message = over["error"]["message"].to_string();
        assert!(message.contains("the stack of T3 runs over"), "{flags:?}: {message}");
        // The library's list of threads, and the lock before it, are not there.
        let met = over["semantics"]["contended"].to_string() + &over["contended"].to_string();
        assert!(!met.contains("stack_overflow") && !met.contains("block"), "{flags:?}: {met}");
        assert!(met.contains("DTORS"), "what is contended is told elsewhere: {over}");
        // The library has a handler for the main thread; it is not asked.
        let main = check(&program, &["--check", "memory"], "main");
        assert_eq!(main["error"]["detail"], "stack-overflow", "{flags:?}: {main}");
    }
}

/// Without symbols nobody knows which function of a static program is `malloc`.
#[test]
fn a_heap_that_is_not_known_is_told() {
    let scratch = Scratch::new("heap");
    std::fs::write(scratch.join("a.c"), "int main(void) { return 0; }").expect("a scratch file");
    let assumed = |cflags: &[&str]| {
        let words = [&["check", "--format", "json"], cflags, &["a.c"]].concat();
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        let report: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
        report["semantics"].to_string()
    };
    assert!(!assumed(&[]).contains("allocator is not modelled"));
    assert!(!assumed(&["--cflags=-static"]).contains("allocator is not modelled"));
    assert!(assumed(&["--cflags=-static -s"]).contains("allocator is not modelled"));
    assert!(assumed(&["--model", "none"]).contains("allocator is not modelled"));
}
