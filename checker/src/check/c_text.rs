//! Pieces of C and C++ text: code without comments, identifiers, calls and their arguments.
//!
//! This is no parser. It is for statements that a compiler has accepted, and answers questions
//! about parentheses and names only.

/// Code without comments, and without what is in strings.
pub fn without_comments(text: &str) -> String {
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

/// Whether a character may be in an identifier.
pub fn is_part(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_'
}

/// The length of the identifier that a text begins with; 0 if it begins with none.
pub fn identifier(text: &str) -> usize {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return 0;
    }
    text.find(|one| !is_part(one)).unwrap_or(text.len())
}

/// Something with arguments in parentheses.
#[derive(Debug)]
pub struct Call<'a> {
    pub name: &'a str,
    /// Where the parentheses are.
    pub begin: usize,
    pub end: usize,
}

impl Call<'_> {
    /// Whether a place is between the parentheses.
    pub fn holds(&self, at: usize) -> bool {
        self.begin < at && at < self.end
    }
}

/// The calls in a text, of functions and macros.
pub fn calls(text: &str) -> Vec<Call<'_>> {
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

/// Where the parenthesis that opens there is closed; the end of the text if it is not.
pub fn closing(text: &str, begin: usize) -> usize {
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

/// The arguments between parentheses, without the space around them, and where they begin.
pub fn arguments(text: &str, begin: usize, end: usize) -> Vec<(usize, &str)> {
    let (mut found, mut depth, mut from) = (Vec::new(), 0, begin + 1);
    let bare = |from: usize, to: usize| {
        let rest = text[from..to].trim_start();
        (to - rest.len(), rest.trim_end())
    };
    for (at, byte) in text.bytes().enumerate().take(end).skip(begin + 1) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                found.push(bare(from, at));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(bare(from.min(end), end));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_at_their_own_commas() {
        let text = "f(a[1, 2], (b, c) , {d, e}, g(h, i))";
        let all = arguments(text, 1, closing(text, 1));
        let all: Vec<&str> = all.into_iter().map(|(_, text)| text).collect();
        assert_eq!(all, ["a[1, 2]", "(b, c)", "{d, e}", "g(h, i)"]);
        assert_eq!(arguments("f()", 1, 2), [(2, "")]);
        // A call that goes on beyond what is known of it.
        let text = "f(a, b";
        assert_eq!(arguments(text, 1, closing(text, 1)).len(), 2);
    }

    #[test]
    fn calls_have_names() {
        let text = "if (x) while (std::atomic_ref<int>(n).load() + (y)) f (1);";
        let names: Vec<&str> = calls(text).iter().map(|call| call.name).collect();
        assert_eq!(names, ["atomic_ref", "load", "f"]);
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        assert_eq!(without_comments("a/*b*/c \"d\\\"e\" f//g\nh"), "a c   f \nh");
    }
}
