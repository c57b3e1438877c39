//! What the head comments of `examples/planning` say.
//!
//! ```text
//! // plan: --goal=served==3 --minimise=energy -DX 1 2 => 13
//! ```
//!
//! Before the arrow stand options of `samovar plan`, of the compiler (one hyphen) and arguments;
//! behind it the cost, the names of all actions, or `no plan`. Every plan is replayed.

use super::{actions, plan, run};
use samovar_tests::binary::workspace;
use samovar_tests::scratch::Scratch;
use std::path::Path;

/// Checks one line; what is wrong with it.
fn complaint(file: &Path, line: &str) -> Option<String> {
    let (way, expected) = line.split_once(" => ")?;
    let scratch = Scratch::new("examples");
    let mut words: Vec<String> = Vec::new();
    let mut arguments = Vec::new();
    for word in way.split_whitespace() {
        match word {
            _ if word.starts_with("--") => words.push(word.to_string()),
            _ if word.starts_with('-') => words.push(format!("--cflags={word}")),
            _ => arguments.push(word.to_string()),
        }
    }
    words.push("--trail=saved.json".to_string());
    words.push(file.display().to_string());
    words.extend(arguments);
    let (report, status) = plan(&scratch, &words);
    let found = match status {
        1 => "no plan".to_string(),
        0 if expected.parse::<i64>().is_ok() => report["cost"].to_string(),
        0 => actions(&report).join(" "),
        _ => format!("{report}"),
    };
    if status == 0 {
        let replayed = run(&scratch, &["replay", "--format=json", "saved.json"]);
        let again: serde_json::Value = serde_json::from_slice(&replayed.stdout)
            .unwrap_or_else(|_| panic!("{way}: {}", replayed.stderr_text()));
        assert_eq!(replayed.status.code(), Some(0), "{way}");
        assert_eq!(again["plan"], report["plan"], "{way}");
    }
    (found != expected).then(|| format!("{}: {line}: {found}", file.display()))
}

#[test]
fn every_example_has_its_plans() {
    let directory = workspace().join("examples/planning");
    let mut lines = 0;
    let mut complaints = Vec::new();
    for entry in std::fs::read_dir(&directory).expect("the examples") {
        let file = entry.expect("an example").path();
        let text = std::fs::read_to_string(&file).expect("a text");
        let own: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("// plan: ")).collect();
        assert!(!own.is_empty(), "{} says nothing of plans", file.display());
        lines += own.len();
        complaints.extend(own.iter().filter_map(|line| complaint(&file, line)));
    }
    assert!(complaints.is_empty(), "{} of {lines}:\n{}", complaints.len(), complaints.join("\n"));
}
