//! Excerpts of source with the lines that matter, and below each of them what happened there.

use crate::page::{Page, broken, cut};
use crate::paint::Style;
use crate::place::shortened;
use crate::trail::Location;
use crate::trail::source::Sources;
use std::collections::BTreeMap;

/// Lines shown before and after a marked one.
const AROUND: u32 = 1;
/// Most marked lines.
const MARKS_MAX: usize = 8;
/// Most notes below a line; of more, the last ones.
const NOTES_MAX: usize = 6;

/// A line that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    file: String,
    line: u32,
    is_guilty: bool,
    /// The step that the note is about; notes on a line are in this order.
    step: usize,
    note: String,
}

impl Mark {
    /// A mark, if the place has a line.
    pub fn new(location: &Location, is_guilty: bool, step: usize, note: String) -> Option<Mark> {
        Some(Mark { file: location.file.clone()?, line: location.line?, is_guilty, step, note })
    }
}

/// The marked lines of one file.
type Lines<'a> = BTreeMap<u32, Vec<&'a Mark>>;

/// Writes the marked lines and those around them, file by file. The marks come in the order of
/// their weight.
pub fn write(page: &mut Page, sources: &mut Sources, marks: &[Mark]) {
    let mut files: Vec<(&str, Lines<'_>)> = Vec::new();
    let mut count = 0;
    for mark in marks {
        let at = files.iter().position(|(file, _)| *file == mark.file);
        let is_known = at.is_some_and(|at| files[at].1.contains_key(&mark.line));
        if !is_known && MARKS_MAX <= count {
            continue;
        }
        count += usize::from(!is_known);
        let at = at.unwrap_or_else(|| {
            files.push((&mark.file, Lines::new()));
            files.len() - 1
        });
        files[at].1.entry(mark.line).or_default().push(mark);
    }
    for (file, lines) in &files {
        if let Some(text) = sources.lines(file) {
            page.gap();
            page.line(Style::Strong, &format!("  {}", shortened(file)));
            write_file(page, text, lines);
        }
    }
}

fn write_file(page: &mut Page, text: &[String], marks: &Lines<'_>) {
    let mut shown = 0;
    for &line in marks.keys() {
        let from = line.saturating_sub(AROUND).max(1).max(shown + 1);
        if shown != 0 && shown + 1 < from {
            page.line(Style::Faint, "         ...");
        }
        for number in from..=line + AROUND {
            if number != line && marks.contains_key(&number) && line < number {
                // Its own turn comes next.
                break;
            }
            let Some(content) = text.get(number as usize - 1) else { break };
            write_line(page, number, content, marks.get(&number));
            shown = number;
        }
    }
}

fn write_line(page: &mut Page, number: u32, content: &str, marks: Option<&Vec<&Mark>>) {
    let room = page.width.saturating_sub(12);
    let is_guilty = marks.is_some_and(|marks| marks.iter().any(|mark| mark.is_guilty));
    let sign = match marks {
        Some(_) if is_guilty => ">",
        Some(_) => "*",
        None => " ",
    };
    let style = match marks {
        Some(_) if is_guilty => Style::Bad,
        Some(_) => Style::Plain,
        None => Style::Faint,
    };
    page.line(style, &format!("  {sign}{number:>5} | {}", cut(content, room)));
    let Some(marks) = marks else { return };
    let mut notes: Vec<&str> = Vec::new();
    let mut marks = marks.clone();
    marks.sort_by_key(|mark| mark.step);
    for mark in marks {
        if !mark.note.is_empty() && !notes.contains(&mark.note.as_str()) {
            notes.push(&mark.note);
        }
    }
    let notes = &notes[notes.len().saturating_sub(NOTES_MAX)..];
    if notes.is_empty() {
        return;
    }
    let indent = content.len() - content.trim_start().len();
    let indent = content[..indent].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum::<usize>();
    let indent = indent.min(room / 3);
    let lines = broken(&notes.join("; "), room - indent - 2, room - indent - 2);
    for (index, line) in lines.iter().enumerate() {
        let sign = if index == 0 { '^' } else { ' ' };
        page.line(Style::Changed, &format!("         | {:indent$}{sign} {line}", ""));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(line: u32, is_guilty: bool, note: &str) -> Mark {
        Mark { file: "a.c".into(), line, is_guilty, step: 0, note: note.into() }
    }

    #[test]
    fn marked_lines_have_notes() {
        let text: Vec<String> = (1..=20).map(|line| format!("    line({line});")).collect();
        let marks = [mark(3, true, "T1 waits"), mark(4, false, "T2 locks m"), mark(12, false, "")];
        let mut lines = Lines::new();
        for mark in &marks {
            lines.entry(mark.line).or_default().push(mark);
        }
        let mut page = Page::plain(80);
        write_file(&mut page, &text, &lines);
        let expected = "   \
      2 |     line(2);
  >    3 |     line(3);
         |     ^ T1 waits
  *    4 |     line(4);
         |     ^ T2 locks m
       5 |     line(5);
         ...
      11 |     line(11);
  *   12 |     line(12);
      13 |     line(13);
";
        let tidy = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
        };
        assert_eq!(tidy(&page.text), tidy(expected));
    }
}
