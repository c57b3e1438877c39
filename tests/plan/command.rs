//! The command as scripts see it: exit statuses, messages, saved plans.

use super::{actions, example, plan, program, run};
use samovar_tests::scratch::Scratch;

fn puzzle(scratch: &Scratch, options: &[&str]) -> (i32, String, String) {
    let program = example("puzzle.c");
    let board = ["8", "6", "7", "2", "5", "4", "3", "0", "1"];
    let outcome = run(scratch, &[&["plan"], options, &[program.as_str()], &board].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = outcome.status.code().unwrap_or(-1);
    (status, text(&outcome.stdout), text(&outcome.stderr))
}

#[test]
fn only_a_whole_search_says_that_no_plan_exists() {
    let scratch = Scratch::new("statuses");
    let (status, said, _) = puzzle(&scratch, &["--goal=wrong == 0", "--depth=9"]);
    assert_eq!(status, 3, "{said}");
    assert!(said.starts_with("incomplete: the bound of 9 steps cut"), "{said}");
    let (status, said, _) = puzzle(&scratch, &["--goal=wrong == 0", "--time=0.01"]);
    assert_eq!(status, 3, "{said}");
    assert!(!said.contains("no plan exists"), "{said}");
    let (status, said, _) = puzzle(&scratch, &["--goal=wrong == 0", "--memory=1M"]);
    assert_eq!(status, 3, "{said}");
    let file = program(&scratch, "small.c", SMALL);
    let words = ["plan", "--goal=x == 3", file.to_str().expect("a name")];
    let outcome = run(&scratch, &words);
    assert_eq!(outcome.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&outcome.stdout).starts_with("no plan exists: "));
}

/// x is 0, 1, 2 or 4.
const SMALL: &str = "#include <samovar.h>\nint x;\nint main(void) {\n\
    x = samovar_choose(2);\nif (x && samovar_choose(2)) x = samovar_choose(2) ? 4 : 2;\n\
    return 0; }\n";

#[test]
fn goals_that_make_no_sense_are_pointed_at() {
    let scratch = Scratch::new("goals");
    for (goal, sentence, pointer) in [
        ("wrnog == 0", "'wrnog'", "^~~~~"),
        ("wrong + 1", "a number, not a condition", "^~~~~~~~~"),
        ("3", "a number, not a condition", "^"),
        ("wrong ==", "", "^"),
        ("wrong = 0", "", "^"),
        ("tile", "", "^~~~"),
        ("side.x == 1", "", "^"),
    ] {
        let (status, said, complaint) = puzzle(&scratch, &["--goal", goal]);
        assert_eq!((status, said.as_str()), (2, ""), "{goal}");
        assert!(complaint.contains(sentence), "{goal}: {complaint}");
        let lines: Vec<&str> = complaint.lines().collect();
        let marked = lines.iter().position(|line| line.trim_start().starts_with('^'));
        let marked = marked.unwrap_or_else(|| panic!("{goal}: {complaint}"));
        assert_eq!(lines[marked - 1].trim(), goal, "{complaint}");
        assert!(lines[marked].contains(pointer), "{goal}: {complaint}");
    }
    let (status, _, complaint) = puzzle(&scratch, &["--goal=wrong == 0", "--weight=2"]);
    assert_eq!(status, 2);
    assert!(complaint.contains("--weight is for --search astar"), "{complaint}");
}

#[test]
fn a_saved_plan_leads_to_its_goal_and_a_damaged_one_does_not() {
    let scratch = Scratch::new("saved");
    let program = example("puzzle.c");
    let board = ["1", "4", "2", "3", "7", "5", "6", "8", "0"];
    let words = [&["--goal=wrong == 0", program.as_str()], &board[..]].concat();
    let (report, _) = plan(&scratch, &words);
    assert_eq!(actions(&report).len(), 4);
    let replay = |file: &str| {
        let outcome = run(&scratch, &["replay", file]);
        (outcome.status.code(), outcome.stdout_text(), outcome.stderr_text())
    };
    let (status, said, _) = replay("puzzle.plan.json");
    assert_eq!(status, Some(0));
    assert!(said.contains("    2  Up\n") && said.contains("wrong == 0 holds"), "{said}");

    let text = std::fs::read_to_string(scratch.join("puzzle.plan.json")).expect("a plan");
    let mut saved: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    saved["choices"][1][1] = 1.into();
    std::fs::write(scratch.join("other.json"), saved.to_string()).expect("written");
    let (status, said, complaint) = replay("other.json");
    assert_eq!((status, said.as_str()), (Some(2), ""));
    assert!(complaint.contains("does not lead to"), "{complaint}");
}

#[test]
fn the_same_program_is_checked_as_well() {
    let scratch = Scratch::new("both");
    let warehouse = example("warehouse.c");
    let (report, status) = plan(&scratch, &["--goal=delivered == 2", &warehouse]);
    assert_eq!(status, 0, "{report}");
    let checked = run(&scratch, &["check", "--check=deadlock", "--format=json", &warehouse]);
    let verdict: serde_json::Value = serde_json::from_slice(&checked.stdout).expect("a report");
    assert_eq!(verdict["error"]["kind"], "deadlock");
}

#[test]
fn what_is_unsupported_is_named() {
    let scratch = Scratch::new("unsupported");
    let source = "#include <samovar.h>\n#include <sys/syscall.h>\n#include <unistd.h>\nint x;\n\
        int main(void) { x = samovar_choose(2); return (int)syscall(SYS_reboot, 1, 2, 3); }\n";
    let file = program(&scratch, "odd.c", source);
    let outcome = run(&scratch, &["plan", "--goal=x == 7", file.to_str().expect("a name")]);
    assert_eq!(outcome.status.code(), Some(2), "{}", outcome.stdout_text());
    assert!(outcome.stderr_text().contains("unsupported system call"), "{}", outcome.stderr_text());
}
