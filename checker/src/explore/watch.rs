//! The monitor of a move: notes the footprint and finds the visible operation.
//!
//! A move is a block of invisible work and the visible operation behind it. The first access to a
//! contended word is the visible operation; it is let through, and the thread stops before its
//! next access, having done nothing but work in registers after the operation. Inside an atomic
//! library call the thread cannot stop; what it touches there joins the same move.

use super::footprint::{Footprint, Word};
use ahash::{AHashSet, RandomState};
use samovar_runtime::Observer;
use samovar_runtime::syscall::objects;
use samovar_vm::monitor::{Access, Decision, Monitor};

/// Which accesses are visible.
#[derive(Clone, Debug)]
pub enum Visible {
    /// Those to the words of the set, and beginnings and ends of threads.
    Contended(AHashSet<Word>),
    /// All accesses; the oracle for everything else.
    All,
}

impl Visible {
    /// Nothing is contended yet.
    pub fn none_yet() -> Visible {
        Visible::Contended(AHashSet::with_hasher(RandomState::with_seeds(51, 52, 53, 54)))
    }

    /// Whether an access is visible.
    pub fn shows(&self, access: &Access) -> bool {
        match self {
            Visible::All => true,
            Visible::Contended(words) => {
                access.addr == objects::THREADS
                    || Word::of(access).any(|word| words.contains(&word))
            }
        }
    }

    /// Whether a word is known to be contended.
    pub fn knows(&self, word: Word) -> bool {
        match self {
            Visible::All => true,
            Visible::Contended(words) => words.contains(&word),
        }
    }

    /// Adds a word.
    pub fn add(&mut self, word: Word) {
        if let Visible::Contended(words) = self {
            words.insert(word);
        }
    }
}

/// Watches one move.
#[derive(Debug)]
pub struct Watch<'a> {
    visible: &'a Visible,
    /// Everything the move touched, its visible operation included.
    pub footprint: Footprint,
    /// The visible operation, once it was let through.
    pub operation: Option<Access>,
    /// The operation on an object that was announced last.
    pub object: Option<Access>,
    atomic: bool,
    /// Which alternative to take at a choice.
    alternative: u32,
    /// How many alternatives the choice had, if one was met.
    pub alternatives: Option<u32>,
}

impl<'a> Watch<'a> {
    /// Watches a move that takes `alternative` at its choice, if it meets one.
    pub fn new(visible: &'a Visible, alternative: u32) -> Watch<'a> {
        Watch {
            visible,
            footprint: Footprint::default(),
            operation: None,
            object: None,
            atomic: false,
            alternative,
            alternatives: None,
        }
    }
}

impl Monitor for Watch<'_> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        if self.operation.is_some() && !self.atomic && !access.sequel {
            return Decision::Stop;
        }
        self.footprint.add(&access);
        if access.locked {
            self.object = Some(access);
        }
        if self.operation.is_none() && self.visible.shows(&access) {
            self.operation = Some(access);
        }
        Decision::Proceed
    }
}

impl Observer for Watch<'_> {
    fn atomic_call(&mut self, inside: bool) {
        self.atomic = inside;
    }

    fn choose(&mut self, alternatives: u32) -> u32 {
        self.alternatives = Some(alternatives);
        self.alternative.min(alternatives.saturating_sub(1))
    }
}
