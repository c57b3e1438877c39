//! The monitor of a move: notes the footprint and finds the visible operation.
//!
//! A move is a block of invisible work and the visible operation behind it. The first access to a
//! contended word is the visible operation; it is let through, and the thread stops before its
//! next access, having done nothing but work in registers after the operation. Inside an atomic
//! library call the thread cannot stop; what it touches there joins the same move.

use super::footprint::{Footprint, Word};
use ahash::{AHashSet, RandomState};
use samovar_runtime::syscall::objects;
use samovar_runtime::{Observer, Process};
use samovar_vm::memory::ADDRESS_LIMIT;
use samovar_vm::monitor::{Access, Decision, Monitor};
use std::ops::Range;

/// Which accesses are visible.
#[derive(Clone, Debug)]
pub enum Visible {
    /// Those to the words of the set, beginnings and ends of threads, and choices: a move has one
    /// choice at most.
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
                    || objects::is_choice(access.addr)
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

/// Memory that belongs to libraries: their own variables. What a library call that runs without
/// scheduling points does there, and to the operating system on the way, concerns nobody else.
#[derive(Clone, Debug, Default)]
pub struct LibraryData {
    ranges: Vec<Range<u64>>,
}

impl LibraryData {
    /// The variables of all modules but the program itself.
    pub fn of(process: &Process) -> LibraryData {
        let modules = process.modules().iter().skip(1);
        let ranges = modules.flat_map(|module| {
            let writable = module.image.segments().iter().filter(|segment| segment.perms.write);
            writable.map(|segment| module.bias + segment.vaddr..module.bias + segment.end())
        });
        LibraryData { ranges: ranges.collect() }
    }

    /// Whether an address is the library's, or a pseudo-address of the operating system.
    pub fn holds(&self, addr: u64) -> bool {
        let pseudo = addr >= ADDRESS_LIMIT && addr != objects::THREADS;
        pseudo || self.ranges.iter().any(|range| range.contains(&addr))
    }
}

/// Watches one move.
#[derive(Debug)]
pub struct Watch<'a> {
    visible: &'a Visible,
    library: &'a LibraryData,
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
    /// Watches a move that takes `alternative` at its choice, if it meets one; `atomic` tells
    /// whether the thread is in a library call that runs without scheduling points.
    pub fn new(
        visible: &'a Visible,
        library: &'a LibraryData,
        alternative: u32,
        atomic: bool,
    ) -> Watch<'a> {
        Watch {
            visible,
            library,
            footprint: Footprint::default(),
            operation: None,
            object: None,
            atomic,
            alternative,
            alternatives: None,
        }
    }
}

impl Watch<'_> {
    /// Whether an access would be the visible operation.
    pub fn shows(&self, access: &Access) -> bool {
        let is_private = self.atomic && self.library.holds(access.addr);
        !is_private && self.visible.shows(access)
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
        if self.atomic && self.library.holds(access.addr) {
            return Decision::Proceed;
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
