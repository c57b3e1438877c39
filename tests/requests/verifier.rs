//! The names of verification benchmarks as a checker meets them: domains, boundary values, errors;
//! and in source files that samovar compiles itself.

use crate::driver::{Listener, load, output, run};
use crate::{compile, runtime, source};
use samovar_runtime::{Event, Model, UnsupportedKind, ViolationKind};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use std::path::PathBuf;

fn library() -> PathBuf {
    runtime().join("lib/samovar_verifier.c")
}

#[test]
fn boundary_values_and_their_confession() {
    let scratch = Scratch::new("verifier");
    let sources = [source("verifier.c"), library()];
    let program = compile("gcc", &["-O1"], &sources, &scratch.join("program")).expect("gcc");
    let mut process = load(&program, &[], &[], Model::Full);
    assert_eq!(process.boundary_types().count(), 0);
    // The last alternative of each: the greatest value.
    assert_eq!(run(&mut process, &mut Listener::default()), Event::ProcessExited(0));
    let (float, double) = ("3.40282e+38", "1.79769e+308");
    let expected = format!(
        "2147483647 4294967295\n127 255\n32767 65535\n{} {}\n1 1\n{float} {double}\ninside\nend\n",
        i64::MAX,
        u64::MAX
    );
    assert_eq!(output(&mut process), expected);
    let types: Vec<&str> = process.boundary_types().collect();
    let all = "char double float int long pointer short uchar uint ulong ushort";
    assert_eq!(types.join(" "), all, "of bool all values were tried");

    // The second to last of a signed type is the least, the one before that is minus one.
    let answers = vec![3, 1, 2, 1, 2, 1, 3, 0, 0, 0, 3, 2];
    let mut listener = Listener { answers, ..Listener::default() };
    let mut process = load(&program, &[], &[], Model::Full);
    assert_eq!(run(&mut process, &mut listener), Event::ProcessExited(0));
    let expected =
        format!("-2147483648 1\n-1 1\n-1 1\n{} 0\n0 0\n-3.40282e+38 -1\ninside\nend\n", i64::MIN);
    assert_eq!(output(&mut process), expected);
}

#[test]
fn domains_replace_boundary_values() {
    let scratch = Scratch::new("verifier-domain");
    let sources = [source("verifier.c"), library()];
    let program = compile("gcc", &["-O1"], &sources, &scratch.join("program")).expect("gcc");
    let choices = ["5..7", "char=-3", "double=2..4", "pointer=0", "bool=1"];
    let mut process = load(&program, &[], &choices, Model::Full);
    let mut listener = Listener { answers: vec![0, 1, 2, 0], ..Listener::default() };
    assert_eq!(run(&mut process, &mut listener), Event::ProcessExited(0));
    assert_eq!(output(&mut process), "5 6\n-3 7\n5 7\n7 7\n1 0\n7 4\ninside\nend\n");
    assert_eq!(process.boundary_types().count(), 0);

    let mut process = load(&program, &[], &["uint=-4..-1"], Model::Full);
    let Event::Unsupported(what) = run(&mut process, &mut Listener::default()) else {
        panic!("a value out of nothing")
    };
    assert_eq!(what.kind, UnsupportedKind::Request);
    assert!(what.detail.contains("none of the choices fits the type uint"), "{what}");
}

#[test]
fn errors_are_violations() {
    let scratch = Scratch::new("verifier-errors");
    for (compiler, flags) in [("gcc", &["-O0"][..]), ("gcc", &["-O2", "-static", "-s"])] {
        let sources = [source("verifier.c"), library()];
        let program = compile(compiler, flags, &sources, &scratch.join("program")).expect("gcc");
        for (what, message) in [
            ("error", "__VERIFIER_error was called"),
            ("reach", "reach_error was called"),
            ("assert", "__VERIFIER_assert with a false condition was called"),
        ] {
            let mut process = load(&program, &[what], &[], Model::Full);
            let Event::Violated(violation) = run(&mut process, &mut Listener::default()) else {
                panic!("{what}: no violation")
            };
            assert_eq!(violation.kind, ViolationKind::Assertion);
            assert_eq!(violation.message, message);
        }
        let mut process = load(&program, &["assume"], &[], Model::Full);
        assert_eq!(run(&mut process, &mut Listener::default()), Event::Pruned);
    }
}

