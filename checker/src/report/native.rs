//! The native certificate in words, or for programs.

use crate::check::verdict::Finding;
use crate::cli::ReportFormat;
use crate::error::CommandError;
use crate::native::Certificate;
use crate::page::Page;
use crate::paint::Style;
use serde_json::json;
use std::io::Write;

/// Prints it.
pub fn print(
    certificate: &Certificate,
    finding: &Finding,
    format: ReportFormat,
) -> Result<(), CommandError> {
    let text = match format {
        ReportFormat::Text => {
            let mut page = Page::for_stdout();
            let error = format!("{}: {}", finding.kind.name(), finding.message);
            page.wrap("the trail: ", Style::Strong, 2, &error);
            let Certificate { legs, splits, shows, evidence } = certificate;
            let split = match splits {
                0 => String::new(),
                1 => ", one instruction held between its load and its store".to_string(),
                count => format!(", {count} instructions held between load and store"),
            };
            let words = format!("{legs} stretches of single threads forced{split}; {evidence}");
            let head = match shows {
                true => "the real program fails the same way: ",
                false => "the real program gets there, but nothing shows: ",
            };
            page.wrap(head, Style::Bad, 2, &words);
            page.text
        }
        ReportFormat::Json => {
            let report = json!({ "error": finding, "native": certificate });
            format!("{report:#}\n")
        }
    };
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes()).map_err(|error| CommandError::Output { fd: 1, error })
}
