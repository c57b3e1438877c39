//! Macros of C, as far as it takes to see what a statement does: definitions are collected from
//! files, and statements written out with them.
//!
//! Which definitions are in force is not found out: conditions are not evaluated. Where a name is
//! defined several times, a statement can be written out with each (`variant`). What is written
//! out is bounded in depth and length.

use super::c_text::{arguments, closing, identifier, is_part, without_comments};
use std::collections::HashMap;

/// How often what comes of writing out is written out again.
const DEPTH_MAX: usize = 12;
/// Longest text that is written out further.
const LENGTH_MAX: usize = 1 << 14;
/// Definitions of one name that are told apart.
const VARIANTS_MAX: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Macro {
    /// `None`: it has no parentheses.
    parameters: Option<Vec<String>>,
    body: String,
}

/// See the module head.
#[derive(Debug, Default)]
pub struct Macros {
    by_name: HashMap<String, Vec<Macro>>,
}

impl Macros {
    /// Takes in the definitions of a file.
    pub fn add(&mut self, lines: &[String]) {
        let mut rest = lines;
        while let Some((first, others)) = rest.split_first() {
            rest = others;
            let Some(start) = directive(first, "define") else { continue };
            let mut text = start.to_string();
            while text.trim_end().ends_with('\\') {
                text.truncate(text.trim_end().len() - 1);
                text.push(' ');
                let Some((next, others)) = rest.split_first() else { break };
                text.push_str(next);
                rest = others;
            }
            self.define(&without_comments(&text));
        }
    }

    /// Takes in `name body` or `name(parameters) body`.
    fn define(&mut self, text: &str) {
        let (name, rest) = text.split_at(identifier(text));
        let is_function = rest.starts_with('(');
        let end = if is_function { closing(rest, 0) } else { 0 };
        let parameters = is_function.then(|| {
            let all = arguments(rest, 0, end).into_iter();
            all.map(|(_, name)| name.replace("...", "__VA_ARGS__")).collect()
        });
        let body = rest.get(end + usize::from(is_function)..).unwrap_or_default();
        let made = Macro { parameters, body: body.trim().to_string() };
        let known = self.by_name.entry(name.to_string()).or_default();
        if !name.is_empty() && !known.contains(&made) && known.len() < VARIANTS_MAX {
            known.push(made);
        }
    }

    /// In how many ways a statement may have to be written out.
    pub fn variants(&self) -> usize {
        self.by_name.values().map(Vec::len).max().unwrap_or(1)
    }

    /// Whether a name is that of a macro.
    pub fn defines(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// A text with its macros written out, but for those whose names are to be kept. Of several
    /// definitions of a name the one of that number is taken, or the last.
    pub fn write_out(&self, text: &str, variant: usize, keep: &dyn Fn(&str) -> bool) -> String {
        let mut text = text.to_string();
        for _ in 0..DEPTH_MAX {
            let next = self.once(&text, variant, keep);
            if next == text || LENGTH_MAX < next.len() {
                break;
            }
            text = next;
        }
        text
    }

    fn once(&self, text: &str, variant: usize, keep: &dyn Fn(&str) -> bool) -> String {
        let (mut written, mut at) = (String::new(), 0);
        while let Some(first) = text[at..].chars().next() {
            let length = if written.ends_with(is_part) { 0 } else { identifier(&text[at..]) };
            if length == 0 {
                written.push(first);
                at += first.len_utf8();
                continue;
            }
            let name = &text[at..at + length];
            at += length;
            let known = if keep(name) { None } else { self.by_name.get(name) };
            let made = known.and_then(|all| all.get(variant).or(all.last()));
            match made.map(|made| (made, &made.parameters)) {
                Some((made, None)) => written.push_str(&made.body),
                Some((made, Some(parameters))) if text[at..].trim_start().starts_with('(') => {
                    let begin = at + text[at..].find('(').unwrap_or(0);
                    let end = closing(text, begin);
                    written.push_str(&with_arguments(made, parameters, text, (begin, end)));
                    at = (end + 1).min(text.len());
                }
                _ => written.push_str(name),
            }
        }
        written
    }
}

/// The body of a macro with arguments in the place of its parameters.
fn with_arguments(
    made: &Macro,
    parameters: &[String],
    text: &str,
    (begin, end): (usize, usize),
) -> String {
    let given = arguments(text, begin, end);
    let (mut written, mut at) = (String::new(), 0);
    let body = &made.body;
    while let Some(first) = body[at..].chars().next() {
        let length = if written.ends_with(is_part) { 0 } else { identifier(&body[at..]) };
        if length == 0 {
            written.push(first);
            at += first.len_utf8();
            continue;
        }
        let name = &body[at..at + length];
        at += length;
        match parameters.iter().position(|parameter| parameter == name) {
            // As a string it is no code.
            Some(_) if written.ends_with('#') && !written.ends_with("##") => {}
            Some(number) if name == "__VA_ARGS__" => {
                let from = given.get(number).map_or(end, |(from, _)| *from);
                written.push_str(&text[from..end]);
            }
            Some(number) => written.push_str(given.get(number).map_or("", |(_, text)| text)),
            None => written.push_str(name),
        }
    }
    pasted(&written)
}

/// Text with what `##` joins joined.
fn pasted(text: &str) -> String {
    let mut parts = text.split("##");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |written, part| written.trim_end().to_string() + part.trim_start())
}

/// What follows a directive, if a line is one.
pub fn directive<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix(name)?;
    (!rest.starts_with(is_part)).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(definitions: &str, text: &str) -> String {
        let mut macros = Macros::default();
        macros.add(&definitions.lines().map(str::to_string).collect::<Vec<_>>());
        macros.write_out(text, 0, &|name| name == "kept")
    }

    #[test]
    fn macros_are_written_out() {
        let all = "#define LD(p) load(&(p), \\\n  ORDER) // LD\n# define ORDER 5\n\
                   #define GET LD\n#define NOTHING\n#define kept(x) lost\n";
        assert_eq!(written(all, "x = LD(n);"), "x = load(&(n),    5);");
        assert_eq!(written(all, "GET (n[LD(m)])"), "load(&(n[load(&(m),    5)]),    5)");
        assert_eq!(written(all, "LD + MOLD(n) NOTHING kept(1)"), "LD + MOLD(n)  kept(1)");
        assert_eq!(written("#define F(a, b...) g(b)\n", "F(1)"), "g(b)");
        assert_eq!(written("#define F(a, ...) a(__VA_ARGS__)\n", "F(g, 1, 2)"), "g(1, 2)");
        assert_eq!(written("#define F(a) a ## _n(#a)\n", "F(g)"), "g_n(#)");
    }

    #[test]
    fn macros_without_end_are_not_followed() {
        assert_eq!(written("#define F F\n", "F"), "F");
        let growing = written("#define F(x) F(x) F(x)\n", "F(1)");
        assert!(growing.len() <= LENGTH_MAX, "{}", growing.len());
        assert_eq!(written("#define F(x\n#define (\n#define\n", "F(1"), "");
    }

    #[test]
    fn other_definitions_are_other_variants() {
        let mut macros = Macros::default();
        let text = "#if A\n#define LD(p) a(p)\n#else\n#define LD(p) b(p)\n#endif\n";
        macros.add(&text.lines().map(str::to_string).collect::<Vec<_>>());
        assert_eq!(macros.variants(), 2);
        assert_eq!(macros.write_out("LD(1)", 0, &|_| false), "a(1)");
        assert_eq!(macros.write_out("LD(1)", 1, &|_| false), "b(1)");
    }
}
