//! Files that reports are written to: never what is read, never each other, and looked at before
//! anything takes long.

use super::{assert_refused, run};
use samovar_tests::binary::samovar;
use samovar_tests::build::{execute, programs};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use std::fs;
use std::process::Command;

/// `crossed.c` with a deadlock, and the executable `crossed`.
fn scratch(label: &str) -> Scratch {
    let scratch = Scratch::new(label);
    fs::copy(programs().join("check/crossed.c"), scratch.join("crossed.c")).expect("the source");
    let mut command = Command::new("gcc");
    command.args(["-g", "-O1", "-pthread", "crossed.c", "-o", "crossed"]);
    execute(command.current_dir(scratch.path()));
    scratch
}

fn entries(scratch: &Scratch) -> usize {
    fs::read_dir(scratch.path()).expect("the directory").count()
}

#[test]
fn what_is_read_is_not_overwritten() {
    let scratch = scratch("overwritten");
    fs::hard_link(scratch.join("crossed"), scratch.join("hard")).expect("a link");
    std::os::unix::fs::symlink("crossed", scratch.join("soft")).expect("a link");
    let before = (fs::read(scratch.join("crossed")).unwrap(), entries(&scratch));
    for option in ["--trail", "--html", "--junit", "--witness", "--dot"] {
        for (file, program) in
            [("crossed", "./crossed"), ("hard", "./crossed"), ("soft", "./crossed")]
        {
            let outcome = run(&scratch, &["check", option, file, program]);
            assert_refused(&outcome, &[option, file, "the program"]);
            assert!(outcome.stdout.is_empty());
        }
        let outcome = run(&scratch, &["check", option, "./crossed.c", "crossed.c"]);
        assert_refused(&outcome, &[option, "./crossed.c", "the program"]);
    }
    for option in ["--trail", "--html"] {
        let outcome = run(&scratch, &["plan", option, "crossed", "--goal", "1", "./crossed"]);
        assert_refused(&outcome, &[option, "the program"]);
    }
    assert_eq!((fs::read(scratch.join("crossed")).unwrap(), entries(&scratch)), before);

    run(&scratch, &["check", "./crossed"]);
    for (file, what) in [("crossed.trail.json", "the trail"), ("soft", "the program")] {
        let outcome = run(&scratch, &["replay", "--html", file, "crossed.trail.json"]);
        assert_refused(&outcome, &[file, what]);
    }
}

#[test]
fn reports_do_not_overwrite_each_other() {
    let scratch = scratch("each-other");
    for (one, other) in [("same", "same"), ("same", "./same"), ("crossed.trail.json", "")] {
        let first = ["check", "--html", one, "./crossed"];
        let both = ["check", "--html", one, "--trail", other, "./crossed"];
        let words: &[&str] = if other.is_empty() { &first } else { &both };
        assert_refused(&run(&scratch, words), &["--html and --trail are both"]);
    }
    let null = "/dev/null";
    let words = ["check", "--html", null, "--trail", null, "--junit", null, "./crossed"];
    assert_eq!(run(&scratch, &words).ending(), "exit status 1");
    assert_refused(&run(&scratch, &["check", "--html", "-", "./crossed"]), &["--html -", "file"]);
    assert_eq!(entries(&scratch), 2);
}

#[test]
fn what_cannot_be_written_is_said_before_anything_takes_long() {
    let scratch = scratch("early");
    for option in ["--trail", "--html", "--junit", "--witness", "--dot"] {
        for file in ["/nonexistent/x", ".", "new/", "crossed/x"] {
            let outcome = run(&scratch, &["check", option, file, "./crossed"]);
            assert_refused(&outcome, &[file, "cannot be written"]);
        }
    }
    assert_eq!(entries(&scratch), 2, "nothing is left behind");
}

#[test]
fn a_report_is_not_lost_with_a_file() {
    let scratch = scratch("lost");
    let outcome = run(&scratch, &["check", "--html", "/dev/full", "./crossed"]);
    assert_refused(&outcome, &["/dev/full", "cannot be written"]);
    assert!(outcome.stdout_text().contains("error: deadlock"), "{}", outcome.stdout_text());
    let outcome = run(&scratch, &["check", "--trail", "/dev/full", "./crossed"]);
    assert_refused(&outcome, &["/dev/full", "the trail cannot be written"]);
    assert!(outcome.stdout_text().contains("error: deadlock"), "{}", outcome.stdout_text());

    // Nobody asked for this one.
    fs::remove_file(scratch.join("crossed.trail.json")).expect("the trail of before");
    fs::create_dir(scratch.join("crossed.trail.json")).expect("a directory");
    let outcome = run(&scratch, &["check", "./crossed"]);
    assert_eq!(outcome.ending(), "exit status 1");
    let (report, said) = (outcome.stdout_text(), outcome.stderr_text());
    assert!(report.contains("error: deadlock") && !report.contains("saved as"), "{report}");
    assert!(said.contains("the trail cannot be written") && said.contains("--trail"), "{said}");
}

#[test]
fn links_stay_links() {
    let scratch = scratch("links");
    fs::write(scratch.join("page"), b"").expect("a file");
    std::os::unix::fs::symlink("page", scratch.join("link")).expect("a link");
    run(&scratch, &["check", "--html", "link", "./crossed"]);
    assert!(scratch.join("link").is_symlink());
    assert!(fs::read_to_string(scratch.join("page")).unwrap().contains("<html"));
}

#[test]
fn a_compiler_that_makes_nothing_is_named() {
    let scratch = scratch("compiler");
    let words = ["check", "crossed.c"];
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).env("CC", "true").run();
    assert_refused(&outcome, &["crossed.c: not compiled, true has made no program"]);
}
