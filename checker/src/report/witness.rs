//! Trails as violation witnesses of the software verification competition: GraphML, version 1.0 of
//! the format, in which alone threads can be told.
//!
//! One edge per step: the thread, the line, and what it creates. What it leaves out: values, which
//! are those of a compiled program. Errors for which the competition has no property are stated as
//! `G ! kind`.

use super::Report;
use super::xml::escaped;
use crate::check::kind::ErrorKind;
use crate::check::verdict::Finding;
use crate::trail::{EventKind, Step};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// Names and types of what nodes and edges carry.
const KEYS: &[(&str, &str, &str)] = &[
    ("witness-type", "graph", "string"),
    ("sourcecodelang", "graph", "string"),
    ("producer", "graph", "string"),
    ("specification", "graph", "string"),
    ("programfile", "graph", "string"),
    ("programhash", "graph", "string"),
    ("architecture", "graph", "string"),
    ("creationtime", "graph", "string"),
    ("entry", "node", "boolean"),
    ("violation", "node", "boolean"),
    ("startline", "edge", "int"),
    ("endline", "edge", "int"),
    ("originfile", "edge", "string"),
    ("sourcecode", "edge", "string"),
    ("threadId", "edge", "int"),
    ("createThread", "edge", "int"),
    ("enterFunction", "edge", "string"),
];

/// The witness of an error in the program with these contents.
pub fn page(report: &Report<'_>, finding: &Finding, program: &[u8]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
    text.push_str("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (name, of, kind) in KEYS {
        let _ = writeln!(
            text,
            "  <key id=\"{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
        );
    }
    text.push_str("  <graph edgedefault=\"directed\">\n");
    let hash = Sha256::digest(program);
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let producer = format!("samovar {}", env!("CARGO_PKG_VERSION"));
    for (key, value) in [
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "C"),
        ("producer", &producer),
        ("specification", &specification(finding)),
        ("programfile", &report.setting.program),
        ("programhash", &hash),
        ("architecture", "64bit"),
        ("creationtime", &now()),
    ] {
        data(&mut text, 4, key, value);
    }
    let steps = &report.outcome.steps;
    for node in 0..=steps.len() {
        let _ = writeln!(text, "    <node id=\"N{node}\">");
        if node == 0 {
            data(&mut text, 6, "entry", "true");
        }
        if node == steps.len() {
            data(&mut text, 6, "violation", "true");
        }
        text.push_str("    </node>\n");
    }
    let mut seen: Vec<&str> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        edge(&mut text, report, index, step, !seen.contains(&step.thread.as_str()));
        seen.push(&step.thread);
    }
    text.push_str("  </graph>\n</graphml>\n");
    text
}

fn edge(text: &mut String, report: &Report<'_>, index: usize, step: &Step, is_first: bool) {
    let _ = writeln!(text, "    <edge source=\"N{index}\" target=\"N{}\">", index + 1);
    if let Some(number) = number(&step.thread) {
        data(text, 6, "threadId", &number.to_string());
    }
    if let Some(line) = step.location.line {
        data(text, 6, "startline", &line.to_string());
        data(text, 6, "endline", &line.to_string());
    }
    if let Some(file) = &step.location.file {
        data(text, 6, "originfile", file);
    }
    if let Some(source) = &step.source {
        data(text, 6, "sourcecode", source);
    }
    let created = step.event.as_ref().filter(|event| event.kind == EventKind::Create);
    let created = created.and_then(|event| event.thread.as_deref()).and_then(number);
    if let Some(created) = created {
        data(text, 6, "createThread", &created.to_string());
    }
    let start = report.outcome.threads.iter().find(|(name, _)| *name == step.thread);
    if let Some(start) = start.and_then(|(_, start)| start.as_deref()).filter(|_| is_first) {
        data(text, 6, "enterFunction", start);
    }
    text.push_str("    </edge>\n");
}

fn data(text: &mut String, indent: usize, key: &str, value: &str) {
    let _ = writeln!(text, "{:indent$}<data key=\"{key}\">{}</data>", "", escaped(value));
}

/// The number of a thread by its name.
fn number(thread: &str) -> Option<u32> {
    if thread == "main" { Some(0) } else { thread.strip_prefix('T')?.parse().ok() }
}

/// The property that is violated.
fn specification(finding: &Finding) -> String {
    let formula = match (finding.kind, finding.detail.as_deref()) {
        (ErrorKind::Assertion, _) => "G ! call(reach_error())".to_string(),
        (ErrorKind::Memory, Some("double-free" | "invalid-free")) => "G valid-free".to_string(),
        (ErrorKind::Memory, _) => "G valid-deref".to_string(),
        (kind, _) => format!("G ! {}", kind.name()),
    };
    format!("CHECK( init(main()), LTL({formula}) )")
}

/// The time, which the format demands; `SOURCE_DATE_EPOCH` stands in for it where it is set.
fn now() -> String {
    let named = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    moment(named.unwrap_or_else(clock))
}

/// Seconds since 1970 as a date and a time in UTC.
fn moment(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (mut year, mut day) = (1970, days);
    let fits = |year: u64, years: u64| year.is_multiple_of(years);
    let is_leap = |year: u64| fits(year, 4) && (!fits(year, 100) || fits(year, 400));
    while 365 + u64::from(is_leap(year)) <= day && year < 9999 {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates() {
        assert_eq!(moment(0), "1970-01-01T00:00:00Z");
        assert_eq!(moment(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(moment(1_735_689_599), "2024-12-31T23:59:59Z");
    }

    #[test]
    fn threads_have_numbers() {
        assert_eq!(number("main"), Some(0));
        assert_eq!(number("T12"), Some(12));
        assert_eq!(number("time"), None);
    }
}
