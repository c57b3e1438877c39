//! Reports as JUnit XML, which CI servers show as a test: one suite with one case, the program.
//!
//! Verified is a passed test and an error a failure. Incomplete and unsupported are errors: the
//! test itself could not be carried through, and nothing may take that for a success.

use super::Report;
use super::explain::explain;
use super::xml::{attribute, escaped};
use crate::check::verdict::Verdict;
use crate::page::Page;
use std::fmt::Write as _;

/// The report.
pub fn page(report: &Report<'_>) -> String {
    let program = std::iter::once(&report.setting.program).chain(&report.setting.args);
    let name = program.map(String::as_str).collect::<Vec<_>>().join(" ");
    let (failures, errors) = match &report.outcome.verdict {
        Verdict::Verified => (0, 0),
        Verdict::Error(_) => (1, 0),
        Verdict::Incomplete { .. } | Verdict::Unsupported { .. } => (0, 1),
    };
    let counts = format!(
        "tests=\"1\" failures=\"{failures}\" errors=\"{errors}\" time=\"{:.3}\"",
        report.seconds
    );
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(text, "<testsuites name=\"samovar\" {counts}>");
    let _ = writeln!(text, "  <testsuite name=\"samovar check\" {counts} skipped=\"0\">");
    let _ = writeln!(
        text,
        "    <testcase name=\"{}\" classname=\"samovar.check\" time=\"{:.3}\">",
        attribute(&name),
        report.seconds
    );
    if let Some((element, kind, message, story)) = trouble(report) {
        let _ = writeln!(
            text,
            "      <{element} type=\"{}\" message=\"{}\">{}</{element}>",
            attribute(&kind),
            attribute(&message),
            escaped(&story)
        );
    }
    text.push_str("    </testcase>\n");
    let output = report.output(1);
    if !output.is_empty() {
        let _ = writeln!(text, "    <system-out>{}</system-out>", escaped(&output));
    }
    let errors = report.output(2);
    if !errors.is_empty() {
        let _ = writeln!(text, "    <system-err>{}</system-err>", escaped(&errors));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// What the test ran into: the element, the kind, one sentence, and the whole story.
fn trouble(report: &Report<'_>) -> Option<(&'static str, String, String, String)> {
    match &report.outcome.verdict {
        Verdict::Verified => None,
        Verdict::Incomplete { reason } => {
            Some(("error", "incomplete".into(), reason.clone(), reason.clone()))
        }
        Verdict::Unsupported { what, location } => {
            let message = what.to_string();
            Some(("error", "unsupported".into(), message.clone(), format!("{message}, {location}")))
        }
        Verdict::Error(finding) => {
            let mut page = Page::plain(crate::page::WIDTH);
            for sentence in explain(finding, &report.outcome.steps).sentences {
                page.wrap("", crate::paint::Style::Plain, 0, &sentence);
            }
            for step in &report.outcome.steps {
                let place = step.location.short().unwrap_or_else(|| step.location.to_string());
                let head = format!("{:>4}  {}  {place}  ", step.step, step.thread);
                page.wrap(&head, crate::paint::Style::Plain, 6, &crate::trail::words::deed(step));
            }
            let kind = finding.kind.name().to_string();
            Some(("failure", kind, finding.message.clone(), page.text))
        }
    }
}
