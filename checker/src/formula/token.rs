//! The words of a formula: numbers, names, operators.
//!
//! A name is one word with all its scopes: `total`, `bank.c::total`, `main::calls`,
//! `Box<int>::count`, `main::{closure#0}::N`. `thread[2]::` in front of a name is a word as well. A
//! path such as `src/my-bank.c::` counts as a file only if nothing but letters, digits and `_./+-`
//! stands before the `::`; spaces around operators tell a division from a directory.

use super::error::Complaint;
use super::literal::{self, Literal};
use std::ops::Range;

/// Longest formula in bytes.
const LENGTH_MAX: usize = 16 << 10;

/// Operators and brackets, longer ones before those they start with.
const SYMBOLS: &[&str] = &[
    "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "++", "--", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", "+", "-", "*", "/", "%", "<", ">", "=", "!",
    "&", "|", "^", "~", "?", ":", "(", ")", "[", "]", ".", ",", ";",
];

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Literal(Literal),
    Name(String),
    /// `thread[2]::`
    Thread(u32),
    Symbol(&'static str),
    /// Behind the last word.
    End,
}

/// A word and the bytes of the text it stands for.
pub(super) type Word = (Token, Range<usize>);

/// All words of a text; the last one is [`Token::End`].
pub(super) fn words(text: &str) -> Result<Vec<Word>, Complaint> {
    if text.len() > LENGTH_MAX {
        let sentence = format!("a formula has at most {LENGTH_MAX} characters");
        return Err(Complaint::new(&(0..0), sentence));
    }
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            words.push((Token::End, text.len()..text.len()));
            return Ok(words);
        };
        let (token, length) = word(rest, first).map_err(|(length, sentence)| {
            Complaint::new(&(at..at + length.max(first.len_utf8())), sentence)
        })?;
        words.push((token, at..at + length));
        at += length;
    }
}

/// The first word of a text, and its length; or the length of what is wrong, and why.
fn word(rest: &str, first: char) -> Result<(Token, usize), (usize, String)> {
    let starts_fraction =
        first == '.' && rest[1..].starts_with(|letter: char| letter.is_ascii_digit());
    if first.is_ascii_digit() || starts_fraction {
        return literal::number(rest).map(|(literal, length)| (Token::Literal(literal), length));
    }
    if first == '\'' {
        let (value, length) = literal::character(rest)?;
        return Ok((Token::Literal(value), length));
    }
    if let Some((number, length)) = thread(rest)? {
        return Ok((Token::Thread(number), length));
    }
    if is_name_start(first) || (first == ':' && rest.starts_with("::")) {
        let length = name_length(rest);
        if length > 0 {
            return Ok((Token::Name(rest[..length].to_string()), length));
        }
    }
    if first == '"' {
        return Err((1, "a formula knows numbers, not strings".to_string()));
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => Err((first.len_utf8(), format!("'{first}' has no meaning in a formula"))),
    }
}

fn is_name_start(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '_' | '$')
}

fn identifier_length(text: &str) -> usize {
    let is_inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    if !text.starts_with(is_name_start) {
        return 0;
    }
    text.find(|letter| !is_inside(letter)).unwrap_or(text.len())
}

/// The length of `thread[2]::`, and its number.
fn thread(text: &str) -> Result<Option<(u32, usize)>, (usize, String)> {
    let after = |text: &'_ str, what: &str| text.trim_start().strip_prefix(what).map(str::len);
    let tail = |left: usize| &text[text.len() - left..];
    let Some(left) = text.strip_prefix("thread").and_then(|rest| after(rest, "[")) else {
        return Ok(None);
    };
    let inside = tail(left);
    let Some((number, behind)) = inside.split_once(']') else { return Ok(None) };
    let Some(left) = after(behind, "::") else { return Ok(None) };
    let length = text.len() - left;
    match number.trim().parse() {
        Ok(number) => Ok(Some((number, length))),
        Err(_) => {
            let sentence = "the number of a thread is a plain number: thread[2]::x";
            Err((length, sentence.to_string()))
        }
    }
}

