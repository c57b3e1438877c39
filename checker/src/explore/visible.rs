//! Which accesses are visible operations, at which threads can be switched.

use super::word::{LARGE, Word};
use crate::state::slots::fold;
use ahash::{AHashSet, RandomState};
use samovar_runtime::Process;
use samovar_runtime::syscall::objects;
use samovar_vm::memory::ADDRESS_LIMIT;
use samovar_vm::monitor::Access;
use std::ops::Range;

/// A set of words that is asked about at every access: most are not in it, which a bit tells.
#[derive(Clone, Debug)]
pub struct WordSet {
    words: AHashSet<Word>,
    /// One bit for each word's hash.
    filter: Box<[u64; 64]>,
}

impl Default for WordSet {
    fn default() -> WordSet {
        let hasher = RandomState::with_seeds(51, 52, 53, 54);
        WordSet { words: AHashSet::with_hasher(hasher), filter: Box::new([0; 64]) }
    }
}

impl WordSet {
    fn place(word: Word) -> (usize, u64) {
        let hash = fold(word.0, 0x9e37_79b9_7f4a_7c15);
        ((hash & 63) as usize, 1 << (hash >> 6 & 63))
    }

    /// Whether a word is in the set.
    #[inline]
    pub fn contains(&self, word: Word) -> bool {
        let (index, bit) = WordSet::place(word);
        self.filter[index] & bit != 0 && self.words.contains(&word)
    }

    /// Whether an access overlaps a word of the set.
    #[inline]
    fn meets(&self, access: &Access) -> bool {
        if LARGE <= access.size {
            return self.words.iter().any(|word| word.is_in(access));
        }
        Word::of(access).any(|word| self.contains(word))
    }

    /// Adds a word; whether it is new.
    pub fn insert(&mut self, word: Word) -> bool {
        let (index, bit) = WordSet::place(word);
        self.filter[index] |= bit;
        self.words.insert(word)
    }

    /// All words in ascending order.
    pub fn sorted(&self) -> Vec<Word> {
        let mut words: Vec<Word> = self.words.iter().copied().collect();
        words.sort_unstable();
        words
    }
}

/// Which accesses are visible.
#[derive(Clone, Debug)]
pub enum Visible {
    /// Those to the words of the set, beginnings and ends of threads, and choices: a move has one
    /// choice at most.
    Contended(WordSet),
    /// Those to the program's static variables and to objects. Not sound where threads share
    /// memory of a stack or of the heap without a lock.
    Globals(Vec<Range<u64>>),
    /// All accesses; the oracle for everything else.
    All,
}

impl Visible {
    /// Nothing is contended yet.
    pub fn none_yet() -> Visible {
        Visible::Contended(WordSet::default())
    }

    /// The static variables of the program.
    pub fn globals(process: &Process) -> Visible {
        let program = process.modules().iter().take(1);
        let ranges = program.flat_map(|module| {
            let writable = module.image.segments().iter().filter(|segment| segment.perms.write);
            writable.map(|segment| module.bias + segment.vaddr..module.bias + segment.end())
        });
        Visible::Globals(ranges.collect())
    }

    /// Whether an access is visible.
    #[inline]
    pub fn shows(&self, access: &Access) -> bool {
        match self {
            Visible::All => true,
            Visible::Globals(ranges) => {
                access.locked || ranges.iter().any(|range| range.contains(&access.addr))
            }
            Visible::Contended(words) => {
                access.addr == objects::THREADS
                    || objects::is_choice(access.addr)
                    || words.meets(access)
            }
        }
    }

    /// Whether a word is known to be contended, or need not be.
    pub fn knows(&self, word: Word) -> bool {
        match self {
            Visible::All | Visible::Globals(_) => true,
            Visible::Contended(words) => words.contains(word),
        }
    }

    /// Adds a contended word; whether that makes a difference.
    pub fn add(&mut self, word: Word) -> bool {
        match self {
            Visible::Contended(words) => words.insert(word),
            Visible::All | Visible::Globals(_) => false,
        }
    }

    /// How many words were added.
    pub fn added(&self) -> usize {
        match self {
            Visible::Contended(words) => words.words.len(),
            Visible::All | Visible::Globals(_) => 0,
        }
    }

    /// The words found to be contended, in ascending order.
    pub fn contended(&self) -> Vec<Word> {
        match self {
            Visible::Contended(words) => words.sorted(),
            Visible::All | Visible::Globals(_) => Vec::new(),
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
