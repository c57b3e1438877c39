//! What is wrong with a formula, and where.

use std::fmt;
use std::ops::Range;

/// A complaint about a part of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    text: String,
    at: Range<usize>,
    sentence: String,
}

impl FormulaError {
    /// One sentence that says what is wrong.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// Column of the part that is wrong, counted in characters from 1.
    pub fn column(&self) -> usize {
        self.text[..self.at.start].chars().count() + 1
    }

    /// The sentence, the formula, and a line that points at the place.
    pub fn render(&self) -> String {
        let shown: String = self.text.chars().map(plain).collect();
        let width = self.text[self.at.clone()].trim_end().chars().count().max(1);
        let (space, tail) = (" ".repeat(self.column() - 1), "~".repeat(width - 1));
        format!("{}\n  {shown}\n  {space}^{tail}", self.sentence)
    }
}

/// Line breaks and the like would move the mark away from its place.
fn plain(letter: char) -> char {
    if letter.is_control() { ' ' } else { letter }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

impl std::error::Error for FormulaError {}

/// A complaint that does not know the text it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// The bytes of the text that are wrong.
    pub at: Range<usize>,
    /// One sentence.
    pub sentence: String,
}

impl Complaint {
    pub(super) fn new(at: &Range<usize>, sentence: impl Into<String>) -> Complaint {
        Complaint { at: at.clone(), sentence: sentence.into() }
    }

    pub(super) fn about(self, text: &str) -> FormulaError {
        FormulaError { text: text.to_string(), at: self.at, sentence: self.sentence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked() {
        let error = Complaint::new(&(5..8), "wrong").about("é == foo + 1");
        assert_eq!(error.column(), 5);
        assert_eq!(error.render(), "wrong\n  é == foo + 1\n      ^~~");
        let at_end = Complaint::new(&(2..2), "wrong").about("a\t");
        assert_eq!(at_end.render(), "wrong\n  a \n    ^");
    }
}
