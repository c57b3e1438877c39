//! What `samovar` itself says, always on the standard error stream: the standard output belongs to
//! the guest or to a report.
//!
//! Every message is one sentence behind `samovar:`. Colour appears on a terminal only, and not if
//! `NO_COLOR` is set. A standard error stream that cannot be written to is nobody's concern.

use crate::paint::{Paint, Style};
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
    paint: Paint,
}

impl Default for Messages {
    fn default() -> Messages {
        Messages::new(Loudness::default())
    }
}

impl Messages {
    /// Messages up to this loudness.
    pub fn new(loudness: Loudness) -> Messages {
        Messages { loudness, paint: Paint::for_stream(&stderr()) }
    }

    /// Why the command failed.
    pub fn error(&self, sentence: &dyn Display) {
        self.say(Style::Bad, sentence);
    }

    /// Something about the guest's end that a native run would not say: only for people, who see
    /// it on a terminal, and for those who ask, so that scripts get what the guest wrote.
    pub fn remark(&self, sentence: &dyn Display) {
        if self.is_verbose() || self.loudness == Loudness::Normal && stderr().is_terminal() {
            self.say(Style::Strong, sentence);
        }
    }

    /// What the user has to know to go on.
    pub fn notice(&self, sentence: &dyn Display) {
        if self.loudness != Loudness::Quiet {
            self.say(Style::Strong, sentence);
        }
    }

    /// What is being done, for those who ask.
    pub fn detail(&self, sentence: &dyn Display) {
        if self.is_verbose() {
            self.say(Style::Faint, sentence);
        }
    }

    /// Whether [`Messages::detail`] says anything.
    pub fn is_verbose(&self) -> bool {
        self.loudness == Loudness::Verbose
    }

    fn say(&self, style: Style, sentence: &dyn Display) {
        let name = self.paint.apply(style, "samovar:");
        let _ = writeln!(stderr(), "{name} {sentence}");
    }
}
