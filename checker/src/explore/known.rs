//! Moves whose effect is known, to be made without executing them.
//!
//! A move is remembered with everything that the space wants to know about it: how it changes the
//! state vector, what it touches, what it waits for. Moves that cannot be remembered (too much to
//! look at, or remembering is off) are kept until the next state is expanded.

use super::engine::Effect;
use super::future::Place;
use super::stubborn::ThreadDeed;
use super::touches::{Share, Touched};
use crate::state::memo::{Memo, MoveId};
use crate::state::{StateId, StateVector};
use samovar_runtime::WaitFor;
use samovar_vm::machine::ThreadId;

/// How a move comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It leads to another state.
    Done,
    /// It cannot be made now.
    Blocked,
    /// It ends the program, or is not looked at any further.
    Over,
}

/// A move that was executed.
#[derive(Debug)]
pub struct Known {
    /// How it comes out.
    pub outcome: Outcome,
    /// What it changes in the state vector.
    pub changes: Box<[(u32, u32)]>,
    /// If it changes the operating system by itself: what that looked like afterwards once.
    pub world: Option<(u32, ThreadId)>,
    /// What it touches.
    pub touched: Box<[Touched]>,
    /// What of it other threads touch, too.
    pub shares: Vec<Share>,
    /// The version of what was ever touched that the shares are of.
    pub version: u64,
    /// Where the thread stands before it.
    pub place: Option<Place>,
    /// What the thread waits for, if it cannot be made.
    pub wait: Option<WaitFor>,
    /// What it does to threads.
    pub deed: ThreadDeed,
    /// The alternatives of the choice that it meets, one if it meets none.
    pub alternatives: u32,
    /// What it does that tells work from running in circles.
    pub effect: Effect,
    /// The address of what it is about.
    pub object: Option<u64>,
    /// Steps of a plan, as the program counts them.
    pub actions: u32,
}

/// Finds a move among those that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveRef {
    /// Remembered.
    Kept(MoveId),
    /// Known until the next state is expanded.
    Passing(u32),
}

/// All moves that are known.
#[derive(Debug, Default)]
pub struct KnownMoves {
    memo: Memo,
    kept: Vec<Known>,
    passing: Vec<Known>,
    kept_bytes: usize,
}

/// Memory that remembered moves may take; then all are forgotten.
const BYTES_MAX: usize = 1 << 30;

impl KnownMoves {
    /// The move of a thread from the present state of a vector, if it is known.
    #[inline]
    pub fn find(
        &self,
        thread: ThreadId,
        alternative: u32,
        vector: &mut StateVector,
    ) -> Option<MoveRef> {
        let found = self.memo.find(thread.0, alternative, |position| vector.value(position));
        found.map(MoveRef::Kept)
    }

    /// Remembers a move that these values decide about.
    pub fn keep(
        &mut self,
        (thread, alternative): (ThreadId, u32),
        looks: &[(u32, u32)],
        known: Known,
    ) -> MoveRef {
        let id = self.memo.add(thread.0, alternative, looks);
        debug_assert_eq!(id.0 as usize, self.kept.len());
        self.kept_bytes += size_of::<Known>()
            + size_of_val(&*known.changes)
            + size_of_val(&*known.touched)
            + known.touched.len() * size_of::<Share>();
        self.kept.push(known);
        MoveRef::Kept(id)
    }

    /// Keeps a move until the next state is expanded.
    pub fn pass(&mut self, known: Known) -> MoveRef {
        self.passing.push(known);
        MoveRef::Passing(self.passing.len() as u32 - 1)
    }

    /// Another state is expanded.
    pub fn begin_state(&mut self) {
        self.passing.clear();
    }

    /// Whether it is time to forget.
    pub fn is_full(&self) -> bool {
        BYTES_MAX < self.bytes()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.memo.clear();
        self.kept.clear();
        self.passing.clear();
        self.kept_bytes = 0;
    }

    /// A move.
    #[inline]
    pub fn get(&self, which: MoveRef) -> &Known {
        match which {
            MoveRef::Kept(id) => &self.kept[id.0 as usize],
            MoveRef::Passing(index) => &self.passing[index as usize],
        }
    }

    /// A move, to bring it up to date.
    pub fn get_mut(&mut self, which: MoveRef) -> &mut Known {
        match which {
            MoveRef::Kept(id) => &mut self.kept[id.0 as usize],
            MoveRef::Passing(index) => &mut self.passing[index as usize],
        }
    }

    /// Makes a move; the state that it leads to.
    #[inline]
    pub fn apply(&self, which: MoveRef, vector: &mut StateVector) -> StateId {
        let known = self.get(which);
        if let Some((shown, thread)) = known.world {
            vector.change_world(shown, thread);
        }
        vector.put(&known.changes)
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        self.memo.bytes() + self.kept_bytes
    }
}
