//! Whether a statement of the source accesses a variable by an atomic operation.
//!
//! An atomic load or store is an ordinary instruction on most processors, and C lets programs
//! access ordinary variables atomically (`__atomic_load_n(&ready, …)`). Only the source tells. The
//! statement is read without its comments and strings and with its macros written out. It must
//! name the variable only where an operation that is called atomic takes what it works on: the
//! first argument. Where it does not name the variable, it goes through a pointer, and nothing else
//! in the statement may do what was done. Left out: members of C++ objects that are named without
//! their object are not known for what they are.

use super::c_text::{Call, arguments, calls, is_part, without_comments};
use super::macros::Macros;

/// What is known of an access by reading its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// By an atomic operation.
    Atomic,
    /// By an atomic operation or by something else, or by something that takes its address but
    /// accesses it here: a macro that is not known.
    Unclear,
    /// Otherwise.
    Plain,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Read,
    Write,
}

/// Lines of a statement before and behind the one that is known.
const LINES_MAX: usize = 4;

/// How a variable is accessed in a statement; of some functions it is known that they access what
/// they are handed in ordinary ways.
pub fn manner(
    macros: &Macros,
    text: &str,
    variable: Option<&str>,
    deed: Deed,
    is_ordinary: &dyn Fn(&str) -> bool,
) -> Manner {
    let mut all = (0..macros.variants()).map(|variant| {
        let text = macros.write_out(text, variant, &speaks);
        written_out(&text, variable, deed, is_ordinary)
    });
    let first = all.next().unwrap_or(Manner::Plain);
    if all.all(|other| other == first) { first } else { Manner::Unclear }
}

/// Whether something is called in a statement of which nothing is known.
pub fn is_open(macros: &Macros, text: &str) -> bool {
    let text = macros.write_out(text, 0, &speaks);
    calls(&text).iter().any(|call| !speaks(call.name))
}

/// How a variable is accessed in a statement without macros.
fn written_out(
    text: &str,
    variable: Option<&str>,
    deed: Deed,
    is_ordinary: &dyn Fn(&str) -> bool,
) -> Manner {
    let calls = calls(text);
    let named = variable.map_or_else(Vec::new, |name| occurrences(text, name));
    if named.is_empty() {
        return by_another_name(text, &calls, deed);
    }
    // The innermost operation comes last.
    let operation = |at: usize| calls.iter().rfind(|call| call.holds(at) && works(call.name));
    let is_known = !calls.iter().any(|call| works(call.name));
    let is_handed = |at: usize| {
        let mut takers = calls.iter().filter(|call| call.holds(at));
        let is_strange = |call: &Call<'_>| !is_known || !is_ordinary(call.name);
        text[..at].trim_end().ends_with('&') && takers.any(is_strange)
    };
    let is_whole = variable.is_some_and(|name| name.chars().all(is_part));
    let each = named.iter().map(|&(at, name)| match operation(at) {
        Some(call) => as_argument(text, call, at, is_whole && points(&text[at + name.len()..])),
        None if is_handed(at) => Manner::Unclear,
        None => Manner::Plain,
    });
    let each: Vec<Manner> = each.collect();
    let worse = [Manner::Plain, Manner::Unclear];
    worse.into_iter().find(|manner| each.contains(manner)).unwrap_or(Manner::Atomic)
}

/// Whether a text goes on behind a pointer.
fn points(rest: &str) -> bool {
    rest.trim_start().starts_with("->")
}

/// How something that is named in an argument of an atomic operation is accessed; a pointer is
/// only read to find what it points to.
fn as_argument(text: &str, call: &Call<'_>, at: usize, is_pointer: bool) -> Manner {
    let (from, first) = arguments(text, call.begin, call.end)[0];
    if !(from..from + first.len()).contains(&at) {
        return Manner::Plain;
    }
    let before = &text[from..at];
    let opened = before.matches('[').count();
    if opened != before.matches(']').count() || is_pointer {
        Manner::Plain
    } else if call.name.contains("atomic_ref") || before.contains('&') {
        Manner::Atomic
    } else {
        Manner::Unclear
    }
}

