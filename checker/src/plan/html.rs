//! Plans as a page for the browser: one file with everything in it, no network.
//!
//! The plan is in the page as JSON and its script draws from that: a chart of agents over time,
//! the grid with its pieces if the program told of one, and the list of actions. Nothing of the
//! guest's text is ever markup.

use super::verdict::Verdict;
use super::{Report, json};
use serde_json::json;

/// The page, with a mark where the data goes.
const PAGE: &str = include_str!("assets/plan.html");
const MARK: &str = "<!--{data}-->";

/// The page.
pub fn page(report: &Report<'_>) -> String {
    let scene = match &report.outcome.verdict {
        Verdict::Plan(plan) if plan.scene.is_visible() => json!(plan.scene),
        _ => json!(null),
    };
    let data = json!({
        "report": json::object(report),
        "goal": report.target.text(),
        "scene": scene,
    });
    // Data must not end the element that it is in.
    let data = data.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028");
    PAGE.replacen(MARK, &data, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_one_place_for_data() {
        assert_eq!(PAGE.matches(MARK).count(), 1);
    }
}
