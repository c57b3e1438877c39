//! Reports for people: what was checked, the verdict, the error in a paragraph, the lines of source
//! that belong to it, and the steps that lead there.

use super::explain::{Explanation, explain};
use super::{Report, excerpt, peak_memory_bytes};
use crate::check::autopilot::Attempt;
use crate::check::kind::ErrorKind;
use crate::check::no_return::NoReturn;
use crate::check::outcomes::ExecutionEnd;
use crate::check::verdict::{Finding, Note, RaceAccess, Verdict};
use crate::cli::ReduceChoice;
use crate::error::CommandError;
use crate::message::Loudness;
use crate::page::Page;
use crate::paint::Style;
use crate::run::stats::grouped;
use crate::trail::file::SavedTrail;
use crate::trail::source::Sources;
use crate::trail::text::{Telling, main_file};
use crate::trail::{Names, Step, text};
use std::io::Write as _;
use std::path::Path;

/// Contended words that are told by name.
const CONTENDED_SHOWN: usize = 12;
/// Notes that are told unless everything is.
const NOTES_SHOWN: usize = 3;

/// Prints a report.
pub fn print(report: &Report<'_>) -> Result<(), CommandError> {
    let mut page = Page::for_stdout();
    if !matches!(report.outcome.verdict, Verdict::Unsupported { .. }) {
        write(&mut page, report);
    }
    put(&page)
}

fn write(page: &mut Page, report: &Report<'_>) {
    let outcome = report.outcome;
    let is_quiet = report.options.loudness() == Loudness::Quiet;
    if !is_quiet {
        write_question(page, report);
        page.gap();
    }
    match &outcome.verdict {
        Verdict::Unsupported { .. } => {}
        Verdict::Verified => {
            let words = "everything was explored, nothing is wrong";
            page.wrap("verified: ", Style::Good, 2, words);
        }
        Verdict::Incomplete { reason } => {
            let words = format!("{reason}; no error was found so far");
            page.wrap("incomplete: ", Style::Open, 2, &words);
        }
        Verdict::Error(finding) => {
            write_verdict(page, finding);
            if !is_quiet {
                let starts = |name: &str| start(&outcome.threads, name);
                write_story(page, finding, &outcome.steps, &starts, report.options.verbose);
                page.gap();
                if let Some(no_return) = &outcome.no_return {
                    write_no_return(page, no_return, &outcome.steps);
                }
                write_files(page, report);
            }
        }
    }
    if let Some(ends) = &outcome.ends {
        page.line(Style::Plain, "ends of executions:");
        for ExecutionEnd { end, output } in ends {
            page.line(Style::Plain, &format!("  {end}: {output:?}"));
        }
    }
    if !is_quiet {
        write_notes(page, &outcome.notes, report.options.verbose);
        page.gap();
        write_numbers(page, report);
        if report.options.stats {
            write_costs(page, report);
        }
    }
}

/// Prints a trail that was replayed.
pub fn print_trail(
    saved: &SavedTrail,
    steps: &[Step],
    finding: &Finding,
    names: &Names,
) -> Result<(), CommandError> {
    let mut page = Page::for_stdout();
    write_trail(&mut page, saved, steps, (finding, names));
    put(&page)
}

/// The same as text without colours.
pub fn trail(saved: &SavedTrail, steps: &[Step], finding: &Finding, names: &Names) -> String {
    let mut page = Page::plain(crate::page::WIDTH);
    write_trail(&mut page, saved, steps, (finding, names));
    page.text
}

fn write_trail(
    page: &mut Page,
    saved: &SavedTrail,
    steps: &[Step],
    (finding, names): (&Finding, &Names),
) {
    let starts = |name: &str| {
        let number = name.strip_prefix('T')?.parse().ok()?;
        names.start_of(samovar_vm::machine::ThreadId(number)).map(str::to_string)
    };
    write_verdict(page, finding);
    write_story(page, finding, steps, &starts, true);
    if let Some(no_return) = &saved.point_of_no_return {
        page.gap();
        write_no_return(page, no_return, steps);
    }
}

fn put(page: &Page) -> Result<(), CommandError> {
    std::io::stdout()
        .write_all(page.text.as_bytes())
        .map_err(|error| CommandError::Output { fd: 1, error })
}

fn start(threads: &[(String, Option<String>)], name: &str) -> Option<String> {
    threads.iter().find(|(thread, _)| thread == name)?.1.clone()
}

/// The error in one line.
fn write_verdict(page: &mut Page, finding: &Finding) {
    let kind = match &finding.detail {
        Some(detail) => format!("{} ({detail})", finding.kind.name()),
        None => finding.kind.name().to_string(),
    };
    page.wrap(&format!("error: {kind}: "), Style::Bad, 2, &finding.message);
}

/// The paragraph, the source, and the steps.
fn write_story(
    page: &mut Page,
    finding: &Finding,
    steps: &[Step],
    starts: &dyn Fn(&str) -> Option<String>,
    whole: bool,
) {
    let Explanation { sentences, marks } = explain(finding, steps);
    for sentence in &sentences {
        page.wrap("  ", Style::Plain, 2, sentence);
    }
    if let Some(first) = finding.cycle.first() {
        page.wrap(
            "  the circle: ",
            Style::Plain,
            4,
            &format!("{} -> {first}", finding.cycle.join(" -> ")),
        );
    }
    excerpt::write(page, &mut Sources::default(), &marks);
    if steps.is_empty() {
        return;
    }
    let file = main_file(steps);
    let telling = Telling {
        steps,
        waits: &finding.waits,
        starts,
        file,
        whole,
        ends_badly: finding.waits.is_empty() && finding.kind != ErrorKind::Livelock,
    };
    page.gap();
    let name = file.and_then(|file| Path::new(file).file_name()).map(|name| name.to_string_lossy());
    let count =
        if steps.len() == 1 { "one step".to_string() } else { format!("{} steps", steps.len()) };
    let words = match name {
        Some(name) => format!("{count}, lines of {name}"),
        None => count,
    };
    page.wrap("how it comes to that: ", Style::Strong, 2, &words);
    page.gap();
    text::write(page, &telling);
}

