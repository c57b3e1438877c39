//! Functions that access what they are handed in ordinary ways: those that a file of C defines
//! itself, whose text, with all that they call, has nothing atomic in it, and the usual ones of the
//! library. A compiler may attribute what an inlined function does to the place of its call.

use super::atomic_line::speaks;
use super::c_text::{calls, closing, identifier, is_part, without_comments};
use super::macros::Macros;
use super::on_behalf::FUNCTIONS;
use std::collections::{HashMap, HashSet};

/// See the module head.
#[derive(Debug, Default)]
pub struct Functions {
    ordinary: HashSet<String>,
}

impl Functions {
    /// The functions of a file, given all macros that are known there.
    pub fn of(file: &str, lines: &[String], macros: &Macros) -> Functions {
        if !file.ends_with(".c") {
            return Functions::default();
        }
        let text = code(lines);
        // By name: what it calls, or nothing if it is not ordinary in itself.
        let mut callees: HashMap<&str, Option<HashSet<String>>> = HashMap::new();
        for (name, definition) in definitions_in(&text) {
            let is_first = !callees.contains_key(name);
            callees.insert(name, is_first.then(|| called(name, definition, macros)).flatten());
        }
        let mut ordinary: HashMap<&str, HashSet<String>> =
            callees.into_iter().filter_map(|(name, callees)| Some((name, callees?))).collect();
        loop {
            let known: HashSet<&str> = ordinary.keys().chain(FUNCTIONS).copied().collect();
            let count = ordinary.len();
            ordinary.retain(|_, callees| callees.iter().all(|callee| known.contains(&**callee)));
            if ordinary.len() == count {
                return Functions { ordinary: ordinary.into_keys().map(str::to_string).collect() };
            }
        }
    }

    /// Whether a function is one of these. The name must be no macro's.
    pub fn contains(&self, name: &str) -> bool {
        FUNCTIONS.contains(&name) || self.ordinary.contains(name)
    }
}

/// What a function calls, unless there is something in it that is not ordinary.
fn called(name: &str, definition: &str, macros: &Macros) -> Option<HashSet<String>> {
    let mut all = HashSet::new();
    for variant in 0..macros.variants() {
        let text = macros.write_out(definition, variant, &speaks);
        let is_special = |word: &str| {
            let words = ["asm", "volatile"];
            speaks(word) || words.iter().any(|it| word.contains(it)) || macros.defines(word)
        };
        if text.split(|one| !is_part(one)).any(is_special) {
            return None;
        }
        let calls = calls(&text).into_iter().map(|call| call.name.to_string());
        all.extend(calls.filter(|callee| callee != name && callee != "sizeof"));
    }
    Some(all)
}

/// A file's text without comments, strings and directives.
fn code(lines: &[String]) -> String {
    let (mut text, mut goes_on) = (String::new(), false);
    for line in lines {
        let is_directive = goes_on || line.trim_start().starts_with('#');
        goes_on = is_directive && line.trim_end().ends_with('\\');
        if !is_directive {
            text.push_str(line);
        }
        text.push('\n');
    }
    without_comments(&text)
}

/// The functions that are defined in a text, with their parameters and bodies.
fn definitions_in(text: &str) -> Vec<(&str, &str)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let length = identifier(&text[at..]);
        let open = text.len() - text[at + length..].trim_start().len();
        if 0 < length && text[open..].starts_with('(') {
            let close = (closing(text, open) + 1).min(text.len());
            let rest = text[close..].trim_start();
            if rest.starts_with('{') {
                let end = end_of_block(text, text.len() - rest.len());
                found.push((&text[at..at + length], &text[at..end]));
                at = end;
                continue;
            }
        }
        at += if first == '{' {
            // What else has braces outside of functions: records and initial values.
            end_of_block(text, at) - at
        } else {
            length.max(first.len_utf8())
        };
    }
    found
}

/// The place behind the brace that closes the one that opens there.
fn end_of_block(text: &str, begin: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().skip(begin) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_without_anything_atomic_are_ordinary() {
        let text = "#define SET(p) __atomic_store_n(p, 1, 5)\n#define PUT(p) (*(p) = 1)\n\
                    struct s { int (*f)(void); };\n\
                    void w(int*p){*p=3;}\nstatic int deep(int *p) { w(p); PUT(p); return *p; }\n\
                    void st(int *p) { SET(p); }\nvoid far(int *p) { st(p); }\n\
                    void cast(int *p) { *(_Atomic int *)p = 1; }\n\
                    void gone(int *p) { elsewhere(p); }\nint declared(int *p);\n\
                    void order(int *p) { *p = 1; asm(\"mfence\"); }\n\
                    void fill(int *p) { if (p) memset(p, 0, sizeof(*p)); }\n";
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut macros = Macros::default();
        macros.add(&lines);
        let functions = Functions::of("a.c", &lines, &macros);
        for name in ["w", "deep", "fill", "memset"] {
            assert!(functions.contains(name), "{name}");
        }
        for name in ["st", "far", "cast", "gone", "declared", "order", "SET", "f"] {
            assert!(!functions.contains(name), "{name}");
        }
        assert!(!Functions::of("a.cpp", &lines, &macros).contains("w"));
    }
}
