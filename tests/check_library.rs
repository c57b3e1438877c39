//! `samovar check` on static variables that libraries access because the program calls them: a
//! race at the place of the call, and nothing where something orders the two.

use samovar_tests::binary::samovar;
use samovar_tests::build::{execute, programs};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::process::Command;

/// Builds a program; where it is.
fn built(scratch: &Scratch, compiler: &str, name: &str, flags: &[&str]) -> String {
    let compiler = samovar_tests::tool::need(compiler).expect("a compiler is essential");
    let source = programs().join("check").join(name);
    let program = scratch.join("program").display().to_string();
    let mut command = Command::new(compiler);
    command.args(["-g", "-pthread"]).args(flags).arg(source).args(["-o", &program]);
    // With what atomic operations on large types need.
    execute(command.arg("-latomic"));
    program
}

fn report(scratch: &Scratch, program: &str, how: &[&str]) -> Value {
    let words = [&["check", "--format", "json", program], how].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    serde_json::from_slice(&outcome.stdout).expect("a report")
}

#[test]
fn what_the_c_library_does_counts_as_the_calls() {
    let scratch = Scratch::new("library");
    for flags in [&["-O0"][..], &["-O2"], &["-O0", "-static"]] {
        let program = built(&scratch, "gcc", "library.c", flags);
        for how in ["memset", "memcpy", "address", "strlen", "sprintf"] {
            let found = report(&scratch, &program, &[how]);
            assert_eq!(found["error"]["kind"], "race", "{flags:?} {how}: {found:#}");
            let accesses = found["error"]["accesses"].as_array().expect("two accesses");
            for access in accesses {
                let file = access["location"]["file"].as_str().unwrap_or_default();
                assert!(file.ends_with("library.c"), "{flags:?} {how}: {found:#}");
            }
            let quiet = report(&scratch, &program, &["locked", how]);
            assert_eq!(quiet["verdict"], "verified", "{flags:?} {how}: {quiet:#}");
        }
    }
}

#[test]
fn what_the_library_of_cpp_does_counts_as_the_calls() {
    let scratch = Scratch::new("containers");
    for level in ["-O0", "-O2"] {
        let program = built(&scratch, "g++", "containers.cpp", &["-std=c++20", level]);
        let found = report(&scratch, &program, &["assigned"]);
        assert_eq!(found["error"]["kind"], "race", "{level}: {found:#}");
        let message = found["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("race on text._M_"), "{message}");
        for how in [
            "guarded",
            "promised",
            "counted",
            "printed",
            "called_once",
            "local",
            "queued",
            "released",
            "large_atomics",
            "atomic_shared",
        ] {
            let quiet = report(&scratch, &program, &[how]);
            assert_eq!(quiet["verdict"], "verified", "{level} {how}: {quiet:#}");
        }
    }
}
