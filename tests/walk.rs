//! `samovar replay --step`: a walk through a trail, by a script on standard input.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;

/// Has the error of a program found, and walks through its trail.
fn walk(program: &str, options: &[&str], script: &str) -> String {
    let scratch = Scratch::new("walk");
    let program = workspace().join("tests/programs/check").join(program).display().to_string();
    let fixed = ["check", "--quiet", "--cflags", "-O0", "--trail", "trail.json"];
    let words = [&fixed, options, &[&program]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    let job = Job::new(samovar(), &["replay", "--step", "trail.json"]).stdin(script);
    let outcome: Outcome = job.directory(scratch.path()).run();
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    outcome.stdout_text()
}

/// The answers to commands: what is said between two marks.
fn answers(program: &str, options: &[&str], commands: &[&str]) -> Vec<String> {
    // A command that does not exist is echoed and changes nothing.
    let script: String = commands.iter().map(|command| format!("{command}\n----\n")).collect();
    let text = walk(program, options, &script);
    let pieces = text.split("`----` is no command; `help` lists them\n");
    let mut pieces: Vec<String> = pieces.map(str::to_string).collect();
    assert_eq!(pieces.pop().as_deref(), Some(""), "{text}");
    assert_eq!(pieces.len(), commands.len(), "{text}");
    pieces[0] = pieces[0].lines().skip(1).map(|line| format!("{line}\n")).collect();
    pieces
}

#[test]
fn steps_are_gone_through_in_both_directions() {
    let commands =
        ["next", "next 2", "previous", "to 0", "end", "next", "to 1000", "print crossings"];
    let said = answers("crossing.c", &[], &commands);
    assert!(said[0].starts_with("1  main  crossing.c:27  creates T1"), "{said:?}");
    assert!(said[1].starts_with("3  ") && said[2].starts_with("2  "), "{said:?}");
    assert!(said[3].contains("before the first step"), "{said:?}");
    assert!(said[4].contains("error: deadlock"), "{said:?}");
    assert!(said[5].contains("no more steps"), "{said:?}");
    assert!(said[6].contains("steps only"), "{said:?}");
    assert_eq!(said[7], "crossings = 106\n");
}

#[test]
fn values_are_those_of_the_step() {
    let commands = [
        "print account.balance",
        "until account.balance > 0",
        "print account.balance",
        "print amount",
        "print own - 7 == amount",
        "print own",
        "previous",
        "print account.balance",
        "print nothing_of_this_name",
    ];
    let said = answers("deposits.cpp", &["--check", "assertion"], &commands);
    assert_eq!(said[0], "account.balance = 0\n");
    assert!(said[1].contains("writes account.balance: 0 -> "), "{said:?}");
    let amount = said[2].trim_start_matches("account.balance");
    assert_eq!(said[3], format!("amount{amount}"), "{said:?}");
    assert!(said[5].starts_with("own = "), "{said:?}");
    assert_eq!(said[7], "account.balance = 0\n");
    assert!(said[8].contains("nothing is called 'nothing_of_this_name'"), "{said:?}");
}

#[test]
fn threads_and_locks_are_told() {
    let commands = ["locks", "end", "locks", "where", "thread T1", "to 0", "next", "thread T7"];
    let said = answers("crossing.c", &[], &commands);
    assert_eq!(said[0], "no lock was taken so far\n");
    assert_eq!(said[2], "left: held by main\nright: held by T1\n");
    assert!(
        said[3].contains("main: crossing.c:12 in cross, waits for the mutex right"),
        "{said:?}"
    );
    assert!(said[3].contains("T1 (crosser): crossing.c:12 in cross, waits for the mutex left"));
    assert!(said[6].contains("  T1  "), "{said:?}");
    assert!(said[7].contains("no step is of a thread T7"), "{said:?}");
}
