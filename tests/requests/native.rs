//! Natively the statements do nothing or the obvious, and `samovar run` does the same.

use crate::{compile, runtime, source};
use samovar_tests::child::Job;
use samovar_tests::compare::{MODELS, SEEDED, complaints};
use samovar_tests::scratch::Scratch;
use std::path::{Path, PathBuf};

/// Compilers and standards; the quick selection takes -O0 and -O2 of each.
const C: &[(&str, &[&str])] = &[
    ("gcc", &["-std=c99", "-D_POSIX_C_SOURCE=200809L"]),
    ("gcc", &["-std=gnu17", "-static"]),
    ("clang", &["-std=c99", "-D_POSIX_C_SOURCE=200809L"]),
    ("clang", &["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-no-pie", "-fno-pie"]),
    ("musl-gcc", &["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-static"]),
];
const CPP: &[(&str, &[&str])] = &[
    ("g++", &["-std=c++11"]),
    ("g++", &["-std=c++20", "-static"]),
    ("clang++", &["-std=c++11"]),
    ("clang++", &["-std=c++20"]),
];

/// Builds in every way and hands each executable and the way's name to `check`.
fn every_build(ways: &[(&str, &[&str])], sources: &[PathBuf], check: &dyn Fn(&Path, &str)) {
    let scratch = Scratch::new("requests");
    let levels: &[&str] =
        if samovar_tests::everything() { &["-O0", "-O1", "-O2", "-O3"] } else { &["-O0", "-O2"] };
    for (compiler, flags) in ways {
        for level in levels {
            let flags = [flags, &[*level][..]].concat();
            if let Some(program) = compile(compiler, &flags, sources, &scratch.join("program")) {
                check(&program, &format!("{compiler} {}", flags.join(" ")));
            }
        }
    }
}

/// The native run prints and ends as told, and so do the runs inside the virtual CPU.
fn check_run(program: &Path, args: &[&str], way: &str, ending: &str, stdout: &str, stderr: &str) {
    let job = Job::new(program, args);
    let native = job.run();
    assert_eq!(native.ending(), ending, "{way} {args:?}: {}", native.stderr_text());
    assert_eq!(String::from_utf8_lossy(&native.stdout), stdout, "{way} {args:?}");
    assert!(native.stderr_text().contains(stderr), "{way} {args:?}: {}", native.stderr_text());
    let lines = complaints(&job, &native, MODELS);
    assert!(lines.is_empty(), "{way} {args:?}:\n{}", lines.join("\n"));
}

/// The same, under random schedules too.
fn check_threads(program: &Path, way: &str, stdout: &str) {
    check_run(program, &[], way, "exit status 0", stdout, "");
    let job = Job::new(program, &[] as &[&str]);
    let lines = complaints(&job, &job.run(), SEEDED);
    assert!(lines.is_empty(), "{way}:\n{}", lines.join("\n"));
}

const STATEMENTS: &str = "ranges: -3 5 1099511627776\nchoices: 0 0\ninside of a region: 8\n\
                          shared: 900 -900, steps: 900\n";

#[test]
fn statements_in_c() {
    every_build(C, &[source("statements.c")], &|program, way| {
        check_threads(program, way, STATEMENTS);
    });
}

#[test]
fn statements_in_cpp() {
    let scratch = Scratch::new("requests-copy");
    let copy = scratch.join("statements.cpp");
    std::fs::copy(source("statements.c"), &copy).expect("a copy");
    every_build(CPP, &[copy], &|program, way| {
        check_threads(program, way, STATEMENTS);
    });
}

#[test]
fn endings() {
    every_build(C, &[source("endings.c")], &|program, way| {
        let run = |what: &str, ending: &str, rest: &str, stderr: &str| {
            let stdout = format!("before {what}\n{rest}");
            check_run(program, &[what], way, ending, &stdout, stderr);
        };
        run("none", "exit status 0", "after\n", "");
        run("assert", "signal 6", "", "endings.c:12: VASSERT(number == 1 && \"text\") failed\n");
        run("long", "signal 6", "", "endings.c:18: VASSERT(number < 0) failed\n");
        run("unreachable", "signal 6", "", "endings.c:14: a place marked as unreachable");
        run("assume", "exit status 0", "", "");
    });
}

const VALUES: &str = "0 0\n0 0\n0 0\n0 0\n0 0\n0 0\ninside\n";

#[test]
fn names_of_benchmarks() {
    let sources = [source("verifier.c"), runtime().join("lib/samovar_verifier.c")];
    every_build(C, &sources, &|program, way| {
        let whole = format!("{VALUES}end\n");
        check_run(program, &[], way, "exit status 0", &whole, "");
        check_run(program, &["assume"], way, "exit status 0", VALUES, "");
        check_run(program, &["error"], way, "signal 6", VALUES, "__VERIFIER_error was called");
        check_run(program, &["reach"], way, "signal 6", VALUES, "reach_error was called");
        check_run(program, &["assert"], way, "signal 6", VALUES, "false condition was called");
    });
}

#[test]
fn threads_as_classes() {
    every_build(CPP, &[source("steam.cpp")], &|program, way| {
        check_threads(program, way, "1, thread 1\n31\n");
    });
}

/// A header that several files include must not define anything twice.
#[test]
fn two_files_with_the_header() {
    let scratch = Scratch::new("requests-two");
    let other = scratch.join("other.c");
    let text = "#include \"samovar.h\"\nint other(void);\nint other(void) { static int x; \
                VLOCK(&x); x++; VUNLOCK(&x); return (int)samovar_choose(2) + x; }\n";
    std::fs::write(&other, text).expect("a source file");
    let main = scratch.join("main.c");
    let text = "#include \"samovar.h\"\nint other(void);\nint main(void) { int v; VLOCK(&v); \
                RANGE(v, 4, 5); VUNLOCK(&v); printf(\"%d\\n\", v + other()); return 0; }\n";
    std::fs::write(&main, text).expect("a source file");
    every_build(C, &[main, other], &|program, way| {
        check_run(program, &[], way, "exit status 0", "5\n", "");
    });
}
