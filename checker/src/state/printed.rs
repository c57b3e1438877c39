//! Telling states apart by fingerprints instead of storing them.
//!
//! The state vector is kept as it is, but not folded: of each state there is a fingerprint (see
//! [`crate::hash::print`]), and equal fingerprints count as equal states, which is wrong with a
//! small probability. Numbers of states either pass, and mean something until the next state is
//! expanded only, or they are kept: then every state that was met has one, and can be found again
//! by whoever knows the way there.
//!
//! For a search that keeps its states elsewhere there are no fingerprints at all: numbers pass, and
//! each stands for the whole state, written down as its key (see [`super::key`]).
//!
//! The start of the search is the vector of zeros; its fingerprint and its number are zero.

use super::key::Keys;
use super::slots::{Slots, fold};
use super::tree::StateId;
use crate::hash::print::{Print, Prints};

/// How fingerprints are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Brought up to date from what changes.
    Incremental,
    /// Made anew of the whole vector for every state.
    Full,
    /// Of the general registers alone: states that differ elsewhere count as equal.
    Partial,
    /// None are made: states are told by their keys.
    Whole,
}

/// Where a vector stands that has fingerprints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Printing {
    print: Print,
    state: StateId,
}

/// See the module head.
#[derive(Debug)]
pub struct Printed {
    prints: Prints,
    method: Method,
    now: Printing,
    /// Fingerprints by number.
    listed: Vec<u64>,
    /// The index of numbers that are kept.
    kept: Option<Slots>,
    /// Whole states by number, if they are told by these.
    keys: Keys,
    /// The vector where the process stands.
    pub(super) real: Vec<u32>,
}

fn hash(print: u64) -> u64 {
    fold(print ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9)
}

impl Printed {
    /// Fingerprints by the function with a number, made in this way; `keep` keeps numbers.
    pub fn new(function: u64, method: Method, keep: bool) -> Printed {
        Printed {
            prints: Prints::new(function),
            method,
            now: Printing::default(),
            listed: vec![0],
            kept: keep.then(Slots::default),
            keys: Keys::default(),
            real: Vec::new(),
        }
    }

    /// No fingerprints, but the keys of states whose numbers pass.
    pub fn whole() -> Printed {
        Printed::new(0, Method::Whole, false)
    }

    /// Makes room for so many positions.
    pub(super) fn reserve(&mut self, positions: usize) {
        self.prints.reserve(positions);
    }

    /// A value is about to change.
    #[inline]
    pub(super) fn change(&mut self, position: u32, old: u32, new: u32, is_register: bool) {
        let counts = match self.method {
            Method::Incremental => true,
            Method::Full | Method::Whole => false,
            Method::Partial => is_register,
        };
        if counts && old != new {
            self.prints.change(&mut self.now.print, position, old, new);
        }
    }

    /// All changes were taken in, and these are the values; the number of the state.
    #[inline]
    pub(super) fn settle(&mut self, values: &[u32]) -> StateId {
        let all = values.iter().enumerate().map(|(at, &value)| (at as u32, value));
        match self.method {
            Method::Full => self.now.print = self.prints.of(all),
            Method::Incremental => debug_assert_eq!(self.now.print, self.prints.of(all)),
            Method::Partial => {}
            Method::Whole => {
                self.now.state = self.keys.number(all);
                return self.now.state;
            }
        }
        self.now.state = self.number();
        self.now.state
    }

    fn number(&mut self) -> StateId {
        let print = self.now.print.bits();
        if print == 0 {
            return StateId(0);
        }
        let listed = &self.listed;
        let number = listed.len() as u32;
        if let Some(kept) = &mut self.kept {
            let hash_of = |number: u32| hash(listed[number as usize]);
            let is_it = |number: u32| listed[number as usize] == print;
            if let Some(number) = kept.find(hash(print), is_it) {
                return StateId(number);
            }
            kept.add(hash(print), number, hash_of);
        }
        self.listed.push(print);
        StateId(number)
    }

    /// Whether numbers are kept.
    pub fn keeps(&self) -> bool {
        self.kept.is_some()
    }

    /// The number of the present state.
    pub(super) fn state(&self) -> StateId {
        self.now.state
    }

    /// The fingerprint of the present state.
    pub fn print(&self) -> u64 {
        self.now.print.bits()
    }

    /// The fingerprint of a state.
    pub fn print_of(&self, state: StateId) -> u64 {
        self.listed.get(state.0 as usize).copied().unwrap_or(0)
    }

    /// The key of a state, if states are told by that.
    pub fn key_of(&self, state: StateId) -> &[u8] {
        self.keys.get(state)
    }

    pub(super) fn mark(&self) -> Printing {
        self.now
    }

    pub(super) fn undo_to(&mut self, mark: Printing) {
        self.now = mark;
    }

    /// Another state is expanded: numbers that pass mean nothing any more.
    pub(super) fn begin_state(&mut self) {
        if self.kept.is_none() {
            self.listed.truncate(1);
            self.keys.clear();
        }
    }

    /// Forgets all states.
    pub(super) fn clear(&mut self) {
        self.listed.truncate(1);
        self.keys.clear();
        if let Some(kept) = &mut self.kept {
            kept.clear();
        }
    }

    /// Every number is below this.
    pub(super) fn len(&self) -> usize {
        self.listed.len().max(self.keys.len())
    }

    /// Takes another function, which tells other states apart. The vector must be at the start.
    pub(super) fn change_function(&mut self, function: u64, positions: usize) {
        self.prints = Prints::new(function);
        self.reserve(positions);
    }

    /// Slots taken and slots in all, if numbers are kept.
    pub(super) fn load(&self) -> (usize, usize) {
        self.kept.as_ref().map_or((0, 0), Slots::load)
    }

    /// Memory taken.
    pub fn bytes(&self) -> usize {
        self.listed.capacity() * 8 + self.kept.as_ref().map_or(0, Slots::bytes)
    }
}
