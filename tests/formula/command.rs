//! `--invariant` and `--goal` on the command line of `samovar check`.

use samovar_tests::binary::samovar;
use samovar_tests::build::programs;
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;

fn check(options: &[&str]) -> Outcome {
    let scratch = Scratch::new("formula-command");
    let program = programs().join("formula").join("data.c").display().to_string();
    let words = [&["check"], options, &[program.as_str()]].concat();
    Job::new(samovar(), &words).directory(scratch.path()).run()
}

fn said(options: &[&str]) -> String {
    let outcome = check(options);
    let said = outcome.stderr_text();
    assert_eq!(outcome.ending(), "exit status 2", "{said}");
    assert_eq!(outcome.stdout_text(), "");
    said.to_string()
}

#[test]
fn syntax_errors_are_usage_errors() {
    let text = said(&["--invariant", "sum = 3"]);
    let start = "samovar: invalid value 'sum = 3' for '--invariant <EXPR>': '=' would assign";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains("\n  sum = 3\n      ^\n"), "{text}");
    assert!(said(&["--goal", "-"]).contains("expected a value, but the formula ends here"));
    assert!(said(&["--goal", ""]).contains("expected a value"));
    // The program is not even looked at.
    let outcome = Job::new(samovar(), &["check", "--goal", "(", "no/such/file"]).run();
    assert!(outcome.stderr_text().contains("expected a value"));
}

#[test]
fn unknown_names_are_told_when_the_program_is_there() {
    assert_eq!(
        said(&["--goal", "sum == 0", "--goal", "summ == 3"]),
        "samovar: nothing is called 'summ'; did you mean 'sum'?\n  summ == 3\n  ^~~~\n"
    );
}

#[test]
fn options_may_start_with_a_minus_and_come_again() {
    let options = ["--invariant", "-sum <= 0", "--invariant", "zero == 0", "--goal", "!sum"];
    let outcome = check(&options);
    // The program has no threads, so there is no state to look at them in.
    assert_eq!(outcome.ending(), "exit status 3", "{}", outcome.stderr_text());
    assert!(outcome.stdout_text().contains("neither threads nor choices"));
}

#[test]
fn help_tells_about_formulas() {
    let outcome = Job::new(samovar(), &["check", "--help"]).run();
    let text = outcome.stdout_text();
    for word in ["--invariant <EXPR>", "--goal <EXPR>", "thread[2]::worker::i"] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
}
