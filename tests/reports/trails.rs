//! Trail files that cannot be used: damaged ones, those of another version, and other files.

use super::{assert_refused, check, run};
use samovar_tests::scratch::Scratch;
use serde_json::{Value, json};

#[test]
fn files_that_are_no_trails_are_refused() {
    let scratch = Scratch::new("foreign");
    check(&scratch, &[], "crossed.c", &[]);
    let good = std::fs::read(scratch.join("trail.json")).expect("a trail");
    let mut version: Value = serde_json::from_slice(&good).expect("JSON");
    version["samovar_trail"] = json!(99);
    let other_form = json!({ "samovar_trail": 2, "steps": "elsewhere" });
    let (version, other_form) = (version.to_string(), other_form.to_string());
    let cases: [(&[u8], &str); 10] = [
        (b"", "it is empty"),
        (b"hello\n", "no JSON object"),
        (b"\x7fELF\x02\x01\x01", "no JSON object"),
        (b"{", "ends too early"),
        (b"{\"samovar_trail\": 1,, }", "damaged"),
        (b"[1, 2]", "not a trail"),
        (b"{\"verdict\": \"error\"}", "samovar_trail"),
        (&good[..good.len() / 2], "ends too early"),
        (version.as_bytes(), "its form is 99"),
        (other_form.as_bytes(), "its form is 2"),
    ];
    for (bytes, words) in cases {
        std::fs::write(scratch.join("case.json"), bytes).expect("the case is written");
        assert_refused(&run(&scratch, &["replay", "case.json"]), &["case.json", words]);
    }
    assert_refused(&run(&scratch, &["replay", "."]), &["not a trail"]);
    assert_refused(&run(&scratch, &["replay", "missing.json"]), &["missing.json"]);
}

#[test]
fn damaged_trails_are_no_trouble() {
    let scratch = Scratch::new("damaged");
    check(&scratch, &[], "crossed.c", &[]);
    let good = std::fs::read(scratch.join("trail.json")).expect("a trail");
    // A byte here and there; whatever comes of it is said or makes no difference.
    for at in (0..good.len()).step_by(good.len() / 40 + 1) {
        let mut bytes = good.clone();
        bytes[at] = bytes[at].wrapping_add(1);
        std::fs::write(scratch.join("case.json"), &bytes).expect("the case is written");
        let outcome = run(&scratch, &["replay", "case.json"]);
        let said = outcome.stderr_text();
        match outcome.status.code() {
            Some(1) => {}
            Some(2) => assert!(said.starts_with("samovar: "), "byte {at}: {said}"),
            other => panic!("byte {at}: {other:?}, {said}"),
        }
        assert!(!said.contains("panicked"), "byte {at}: {said}");
    }
}

#[test]
fn reports_are_written_whole_or_not_at_all() {
    let scratch = Scratch::new("unwritable");
    for option in ["--html", "--junit", "--witness"] {
        let outcome = check(&scratch, &[option, "/nonexistent/x"], "crossed.c", &[]);
        assert_refused(&outcome, &["/nonexistent/x", "cannot be written"]);
        let outcome = check(&scratch, &[option, "/"], "crossed.c", &[]);
        assert_refused(&outcome, &["cannot be written"]);
    }
}
