//! What `samovar` itself says, always on the standard error stream: the standard output belongs to
//! the guest or to a report.
//!
//! Every message is one sentence behind `samovar:`. Colour appears on a terminal only, and not if
//! `NO_COLOR` is set. A standard error stream that cannot be written to is nobody's concern.

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr};

/// How much to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loudness {
    /// Errors only.
    Quiet,
    /// Errors and remarks on what a user would want to know.
    #[default]
    Normal,
    /// Everything that was done.
    Verbose,
}

/// Writes messages to the standard error stream.
#[derive(Clone, Copy, Debug)]
pub struct Messages {
    loudness: Loudness,
    colour: bool,
}

impl Default for Messages {
    fn default() -> Messages {
        Messages::new(Loudness::default())
    }
}

impl Messages {
    /// Messages up to this loudness.
    pub fn new(loudness: Loudness) -> Messages {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Messages { loudness, colour: wanted && stderr().is_terminal() }
    }

    /// Why the command failed.
    pub fn error(&self, sentence: &dyn Display) {
        self.say("\x1b[1;31m", sentence);
    }

    /// Something about the guest's end that a native run would not say: only for people, who see
    /// it on a terminal, and for those who ask, so that scripts get what the guest wrote.
    pub fn remark(&self, sentence: &dyn Display) {
        if self.is_verbose() || self.loudness == Loudness::Normal && stderr().is_terminal() {
            self.say("\x1b[1m", sentence);
        }
    }

    /// What is being done, for those who ask.
    pub fn detail(&self, sentence: &dyn Display) {
        if self.is_verbose() {
            self.say("\x1b[2m", sentence);
        }
    }

    /// Whether [`Messages::detail`] says anything.
    pub fn is_verbose(&self) -> bool {
        self.loudness == Loudness::Verbose
    }

    fn say(&self, colour: &str, sentence: &dyn Display) {
        let (on, off) = if self.colour { (colour, "\x1b[0m") } else { ("", "") };
        let _ = writeln!(stderr(), "{on}samovar:{off} {sentence}");
    }
}
