//! `check --dot`: the graph of states; `replay --html`: the page of a saved trail.

use super::{check, run};
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// The states that a graph mentions, and the lines of its ends.
fn states(graph: &str) -> (BTreeSet<u32>, Vec<&str>) {
    let mut found = BTreeSet::new();
    for line in graph.lines().filter(|line| line.contains(" -> ")) {
        let (from, rest) = line.trim().split_once(" -> ").expect("an edge");
        let to = rest.split(' ').next().unwrap_or_default();
        found.extend([from, to].iter().filter_map(|name| name.parse::<u32>().ok()));
    }
    (found, graph.lines().filter(|line| line.contains("shape=box")).collect())
}

#[test]
fn the_graph_has_the_states_of_the_search() {
    let scratch = Scratch::new("graph");
    let file = scratch.join("graph.dot").display().to_string();
    let options = ["--dot", &file, "--search", "bfs", "--format", "json"];
    let outcome = check(&scratch, &options, "apart.c", &[]);
    let report: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    assert_eq!(report["verdict"], "verified", "{report}");
    let graph = std::fs::read_to_string(scratch.join("graph.dot")).expect("a graph");
    let (numbers, ends) = states(&graph);
    assert_eq!(Some(numbers.len() as u64), report["stats"]["states"].as_u64(), "{graph}");
    assert_eq!(numbers.last().map(|last| *last as usize + 1), Some(numbers.len()), "{graph}");
    assert!(ends.iter().all(|end| !end.contains("#c62828")), "{graph}");
}

/// The clock stands still there, too.
#[test]
fn the_graph_of_who_sleeps_has_an_end() {
    let scratch = Scratch::new("graph-naps");
    let file = scratch.join("graph.dot").display().to_string();
    check(&scratch, &["--dot", &file], "naps.c", &[]);
    let graph = std::fs::read_to_string(file).expect("a graph");
    assert!(graph.contains("label=\"exit 0\""), "{graph}");
    assert!(!graph.contains("the rest is left out"), "{graph}");
}

#[test]
fn errors_are_in_the_graph() {
    let scratch = Scratch::new("graph-error");
    let file = scratch.join("graph.dot");
    check(&scratch, &["--dot", file.to_str().expect("text")], "crossing.c", &[]);
    let graph = std::fs::read_to_string(scratch.join("graph.dot")).expect("a graph");
    let (_, ends) = states(&graph);
    let is_deadlock = |end: &&&str| end.contains("label=\"deadlock\"") && end.contains("#c62828");
    assert_eq!(ends.iter().filter(is_deadlock).count(), 1, "{graph}");
    assert!(ends.iter().any(|end| end.contains("label=\"exit 0\"")), "{graph}");
    assert!(graph.contains("locks left"), "{graph}");
    if let Some(dot) = need("dot") {
        let output = Command::new(dot).arg("-Tsvg").arg(file).output().expect("dot starts");
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn a_replayed_page_has_registers() {
    let scratch = Scratch::new("replayed-page");
    check(&scratch, &[], "crossing.c", &[]);
    let outcome = run(&scratch, &["replay", "--html", "page.html", "trail.json"]);
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    let page = std::fs::read_to_string(scratch.join("page.html")).expect("a page");
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let data: Value = serde_json::from_str(data.expect("data")).expect("JSON");
    let steps = data["report"]["trail"].as_array().map_or(0, Vec::len);
    let registers = data["registers"].as_array().expect("registers");
    assert_eq!(registers.len(), steps + 1);
    for all in registers {
        assert_eq!(all["values"][0][0], "rip", "{all}");
        assert_eq!(all["values"].as_array().map(Vec::len), Some(18), "{all}");
    }
    assert_eq!(data["report"]["error"]["kind"], "deadlock");
}
