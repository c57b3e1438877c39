//! A trail with one column per thread: time runs down, and who moves stands in its own column.
//!
//! Needs at least [`COLUMN_MIN`] characters for each thread; [`fits`] says whether there is that
//! much, and if not, the list of [`super::text`] is the form to use.

use super::describe::Step;
use super::fold::{Shown, fold};
use super::text::Telling;
use super::words::{deed, further_changes};
use crate::page::{Page, broken, clean};
use crate::paint::Style;

/// Narrowest column.
const COLUMN_MIN: usize = 16;
/// Space between columns.
const GUTTER: usize = 2;
/// Columns for the number of a step and the space behind it.
const NUMBER: usize = 8;
/// Who moves when nobody does.
const CLOCK: &str = "time";

/// A column: a thread, its heading, and how wide it is.
struct Column<'a> {
    thread: &'a str,
    heading: String,
    width: usize,
}

/// Whether there is room for a column per thread.
pub fn fits(telling: &Telling<'_>, width: usize) -> bool {
    let count = threads(telling).len();
    1 < count && count * COLUMN_MIN + (count - 1) * GUTTER + NUMBER <= width
}

/// Writes the steps in columns.
pub fn write(page: &mut Page, telling: &Telling<'_>) {
    let columns = columns(telling, page.width);
    let headings: Vec<Vec<String>> =
        columns.iter().map(|column| broken(&column.heading, column.width, column.width)).collect();
    write_rows(page, &columns, &headings, "  step", &|_, _| Style::Strong);
    let rules: Vec<Vec<String>> =
        columns.iter().map(|column| vec!["-".repeat(column.width)]).collect();
    write_rows(page, &columns, &rules, "  ----", &|_, _| Style::Faint);
    for shown in fold(telling.steps, telling.whole) {
        match shown {
            Shown::Step(index) => write_step(page, telling, &columns, index),
            Shown::Stretch(start, count) => {
                let thread = &telling.steps[start].thread;
                let words = format!("... {count} more steps of {thread} ...");
                let cells = cells(&columns, thread, &[words]);
                write_rows(page, &columns, &cells, "", &|_, _| Style::Faint);
            }
            Shown::Middle(count) => {
                page.gap();
                page.line(Style::Faint, &format!("        ... {count} steps are left out ..."));
                page.gap();
            }
        }
    }
    write_waits(page, telling, &columns);
}

fn write_step(page: &mut Page, telling: &Telling<'_>, columns: &[Column<'_>], index: usize) {
    let step = &telling.steps[index];
    let number = format!("{:>6}", step.step);
    if step.thread == CLOCK {
        page.wrap(
            &format!("{number}  "),
            Style::Faint,
            NUMBER,
            &format!("time {}", step.operation),
        );
        return;
    }
    let is_error = telling.ends_badly && index + 1 == telling.steps.len();
    let place = telling.place(&step.location);
    // What it is has been said above the steps.
    let deed = if is_error { "the error".to_string() } else { deed(step) };
    let mut paragraphs = vec![format!("{place} {deed}")];
    paragraphs.extend(further_changes(step));
    let cells = cells(columns, &step.thread, &paragraphs);
    let column = columns.iter().find(|column| column.thread == step.thread);
    let width = column.map_or(COLUMN_MIN, |column| column.width);
    let deed_lines = broken(&paragraphs[0], width, width - 1).len();
    write_rows(page, columns, &cells, &number, &|_, line| match line < deed_lines {
        true if is_error => Style::Bad,
        true => Style::Plain,
        false => Style::Changed,
    });
}

/// What each thread waits for where nobody can go on.
fn write_waits(page: &mut Page, telling: &Telling<'_>, columns: &[Column<'_>]) {
    if telling.waits.is_empty() {
        return;
    }
    let words = |column: &Column<'_>| {
        let wait = telling.waits.iter().find(|wait| wait.thread == column.thread);
        wait.map_or_else(Vec::new, |wait| {
            let words = format!("{} waits for {}", telling.place(&wait.location), wait.object);
            broken(&words, column.width, column.width)
        })
    };
    let cells: Vec<Vec<String>> = columns.iter().map(words).collect();
    write_rows(page, columns, &cells, "   end", &|_, _| Style::Bad);
}

/// Cells that are empty but for one thread's, whose paragraphs are broken into lines.
fn cells(columns: &[Column<'_>], thread: &str, paragraphs: &[String]) -> Vec<Vec<String>> {
    let cell = |column: &Column<'_>| {
        if column.thread != thread {
            return Vec::new();
        }
        let mut lines = Vec::new();
        for (index, words) in paragraphs.iter().enumerate() {
            let indent = usize::from(0 < index);
            let rest = column.width - 1;
            let pieces = broken(words, column.width - indent, rest);
            for (number, piece) in pieces.into_iter().enumerate() {
                let is_further = 0 < index || 0 < number;
                lines.push(if is_further { format!(" {piece}") } else { piece });
            }
        }
        lines
    };
    columns.iter().map(cell).collect()
}

