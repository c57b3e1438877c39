//! Paths to program data as a user writes them: `tiles[3].next->x`, `*p`, `&acct.balance`,
//! `bank.c::total`, `bank::Account::count`.
//!
//! ```text
//! path    = { '*' | '&' } postfix
//! postfix = ( name | '(' path ')' ) { '.' member | '->' member | '[' integer ']' }
//! name    = [ file '::' ] component { '::' component }
//! ```
//! A component is an identifier, perhaps with template arguments (`Box<int>`), or one of the
//! compilers' own names (`(anonymous namespace)`, `{closure#0}`). `.` also follows pointers.

use std::fmt;

use super::DebugModules;
use super::error::LookupError;
use super::state::Place;
use super::variables::{Scope, Variable};

/// Operators in one path.
const STEPS_MAX: usize = 64;

/// A parsed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Path {
    /// A variable.
    Name(String),
    /// `.member` or `->member`
    Member(Box<Path>, String),
    /// `[index]`
    Index(Box<Path>, i128),
    /// `*path`
    Deref(Box<Path>),
    /// `&path`
    AddressOf(Box<Path>),
}

impl Path {
    /// Reads a path that is the whole text.
    pub fn parse(text: &str) -> Result<Path, LookupError> {
        let mut parser = Parser { text, at: 0, steps_left: STEPS_MAX };
        let path = parser.path()?;
        parser.skip_space();
        if parser.at < text.len() {
            return Err(parser.expected("the end, '.', '->' or '['"));
        }
        Ok(path)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = |path: &Path| match path {
            Path::Deref(_) | Path::AddressOf(_) => format!("({path})"),
            _ => path.to_string(),
        };
        match self {
            Path::Name(name) => f.write_str(name),
            Path::Member(path, name) => match &**path {
                Path::Deref(target) => write!(f, "{}->{name}", inner(target)),
                path => write!(f, "{}.{name}", inner(path)),
            },
            Path::Index(path, index) => write!(f, "{}[{index}]", inner(path)),
            Path::Deref(path) => write!(f, "*{path}"),
            Path::AddressOf(path) => write!(f, "&{path}"),
        }
    }
}

impl DebugModules {
    /// The place that a path leads to in a scope.
    pub fn resolve(&self, path: &Path, scope: Scope<'_>) -> Result<Place, LookupError> {
        let state = scope.state;
        match path {
            Path::Name(name) => self.resolve_name(name, scope),
            Path::Member(inner, name) => {
                self.member(&self.resolve(inner, scope)?, name, state, &inner.to_string())
            }
            Path::Index(inner, index) => {
                self.index(&self.resolve(inner, scope)?, *index, state, &inner.to_string())
            }
            Path::Deref(inner) => {
                let what = inner.to_string();
                let place = self.resolve(inner, scope)?;
                let place = self.follow_reference(place, state, &what)?;
                self.deref(&place, state, &what)
            }
            Path::AddressOf(inner) => {
                let what = inner.to_string();
                let place = self.follow_reference(self.resolve(inner, scope)?, state, &what)?;
                self.address_of(&place, &what)
            }
        }
    }

    /// A name alone: a local, a member of the object that a C++ method works on, or a variable
    /// with static storage.
    fn resolve_name(&self, name: &str, scope: Scope<'_>) -> Result<Place, LookupError> {
        let locals = self.locals(scope);
        let local = |name: &str| locals.iter().find(|local| local.name == name);
        let place = |variable: &Variable| {
            self.place_of(variable, scope)
                .map_err(|why| LookupError::Unavailable { what: name.to_string(), why })
        };
        if let Some(local) = local(name) {
            return place(local);
        }
        if let Some(this) = local("this").and_then(|this| place(this).ok())
            && let Ok(member) = self.member(&this, name, scope.state, "*this")
        {
            return Ok(member);
        }
        place(&self.variable(name, scope.pc)?)
    }

