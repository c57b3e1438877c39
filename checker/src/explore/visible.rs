//! Which accesses are visible operations, at which threads can be switched.

use super::word::{LARGE, Word};
use crate::state::slots::fold;
use ahash::{AHashSet, RandomState};
use samovar_runtime::syscall::objects;
use samovar_runtime::{Module, Process};
use samovar_vm::memory::ADDRESS_LIMIT;
use samovar_vm::monitor::Access;
use std::ops::Range;
use std::sync::Arc;

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

    /// How many words there are.
    pub fn count(&self) -> usize {
        self.words.len()
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

/// Sections that the dynamic linker fills in before the program begins, and nobody writes then.
const LINKED: [&str; 6] =
    [".init_array", ".fini_array", ".data.rel.ro", ".dynamic", ".got", ".got.plt"];

/// Those sections of the whole process.
pub(super) fn linked(process: &Process) -> Vec<Range<u64>> {
    let of = |module: &Arc<Module>| {
        let sections = LINKED.iter().filter_map(|name| module.image.section_named(name));
        let bias = module.bias;
        sections.map(move |one| bias + one.start..bias + one.end).collect::<Vec<_>>()
    };
    process.modules().iter().flat_map(of).collect()
}

/// The least that C libraries whose threads work on their own records have there.
const DESCRIPTOR_LEN: u64 = 0x700;

/// What is left of a range.
fn without(range: &Range<u64>, part: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    let before = range.start..range.end.min(part.start);
    let after = range.start.max(part.end)..range.end;
    [before, after].into_iter().filter(|one| !one.is_empty())
}

/// Which accesses are visible.
#[derive(Clone, Debug)]
pub enum Visible {
    /// Those to the words of the set, beginnings and ends of threads, and choices: a move has one
    /// choice at most.
    Contended(WordSet),
    /// Those to the program's static variables and to objects, but for what a thread does to its
    /// own descriptor. Not sound where threads share memory of a stack or of the heap without a
    /// lock.
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
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for module in process.modules().iter().take(1) {
            let writable = module.image.segments().iter().filter(|segment| segment.perms.write);
            let mut own: Vec<Range<u64>> =
                writable.map(|segment| segment.vaddr..segment.end()).collect();
            for constant in LINKED.iter().filter_map(|name| module.image.section_named(name)) {
                own = own.iter().flat_map(|range| without(range, &constant)).collect();
            }
            ranges.extend(own.iter().map(|one| module.bias + one.start..module.bias + one.end));
        }
        Visible::Globals(ranges)
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

    /// The same for an access of the thread whose record the C library has here. What a thread does
    /// to that with atomic instructions, as it does when it begins, is no operation on an object.
    #[inline]
    pub fn shows_of(&self, descriptor: u64, access: &Access) -> bool {
        self.shows(access)
            && !(matches!(self, Visible::Globals(_))
                && descriptor != 0
                && access.addr.wrapping_sub(descriptor) < DESCRIPTOR_LEN)
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
            Visible::Contended(words) => words.count(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_taken_out_of_ranges() {
        let left = |part: Range<u64>| -> Vec<(u64, u64)> {
            without(&(10..20), &part).map(|one| (one.start, one.end)).collect()
        };
        assert_eq!(left(12..15), [(10, 12), (15, 20)]);
        assert_eq!(left(5..12), [(12, 20)]);
        assert_eq!(left(18..30), [(10, 18)]);
        assert_eq!(left(10..20), []);
        assert_eq!(left(0..30), []);
    }
}