/// How memory is accessed in a statement that does not name it.
fn by_another_name(text: &str, calls: &[Call<'_>], deed: Deed) -> Manner {
    let operations: Vec<&Call<'_>> =
        calls.iter().filter(|call| works(call.name) && does(call.name, deed)).collect();
    if operations.is_empty() {
        return Manner::Plain;
    }
    // What is left without what the operations work on.
    let mut rest = text.to_string();
    for call in operations {
        let (from, first) = arguments(text, call.begin, call.end)[0];
        // One step is the operation's own; those before it are reads on the way there.
        let steps = steps(first);
        let own = usize::from(first.contains('&'));
        if deed == Deed::Read && own < steps {
            return Manner::Unclear;
        }
        rest.replace_range(from..from + first.len(), &" ".repeat(first.len()));
    }
    let is_other = match deed {
        Deed::Read => 0 < steps(&rest),
        Deed::Write => 0 < steps(&rest) && assigns(&rest),
    };
    if is_other { Manner::Unclear } else { Manner::Atomic }
}

/// How often a text goes from a pointer to what it points to.
fn steps(text: &str) -> usize {
    let is_unary = |&(at, _): &(usize, &str)| {
        let before = text[..at].trim_end();
        let word = before.rfind(|one| !is_part(one)).map_or(before, |end| &before[end + 1..]);
        // Otherwise it multiplies, or belongs to a type.
        word == "return" || word.is_empty() && !before.ends_with([')', ']', '*', '>'])
    };
    let stars = text.match_indices('*').filter(is_unary).count();
    stars + text.matches("->").count() + text.matches('[').count()
}

/// Whether a text assigns something.
fn assigns(text: &str) -> bool {
    let is_one = |(at, _): (usize, &str)| {
        let is_compared = text[..at].ends_with(['=', '!']) || text[at + 1..].starts_with('=');
        let is_ordered = text[..at].ends_with(['<', '>'])
            && !text[..at].ends_with("<<")
            && !text[..at].ends_with(">>");
        !is_compared && !is_ordered
    };
    text.contains("++") || text.contains("--") || text.match_indices('=').any(is_one)
}

/// Whether a name is that of an atomic operation, or of something about one.
pub fn speaks(name: &str) -> bool {
    name.to_ascii_lowercase().contains("atomic") || name.starts_with("__sync_")
}

/// Whether a name is that of an atomic operation on something.
fn works(name: &str) -> bool {
    speaks(name) && !["fence", "synchronize", "is_lock_free"].iter().any(|no| name.contains(no))
}

/// Whether an atomic operation of that name may be a plain load or store in a program, as the deed
/// is.
fn does(name: &str, deed: Deed) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let reads = has(&["load", "read", "get"]);
    let writes = has(&["store", "write", "clear", "release", "init"]);
    match deed {
        Deed::Read => reads || !writes,
        Deed::Write => writes || !reads,
    }
}

