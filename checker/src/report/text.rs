//! Reports for people.

use super::{Report, peak_memory_bytes};
use crate::check::kind::ErrorKind;
use crate::check::outcomes::ExecutionEnd;
use crate::check::verdict::{Finding, Verdict};
use crate::cli::ReduceChoice;
use crate::error::CommandError;
use crate::message::Loudness;
use crate::run::stats::grouped;
use crate::trail::text::wrap;
use crate::trail::{Names, Step, text};
use std::fmt::Write as _;
use std::io::Write as _;

/// Contended words that are told by name.
const CONTENDED_SHOWN: usize = 12;

/// Prints a report.
pub fn print(report: &Report<'_>) -> Result<(), CommandError> {
    let outcome = report.outcome;
    let is_quiet = report.options.loudness() == Loudness::Quiet;
    let mut page = String::new();
    match &outcome.verdict {
        Verdict::Unsupported { .. } => return Ok(()),
        Verdict::Verified => page.push_str("verified: everything was explored, nothing is wrong\n"),
        Verdict::Incomplete { reason } => {
            let words = format!("{reason}; no error was found so far");
            wrap(&mut page, "incomplete: ", 2, &words);
        }
        Verdict::Error(finding) => {
            write_finding(&mut page, finding);
            if !is_quiet {
                let starts = |name: &str| start(&outcome.threads, name);
                let whole = report.options.verbose;
                page.push_str(&text::write(&outcome.steps, &starts, whole));
                page.push('\n');
                write_trail_file(&mut page, report);
            }
        }
    }
    if let Some(ends) = &outcome.ends {
        page.push_str("ends of executions:\n");
        for ExecutionEnd { end, output } in ends {
            let _ = writeln!(page, "  {end}: {output:?}");
        }
    }
    if !is_quiet {
        write_what(&mut page, report);
    }
    write(&page)
}

/// Prints a trail that was replayed.
pub fn print_trail(steps: &[Step], finding: &Finding, names: &Names) -> Result<(), CommandError> {
    let starts = |name: &str| {
        let number = name.strip_prefix('T')?.parse().ok()?;
        names.start_of(samovar_vm::machine::ThreadId(number)).map(str::to_string)
    };
    let mut page = String::new();
    page.push_str(text::write(steps, &starts, true).trim_start_matches('\n'));
    page.push('\n');
    write_finding(&mut page, finding);
    write(&page)
}

fn write(page: &str) -> Result<(), CommandError> {
    std::io::stdout()
        .write_all(page.as_bytes())
        .map_err(|error| CommandError::Output { fd: 1, error })
}

fn start(threads: &[(String, Option<String>)], name: &str) -> Option<String> {
    threads.iter().find(|(thread, _)| thread == name)?.1.clone()
}

fn write_finding(page: &mut String, finding: &Finding) {
    let kind = match &finding.detail {
        Some(detail) => format!("{} ({detail})", finding.kind.name()),
        None => finding.kind.name().to_string(),
    };
    wrap(page, &format!("error: {kind}: "), 2, &finding.message);
    if finding.waits.is_empty() {
        if let (Some(thread), Some(location)) = (&finding.thread, &finding.location) {
            let _ = writeln!(page, "  {thread}, {location}");
        }
        return;
    }
    for wait in &finding.waits {
        let holder = match &wait.held_by {
            Some(holder) if !wait.object.ends_with(holder.as_str()) => {
                format!(", held by {holder}")
            }
            _ => String::new(),
        };
        let words = format!("waits for {}{holder}, {}", wait.object, wait.location);
        wrap(page, &format!("  {} ", wait.thread), 4, &words);
    }
    if let Some(first) = finding.cycle.first() {
        let _ = writeln!(page, "  the circle: {} -> {first}", finding.cycle.join(" -> "));
    }
}

fn write_trail_file(page: &mut String, report: &Report<'_>) {
    if let Some(file) = &report.trail_file {
        let words = format!(
            "saved as {}; samovar replay {} shows it again",
            file.display(),
            file.display()
        );
        wrap(page, "the trail: ", 2, &words);
    }
}

/// What was explored, and what the verdict takes for granted.
fn write_what(page: &mut String, report: &Report<'_>) {
    let outcome = report.outcome;
    let stats = &outcome.stats;
    let numbers = format!(
        "{} states, {} transitions, depth {}, {} end states, {} of search; {:.2} s{}",
        grouped(stats.states),
        grouped(stats.transitions),
        grouped(stats.depth),
        grouped(stats.terminal),
        if stats.rounds == 1 { "1 round".to_string() } else { format!("{} rounds", stats.rounds) },
        report.seconds,
        peak_memory_bytes()
            .map_or_else(String::new, |bytes| format!(", {} MiB", bytes.div_ceil(1 << 20))),
    );
    wrap(page, "explored: ", 2, &numbers);
    let kinds: Vec<&str> = ErrorKind::selectable()
        .filter(|kind| kind.counts(&report.options.check))
        .map(ErrorKind::name)
        .chain(["arithmetic"])
        .collect();
    wrap(page, "looked for: ", 2, &kinds.join(", "));
    let switched = match report.options.reduce {
        ReduceChoice::None => "before every access to memory".to_string(),
        ReduceChoice::Lgc => "at locks and static variables".to_string(),
        ReduceChoice::Auto | ReduceChoice::Contended if outcome.contended_names.is_empty() => {
            "where they begin and end; nothing else is contended".to_string()
        }
        ReduceChoice::Auto | ReduceChoice::Contended => {
            format!("at {}", contended(&outcome.contended_names))
        }
    };
    wrap(page, "threads switched: ", 2, &switched);
    wrap(page, "assumed: ", 2, &report.assumptions().join("; "));
}

fn contended(names: &[String]) -> String {
    let shown = names.iter().take(CONTENDED_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(CONTENDED_SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
