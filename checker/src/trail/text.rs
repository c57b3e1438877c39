//! A trail for people: numbered steps, in columns where they fit and as a list otherwise.

use super::columns;
use super::describe::Step;
use super::fold::{Shown, fold};
use super::names::Location;
use super::words::{deed, further_changes};
use crate::check::verdict::Wait;
use crate::page::{Page, cut};
use crate::paint::Style;

/// Where the words of a step begin.
const INDENT: usize = 10;

/// Longest name of a function that a thread began with.
const START_MAX: usize = 32;

/// What is told, and how much of it.
pub struct Telling<'a> {
    /// The steps.
    pub steps: &'a [Step],
    /// What threads wait for at the end, if that is the error.
    pub waits: &'a [Wait],
    /// The function that a thread began with.
    pub starts: &'a dyn Fn(&str) -> Option<String>,
    /// The file that most steps are in; their places are line numbers.
    pub file: Option<&'a str>,
    /// Nothing is folded.
    pub whole: bool,
    /// The last step is the error.
    pub ends_badly: bool,
}

impl Telling<'_> {
    /// A thread with the function that it began with.
    pub fn heading(&self, thread: &str) -> String {
        match (self.starts)(thread) {
            Some(start) => format!("{thread} ({})", cut(&start, START_MAX)),
            None => thread.to_string(),
        }
    }

    /// A place as short as it can be: the line alone in the file that most steps are in.
    pub fn place(&self, location: &Location) -> String {
        match (location.line, self.file) {
            (Some(line), Some(file)) if location.file.as_deref() == Some(file) => line.to_string(),
            _ => location.short().unwrap_or_else(|| location.to_string()),
        }
    }
}

/// The file that most steps are in.
pub fn main_file(steps: &[Step]) -> Option<&str> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for file in steps.iter().filter_map(|step| step.location.file.as_deref()) {
        match counts.iter_mut().find(|(known, _)| *known == file) {
            Some((_, count)) => *count += 1,
            None => counts.push((file, 1)),
        }
    }
    // The first of those with most steps.
    counts.iter().rev().max_by_key(|(_, count)| *count).map(|(file, _)| *file)
}

/// Writes the steps.
pub fn write(page: &mut Page, telling: &Telling<'_>) {
    if columns::fits(telling, page.width) {
        columns::write(page, telling);
    } else {
        list(page, telling);
    }
}

/// Writes the steps one below the other, each thread's run under a heading.
fn list(page: &mut Page, telling: &Telling<'_>) {
    let mut thread = "";
    for shown in fold(telling.steps, telling.whole) {
        let step = match shown {
            Shown::Step(index) => &telling.steps[index],
            Shown::Stretch(_, count) => {
                let words = format!("{:INDENT$}... {count} more steps ...", "");
                page.line(Style::Faint, &words);
                continue;
            }
            Shown::Middle(count) => {
                page.gap();
                page.line(Style::Faint, &format!("  ... {count} steps are left out here ..."));
                thread = "";
                continue;
            }
        };
        if step.thread != thread {
            thread = &step.thread;
            page.gap();
            page.line(Style::Strong, &format!("  {}", telling.heading(thread)));
        }
        let is_last = step.step == telling.steps.len();
        write_step(page, step, telling.ends_badly && is_last);
    }
}

fn write_step(page: &mut Page, step: &Step, is_error: bool) {
    let place = step.location.short().unwrap_or_else(|| step.location.to_string());
    let head = format!("{:>6}  {place}  ", step.step);
    let style = if is_error { Style::Bad } else { Style::Plain };
    page.wrap(&head, style, INDENT, &deed(step));
    let room = page.width - INDENT - 2;
    if let Some(source) = &step.source {
        page.line(Style::Faint, &format!("{:INDENT$}| {}", "", cut(source, room)));
    }
    for change in further_changes(step) {
        page.line(Style::Changed, &format!("{:INDENT$}* {}", "", cut(&change, room)));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::trail::changes::Change;

    pub fn step(number: usize, thread: &str, operation: &str) -> Step {
        let location =
            Location { file: Some("/src/a.c".into()), line: Some(7), ..Location::default() };
        Step {
            step: number,
            thread: thread.into(),
            location,
            source: Some("x = 1;".into()),
            operation: operation.into(),
            changes: vec![Change { name: "x".into(), old: "0".into(), new: "1".into() }],
            ..Step::default()
        }
    }

    pub fn telling(steps: &[Step]) -> Telling<'_> {
        let starts = &|name: &str| (name == "T1").then(|| "work".to_string());
        let file = main_file(steps);
        Telling { steps, waits: &[], starts, file, whole: false, ends_badly: false }
    }

    #[test]
    fn steps_of_one_thread_are_together() {
        let steps = [step(1, "main", "creates T1"), step(2, "T1", "locks m")];
        let mut page = Page::plain(80);
        list(&mut page, &telling(&steps));
        let expected = "  \
  main
     1  a.c:7  creates T1
          | x = 1;
          * x: 0 -> 1

  T1 (work)
     2  a.c:7  locks m
          | x = 1;
          * x: 0 -> 1
";
        assert_eq!(page.text, expected.replacen("    main", "  main", 1));
    }

    #[test]
    fn lines_fit_the_page() {
        let mut page = Page::plain(80);
        list(&mut page, &telling(&[step(1, "main", &"word ".repeat(40))]));
        assert!(page.text.lines().all(|line| line.chars().count() <= 80), "{}", page.text);
    }

    #[test]
    fn long_trails_are_cut_in_the_middle() {
        let steps: Vec<Step> =
            (1..=200).map(|number| step(number, ["T1", "T2"][number % 2], "goes on")).collect();
        let mut page = Page::plain(80);
        list(&mut page, &telling(&steps));
        assert!(page.text.contains("... 80 steps are left out here ..."), "{}", page.text);
    }

    #[test]
    fn the_main_file_is_the_one_with_most_steps() {
        let other = Step {
            location: Location { file: Some("/src/b.c".into()), ..Location::default() },
            ..step(3, "T1", "goes on")
        };
        let steps = [other.clone(), step(1, "T1", "x"), step(2, "T1", "y")];
        assert_eq!(main_file(&steps), Some("/src/a.c"));
        assert_eq!(main_file(&[other]), Some("/src/b.c"));
        assert_eq!(main_file(&[]), None);
    }
}