/// The statements that a line, counted from one, is part of, without comments and strings.
pub fn statement(lines: &[String], number: usize) -> String {
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

/// Where a variable or its last member is named, and by which of the two.
fn occurrences<'a>(text: &str, variable: &'a str) -> Vec<(usize, &'a str)> {
    let mut names = variable
        .split(|one| !is_part(one))
        .filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'));
    let first = names.next();
    let names = first.into_iter().chain(names.next_back());
    let whole = |&(at, name): &(usize, &str)| {
        !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    };
    let found = names.flat_map(|name| text.match_indices(name).map(move |(at, _)| (at, name)));
    found.filter(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(text: &str, line: usize, variable: &str, deed: Deed) -> Manner {
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut macros = Macros::default();
        macros.add(&lines);
        let ordinary = |name: &str| name == "w";
        manner(&macros, &statement(&lines, line), Some(variable), deed, &ordinary)
    }

    fn read(text: &str) -> Manner {
        on(text, 1, "n", Deed::Read)
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
            assert_eq!(read(text), Manner::Plain, "{text}");
        }
        assert_eq!(on("atomic_count++;", 1, "atomic_count", Deed::Write), Manner::Plain);
        assert_eq!(on("atomics.a++;", 1, "atomics.a", Deed::Write), Manner::Plain);
    }

    #[test]
    fn operations_do() {
        let atomic = [
            "__atomic_store_n(&n, 1, __ATOMIC_RELEASE);",
            "while (!__atomic_load_n(&n, __ATOMIC_ACQUIRE)) ;",
            "int old = __sync_fetch_and_add(&n, 1);",
            "std::atomic_ref<int>(n).fetch_add(1);",
            "x = 1 + atomic_load_explicit(&n, memory_order_relaxed); // n",
            "atomic_store(&other, atomic_load(&n));",
            "__atomic_load_n((int *)&n, 0);",
        ];
        for text in atomic {
            assert_eq!(read(text), Manner::Atomic, "{text}");
        }
        let member = "atomic_store(&p->head,\n    next);";
        assert_eq!(on(member, 1, "queue.head", Deed::Write), Manner::Atomic);
        assert_eq!(
            on("a();\natomic_store(\n    &n,\n    1);", 3, "n", Deed::Write),
            Manner::Atomic
        );
    }

    #[test]
    fn only_what_an_operation_works_on_is_accessed_by_it() {
        let plain = [
            "atomic_store(&other, n);",
            "atomic_compare_exchange_strong(&other, &n, 1);",
            "x = atomic_load(&slots[n]);",
            "x = atomic_load(&n->slot);",
        ];
        for text in plain {
            assert_eq!(read(text), Manner::Plain, "{text}");
        }
        assert_eq!(read("x = atomic_load(n);"), Manner::Unclear, "a pointer, or an array");
        assert_eq!(read("atomic_thread_fence(&n);"), Manner::Unclear);
    }

    #[test]
    fn ordinary_functions_access_what_they_are_handed() {
        assert_eq!(read("w(&n);"), Manner::Plain);
        assert_eq!(read("v(&n);"), Manner::Unclear);
        assert_eq!(read("v(w(&n));"), Manner::Unclear);
        assert_eq!(read("w(&n), atomic_store(&m, 1);"), Manner::Unclear);
    }

    #[test]
    fn by_another_name_nothing_else_may_have_done_it() {
        let one = |text: &str, deed| on(text, 1, "n", deed);
        let atomic = ["return atomic_load(slot);", "struct node *head = atomic_load(&list->head);"];
        for text in atomic {
            assert_eq!(one(text, Deed::Read), Manner::Atomic, "{text}");
            assert_eq!(one(text, Deed::Write), Manner::Plain, "{text}");
        }
        assert_eq!(one("atomic_store(slot, *value);", Deed::Write), Manner::Atomic);
        let unclear = [
            "atomic_fetch_add(slot, *value);",
            "sum += p->plain + atomic_load(&p->ready);",
            "x = atomic_load(p->slot);",
            "x = atomic_load(&p->next->ready);",
            "if (atomic_load(slot) && values[0]) return;",
            "return *p + atomic_load(slot);",
        ];
        for text in unclear {
            assert_eq!(one(text, Deed::Read), Manner::Unclear, "{text}");
        }
        assert_eq!(one("*p = 1, atomic_store(slot, 2);", Deed::Write), Manner::Unclear);
        assert_eq!(one("p->x++; atomic_clear(slot);", Deed::Write), Manner::Unclear);
        assert_eq!(one("if (p->x <= 2) atomic_clear(slot);", Deed::Write), Manner::Atomic);
        assert_eq!(one("atomic_thread_fence(5), *p = 1;", Deed::Write), Manner::Plain);
        assert_eq!(one("*p = atomic_load(slot);", Deed::Write), Manner::Plain);
    }

    #[test]
    fn macros_are_written_out() {
        let text = "#define LD(p) __atomic_load_n(&(p), \\\n    __ATOMIC_RELAXED)\n\
                    #define INC(p) (p)++\n\
                    x = LD(n);\nINC(n);\nsmp_store_release(&n, 1);\n\
                    #define ST(p, v) LATER(p, v)\n#define LATER(p, v) __atomic_store_n(p, v, 0)\n\
                    ST(&n, 1);\nST(&m, n);\n";
        assert_eq!(on(text, 4, "n", Deed::Read), Manner::Atomic);
        assert_eq!(on(text, 5, "n", Deed::Write), Manner::Plain);
        assert_eq!(on(text, 6, "n", Deed::Write), Manner::Unclear);
        assert_eq!(on(text, 9, "n", Deed::Write), Manner::Atomic);
        assert_eq!(on(text, 10, "n", Deed::Read), Manner::Plain);
    }

    #[test]
    fn definitions_that_disagree_leave_it_open() {
        let text = "#define LD(p) __atomic_load_n(&(p), 0)\n#define LD(p) (p)\nx = LD(n);\n";
        assert_eq!(on(text, 3, "n", Deed::Read), Manner::Unclear);
    }
}
