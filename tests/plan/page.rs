//! The page for the browser, in a real one.

use super::{example, run};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;

/// What a page is after its script has run; `None` if there is no browser.
fn drawn(scratch: &Scratch, file: &str) -> Option<String> {
    let chromium = need("chromium")?;
    let page = format!("file://{}", scratch.join(file).display());
    let profile = format!("--user-data-dir={}", scratch.join("profile").display());
    let words = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--virtual-time-budget=4000",
        &profile,
        "--dump-dom",
        &page,
    ];
    Some(Job::new(&chromium, &words).directory(scratch.path()).run().stdout_text())
}

#[test]
fn agents_over_time_and_pieces_on_a_grid_are_drawn() {
    let scratch = Scratch::new("page");
    let words = ["plan", "--goal=arrived", "--html=paths.html", &example("paths.c")];
    assert_eq!(run(&scratch, &words).status.code(), Some(0));
    let text = std::fs::read_to_string(scratch.join("paths.html")).expect("a page");
    assert!(!text.contains("http://") || text.matches("http://").count() == 1, "a link");
    if let Some(page) = drawn(&scratch, "paths.html") {
        assert_eq!(page.matches("class=\"bar\"").count(), 14, "{page}");
        assert_eq!(page.matches("class=\"piece\"").count(), 2);
        assert_eq!(page.matches("class=\"wall\"").count(), 6);
        assert!(page.contains("Plan: 14 actions"));
    }
    let words = ["plan", "--phase-states=20000", "--html=mamp.html", &example("mamp.c")];
    assert_eq!(run(&scratch, &words).status.code(), Some(0));
    if let Some(page) = drawn(&scratch, "mamp.html") {
        assert_eq!(page.matches("class=\"bar\"").count(), 3, "{page}");
        assert!(page.contains("Plan: 2 parallel steps"));
    }
}