#[test]
fn functions_of_the_program_keep_their_meaning() {
    let scratch = Scratch::new("verifier-own");
    let library = scratch.join("library.o");
    compile("gcc", &["-c"], &[self::library()], &library).expect("gcc");
    for level in ["-O0", "-O2"] {
        let sources = [source("own.cpp"), library.clone()];
        let out = scratch.join("program");
        let Some(program) = compile("g++", &[level, "-fno-inline"], &sources, &out) else { return };
        let native = Job::new(&program, &[] as &[&str]).run();
        let said = "my own atomic function\nmy own reach_error\n";
        assert_eq!(String::from_utf8_lossy(&native.stdout), said);
        for model in [Model::Full, Model::None] {
            let mut process = load(&program, &[], &["int=0"], model);
            let mut listener = Listener::default();
            let event = run(&mut process, &mut listener);
            let Event::Violated(violation) = event else { panic!("{event:?}") };
            assert_eq!(violation.message, "reach_error was called");
            assert!(listener.heard.contains(&crate::driver::Heard::Atomic(true)));
            // Whoever goes on executes the program's own function.
            assert_eq!(run(&mut process, &mut listener), Event::ProcessExited(3));
            assert_eq!(output(&mut process), said);
        }
    }
}

#[test]
fn source_files_find_headers_and_library() {
    let cases = [
        ("verifier.c", &["reach"][..], "signal 6"),
        ("own.cpp", &[], "exit status 3"),
        ("statements.c", &[], "exit status 0"),
        ("steam.cpp", &[], "exit status 0"),
    ];
    for (name, args, ending) in cases {
        let outcome = Job::new(&source(name), args).under_samovar(&[]).run();
        assert_eq!(outcome.ending(), ending, "{name}: {}", outcome.stderr_text());
        assert!(!outcome.stderr_text().contains("samovar:"), "{name}: {}", outcome.stderr_text());
        assert!(!outcome.stdout.is_empty(), "{name}");
    }
}

#[test]
fn weak_names_are_there_when_checked() {
    let scratch = Scratch::new("verifier-weak");
    for (compiler, flags) in [
        ("gcc", &["-O0"][..]),
        ("gcc", &["-O2", "-Wl,-z,now"]),
        ("gcc", &["-O2", "-Wl,-z,lazy", "-fplt"]),
        ("clang", &["-O1", "-Wl,-z,lazy"]),
    ] {
        let out = scratch.join("program");
        let Some(program) = compile(compiler, flags, &[source("weak.c")], &out) else { continue };
        // `samovar run` is faithful: natively there is nobody.
        let job = Job::new(&program, &[] as &[&str]);
        let (native, guest) = (job.run(), job.under_samovar(&[]).run());
        assert_eq!(native.stdout, b"nobody answers\n");
        assert_eq!(guest.stdout, native.stdout, "{}", guest.stderr_text());
        for (answers, printed, event) in
            [(vec![0, 1], "0 1\nend\n", Event::ProcessExited(0)), (vec![2, 0], "", Event::Pruned)]
        {
            let mut process = load(&program, &[], &[], Model::Full);
            let mut listener = Listener { answers, ..Listener::default() };
            assert_eq!(run(&mut process, &mut listener), event, "{compiler} {flags:?}");
            assert_eq!(output(&mut process), printed);
            assert!(listener.heard.contains(&crate::driver::Heard::Atomic(true)));
        }
        let mut process = load(&program, &[], &["int=5", "double=2"], Model::None);
        let event = run(&mut process, &mut Listener::default());
        let Event::Violated(violation) = event else { panic!("{event:?}") };
        assert_eq!(violation.message, "reach_error was called");
    }
}

/// A saved trail is about the very file: compiling twice gives it twice.
#[test]
fn compiling_a_source_file_twice_gives_the_same_program() {
    use samovar::compile::{Language, compile};
    let messages = samovar::message::Messages::default();
    for (name, language) in [("verifier.c", Language::C), ("steam.cpp", Language::Cpp)] {
        let once = || compile(&source(name), language, &[], &messages).expect("a program");
        assert!(once() == once(), "{name} is compiled differently each time");
    }
}
