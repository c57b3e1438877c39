//! A trail for people: numbered steps at 80 columns, steps of one thread together.

use super::changes::Change;
use super::describe::Step;
use std::fmt::Write;

/// Widest line.
const WIDTH: usize = 80;
/// Where the words of a step begin.
const INDENT: usize = 10;
/// Steps shown at the start and at the end of a long trail.
const STEPS_SHOWN: usize = 60;

/// Writes the steps, each thread's run under a heading.
pub fn write(steps: &[Step], starts: &dyn Fn(&str) -> Option<String>, whole: bool) -> String {
    let mut text = String::new();
    let mut thread = "";
    let left_out = steps.len().saturating_sub(2 * STEPS_SHOWN);
    for (index, step) in steps.iter().enumerate() {
        if !whole && left_out > 1 && (STEPS_SHOWN..STEPS_SHOWN + left_out).contains(&index) {
            if index == STEPS_SHOWN {
                let _ = writeln!(text, "\n  ... {left_out} steps are left out here ...");
                thread = "";
            }
            continue;
        }
        if step.thread != thread {
            thread = &step.thread;
            let _ = match starts(thread) {
                Some(start) => writeln!(text, "\n  {thread} ({start})"),
                None => writeln!(text, "\n  {thread}"),
            };
        }
        write_step(&mut text, step);
    }
    text
}

fn write_step(text: &mut String, step: &Step) {
    let place = step.location.short().unwrap_or_else(|| step.location.to_string());
    let head = format!("{:>6}  {place}  ", step.step);
    wrap(text, &head, INDENT, &step.operation);
    if let Some(source) = &step.source {
        let room = WIDTH - INDENT - 2;
        let _ = writeln!(text, "{:INDENT$}| {}", "", cut(source, room));
    }
    for Change { name, old, new } in &step.changes {
        let change = format!("{name}: {old} -> {new}");
        let _ = writeln!(text, "{:INDENT$}* {}", "", cut(&change, WIDTH - INDENT - 2));
    }
}

/// Writes words behind a head, broken at spaces; further lines are indented.
pub fn wrap(text: &mut String, head: &str, indent: usize, words: &str) {
    let mut line = head.to_string();
    let mut is_fresh = true;
    for word in words.split_whitespace() {
        let width = line.chars().count() + word.chars().count() + usize::from(!is_fresh);
        if WIDTH < width && !is_fresh {
            text.push_str(line.trim_end());
            text.push('\n');
            line = " ".repeat(indent);
            is_fresh = true;
        }
        if !is_fresh {
            line.push(' ');
        }
        line.push_str(word);
        is_fresh = false;
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// The first `width` characters.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(3)).collect();
    kept + "..."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::names::Location;

    fn step(number: usize, thread: &str, operation: &str) -> Step {
        let location =
            Location { file: Some("/src/a.c".into()), line: Some(7), ..Location::default() };
        Step {
            step: number,
            thread: thread.into(),
            location,
            source: Some("x = 1;".into()),
            operation: operation.into(),
            changes: vec![Change { name: "x".into(), old: "0".into(), new: "1".into() }],
        }
    }

    #[test]
    fn steps_of_one_thread_are_together() {
        let steps = [step(1, "main", "creates T1"), step(2, "T1", "writes x")];
        let starts = |name: &str| (name == "T1").then(|| "work".to_string());
        let text = write(&steps, &starts, true);
        let expected = "
  main
     1  a.c:7  creates T1
          | x = 1;
          * x: 0 -> 1

  T1 (work)
     2  a.c:7  writes x
          | x = 1;
          * x: 0 -> 1
";
        assert_eq!(text, expected);
    }

    #[test]
    fn lines_fit_the_page() {
        let long = "word ".repeat(40);
        let text = write(&[step(1, "main", &long)], &|_| None, true);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    #[test]
    fn long_trails_are_cut_in_the_middle() {
        let steps: Vec<Step> = (1..=200).map(|number| step(number, "T1", "goes on")).collect();
        let text = write(&steps, &|_| None, false);
        assert!(text.contains("... 80 steps are left out here ..."), "{text}");
        assert!(!write(&steps, &|_| None, true).contains("left out"));
    }
}
