//! Reports as a page for the browser: one file with everything in it, no network.
//!
//! The page is made of the files in `assets/`; the report is in it as JSON, and its scripts draw
//! from that. Nothing of the guest's text is ever markup: it is data to the scripts, which put it
//! in as text.

use super::explain::explain;
use super::{Report, json};
use crate::check::verdict::{Finding, Verdict};
use crate::trail::Step;
use crate::trail::file::SavedTrail;
use crate::trail::links::links;
use crate::trail::source::Sources;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The page with marks where the parts go.
const PAGE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
/// The scripts, in the order in which they are needed.
const SCRIPTS: &[&str] = &[
    include_str!("assets/model.js"),
    include_str!("assets/timeline.js"),
    include_str!("assets/detail.js"),
    include_str!("assets/search.js"),
    include_str!("assets/page.js"),
];
/// Files of more lines are shown in parts.
const LINES_WHOLE: usize = 5000;
/// Lines around those that matter in such files.
const LINES_AROUND: usize = 40;

/// The page.
pub fn page(report: &Report<'_>) -> String {
    filled(&title(report.outcome.verdict.name(), &report.setting.program), &data(report))
}

/// The page of a trail that was replayed: without a search, but with the registers of the thread
/// that moves, after each step from none on.
pub fn replayed(
    saved: &SavedTrail,
    steps: &[Step],
    finding: &Finding,
    threads: &[(String, Option<String>)],
    registers: &[Value],
) -> String {
    let mut report = json::trail(saved, steps, finding);
    let threads = threads.iter().map(|(name, start)| json!({ "name": name, "start": start }));
    report["threads"] = threads.collect();
    let data = json!({
        "report": report,
        "links": links(steps),
        "sentences": explain(finding, steps).sentences,
        "sources": sources(steps, Some(finding)),
        "registers": registers,
    });
    filled(&title("error", &saved.setting.program), &data)
}

fn filled(title: &str, data: &Value) -> String {
    let mut page = String::with_capacity(1 << 18);
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("<!--{") {
        page.push_str(before);
        let (name, after) = after.split_once("}-->").unwrap_or((after, ""));
        match name {
            "title" => page.push_str(&super::xml::escaped(title)),
            "style" => page.push_str(STYLE),
            "data" => page.push_str(&embedded(data)),
            "scripts" => SCRIPTS.iter().for_each(|script| page.push_str(script)),
            other => debug_assert!(false, "no part of the page is called {other}"),
        }
        rest = after;
    }
    page.push_str(rest);
    page
}

fn title(verdict: &str, program: &str) -> String {
    format!("{verdict}: {program}")
}

/// JSON that cannot end the element that it is in.
fn embedded(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028")
}

fn data(report: &Report<'_>) -> Value {
    let outcome = report.outcome;
    let finding = match &outcome.verdict {
        Verdict::Error(finding) => Some(finding),
        _ => None,
    };
    let mut sentences = match finding {
        Some(finding) => {
            let mut sentences = explain(finding, &outcome.steps).sentences;
            sentences.extend(outcome.no_return.iter().map(|no_return| {
                format!("Point of no return: {}.", no_return.sentence(&outcome.steps))
            }));
            sentences
        }
        None => Vec::new(),
    };
    let notes = outcome.notes.iter().map(|note| format!("Note: {}.", note.message));
    sentences.extend(notes);
    json!({
        "report": json::object(report),
        "links": links(&outcome.steps),
        "sentences": sentences,
        "sources": sources(&outcome.steps, finding),
    })
}

/// The source files that the trail passes through: for each, pieces with the number of their first
/// line.
fn sources(steps: &[Step], finding: Option<&Finding>) -> Value {
    let mut wanted: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let steps = steps.iter().map(|step| &step.location);
    let waits = finding.iter().flat_map(|finding| finding.waits.iter().map(|wait| &wait.location));
    let place = finding.iter().filter_map(|finding| finding.location.as_ref());
    for location in steps.chain(waits).chain(place) {
        if let (Some(file), Some(line)) = (&location.file, location.line) {
            wanted.entry(file).or_default().push(line as usize);
        }
    }
    let mut sources = Sources::default();
    let mut files = Map::new();
    for (file, lines) in wanted {
        if let Some(text) = sources.lines(file) {
            files.insert(file.to_string(), json!(pieces(text, lines)));
        }
    }
    Value::Object(files)
}

/// The whole text, or the lines around those that matter.
fn pieces(text: &[String], mut lines: Vec<usize>) -> Vec<(usize, Vec<String>)> {
    if text.len() <= LINES_WHOLE {
        return vec![(1, text.to_vec())];
    }
    lines.sort_unstable();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        let from = line.saturating_sub(LINES_AROUND).max(1);
        let to = (line + LINES_AROUND).min(text.len());
        match ranges.last_mut() {
            Some((_, end)) if from <= *end + 1 => *end = to.max(*end),
            _ if from <= to => ranges.push((from, to)),
            _ => {}
        }
    }
    ranges.into_iter().map(|(from, to)| (from, text[from - 1..to].to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_page_is_filled_in() {
        let names: Vec<&str> =
            PAGE.split("<!--{").skip(1).filter_map(|rest| rest.split("}-->").next()).collect();
        assert_eq!(names, ["title", "style", "data", "scripts"]);
    }

    #[test]
    fn data_cannot_end_its_element() {
        let text = embedded(&json!({ "source": "</script><script>alert(1)</script>" }));
        assert!(!text.contains('<'), "{text}");
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["source"], "</script><script>alert(1)</script>");
    }

    #[test]
    fn long_files_are_shown_in_parts() {
        let text: Vec<String> = (1..=10_000).map(|line| line.to_string()).collect();
        let parts = pieces(&text, vec![9_999, 100, 150]);
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].0, parts[0].1.len()), (60, 131));
        assert_eq!(parts[1].1.last().map(String::as_str), Some("10000"));
        assert_eq!(pieces(&text[..10], vec![3]).len(), 1);
    }
}
