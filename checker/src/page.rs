//! Text on a page of limited width: broken at spaces, cut where it must be, free of control
//! characters, whatever names and values the guest made up.

use crate::paint::{Paint, Style};
use std::io::IsTerminal;

/// Width where nothing else is known.
pub const WIDTH: usize = 80;
/// Narrowest page that is written for; on narrower ones the terminal breaks lines.
const WIDTH_MIN: usize = 40;
/// Widest page: longer lines are hard to follow.
const WIDTH_MAX: usize = 160;

/// A page that is being written.
#[derive(Debug)]
pub struct Page {
    /// What is on it.
    pub text: String,
    /// Columns.
    pub width: usize,
    /// Colours or none.
    pub paint: Paint,
}

impl Page {
    /// A page for the standard output: as wide as the terminal, or as `COLUMNS` says, or 80.
    pub fn for_stdout() -> Page {
        let stdout = std::io::stdout();
        let named = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok());
        let seen = || {
            let size = stdout.is_terminal().then(|| terminal_size::terminal_size_of(&stdout));
            size.flatten().map(|(width, _)| usize::from(width.0))
        };
        let width = named.or_else(seen).unwrap_or(WIDTH).clamp(WIDTH_MIN, WIDTH_MAX);
        Page { text: String::new(), width, paint: Paint::for_stream(&stdout) }
    }

    /// A page without colours.
    pub fn plain(width: usize) -> Page {
        Page { text: String::new(), width, paint: Paint::OFF }
    }

    /// An empty line, unless there is one already.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// One line as it is.
    pub fn line(&mut self, style: Style, text: &str) {
        let text = self.paint.apply(style, text.trim_end());
        self.text.push_str(&text);
        self.text.push('\n');
    }

    /// Words behind a head, broken at spaces; further lines are indented.
    pub fn wrap(&mut self, head: &str, style: Style, indent: usize, words: &str) {
        let first = self.width.saturating_sub(head.chars().count());
        let lines = broken(words, first, self.width.saturating_sub(indent));
        let mut lines = lines.iter();
        let head = self.paint.apply(style, head);
        let first = lines.next().map_or("", String::as_str);
        self.text.push_str(format!("{head}{first}").trim_end());
        self.text.push('\n');
        for line in lines {
            self.text.push_str(&format!("{:indent$}{line}\n", ""));
        }
    }
}

/// Words in lines: the first has `first` columns, the others `rest`. Words longer than a line are
/// cut into pieces. There is at least one line.
pub fn broken(words: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut columns = 0;
    for word in words.split_ascii_whitespace() {
        let mut word: Vec<char> = clean(word).chars().collect();
        loop {
            let room = if lines.is_empty() { first } else { rest }.max(8);
            let space = usize::from(columns != 0);
            if columns + space + word.len() <= room {
                if space == 1 {
                    line.push(' ');
                }
                line.extend(&word);
                columns += space + word.len();
                break;
            }
            if columns == 0 {
                let tail = word.split_off(room);
                line.extend(&word);
                word = tail;
            }
            lines.push(std::mem::take(&mut line));
            columns = 0;
        }
    }
    if columns != 0 || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// The first `width` characters; dots where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= width {
        return text;
    }
    let kept: String = text.chars().take(width.saturating_sub(3)).collect();
    kept + "..."
}

/// A space at which lines are not broken.
pub const TIED: char = '\u{a0}';

/// Text that does nothing to a terminal: tabs and tied spaces are spaces, other control characters
/// question marks.
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => cleaned.push_str("    "),
            TIED => cleaned.push(' '),
            letter if letter.is_control() => cleaned.push('?'),
            letter => cleaned.push(letter),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_at_spaces() {
        assert_eq!(broken("one two three", 8, 8), ["one two", "three"]);
        assert_eq!(broken("", 8, 8), [""]);
        assert_eq!(broken("x: 0\u{a0}->\u{a0}1", 8, 8), ["x:", "0 -> 1"]);
        assert_eq!(broken("abcdefghijkl m", 8, 8), ["abcdefgh", "ijkl m"]);
    }

    #[test]
    fn first_lines_have_room_of_their_own() {
        let mut page = Page::plain(20);
        page.wrap("the head: ", Style::Strong, 2, "some words to be broken");
        assert_eq!(page.text, "the head: some words\n  to be broken\n");
    }

    #[test]
    fn control_characters_are_harmless() {
        assert_eq!(clean("a\tb\x1b[2J"), "a    b?[2J");
        assert_eq!(cut("abcdefgh", 6), "abc...");
    }
}
