//! Expanding states by what is known, many at once.
//!
//! Nearly all moves of a large space are remembered, and so are the rulings on them. A [`Hand`]
//! expands states with these alone: it executes nothing, learns nothing and judges nothing, so any
//! number of hands can work at the same time, on one space that stays as it is. A state at which
//! anything is not known yet is *hard*, and left to [`super::Space`]; so is every state at which a
//! move ends the program or goes wrong, because such moves are never remembered. What a hand says
//! of a state that is not hard is what the space would have said.

use super::rulings::Rulings;
use super::{Space, Survey};
use crate::explore::choice::Choice;
use crate::explore::engine::{Engine, UNSTORED};
use crate::explore::known::{Found, KnownMoves, Outcome};
use crate::state::reading::Reader;
use crate::state::{StateId, StateVector};
use samovar_runtime::ThreadState;
use samovar_vm::machine::ThreadId;

/// What hands work by, while the space stays as it is.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    vector: &'a StateVector,
    known: &'a KnownMoves,
    rulings: &'a Rulings,
    /// The version that what moves share must be of.
    version: u64,
    open: &'a [u64],
    prune: bool,
}

/// See the module head.
#[derive(Debug)]
pub struct Hand {
    reader: Reader,
    ready: Vec<(Choice, Found)>,
    key: Vec<u32>,
    successors: Vec<StateId>,
    /// States of which only some moves were made, so far.
    pub reduced: u64,
    /// Moves made, so far.
    pub remembered: u64,
}

/// Something is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hard;

impl<'a> Space<'a> {
    /// What hands may work by, if they are of any use.
    pub fn for_hands(&mut self) -> Option<Known<'_>> {
        let is_plain = self.properties.is_empty() && !self.appraisals.is_wanted() && !self.defers;
        if !is_plain || self.vector.printed().is_some() || !self.remembers() {
            return None;
        }
        self.renew_ground();
        Some(Known {
            vector: &self.vector,
            known: &self.known,
            rulings: &self.rulings,
            version: self.touches.version(),
            open: &self.open,
            prune: self.prune,
        })
    }

    /// Whether states are stored, not just told by fingerprints.
    pub fn stores(&self) -> bool {
        self.vector.printed().is_none()
    }

    /// Makes room for so many more states of hands.
    pub fn reserve(&mut self, states: usize) {
        self.vector.reserve(states);
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
                let found = self.made(choice, &mut Survey { muted: true, ..Survey::default() });
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
            ready: Vec::new(),
            key: Vec::new(),
            successors: Vec::new(),
            reduced: 0,
            remembered: 0,
        }
    }

    /// Takes in what hands have done.
    pub fn take_in(&mut self, hands: &mut [Hand]) {
        for hand in hands {
            self.stats.reduced += std::mem::take(&mut hand.reduced);
            self.remembered += std::mem::take(&mut hand.remembered);
        }
    }
}

impl Hand {
    /// Where the moves of a state lead.
    pub fn expand(&mut self, known: &Known<'_>, state: StateId) -> Result<&[StateId], Hard> {
        self.ready.clear();
        self.key.clear();
        self.successors.clear();
        self.reader.go(known.vector, state);
        self.find_moves(known)?;
        let ruling = known.rulings.get(&self.key).ok_or(Hard)?;
        let sufficient = ruling.as_ref().filter(|_| known.prune && 1 < self.ready.len());
        match sufficient {
            None => self.make(known, |_| true)?,
            Some(sufficient) => {
                self.make(known, |choice| sufficient.contains(choice.thread))?;
                if self.successors.iter().all(|&one| known.is_open(one)) {
                    self.successors.clear();
                    self.make(known, |_| true)?;
                } else {
                    self.reduced += 1;
                }
            }
        }
        if self.reader.is_overrun() { Err(Hard) } else { Ok(&self.successors) }
    }

    /// Whether this hand could not store a state, and is of no use any more.
    pub fn is_overrun(&self) -> bool {
        self.reader.is_overrun()
    }

    /// Finds the moves of all threads, and what they are like.
    fn find_moves(&mut self, known: &Known<'_>) -> Result<(), Hard> {
        let os = self.reader.os(known.vector);
        let count = os.threads().len() as u32;
        self.key.push(count);
        if os.next_deadline().is_some() {
            return Err(Hard);
        }
        for thread in (0..count).map(ThreadId) {
            if os.threads()[thread.0 as usize].state == ThreadState::Runnable {
                self.find_moves_of(known, thread)?;
            }
        }
        if self.ready.is_empty() {
            return Err(Hard);
        }
        for thread in (0..count).map(ThreadId) {
            if matches!(os.threads()[thread.0 as usize].state, ThreadState::Waiting(_)) {
                let stands = self.reader.stands(known.vector, thread).ok_or(Hard)?;
                Rulings::note_waiting(&mut self.key, thread, stands);
            }
        }
        Ok(())
    }

    fn find_moves_of(&mut self, known: &Known<'_>, thread: ThreadId) -> Result<(), Hard> {
        let (mut alternative, mut alternatives) = (0, 1);
        while alternative < alternatives {
            let value = |question| self.reader.value(known.vector, question);
            let arrangement = known.vector.arrangement();
            let found = known.known.find_by_cells(thread, alternative, arrangement, value);
            let found = found.ok_or(Hard)?;
            let one = known.known.get(found.which);
            if one.version != known.version {
                return Err(Hard);
            }
            Rulings::note_move(&mut self.key, thread, one.class);
            alternatives = one.alternatives.max(alternatives);
            if one.outcome == Outcome::Done {
                self.ready.push((Choice { thread, alternative }, found));
            }
            self.remembered += 1;
            alternative += 1;
        }
        Ok(())
    }

    fn make(&mut self, known: &Known<'_>, is_wanted: impl Fn(Choice) -> bool) -> Result<(), Hard> {
        for &(_, found) in self.ready.iter().filter(|(choice, _)| is_wanted(*choice)) {
            let changes = known.known.cell_changes(found).ok_or(Hard)?;
            let world = known.known.get(found.which).world;
            let state = self.reader.after(known.vector, world, changes).ok_or(Hard)?;
            debug_assert_ne!(state, UNSTORED);
            self.successors.push(state);
        }
        Ok(())
    }
}

impl Known<'_> {
    fn is_open(&self, state: StateId) -> bool {
        let word = self.open.get(state.0 as usize / 64);
        word.is_some_and(|word| word & 1 << (state.0 % 64) != 0)
    }
}