/// The length of a qualified name at the start of a text; 0 if there is none.
fn name_length(text: &str) -> usize {
    let mut at = if text.starts_with("::") { 2 } else { file_length(text) };
    let mut end = 0;
    loop {
        match component_length(&text[at..]) {
            0 => return end,
            length => end = at + length,
        }
        if !text[end..].starts_with("::") {
            return end;
        }
        at = end + 2;
    }
}

/// The length of `dir/file.c::` at the start of the text; 0 if it does not start like that.
fn file_length(text: &str) -> usize {
    let Some(end) = text.find("::") else { return 0 };
    let file = &text[..end];
    let is_inside =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '/' | '-' | '+');
    let is_file = file.contains('.') && !file.contains("->") && file.chars().all(is_inside);
    if is_file { end + 2 } else { 0 }
}

/// The length of one component of a qualified name; 0 if there is none.
fn component_length(text: &str) -> usize {
    if text.starts_with('{') {
        return text.find('}').map_or(0, |end| end + 1);
    }
    let length = identifier_length(text);
    if length == 0 || !text[length..].starts_with('<') {
        return length;
    }
    // Template arguments, but only if a scope follows: anything else is a comparison.
    let mut depth = 0usize;
    for (index, letter) in text[length..].char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if letter.is_alphanumeric() || "_:, *$".contains(letter) => {}
            _ => return length,
        }
        if depth == 0 {
            let end = length + index + 1;
            return if text[end..].starts_with("::") { end } else { length };
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let words = match words(text) {
            Ok(words) => words,
            Err(complaint) => return format!("{}: {}", complaint.at.start, complaint.sentence),
        };
        let word = |(token, _): &Word| match token {
            Token::Literal(literal) => format!("{:?}", literal.value),
            Token::Name(name) => format!("<{name}>"),
            Token::Thread(number) => format!("thread {number}"),
            Token::Symbol(symbol) => symbol.to_string(),
            Token::End => ".".to_string(),
        };
        words.iter().map(word).collect::<Vec<String>>().join(" ")
    }

    #[test]
    fn names_carry_their_scopes() {
        assert_eq!(shown("a.b"), "<a> . <b> .");
        assert_eq!(shown("bank.c::total+1"), "<bank.c::total> + Integer(1) .");
        assert_eq!(shown("src/my-bank.c::f::n"), "<src/my-bank.c::f::n> .");
        assert_eq!(shown("ns::Class::n<3"), "<ns::Class::n> < Integer(3) .");
        assert_eq!(shown("Box<int>::n"), "<Box<int>::n> .");
        assert_eq!(shown("a<b>c"), "<a> < <b> > <c> .");
        assert_eq!(shown("a<b && c>::d"), "<a> < <b> && <c> > <::d> .");
        assert_eq!(shown("x ? a : b"), "<x> ? <a> : <b> .");
        assert_eq!(shown("main::{closure#0}::N"), "<main::{closure#0}::N> .");
    }

    #[test]
    fn threads_are_words() {
        assert_eq!(shown("thread[2]::f::x"), "thread 2 <f::x> .");
        assert_eq!(shown("thread [ 12 ] ::x"), "thread 12 <x> .");
        assert_eq!(shown("thread[2]"), "<thread> [ Integer(2) ] .");
        assert_eq!(
            shown("thread[i]::x"),
            "0: the number of a thread is a plain number: thread[2]::x"
        );
    }

    #[test]
    fn symbols_are_as_long_as_possible() {
        assert_eq!(shown("a<<=b->c--"), "<a> <<= <b> -> <c> -- .");
        assert_eq!(shown("1 - -x"), "Integer(1) - - <x> .");
        assert_eq!(shown("a @ b"), "2: '@' has no meaning in a formula");
        assert_eq!(shown("\"x\""), "0: a formula knows numbers, not strings");
        assert!(shown(&"a".repeat(20_000)).contains("at most"));
    }
}
