//! Expanding states by what is known, many at once.
//!
//! A [`Hand`] expands states by what is remembered alone (see [`super::finder`]): it executes
//! nothing, learns nothing and judges nothing, so any number of hands can work at the same time, on
//! one space that stays as it is. States that are hard are left to [`super::Space`].

use super::finder::{Finder, Hard, Sought, Stand};
use super::rulings::Rulings;
use super::{Space, Survey};
use crate::explore::choice::Choice;
use crate::explore::engine::Engine;
use crate::explore::future::Futures;
use crate::explore::hands::Listed;
use crate::explore::known::{KnownMoves, Outcome};
use crate::explore::stubborn::Scope;
use crate::state::reading::Reader;
use crate::state::tree::Next;
use crate::state::worlds::Worlds;
use crate::state::{StateId, StateVector};
use samovar_runtime::ThreadState;
use samovar_vm::machine::ThreadId;
use std::ops::Range;

/// What hands work by, while the space stays as it is.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    vector: &'a StateVector,
    known: &'a KnownMoves,
    rulings: &'a Rulings,
    /// The version that what moves share must be of.
    version: u64,
    exchanges: u64,
    open: &'a [u64],
    futures: &'a Futures,
    scope: Scope,
}

/// See the module head. Hands lie side by side and must not share cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub struct Hand {
    reader: Reader,
    finder: Finder,
    /// States that are being expanded, and where their moves lead.
    begun: Vec<Begun>,
    next: Vec<Next>,
    successors: Vec<StateId>,
    /// States of which only some moves were made, so far.
    reduced: u64,
    /// For some of them, because these are made at straight places.
    leans: bool,
}

/// A state whose successors are still to be named.
#[derive(Debug)]
struct Begun {
    listed: Listed,
    /// Its successors.
    next: Range<usize>,
    /// Moves were left out.
    is_reduced: bool,
    /// One of those that were made closes no cycle, wherever it leads.
    is_straight: bool,
}

/// Where a hand is, in a vector that stays as it is.
struct Standing<'a> {
    reader: &'a Reader,
    vector: &'a StateVector,
}

impl Stand for Standing<'_> {
    #[inline]
    fn world(&self) -> Option<(&Worlds, u32)> {
        self.reader.world(self.vector)
    }

    #[inline]
    fn value(&mut self, question: u32) -> Option<u32> {
        self.reader.value(self.vector, question)
    }

    fn stands(&self, thread: ThreadId) -> (u32, u32) {
        self.reader.stands(self.vector, thread)
    }

    #[inline]
    fn cells(&self) -> &[u32] {
        self.reader.cells()
    }

    #[inline]
    fn deciding(&self, question: u32) -> u64 {
        self.vector.deciding(question)
    }
}

impl<'a> Space<'a> {
    /// What hands may work by, if they are of any use.
    pub fn for_hands(&mut self) -> Option<Known<'_>> {
        if !self.is_plain() {
            return None;
        }
        self.renew_ground();
        Some(Known {
            vector: &self.vector,
            known: &self.known,
            rulings: &self.rulings,
            version: self.touches.version(),
            exchanges: self.exchanges,
            open: &self.open,
            futures: &self.futures,
            scope: self.scope(),
        })
    }

    /// Whether states are stored, not just told by fingerprints.
    pub fn stores(&self) -> bool {
        self.vector.printed().is_none()
    }

    /// Makes room for so many more states of hands, on so many cores.
    pub fn reserve(&mut self, states: usize, jobs: usize) {
        self.vector.reserve(states, jobs);
    }

    /// Whether a hand can still be used: nothing was arranged anew or replaced since it was made.
    pub fn can_use(&self, hand: &Hand) -> bool {
        hand.reader.is_current(&self.vector)
    }

    /// A move that leads from one state to another; what else could be said of the first state does
    /// not matter.
    ///
    /// # Panics
    /// If there is none.
    pub fn choice_between(&mut self, one: StateId, other: StateId) -> Choice {
        self.jump(one);
        self.refresh_known();
        let mark = self.vector.mark();
        // The number behind the last thread stands for the passing of time.
        for thread in (0..=self.thread_count()).map(ThreadId) {
            let (mut alternative, mut alternatives) = (0, 1);
            while alternative < alternatives && self.may_move(thread) {
                let choice = Choice { thread, alternative };
                let found = self.made(choice, &mut Survey::again());
                let known = self.known.get(found.which);
                alternatives = known.alternatives.max(alternatives);
                if known.outcome == Outcome::Done {
                    let reached = self.known.apply(found, &mut self.vector);
                    self.vector.undo_to(mark);
                    if reached == other {
                        return choice;
                    }
                }
                alternative += 1;
            }
        }
        panic!("internal error: no move leads from a state to its successor")
    }

    /// Whether a thread does not wait, and has not ended.
    fn may_move(&self, thread: ThreadId) -> bool {
        let threads = self.vector.os().threads();
        threads.len() as u32 == thread.0
            || threads[thread.0 as usize].state == ThreadState::Runnable
    }

    /// A hand for the present round.
    pub fn hand(&self) -> Hand {
        Hand {
            reader: Reader::new(&self.vector),
            finder: Finder::default(),
            begun: Vec::new(),
            next: Vec::new(),
            successors: Vec::new(),
            reduced: 0,
            leans: false,
        }
    }

    /// Takes in what hands have done.
    pub fn take_in(&mut self, hands: &mut [Hand]) {
        for hand in hands {
            self.vector.take_counts(&mut hand.reader);
            self.stats.reduced += std::mem::take(&mut hand.reduced);
            self.remembered += std::mem::take(&mut hand.finder.remembered);
            if std::mem::take(&mut hand.leans) {
                self.futures.lean_on_straight();
            }
        }
    }
}