/// Up to where the error could be avoided.
fn write_no_return(page: &mut Page, no_return: &NoReturn, steps: &[Step]) {
    page.wrap("point of no return: ", Style::Strong, 2, &no_return.sentence(steps));
}

/// Where there is more to see.
fn write_files(page: &mut Page, report: &Report<'_>) {
    if let Some(file) = &report.trail_file {
        let file = file.display();
        let words = format!("saved as {file}; samovar replay {file} shows it again");
        page.wrap("the trail: ", Style::Strong, 2, &words);
        page.wrap("in gdb: ", Style::Strong, 2, &format!("samovar replay --gdb {file}"));
    }
    if let Some(file) = &report.options.html {
        page.wrap("the page: ", Style::Strong, 2, &format!("open {} in a browser", file.display()));
    }
}

/// What was checked, and what the verdict takes for granted.
fn write_question(page: &mut Page, report: &Report<'_>) {
    let program = std::iter::once(&report.setting.program).chain(&report.setting.args);
    let program: Vec<&str> = program.map(String::as_str).collect();
    let kinds: Vec<&str> = ErrorKind::selectable()
        .filter(|kind| kind.counts(&report.options.check))
        .map(ErrorKind::name)
        .chain(["arithmetic"])
        .collect();
    let words = format!("{}, for {}", program.join(" "), kinds.join(", "));
    page.wrap("checked: ", Style::Strong, 2, &words);
    if let Some(file) = &report.options.options_from {
        page.wrap("options: ", Style::Strong, 2, &format!("also from {}", file.display()));
    }
    page.wrap("assumed: ", Style::Strong, 2, &report.assumptions().join("; "));
}

/// What does not count, but may interest.
fn write_notes(page: &mut Page, notes: &[Note], whole: bool) {
    let shown = if whole { notes.len() } else { NOTES_SHOWN.min(notes.len()) };
    for note in &notes[..shown] {
        page.gap();
        page.wrap("note: ", Style::Open, 2, &note.message);
        let locks = note.accesses.iter().map(RaceAccess::holds).collect::<Vec<_>>().join("; ");
        let words = format!("{locks}; the type of this memory is not certain, so this is no error");
        page.wrap("  ", Style::Plain, 2, &words);
    }
    if shown < notes.len() {
        let words = format!("{} more of the kind; --verbose tells them", notes.len() - shown);
        page.wrap("note: ", Style::Open, 2, &words);
    }
}

/// How much was explored.
fn write_numbers(page: &mut Page, report: &Report<'_>) {
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
    page.wrap("explored: ", Style::Strong, 2, &numbers);
    if 0 < stats.forgotten {
        let words = format!(
            "{} states, to stay within memory; those that were met again count again",
            grouped(stats.forgotten)
        );
        page.wrap("forgotten: ", Style::Strong, 2, &words);
    }
    if 1 < outcome.attempts.len() {
        page.wrap("searched: ", Style::Strong, 2, &searched(&outcome.attempts));
    }
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
    page.wrap("threads switched: ", Style::Strong, 2, &switched);
}

/// What the autopilot did: each search with the states that it expanded, the last one ended it.
fn searched(attempts: &[Attempt]) -> String {
    let words = |one: &Attempt| format!("{} ({} states)", one.how, grouped(one.expanded));
    attempts.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// Where memory and time went.
fn write_costs(page: &mut Page, report: &Report<'_>) {
    let stats = &report.outcome.stats;
    let replayed = match stats.replayed {
        0 => String::new(),
        moves => format!(", {} made again to come back to states", grouped(moves)),
    };
    let words = format!(
        "{} executed, {} remembered{replayed}, in all rounds; {} of {} transitions led to a state \
         seen before",
        grouped(stats.executed),
        grouped(stats.remembered),
        grouped(stats.revisits),
        grouped(stats.transitions)
    );
    page.wrap("moves: ", Style::Strong, 2, &words);
    let states = stats.states.max(1) as f64;
    let parts = stats.memory.parts().into_iter().filter(|(_, bytes)| *bytes != 0);
    let parts: Vec<String> =
        parts.map(|(name, bytes)| format!("{name} {:.1}", bytes as f64 / states)).collect();
    let words = format!(
        "{:.1} in all: {}; the table of states is {:.0}% full",
        stats.memory.total() as f64 / states,
        parts.join(", "),
        stats.table_load * 100.0
    );
    page.wrap("bytes a state: ", Style::Strong, 2, &words);
    if 0 < stats.disk_bytes {
        let words = format!(
            "{} MiB, {:.1} bytes a state; more while files are merged",
            grouped(stats.disk_bytes.div_ceil(1 << 20)),
            stats.disk_bytes as f64 / states
        );
        page.wrap("on disk: ", Style::Strong, 2, &words);
    }
    let (execute, store) = (stats.execute_seconds, stats.store_seconds);
    let other = (report.seconds - execute - store).max(0.0);
    let words =
        format!("{execute:.2} s executing, {store:.2} s storing (sampled), {other:.2} s other");
    page.wrap("time: ", Style::Strong, 2, &words);
}

fn contended(names: &[String]) -> String {
    let shown = names.iter().take(CONTENDED_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(CONTENDED_SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
