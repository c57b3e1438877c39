//! `samovar replay --gdb`: a stock gdb goes through a recorded error, backwards and forwards.
//!
//! Every session is a script for gdb; what it prints must contain certain words in their order.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Compiles a program of the tests and has its error found.
fn recorded(scratch: &Scratch, source: &str, flags: &[&str], options: &[&str]) {
    let compiler = if source.ends_with(".cpp") { "g++" } else { "gcc" };
    let source = workspace().join("tests/programs/check").join(source);
    let status = Command::new(compiler)
        .args(["-g", "-O0", "-pthread"])
        .args(flags)
        .arg(source)
        .args(["-o", "program"])
        .current_dir(scratch.path())
        .status();
    assert!(status.expect("the compiler starts").success());
    let words = [&["check", "--quiet"], options, &["./program"]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
}

/// Runs commands in a gdb that starts the server itself.
fn session(scratch: &Scratch, gdb: &Path, commands: &[&str]) -> String {
    let server = format!("| {} replay --gdb - program.trail.json", samovar().display());
    script(scratch, gdb, &server, commands)
}

fn script(scratch: &Scratch, gdb: &Path, target: &str, commands: &[&str]) -> String {
    let connect = format!("target remote {target}");
    // Both streams in one, in their order.
    let gdb = gdb.display().to_string();
    let mut words = vec!["-c", "exec \"$0\" \"$@\" 2>&1", &gdb, "-nx", "-batch"];
    let first = ["set pagination off", "set width 0", "set debuginfod enabled off", &connect];
    for command in first.iter().chain(commands) {
        words.extend(["-ex", command]);
    }
    let outcome = Job::new(Path::new("/bin/sh"), &words).directory(scratch.path()).run();
    assert!(!outcome.hung, "{outcome:?}");
    outcome.stdout_text()
}

/// Asserts that words come in this order.
fn expect(text: &str, words: &[&str]) {
    let mut rest = text;
    for word in words {
        let at = rest.find(word);
        let at = at.unwrap_or_else(|| panic!("`{word}` is missing, or not in its place:\n{text}"));
        rest = &rest[at + word.len()..];
    }
}

#[test]
fn a_deadlock_is_gone_through_in_both_directions() {
    let Some(gdb) = need("gdb") else { return };
    for flags in [&["-pie"][..], &["-static"], &["-no-pie", "-O1"]] {
        let scratch = Scratch::new("gdb-deadlock");
        recorded(&scratch, "crossing.c", flags, &[]);
        let commands = [
            "info threads",
            "thread 2",
            "bt",
            "thread 1",
            "print crossings",
            "watch crossings",
            "reverse-continue",
            "print crossings",
            "reverse-continue",
            "print crossings",
            "print before",
            "continue",
            "continue",
            "continue",
            "monitor where",
        ];
        let text = session(&scratch, &gdb, &commands);
        expect(
            &text,
            &[
                "\"main\" (waits for the mutex right)",
                "\"T1 crosser\" (waits for the mutex left)",
                "pthread_mutex_lock",
                "in cross (first=",
                "crossing.c:12",
                "in crosser (unused=0x0)",
                "$1 = 106",
                "Hardware watchpoint",
                "Old value = 106",
                "crossing.c:11",
                "$2 = 10",
                "New value = 100",
                "$3 = 100",
                "$4 = ",
                "Old value = 100",
                "New value = 106",
                "samovar: deadlock: ",
                "No more reverse-execution history",
                "at the end",
            ],
        );
    }
}

#[test]
fn a_failing_assertion_of_cpp_is_followed_to_the_lost_update() {
    let Some(gdb) = need("gdb") else { return };
    for flags in [&["-pie"][..], &["-static"]] {
        let scratch = Scratch::new("gdb-assertion");
        recorded(&scratch, "deposits.cpp", flags, &["--check", "assertion"]);
        let commands = [
            "info threads",
            "bt",
            "frame function main",
            "print sum",
            "print total",
            "watch account.balance",
            "reverse-continue",
            "bt 1",
            "print seen",
            "print own",
            "stepi",
            "print account.balance",
            "reverse-stepi",
            "print account.balance",
            "delete",
            "break main",
            "reverse-continue",
            "print own",
            "reverse-continue",
            "delete",
            "continue",
        ];
        let text = session(&scratch, &gdb, &commands);
        expect(
            &text,
            &[
                "* 1    Thread 1 \"main\"",
                "abort ()",
                "in main () at ",
                "deposits.cpp:35",
                "$1 = ",
                "$2 = 30",
                "\" hit Hardware watchpoint 1: account.balance",
                "#0  deposit (amount=",
                "deposits.cpp:22",
                "$3 = 0",
                "$4 = ",
                "hit Hardware watchpoint",
                "$5 = ",
                "$6 = 10",
                "Breakpoint 2, main () at ",
                "$7 = 7",
                "No more reverse-execution history",
                "_start ()",
                "samovar: assertion: assertion `sum == total` fails",
                "received signal SIGABRT",
            ],
        );
    }
}

#[test]
fn both_accesses_of_a_race_are_pending() {
    let Some(gdb) = need("gdb") else { return };
    let scratch = Scratch::new("gdb-race");
    recorded(&scratch, "deposits.cpp", &[], &[]);
    let commands = ["thread 2", "x/i $pc", "thread 3", "x/i $pc"];
    let text = session(&scratch, &gdb, &commands);
    let pending = text.lines().filter(|line| line.starts_with("=>") && line.contains("account>"));
    let pending: Vec<&str> = pending.collect();
    assert_eq!(pending.len(), 2, "{text}");
    expect(&text, &["data race on account.balance", "deposit (amount=10)", "deposit (amount=20)"]);
}

#[test]
fn steps_by_line_and_breakpoints_are_met_in_both_directions() {
    let Some(gdb) = need("gdb") else { return };
    let scratch = Scratch::new("gdb-lines");
    recorded(&scratch, "crossing.c", &[], &[]);
    let commands = [
        "break crosser",
        "reverse-continue",
        "next",
        "bt 1",
        "monitor error",
        "delete",
        "tbreak main",
        "reverse-continue",
        "next",
        "step",
        "info args",
        "finish",
    ];
    let text = session(&scratch, &gdb, &commands);
    expect(
        &text,
        &[
            "hit Breakpoint 1, crosser (unused=0x0)",
            "cross(&right, &left, 5);",
            // It never comes back from there.
            "samovar: deadlock",
            "deadlock: 2 threads wait for one another",
            "hit Temporary breakpoint 2, main () at ",
            "cross(&left, &right, 1);",
            "cross (first=",
            "step = 1",
            "samovar: deadlock",
        ],
    );
}

#[test]
fn nothing_can_be_changed() {
    let Some(gdb) = need("gdb") else { return };
    let scratch = Scratch::new("gdb-writes");
    recorded(&scratch, "crossing.c", &[], &[]);
    let commands = ["set var crossings = 1", "print crossings", "set var $rax = 1"];
    let text = session(&scratch, &gdb, &commands[..1]);
    expect(&text, &["Cannot access memory"]);
    let text = session(&scratch, &gdb, &commands[1..]);
    expect(&text, &["$1 = 106", "Could not write register \"rax\""]);
}

#[test]
fn gdb_comes_through_a_port() {
    let Some(gdb) = need("gdb") else { return };
    let scratch = Scratch::new("gdb-port");
    recorded(&scratch, "crossing.c", &[], &[]);
    let mut server = Command::new(samovar())
        .args(["replay", "--gdb", "program.trail.json"])
        .current_dir(scratch.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("samovar starts");
    let lines = BufReader::new(server.stderr.take().expect("a pipe")).lines();
    let hint = lines.map_while(Result::ok).find(|line| line.contains("target remote"));
    let hint = hint.expect("samovar says where it waits");
    let port = hint.split("target remote ").nth(1).and_then(|rest| rest.split('\'').next());
    let text = script(&scratch, &gdb, port.expect("an address"), &["print crossings"]);
    expect(&text, &["$1 = 106"]);
    assert!(server.wait().expect("it ends with gdb's session").success());
}

#[test]
fn addresses_that_make_no_sense_are_refused() {
    let scratch = Scratch::new("gdb-address");
    recorded(&scratch, "crossing.c", &[], &[]);
    for address in ["nowhere", "127.0.0.1:99999", "127.0.0.1:x", ""] {
        let words = ["replay", "--gdb", address, "program.trail.json"];
        let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
        assert_eq!(outcome.status.code(), Some(2), "{address}: {outcome:?}");
        let said = outcome.stderr_text();
        assert!(said.starts_with("samovar: --gdb: "), "{address}: {said}");
    }
}
