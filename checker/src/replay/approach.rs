//! The way of a thread to its access in a data race: it stops right before it.

use crate::explore::word::Word;
use samovar_runtime::Observer;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};

/// Which access, of which thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approach {
    /// The thread.
    pub thread: ThreadId,
    /// The word that it accesses.
    pub word: u64,
    /// The instruction that accesses it.
    pub pc: u64,
}

/// Stops before plain accesses to the word, unless it is told to let one pass.
#[derive(Debug)]
pub struct Approaching {
    word: Word,
    atomic: bool,
    /// An access to the word was just stopped.
    pub stopped: bool,
    /// The next access to the word passes.
    pub pass: bool,
}

impl Approaching {
    /// Looks out for this access.
    pub fn new(approach: &Approach) -> Approaching {
        Approaching { word: Word(approach.word / 8), atomic: false, stopped: false, pass: false }
    }
}

impl Monitor for Approaching {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        let is_plain = !access.locked && !self.atomic && !access.sequel;
        if !is_plain || !Word::of(&access).any(|word| word == self.word) {
            return Decision::Proceed;
        }
        if std::mem::take(&mut self.pass) {
            return Decision::Proceed;
        }
        self.stopped = true;
        Decision::Stop
    }
}

impl Observer for Approaching {
    fn atomic_call(&mut self, inside: bool) {
        self.atomic = inside;
    }
}
