//! Panics of Rust that nobody handles, told by the place that the library noted and by what it said
//! on standard error. A program may say nothing there, or something else: then the place is all.

use crate::trail::Location;
use crate::trail::names::Names;
use samovar_runtime::Violation;
use samovar_vm::machine::ThreadId;

/// What the library's message begins with, before the place.
const AT: &str = "panicked at ";

/// One sentence about the panic of a thread.
pub fn message(names: &Names, thread: ThreadId, violation: &Violation, said: &str) -> String {
    let name = names.thread(thread);
    let deed = match thread {
        ThreadId(0) => format!("{name} panics"),
        _ => format!("{name} panics and nobody joins it"),
    };
    let place = violation.source.as_ref().map(|(file, line)| format!("{file}:{line}:"));
    let Some(text) = text(said, place.as_deref().unwrap_or_default()) else { return deed };
    match reason(said, &text) {
        Some(reason) => format!("{deed}: {text}; before that: {reason}"),
        None => format!("{deed}: {text}"),
    }
}

/// The same of a process that a panic has aborted.
pub fn of_abort(said: &str) -> Option<String> {
    Some(format!("panics: {}", text(said, "")?))
}

/// Where a panic happened: as the library noted it, or else as it said.
pub fn location(violation: &Violation, said: &str) -> Option<Location> {
    let (file, line) = match &violation.source {
        Some((file, line)) => (file.clone(), *line),
        None => place(said)?,
    };
    Some(Location { file: Some(file), line: Some(line), ..Location::default() })
}

/// File and line of the last panic.
fn place(said: &str) -> Option<(String, u32)> {
    let (_, rest) = said.rsplit_once(AT)?;
    let mut parts = rest.lines().next()?.trim_end_matches(':').rsplitn(3, ':');
    let (_, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file.to_string(), line.parse().ok()?))
}

/// What was said about the last panic whose place begins like this.
fn text(said: &str, place: &str) -> Option<String> {
    let (_, rest) = said.rsplit_once(&format!("{AT}{place}"))?;
    let lines = rest.lines().skip(1).map(str::trim);
    let own = lines.take_while(|line| {
        !line.is_empty() && !line.starts_with("note: ") && !line.starts_with("stack backtrace:")
    });
    let text = own.collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then_some(text)
}

/// The panic of another thread that a panic passes on, which says nothing by itself.
fn reason(said: &str, text: &str) -> Option<String> {
    let passes_on = text.contains("value: Any") || text.contains("scoped thread panicked");
    let (before, _) = said.rsplit_once(AT).filter(|_| passes_on)?;
    let (file, line) = place(before)?;
    let file = file.rsplit('/').next().unwrap_or(&file);
    Some(format!("{} ({file}:{line})", self::text(before, "")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\nthread '<unnamed>' (1001) panicked at src/a.rs:3:5:\n\
        assertion `left == right` failed\n  left: 1\n right: 2\n\
        note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\
        thread 'main' (1000) panicked at src/a.rs:7:14:\n\
        called `Result::unwrap()` on an `Err` value: Any { .. }\n";

    #[test]
    fn messages_are_found_by_place() {
        let first = "assertion `left == right` failed, left: 1, right: 2";
        assert_eq!(text(SAID, "src/a.rs:3:").as_deref(), Some(first));
        assert!(text(SAID, "").unwrap().starts_with("called `Result::unwrap()`"));
        assert_eq!(text(SAID, "src/a.rs:4:"), None);
        assert_eq!(text("something else\n", ""), None);
        assert_eq!(place(SAID), Some(("src/a.rs".to_string(), 7)));
    }

    #[test]
    fn a_panic_that_is_passed_on_has_a_reason() {
        let reason = reason(SAID, &text(SAID, "").unwrap()).unwrap();
        assert!(reason.starts_with("assertion `left"), "{reason}");
        assert!(reason.ends_with("(a.rs:3)"), "{reason}");
        assert_eq!(super::reason(SAID, "x is 3"), None);
    }
}
