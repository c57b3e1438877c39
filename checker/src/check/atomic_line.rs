//! Whether a statement of the source accesses a variable by an atomic operation.
//!
//! An atomic load or store is an ordinary instruction on most processors, and C lets programs
//! access ordinary variables atomically (`__atomic_load_n(&ready, …)`). Only the source tells. The
//! statement is read without its comments and strings; it must name the variable only as an
//! argument of an operation that is called atomic, or of a macro of the same file that is defined
//! by one. Left out: macros of other files, unless `&variable` is handed to them.

/// What is known of an access by reading its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// By atomic operations.
    Atomic,
    /// By something that takes its address, but accesses it here: a macro that is not known.
    Macro,
    /// Otherwise.
    Plain,
}

/// Lines of a statement before and behind the one that is known.
const LINES_MAX: usize = 4;

/// How a variable is accessed on a line, counted from one, of a file.
pub fn manner(lines: &[String], number: usize, variable: Option<&str>) -> Manner {
    let text = statement(lines, number);
    let calls = calls(&text);
    let is_atomic = |name: &str| speaks(name) || is_defined_so(lines, name);
    let occurrences = variable.map_or_else(Vec::new, |name| occurrences(&text, name));
    if occurrences.is_empty() {
        // It goes by another name here.
        let found = calls.iter().any(|call| is_atomic(call.name));
        return if found { Manner::Atomic } else { Manner::Plain };
    }
    let inside = |at: usize, wanted: &dyn Fn(&str) -> bool| {
        calls.iter().any(|call| call.begin < at && at < call.end && wanted(call.name))
    };
    let has_address = |at: usize| text[..at].trim_end().ends_with('&');
    if occurrences.iter().all(|&at| inside(at, &is_atomic)) {
        Manner::Atomic
    } else if occurrences.iter().all(|&at| has_address(at) && inside(at, &|_| true)) {
        Manner::Macro
    } else {
        Manner::Plain
    }
}

fn speaks(name: &str) -> bool {
    name.to_ascii_lowercase().contains("atomic") || name.starts_with("__sync_")
}

/// Whether a file defines a macro by an atomic operation.
fn is_defined_so(lines: &[String], name: &str) -> bool {
    let defines = |line: &String| {
        let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
        let rest = rest.and_then(|rest| rest.strip_prefix("define")).map(str::trim_start);
        rest.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('('))
    };
    let Some(first) = lines.iter().position(defines) else { return false };
    let mut text = String::new();
    for line in &lines[first..] {
        text.push_str(line);
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    let text = without_comments(&text);
    calls(&text).iter().any(|call| call.name != name && speaks(call.name))
}

/// The statements that a line is part of, without comments and strings.
fn statement(lines: &[String], number: usize) -> String {
    let at = number.saturating_sub(1).min(lines.len());
    let ends = |line: &String| {
        let code = without_comments(line);
        let code = code.trim();
        code.is_empty() || code.starts_with('#') || code.ends_with([';', '{', '}', ':'])
    };
    let before = lines[..at].iter().rev().take(LINES_MAX).take_while(|line| !ends(line)).count();
    let behind = lines[at..].iter().take(LINES_MAX).position(ends).map_or(1, |place| place + 1);
    let end = (at + behind).min(lines.len());
    without_comments(&lines[at - before..end].join("\n"))
}

/// Code without comments, and without what is in strings.
fn without_comments(text: &str) -> String {
    let (mut code, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            end_of_string(rest)
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[skipped..];
    }
    code
}

/// The length of the string that a text begins with.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return at + 1,
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    text.len()
}

/// Something with arguments in parentheses.
struct Call<'a> {
    name: &'a str,
    begin: usize,
    end: usize,
}

fn calls(text: &str) -> Vec<Call<'_>> {
    let mut found = Vec::new();
    for (begin, _) in text.match_indices('(') {
        let mut head = text[..begin].trim_end();
        // The parameters of a template.
        if head.ends_with('>') {
            head = head.rfind('<').map_or(head, |at| head[..at].trim_end());
        }
        let start = head.rfind(|one: char| !is_part(one)).map_or(0, |at| at + 1);
        let name = head.get(start..).unwrap_or_default();
        if !name.is_empty() && !["if", "while", "for", "switch", "return"].contains(&name) {
            found.push(Call { name, begin, end: closing(text, begin) });
        }
    }
    found
}

/// Where the parenthesis that opens there is closed.
fn closing(text: &str, begin: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().skip(begin) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn is_part(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_'
}

/// Where a variable or its last member is named.
fn occurrences(text: &str, variable: &str) -> Vec<usize> {
    let mut names = variable
        .split(|one| !is_part(one))
        .filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'));
    let first = names.next();
    let names: Vec<&str> = first.into_iter().chain(names.next_back()).collect();
    let whole = |&(at, name): &(usize, &str)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    };
    let found = names.iter().flat_map(|name| text.match_indices(name));
    found.filter(whole).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(text: &str, line: usize, variable: &str) -> Manner {
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        manner(&lines, line, Some(variable))
    }

    #[test]
    fn words_alone_make_nothing_atomic() {
        let plain = [
            "n++; /* not atomic */",
            "n++; // atomic_load(&n)",
            "n++, s = \"atomic_load(&n)\";",
            "n += atomic_load(&other);",
            "atomic_fetch_add(&other, 1); n++;",
            "n = atomic_load(&n) + 1;",
            "printf(\"%d\", n);",
            "if (n) return;",
        ];
        for text in plain {
            assert_eq!(on(text, 1, "n"), Manner::Plain, "{text}");
        }
        assert_eq!(on("atomic_count++;", 1, "atomic_count"), Manner::Plain);
        assert_eq!(on("atomics.a++;", 1, "atomics.a"), Manner::Plain);
    }

    #[test]
    fn operations_do() {
        let atomic = [
            "__atomic_store_n(&n, 1, __ATOMIC_RELEASE);",
            "while (!__atomic_load_n(&n, __ATOMIC_ACQUIRE)) ;",
            "int old = __sync_fetch_and_add(&n, 1);",
            "std::atomic_ref<int>(n).fetch_add(1);",
            "x = 1 + atomic_load_explicit(&n, memory_order_relaxed); // n",
        ];
        for text in atomic {
            assert_eq!(on(text, 1, "n"), Manner::Atomic, "{text}");
        }
        assert_eq!(on("atomic_store(&p->head,\n    next);", 1, "queue.head"), Manner::Atomic);
        assert_eq!(on("a();\natomic_store(\n    &n,\n    1);", 3, "n"), Manner::Atomic);
        // By another name.
        assert_eq!(on("return atomic_load(slot);", 1, "n"), Manner::Atomic);
    }

    #[test]
    fn macros_are_looked_up() {
        let text = "#define LD(p) __atomic_load_n(&(p), \\\n    __ATOMIC_RELAXED)\n\
                    #define INC(p) (p)++\n\
                    x = LD(n);\nINC(n);\nsmp_store_release(&n, 1);\n";
        assert_eq!(on(text, 4, "n"), Manner::Atomic);
        assert_eq!(on(text, 5, "n"), Manner::Plain);
        assert_eq!(on(text, 6, "n"), Manner::Macro);
    }
}
