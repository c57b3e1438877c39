//! Reports for people.

use super::{check, run};
use samovar_tests::binary::{samovar, workspace};
use samovar_tests::build::programs;
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;

/// One finding of each sort: the golden file, the options, the program, its arguments.
const FINDINGS: &[(&str, &[&str], &str, &[&str])] = &[
    ("deadlock", &[], "crossed.c", &[]),
    ("lost_update", &["--check", "assertion", "--cflags", "-DRACY"], "tally.c", &[]),
    ("race", &["--cflags", "-DRACY"], "tally.c", &[]),
    ("use_after_free", &[], "misdeeds.c", &["freed", "thread"]),
    ("null", &[], "misdeeds.c", &["null"]),
    ("exit", &["--check", "exit"], "misdeeds.c", &["exit", "thread"]),
    ("exception", &[], "thrown.cpp", &[]),
];

/// The part of a report that is the same on every machine: from the verdict to the last step.
fn story(text: &str) -> String {
    let from = text.find("error: ").unwrap_or_else(|| panic!("no error in\n{text}"));
    let to = text.find("\nthe trail: ").unwrap_or_else(|| panic!("no trail in\n{text}"));
    // Addresses depend on the libraries.
    let words = text[from..to].split_inclusive([' ', '\n', '(', ')', ',']);
    words.map(|word| if word.starts_with("0x") { "ADDRESS " } else { word }).collect()
}

#[test]
fn reports_are_as_they_should_be() {
    let mut wrong = String::new();
    for (name, options, program, args) in FINDINGS {
        let scratch = Scratch::new(name);
        let outcome = check(&scratch, options, program, args);
        let text = outcome.stdout_text();
        assert_eq!(outcome.status.code(), Some(1), "{name}: {text}{}", outcome.stderr_text());
        assert!(!text.contains('\x1b'), "{name}: colours without a terminal");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line:?} is too long");
            assert!(!line.ends_with(' '), "{name}: {line:?}");
        }
        let story = story(&text);
        let file = workspace().join(format!("tests/reports/golden/{name}.txt"));
        if std::env::var_os("SAMOVAR_BLESS").is_some() {
            std::fs::write(&file, &story).expect("the golden file is written");
        }
        let golden = std::fs::read_to_string(&file).unwrap_or_default();
        if golden != story {
            wrong += &format!("--- {name}, expected:\n{golden}\n+++ {name}, found:\n{story}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn reports_say_what_was_checked() {
    let scratch = Scratch::new("question");
    let text = check(&scratch, &[], "tally.c", &["3"]).stdout_text();
    let (question, answer) = text.split_once("\n\n").expect("a question and an answer");
    assert!(question.starts_with("checked: tally.c 3, for deadlock"), "{text}");
    assert!(question.contains("\nassumed: sequential consistency"), "{text}");
    assert!(answer.starts_with("verified: everything was explored"), "{text}");
    let quiet = check(&scratch, &["--quiet"], "tally.c", &[]).stdout_text();
    assert_eq!(quiet, "verified: everything was explored, nothing is wrong\n");
}

#[test]
fn a_block_used_too_late_says_where_it_was_freed() {
    let scratch = Scratch::new("early");
    let text = check(&scratch, &[], "early.c", &[]).stdout_text();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in
        ["It happens in T1, early.c:13 in reader.", "main frees main's 16-byte block from early.c:"]
    {
        assert!(words.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(text.contains("  *   20 |     free(old);\n"), "{text}");
    assert!(text.contains("  >   13 |         sum += mine->length;\n"), "{text}");
}

#[test]
fn pages_are_as_wide_as_the_terminal() {
    let scratch = Scratch::new("width");
    let trail = scratch.join("t.json").display().to_string();
    for (columns, is_list) in [(45, true), (80, false), (132, false)] {
        let words = ["check", "--trail", &trail, "crossed.c"];
        let mut job = Job::new(samovar(), &words).directory(&programs().join("check"));
        job.env.push(("COLUMNS".into(), columns.to_string()));
        let text = job.run().stdout_text();
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        // Names of files are not broken.
        let broken = text.lines().filter(|line| !line.contains('/'));
        assert!(broken.clone().all(|line| line.chars().count() <= columns), "{text}");
        assert!(columns < 100 || 80 < longest, "{columns}: {text}");
        assert_eq!(text.contains("\n  T1 (forwards)\n"), is_list, "{columns}: {text}");
        assert_eq!(text.contains("  step  main"), !is_list, "{columns}: {text}");
    }
}

#[test]
fn a_replay_tells_the_same_story() {
    let scratch = Scratch::new("again");
    let first = check(&scratch, &[], "crossed.c", &[]).stdout_text();
    let trail = scratch.join("trail.json").display().to_string();
    let words = ["replay", &trail];
    let again = Job::new(samovar(), &words).directory(&programs().join("check")).run();
    assert_eq!(again.ending(), "exit status 1");
    assert_eq!(again.stdout_text().trim_end(), story(&first).trim_end());
}

#[test]
fn completions_and_manual_pages_come_from_the_definitions() {
    let scratch = Scratch::new("generate");
    let help = run(&scratch, &["check", "--help"]).stdout_text();
    let page = run(&scratch, &["generate", "man", "check"]).stdout_text();
    let bash = run(&scratch, &["generate", "completions", "bash"]).stdout_text();
    let options =
        help.lines().filter_map(|line| line.split_once("--")?.1.split([' ', '\n']).next());
    let options: Vec<&str> = options.filter(|name| name.len() > 2 && !name.contains('.')).collect();
    assert!(options.contains(&"html") && 15 < options.len(), "{options:?}");
    for option in options {
        let in_page = option.replace('-', "\\-");
        assert!(page.contains(&format!("\\-\\-{in_page}")), "{option} is not in\n{page}");
        assert!(bash.contains(&format!("--{option}")), "{option} is not completed");
    }
    assert!(!page.contains("options\\-from"), "hidden options stay hidden");
    for shell in ["bash", "zsh", "fish"] {
        let outcome = run(&scratch, &["generate", "completions", shell]);
        assert!(outcome.status.success() && 1000 < outcome.stdout.len(), "{shell}");
    }
    let file = scratch.join("completions.bash");
    std::fs::write(&file, bash).expect("the completions are written");
    let words = ["-n", file.to_str().expect("text")];
    assert!(Job::new("/bin/bash".as_ref(), &words).run().status.success());
    assert!(run(&scratch, &["generate", "man"]).stdout_text().contains("samovar"));
    super::assert_refused(&run(&scratch, &["generate", "man", "tea"]), &["tea", "no command"]);
}