/// Writes cells side by side; `style` is asked for the column and the line within the cell.
fn write_rows(
    page: &mut Page,
    columns: &[Column<'_>],
    cells: &[Vec<String>],
    number: &str,
    style: &dyn Fn(usize, usize) -> Style,
) {
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        let number = if line == 0 { number } else { "" };
        let mut text = page.paint.apply(Style::Faint, number);
        let mut at = number.chars().count();
        let mut start = NUMBER;
        for (index, (column, cell)) in columns.iter().zip(cells).enumerate() {
            if let Some(words) = cell.get(line) {
                text.push_str(&" ".repeat(start.saturating_sub(at)));
                text.push_str(&page.paint.apply(style(index, line), words));
                at = start + words.chars().count();
            }
            start += column.width + GUTTER;
        }
        page.text.push_str(&text);
        page.text.push('\n');
    }
}

/// The threads in the order of their names, main first: those that move or wait.
fn threads<'a>(telling: &Telling<'a>) -> Vec<&'a str> {
    let moving = telling.steps.iter().map(|step| step.thread.as_str());
    let waiting = telling.waits.iter().map(|wait| wait.thread.as_str());
    let mut found: Vec<&str> = Vec::new();
    for thread in moving.chain(waiting).filter(|thread| *thread != CLOCK) {
        if !found.contains(&thread) {
            found.push(thread);
        }
    }
    let number = |name: &str| name.strip_prefix('T').and_then(|digits| digits.parse::<u32>().ok());
    found.sort_by_key(|name| number(name).unwrap_or(0));
    found
}

/// As wide as they need to be if there is room; otherwise those that need most give most.
fn columns<'a>(telling: &Telling<'a>, width: usize) -> Vec<Column<'a>> {
    let threads = threads(telling);
    let room = width - NUMBER - GUTTER * (threads.len() - 1);
    let mut columns: Vec<Column<'a>> = threads
        .into_iter()
        .map(|thread| {
            let heading = telling.heading(thread);
            let width = wanted(telling, thread).max(heading.chars().count()).max(COLUMN_MIN);
            Column { thread, heading, width }
        })
        .collect();
    while room < columns.iter().map(|column| column.width).sum() {
        let widest = columns.iter_mut().max_by_key(|column| column.width);
        let Some(widest) = widest.filter(|column| COLUMN_MIN < column.width) else { break };
        widest.width -= 1;
    }
    columns
}

/// The longest cell of a thread.
fn wanted(telling: &Telling<'_>, thread: &str) -> usize {
    let cell = |step: &Step| {
        let is_error = telling.ends_badly && step.step == telling.steps.len();
        let deed = if is_error { String::new() } else { deed(step) };
        let words = format!("{} {deed}", telling.place(&step.location));
        let changes = further_changes(step).map(|change| clean(&change).chars().count() + 1);
        changes.chain([clean(&words).chars().count()]).max().unwrap_or(0)
    };
    let steps = telling.steps.iter().filter(|step| step.thread == thread);
    steps.map(cell).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::Location;
    use crate::trail::changes::Change;
    use crate::trail::text::tests::{step, telling};

    #[test]
    fn each_thread_has_its_column() {
        let steps = [step(1, "main", "creates T1"), step(2, "T1", "locks m")];
        let mut page = Page::plain(80);
        write(&mut page, &telling(&steps));
        let expected = "  \
  step  main              T1 (work)
  ----  ----------------  ----------------
     1  7 creates T1
         x: 0 -> 1
     2                    7 locks m
                           x: 0 -> 1
";
        assert_eq!(page.text, expected.replacen("    step", "  step", 1));
    }

    #[test]
    fn narrow_pages_take_the_list() {
        let steps: Vec<Step> =
            (1..=6).map(|number| step(number, &format!("T{number}"), "goes on")).collect();
        assert!(!fits(&telling(&steps), 80));
        assert!(fits(&telling(&steps), 160));
        assert!(fits(&telling(&steps[..4]), 80));
        assert!(!fits(&telling(&steps[..1]), 80), "one column is a list");
    }

    #[test]
    fn lines_fit_the_page() {
        let long = Step {
            operation: "word ".repeat(40) + &"x".repeat(70),
            changes: vec![Change { name: "y".repeat(50), old: "0".into(), new: "1".into() }],
            location: Location::default(),
            ..step(1, "T1", "")
        };
        let steps = [long, step(2, "T2", "short"), step(3, "T3", "short")];
        let mut page = Page::plain(80);
        write(&mut page, &telling(&steps));
        assert!(page.text.lines().all(|line| line.chars().count() <= 80), "{}", page.text);
    }
}