    /// Parses and resolves a path in one go.
    pub fn find(&self, path: &str, scope: Scope<'_>) -> Result<Place, LookupError> {
        self.resolve(&Path::parse(path)?, scope)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    steps_left: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    fn expected(&self, expected: &'static str) -> LookupError {
        let column = self.text[..self.at].chars().count() + 1;
        LookupError::Syntax { text: self.text.to_string(), column, expected }
    }

    fn step(&mut self) -> Result<(), LookupError> {
        self.steps_left =
            self.steps_left.checked_sub(1).ok_or_else(|| self.expected("fewer operators"))?;
        Ok(())
    }

    fn path(&mut self) -> Result<Path, LookupError> {
        if self.eat("*") {
            self.step()?;
            return Ok(Path::Deref(Box::new(self.path()?)));
        }
        if self.eat("&") {
            self.step()?;
            return Ok(Path::AddressOf(Box::new(self.path()?)));
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Result<Path, LookupError> {
        self.skip_space();
        let is_bracket = self.rest().starts_with('(') && !self.rest().starts_with(ANONYMOUS);
        let mut path = if is_bracket {
            self.step()?;
            self.at += 1;
            let inner = self.path()?;
            if !self.eat(")") {
                return Err(self.expected("')'"));
            }
            inner
        } else {
            Path::Name(self.name()?)
        };
        loop {
            if self.eat("->") {
                self.step()?;
                path = Path::Member(Box::new(Path::Deref(Box::new(path))), self.member()?);
            } else if self.eat(".") {
                self.step()?;
                path = Path::Member(Box::new(path), self.member()?);
            } else if self.eat("[") {
                self.step()?;
                path = Path::Index(Box::new(path), self.integer()?);
                if !self.eat("]") {
                    return Err(self.expected("']'"));
                }
            } else {
                return Ok(path);
            }
        }
    }

    fn member(&mut self) -> Result<String, LookupError> {
        self.skip_space();
        match identifier_length(self.rest()) {
            0 => Err(self.expected("a member name")),
            length => Ok(self.take(length)),
        }
    }

    fn take(&mut self, length: usize) -> String {
        let part = &self.text[self.at..self.at + length];
        self.at += length;
        part.to_string()
    }

    fn name(&mut self) -> Result<String, LookupError> {
        self.skip_space();
        let start = self.at;
        self.at += self.rest().len() - self.rest().trim_start_matches("::").len();
        self.at += file_length(self.rest());
        loop {
            match component_length(self.rest()) {
                0 => return Err(self.expected("a variable name")),
                length => self.at += length,
            }
            if !self.rest().starts_with("::") {
                return Ok(self.text[start..self.at].to_string());
            }
            self.at += 2;
        }
    }

    fn integer(&mut self) -> Result<i128, LookupError> {
        let is_negative = self.eat("-");
        self.skip_space();
        let rest = self.rest();
        let is_digit = |character: char| character.is_ascii_hexdigit() || character == 'x';
        let length = rest.find(|character| !is_digit(character)).unwrap_or(rest.len());
        let digits = &rest[..length];
        let value = match digits.strip_prefix("0x") {
            Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16),
            None => digits.parse(),
        };
        let value = i128::from(value.map_err(|_| self.expected("an integer"))?);
        self.at += length;
        Ok(if is_negative { -value } else { value })
    }
}

const ANONYMOUS: &str = "(anonymous namespace)";

fn identifier_length(text: &str) -> usize {
    let is_inside = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    text.find(|character| !is_inside(character)).unwrap_or(text.len())
}

/// The length of `dir/file.c::` at the start of the text; 0 if it does not start like that.
fn file_length(text: &str) -> usize {
    let Some(end) = text.find("::") else { return 0 };
    let file = &text[..end];
    let is_file = file.contains(['.', '/'])
        && !file.contains("->")
        && file.chars().all(|character| {
            character.is_alphanumeric() || matches!(character, '_' | '.' | '/' | '-' | '+')
        });
    if is_file { end + 2 } else { 0 }
}

/// The length of one component of a qualified name; 0 if there is none.
fn component_length(text: &str) -> usize {
    if text.starts_with(ANONYMOUS) {
        return ANONYMOUS.len();
    }
    if text.starts_with('{') {
        return text.find('}').map_or(0, |end| end + 1);
    }
    let length = identifier_length(text);
    let starts_with_digit = text.starts_with(|character: char| character.is_ascii_digit());
    if starts_with_digit || !text[length..].starts_with('<') {
        return if starts_with_digit { 0 } else { length };
    }
    // Template arguments, up to the matching bracket.
    let mut depth = 0usize;
    for (index, character) in text.char_indices().skip_while(|&(index, _)| index < length) {
        match character {
            '<' => depth += 1,
            '>' => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match Path::parse(text) {
            Ok(path) => path.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn paths_parse_and_print() {
        for text in [
            "x",
            "tiles[3].next->x",
            "*p",
            "&acct.balance",
            "(*p)[2]",
            "(&a)->b",
            "**pp",
            "a::b::c",
            "Box<std::pair<int, int>>::count[1]",
            "bank.c::total",
            "src/my-bank.c::f::total.x",
            "(anonymous namespace)::x",
            "main::{closure#0}::N",
            "::x",
        ] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown(" a [ -0x10 ] -> b "), "a[-16]->b");
        assert_eq!(shown("((a)).b"), "a.b");
        assert_eq!(shown("(*a).b"), "a->b");
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(shown("a[x]"), "cannot read 'a[x]' at column 3: expected an integer");
        assert_eq!(shown("a."), "cannot read 'a.' at column 3: expected a member name");
        assert_eq!(shown(""), "cannot read '' at column 1: expected a variable name");
        assert_eq!(
            shown("a b"),
            "cannot read 'a b' at column 3: expected the end, '.', '->' or '['"
        );
        assert_eq!(shown("(a"), "cannot read '(a' at column 3: expected ')'");
        assert_eq!(shown("3x"), "cannot read '3x' at column 1: expected a variable name");
        assert!(shown(&"*".repeat(100_000)).contains("fewer operators"));
        assert!(shown(&"(".repeat(100_000)).contains("fewer operators"));
        assert!(shown(&format!("a{}", "[0]".repeat(1000))).contains("fewer operators"));
        for text in ["é::", "a[0", "<", "a<b", "a::", "->", "{", "a[0x]", "a[99999999999999999999]"]
        {
            assert!(shown(text).starts_with("cannot read") || text == "a<b", "{text}");
        }
    }
}
