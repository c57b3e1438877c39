//! Colours on a terminal, and nothing but text anywhere else.
//!
//! `NO_COLOR` switches colours off, as everywhere. Only the sixteen colours of the terminal's own
//! theme are used, so that reports are readable on light and dark.

use std::io::IsTerminal;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Ordinary text.
    Plain,
    /// A heading or a name.
    Strong,
    /// Something wrong.
    Bad,
    /// Something good.
    Good,
    /// Something undecided.
    Open,
    /// What matters less.
    Faint,
    /// A value that changed.
    Changed,
}

/// Decides whether text is coloured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paint {
    is_on: bool,
}

impl Paint {
    /// No colours.
    pub const OFF: Paint = Paint { is_on: false };

    /// Colours if this stream is a terminal and nobody objects.
    pub fn for_stream(stream: &impl IsTerminal) -> Paint {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Paint { is_on: wanted && stream.is_terminal() }
    }

    /// Text in a style.
    pub fn apply(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Plain => "",
            Style::Strong => "1",
            Style::Bad => "1;31",
            Style::Good => "1;32",
            Style::Open => "1;33",
            Style::Faint => "2",
            Style::Changed => "36",
        };
        if !self.is_on || code.is_empty() || text.is_empty() {
            return text.to_string();
        }
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_surround_text_or_are_not_there() {
        assert_eq!(Paint::OFF.apply(Style::Bad, "x"), "x");
        let on = Paint { is_on: true };
        assert_eq!(on.apply(Style::Bad, "x"), "\x1b[1;31mx\x1b[0m");
        assert_eq!(on.apply(Style::Plain, "x"), "x");
        assert_eq!(on.apply(Style::Strong, ""), "");
    }
}
