//! The report for people: aligned, at most 80 columns where names allow it.

use super::report::{Imports, Instructions, Report};
use std::fmt::Write;

/// Width of the report.
const WIDTH: usize = 80;
/// Where wrapped names begin.
const INDENT: usize = 18;
/// Names of functions that are listed in each class.
const NAMES_MAX: usize = 60;
/// Unsupported instructions that are listed one by one.
const LISTED_MAX: usize = 12;

/// Writes the report.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    facts(&mut text, report);
    section(&mut text, "libraries", &library_rows(report));
    section(&mut text, "segments", &segment_rows(report));
    section(&mut text, "entry points", &entry_rows(report));
    imports(&mut text, report);
    instructions(&mut text, &report.instructions);
    text
}

/// Facts of one line each.
fn facts(text: &mut String, report: &Report) {
    let symbols = &report.symbols;
    let counts = match (symbols.full, symbols.dynamic) {
        (0, 0) => "none (stripped)".to_string(),
        (0, dynamic) => format!("{dynamic} dynamic only (stripped)"),
        (full, dynamic) => {
            format!("{full}, of them {} functions; {dynamic} dynamic", symbols.functions)
        }
    };
    let mut fact = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<14}{value}");
    };
    fact("program", &report.program);
    fact("kind", &report.kind);
    if let Some(interpreter) = &report.interpreter {
        fact("interpreter", interpreter);
    }
    fact("symbols", &counts);
    fact("debug info", if report.debug_info { "yes" } else { "no" });
    if let Some(tls) = &report.thread_local {
        fact("thread-local", &format!("{} bytes in each thread", tls.size));
    }
    if let Some(id) = &report.build_id {
        fact("build id", id);
    }
    for problem in &report.problems {
        fact("problem", problem);
    }
}

fn library_rows(report: &Report) -> Vec<Vec<String>> {
    let libraries = report.libraries.iter();
    libraries.map(|library| vec![library.name.clone(), library.path.clone()]).collect()
}

fn segment_rows(report: &Report) -> Vec<Vec<String>> {
    let title = ["address", "size", "from file", "access"].map(str::to_string).to_vec();
    let rows = report.segments.iter().map(|segment| {
        let number = |number: u64| format!("{number:#x}");
        let access = segment.access.clone();
        vec![segment.address.clone(), number(segment.size), number(segment.file_size), access]
    });
    std::iter::once(title).chain(rows).collect()
}

fn entry_rows(report: &Report) -> Vec<Vec<String>> {
    let rows = report.entry_points.iter().map(|point| {
        let symbol = point.symbol.clone().unwrap_or_default();
        vec![point.address.clone(), point.role.to_string(), symbol]
    });
    rows.collect()
}

/// A title and rows of aligned columns; nothing if there are no rows.
fn section(text: &mut String, title: &str, rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let _ = writeln!(text, "\n{title}");
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "  {}", line.trim_end());
    }
}

/// Names of imported functions, grouped and wrapped.
fn imports(text: &mut String, report: &Report) {
    let Imports { modelled, atomic, plain } = &report.imports;
    if [modelled, atomic, plain].into_iter().all(Vec::is_empty) {
        return;
    }
    let _ = writeln!(text, "\nlibrary functions");
    for (class, names) in [("modelled", modelled), ("atomic", atomic), ("plain", plain)] {
        let shown = &names[..names.len().min(NAMES_MAX)];
        wrapped(text, &format!("{class} ({})", names.len()), shown);
        if shown.len() < names.len() {
            let more = names.len() - shown.len();
            let _ = writeln!(text, "{:INDENT$}and {more} more; --format json has all", "");
        }
    }
}

/// A label and words behind it, in lines of limited width.
fn wrapped(text: &mut String, label: &str, words: &[String]) {
    let mut line = format!("  {label:<16}");
    for word in words {
        let full = INDENT < line.len() && WIDTH < line.len() + 1 + word.len();
        if full {
            let _ = writeln!(text, "{}", line.trim_end());
            line = " ".repeat(INDENT);
        }
        if INDENT < line.len() {
            line.push(' ');
        }
        line += word;
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

fn instructions(text: &mut String, found: &Instructions) {
    let _ = writeln!(text, "\ninstructions");
    let _ = write!(text, "  {} decoded", found.decoded);
    if 0 < found.undecodable {
        let _ = write!(text, ", {} bytes are no instruction", found.undecodable);
    }
    if found.unsupported.is_empty() {
        let _ = writeln!(text, ", all supported");
        return;
    }
    let total: u64 = found.unsupported.iter().map(|instruction| instruction.count).sum();
    let _ = writeln!(text, ", {total} unsupported if ever executed:");
    let rows = found.unsupported.iter().take(LISTED_MAX).map(|instruction| {
        let function = instruction.function.as_ref().map(|name| format!(" in {name}"));
        let place = format!("first at {}{}", instruction.first, function.unwrap_or_default());
        (instruction.name.as_str(), format!("{}×", instruction.count), place)
    });
    for (name, count, place) in rows {
        let _ = writeln!(text, "  {name:<14}{count:>6}  {place}");
    }
    if LISTED_MAX < found.unsupported.len() {
        let _ = writeln!(text, "  and {} more", found.unsupported.len() - LISTED_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped() {
        let words: Vec<String> = (0..30).map(|number| format!("function{number}")).collect();
        let mut text = String::new();
        wrapped(&mut text, "plain (30)", &words);
        assert!(text.lines().count() > 3);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        let seen: Vec<&str> = text.split_whitespace().skip(2).collect();
        assert_eq!(seen, words);
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["a".to_string(), "x".to_string()], vec!["long".into(), "y".into()]];
        let mut text = String::new();
        section(&mut text, "title", &rows);
        assert_eq!(text, "\ntitle\n  a     x\n  long  y\n");
    }
}
