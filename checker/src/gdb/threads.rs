//! Threads in gdb's eyes: numbers from one, names, and what they wait for.

use crate::replay::doing::doing;
use crate::trail::Names;
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use std::fmt::Write;

/// Threads that have not ended; all if none is left.
pub fn alive(process: &Process) -> Vec<ThreadId> {
    let all = process.threads().iter().enumerate();
    let alive: Vec<ThreadId> = all
        .filter(|(_, thread)| thread.is_alive())
        .map(|(index, _)| ThreadId(index as u32))
        .collect();
    if alive.is_empty() { vec![ThreadId(0)] } else { alive }
}

/// gdb's number of a thread.
pub fn id(thread: ThreadId) -> String {
    format!("{:x}", thread.0 + 1)
}

/// The thread of gdb's number; none for `0` and `-1`, which stand for any and for all.
pub fn parse(text: &str) -> Option<ThreadId> {
    u32::from_str_radix(text, 16).ok()?.checked_sub(1).map(ThreadId)
}

/// The list of threads as XML.
pub fn list(process: &Process, names: &Names) -> String {
    let mut text = String::from(r#"<?xml version="1.0"?><threads>"#);
    for thread in alive(process) {
        let name = match names.start_of(thread) {
            Some(start) => format!("{} {start}", names.thread(thread)),
            None => names.thread(thread),
        };
        let (id, name) = (id(thread), escape(&name));
        let extra = escape(&doing(process, names, thread));
        let _ = write!(text, r#"<thread id="{id}" name="{name}">{extra}</thread>"#);
    }
    text.push_str("</threads>");
    text
}

/// Text inside of XML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_with_one() {
        assert_eq!(id(ThreadId(0)), "1");
        assert_eq!(id(ThreadId(15)), "10");
        assert_eq!(parse("10"), Some(ThreadId(15)));
        assert_eq!(parse("0"), None);
        assert_eq!(parse("-1"), None);
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escape("a<b>&\""), "a&lt;b&gt;&amp;&quot;");
    }
}