impl Hand {
    /// Tells `each` where the moves of states lead, or that a state is hard, in any order. If all
    /// successors of a state of which moves were left out are open, none are left out.
    pub fn expand(
        &mut self,
        known: &Known<'_>,
        states: &[Listed],
        is_open: &impl Fn(u64, StateId) -> bool,
        mut each: impl FnMut(Listed, Result<&[StateId], Hard>),
    ) {
        self.begun.clear();
        self.next.clear();
        for &listed in states {
            let first = self.next.len();
            match self.begin(known, listed.1) {
                Ok((is_reduced, is_straight)) => {
                    let next = first..self.next.len();
                    self.begun.push(Begun { listed, next, is_reduced, is_straight });
                }
                Err(hard) => {
                    self.next.truncate(first);
                    each(listed, Err(hard));
                }
            }
        }
        for at in 0..self.begun.len() {
            let outcome = self.finish(known, at, is_open);
            each(self.begun[at].listed, outcome.map(|()| &*self.successors));
        }
    }

    /// Finds where the moves of a state lead; whether only some of them were made, and one of these
    /// closes no cycle.
    fn begin(&mut self, known: &Known<'_>, state: StateId) -> Result<(bool, bool), Hard> {
        self.find(known, state)?;
        let ruling = known.rulings.get(&self.finder.cast, known.scope).ok_or(Hard)?;
        match ruling.filter(|_| 1 < self.finder.ready.len()) {
            None => self.make(known, |_| true)?,
            Some(sufficient) => {
                let is_made = |choice: Choice| sufficient.contains(choice.thread);
                self.make(known, is_made)?;
                let made = self.finder.ready.iter().filter(|one| is_made(one.0));
                let mut places = made.filter_map(|one| known.known.get(one.1.which).place);
                return Ok((true, places.any(|place| known.futures.is_straight(place))));
            }
        }
        Ok((false, false))
    }

    /// Names the successors of a state.
    fn finish(
        &mut self,
        known: &Known<'_>,
        at: usize,
        is_open: &impl Fn(u64, StateId) -> bool,
    ) -> Result<(), Hard> {
        let Begun { listed: (from, state), ref next, is_reduced, is_straight } = self.begun[at];
        self.successors.clear();
        self.successors.extend(self.next[next.clone()].iter().map(|&one| self.reader.number(one)));
        let may_close = is_reduced && self.successors.iter().all(|&one| is_open(from, one));
        if may_close && !is_straight {
            // Too little was made.
            let first = self.next.len();
            self.find(known, state)?;
            self.make(known, |_| true)?;
            let rest = self.next[first..].iter();
            self.successors.clear();
            self.successors.extend(rest.map(|&one| self.reader.number(one)));
        } else {
            self.reduced += u64::from(is_reduced);
            self.leans |= may_close;
        }
        if self.reader.is_overrun() { Err(Hard) } else { Ok(()) }
    }

    fn find(&mut self, known: &Known<'_>, state: StateId) -> Result<(), Hard> {
        if self.reader.is_overrun() {
            return Err(Hard);
        }
        self.reader.go(known.vector, state);
        let mut standing = Standing { reader: &self.reader, vector: known.vector };
        self.finder.find(&mut standing, known.sought())
    }

    fn make(&mut self, known: &Known<'_>, is_wanted: impl Fn(Choice) -> bool) -> Result<(), Hard> {
        for &(_, found) in self.finder.ready.iter().filter(|(choice, _)| is_wanted(*choice)) {
            let changes = known.known.cell_changes(found).ok_or(Hard)?;
            self.next.push(self.reader.after(known.vector, changes));
        }
        Ok(())
    }
}

impl Known<'_> {
    fn sought(&self) -> Sought<'_> {
        let (version, arrangement) = (self.version, self.vector.arrangement());
        Sought { known: self.known, version, arrangement, exchanges: self.exchanges }
    }

    /// Whether a state may close a cycle, as far as the space was told.
    pub fn is_open(&self, state: StateId) -> bool {
        let word = self.open.get(state.0 as usize / 64);
        word.is_some_and(|word| word & 1 << (state.0 % 64) != 0)
    }
}
