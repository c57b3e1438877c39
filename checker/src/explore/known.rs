//! Moves whose effect is known, to be made without executing them.
//!
//! A move is remembered with everything that the space wants to know about it: how it changes the
//! state vector, what it touches, what it waits for. It is found by what it looked at, fast by
//! whole cells of the vector or else by positions (see [`crate::state::looks`]). Moves that cannot
//! be remembered (too much to look at, or remembering is off) are kept until the next state is
//! expanded.

use super::engine::Effect;
use super::future::Place;
use super::lists::Lists;
use super::stubborn::ThreadDeed;
use super::touches::{Share, Touched};
use super::word::Word;
use crate::state::looks::CellChanges;
use crate::state::memo::{Memo, MoveId};
use crate::state::{StateId, StateVector};
use crate::sync::Arc;
use samovar_runtime::WaitFor;
use samovar_vm::machine::ThreadId;

/// How a move comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// What it touches.
    pub touched: Arc<[Touched]>,
    /// What of it other threads touch, too.
    pub shares: Arc<[Share]>,
    /// The version of what was ever touched that the shares are of.
    pub version: u64,
    /// What the move is like to those who compare moves; of the same version.
    pub class: u32,
    /// Where the thread stands before it.
    pub place: Option<Place>,
    /// What the thread waits for, if it cannot be made.
    pub wait: Option<WaitFor>,
    /// It cannot be made because the thread would go round in vain.
    pub held: bool,
    /// What it does to threads.
    pub deed: ThreadDeed,
    /// The alternatives of the choice that it meets, one if it meets none.
    pub alternatives: u32,
    /// What it does that tells work from running in circles.
    pub effect: Effect,
    /// The address of what it is about.
    pub object: Option<u64>,
    /// How many more locks its thread holds afterwards.
    pub holds: i32,
    /// Steps of a plan, as the program counts them.
    pub actions: u32,
    /// It touches what lies in large pieces of memory, as far as anybody touched that before.
    pub is_large: bool,
    /// What it touches may be more by now: it has to be executed again.
    pub is_stale: bool,
}

impl Known {
    /// Whether it touches a word that other threads touch, too.
    pub fn touches(&self, word: Word) -> bool {
        self.shares.iter().any(|share| share.word() == word)
    }
}

/// Finds a move among those that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveRef {
    /// Remembered.
    Kept(MoveId),
    /// Known until the next state is expanded.
    Passing(u32),
}

/// A move that is known, in the state that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The move.
    pub which: MoveRef,
    /// Where it says what the move changes in this state, in cells.
    in_cells: Option<u32>,
}

impl From<MoveRef> for Found {
    fn from(which: MoveRef) -> Found {
        Found { which, in_cells: None }
    }
}

/// What has to be known of every move of a state that is expanded, close together. One for each
/// way to find a move by cells.
#[derive(Clone, Copy, Debug)]
pub struct Brief {
    /// The version of [`Known::class`].
    pub version: u64,
    /// The class.
    pub class: u32,
    id: MoveId,
    /// Another one of the same move, plus one.
    other: u32,
    /// The alternatives of the choice that it meets, one if it meets none.
    pub alternatives: u32,
    /// Whether it leads to another state.
    pub is_done: bool,
}

/// All moves that are known.
#[derive(Debug, Default)]
pub struct KnownMoves {
    memo: Memo,
    kept: Vec<Known>,
    /// Those of them with large accesses.
    large: Vec<MoveId>,
    passing: Vec<Known>,
    kept_bytes: usize,
    touched: Lists<Touched>,
    shares: Lists<Share>,
    /// The same by cells.
    by_cells: Memo,
    in_cells: Vec<CellChanges>,
    briefs: Vec<Brief>,
    /// By move: the last of its briefs plus one.
    last_briefs: Vec<u32>,
    cell_bytes: usize,
    /// The arrangement of cells that these are for.
    arrangement: u32,
    /// How often something was forgotten, or given another class.
    revision: u64,
    looks: Vec<(u32, u32)>,
    /// Memory that they may take, if not the usual.
    bytes_max: Option<usize>,
}

/// Memory that remembered moves may take; then all are forgotten.
const BYTES_MAX: usize = 1 << 30;
/// With so many threads there are always moves that come once only: a quarter has to do.
const MANY_THREADS: usize = 256;

impl KnownMoves {
    /// The move of a thread from the present state of a vector, if it is known.
    #[inline]
    pub fn find(
        &mut self,
        thread: ThreadId,
        alternative: u32,
        vector: &mut StateVector,
    ) -> Option<Found> {
        if self.arrangement == vector.arrangement() {
            let found = self.by_cells.find(thread.0, alternative, |cell| vector.value(cell));
            if let Some(found) = found {
                let which = MoveRef::Kept(self.briefs[found.0 as usize].id);
                return Some(Found { which, in_cells: Some(found.0) });
            }
        }
        self.find_by_positions(thread, alternative, vector)
    }

    /// The same, where nothing must be changed: found by cells only, if all questions have answers.
    /// With what is told of it in brief.
    #[inline]
    pub fn find_by_cells(
        &self,
        thread: ThreadId,
        alternative: u32,
        arrangement: u32,
        mut value: impl FnMut(u32) -> Option<u32>,
    ) -> Option<(Found, &Brief)> {
        if self.arrangement != arrangement {
            return None;
        }
        let mut is_known = true;
        let found = self.by_cells.find(thread.0, alternative, |question| {
            value(question).unwrap_or_else(|| {
                is_known = false;
                u32::MAX
            })
        })?;
        let brief = &self.briefs[found.0 as usize];
        let which = MoveRef::Kept(brief.id);
        is_known.then_some((Found { which, in_cells: Some(found.0) }, brief))
    }

    /// What a move changes in the state in which it was found by cells.
    pub fn cell_changes(&self, found: Found) -> Option<&CellChanges> {
        Some(&self.in_cells[found.in_cells? as usize])
    }

    fn find_by_positions(
        &mut self,
        thread: ThreadId,
        alternative: u32,
        vector: &mut StateVector,
    ) -> Option<Found> {
        let looks = &mut self.looks;
        looks.clear();
        let id = self.memo.find(thread.0, alternative, |position| {
            let value = vector.value(position);
            looks.push((position, value));
            value
        })?;
        if self.arrangement != vector.arrangement() {
            self.arrangement = vector.arrangement();
            self.forget_cells();
        }
        vector.look_at_cells(thread, &mut self.looks);
        let changes = vector.cell_changes(thread, &self.kept[id.0 as usize].changes);
        self.cell_bytes += size_of_val(&*changes.cells)
            + size_of_val(&*changes.rest)
            + size_of_val(&*changes.parts)
            + size_of::<CellChanges>()
            + size_of::<Brief>();
        let found = self.by_cells.add(thread.0, alternative, &self.looks);
        debug_assert_eq!(found.0 as usize, self.in_cells.len());
        self.in_cells.push(changes);
        self.add_brief(id);
        Some(Found { which: MoveRef::Kept(id), in_cells: Some(found.0) })
    }

    fn add_brief(&mut self, id: MoveId) {
        let known = &self.kept[id.0 as usize];
        let index = id.0 as usize;
        if self.last_briefs.len() <= index {
            self.last_briefs.resize(self.kept.len(), 0);
        }
        let number = self.briefs.len() as u32 + 1;
        self.briefs.push(Brief {
            version: known.version,
            class: known.class,
            id,
            other: std::mem::replace(&mut self.last_briefs[index], number),
            alternatives: known.alternatives,
            is_done: known.outcome == Outcome::Done,
        });
    }

    /// Says what of a move other threads touch, too.
    pub fn set_shares(&mut self, which: MoveRef, shares: &[Share]) {
        self.get_mut(which).shares = self.shares.get(shares);
    }

    /// Gives a move another class.
    pub fn set_class(&mut self, which: MoveRef, version: u64, class: u32) {
        self.revision += 1;
        let known = self.get_mut(which);
        (known.version, known.class) = (version, class);
        let MoveRef::Kept(id) = which else { return };
        let mut brief = self.last_briefs.get(id.0 as usize).copied().unwrap_or(0);
        while let Some(index) = brief.checked_sub(1) {
            let one = &mut self.briefs[index as usize];
            (one.version, one.class) = (version, class);
            brief = one.other;
        }
    }

    /// As long as this stays the same, a move that was found by cells is found again wherever these
    /// are the same, and what is told of it in brief stays the same.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    fn forget_cells(&mut self) {
        self.revision += 1;
        self.by_cells.clear();
        self.in_cells.clear();
        self.briefs.clear();
        self.last_briefs.clear();
        self.cell_bytes = 0;
    }

    /// Remembers a move that these values decide about.
    pub fn keep(
        &mut self,
        (thread, alternative): (ThreadId, u32),
        looks: &[(u32, u32)],
        mut known: Known,
    ) -> MoveRef {
        let id = self.memo.add(thread.0, alternative, looks);
        debug_assert_eq!(id.0 as usize, self.kept.len());
        self.kept_bytes += size_of::<Known>() + size_of_val(&*known.changes);
        known.touched = self.touched.get(&known.touched);
        self.large.extend(known.is_large.then_some(id));
        self.kept.push(known);
        MoveRef::Kept(id)
    }

    /// Words were touched for the first time that large accesses are about: what such moves touch
    /// has to be found out again.
    pub fn doubt_large(&mut self) {
        for number in 0..self.large.len() {
            let which = MoveRef::Kept(self.large[number]);
            self.get_mut(which).is_stale = true;
            self.set_class(which, 0, 0);
        }
    }

    /// Remembers what a move is like that had to be executed again. It looks at the same, and leads
    /// to the same state.
    pub fn replace(&mut self, which: MoveRef, mut known: Known) -> MoveRef {
        known.touched = self.touched.get(&known.touched);
        *self.get_mut(which) = known;
        which
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

    /// Forgets when they take more than this.
    pub fn set_limit(&mut self, bytes: usize) {
        self.bytes_max = Some(bytes);
    }

    /// Whether it is time to forget, with so many threads.
    pub fn is_full(&self, threads: usize) -> bool {
        let most = if threads < MANY_THREADS { BYTES_MAX } else { BYTES_MAX / 4 };
        self.bytes_max.unwrap_or(most) < self.bytes()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.memo.clear();
        self.kept.clear();
        self.large.clear();
        self.passing.clear();
        self.kept_bytes = 0;
        self.touched.clear();
        self.shares.clear();
        self.forget_cells();
    }

    /// A move.
    #[inline]
    pub fn get(&self, which: MoveRef) -> &Known {
        match which {
            MoveRef::Kept(id) => &self.kept[id.0 as usize],
            MoveRef::Passing(index) => &self.passing[index as usize],
        }
    }

    fn get_mut(&mut self, which: MoveRef) -> &mut Known {
        match which {
            MoveRef::Kept(id) => &mut self.kept[id.0 as usize],
            MoveRef::Passing(index) => &mut self.passing[index as usize],
        }
    }

    /// Makes a move; the state that it leads to.
    #[inline]
    pub fn apply(&self, found: Found, vector: &mut StateVector) -> StateId {
        self.make(found, vector);
        vector.settle()
    }

    /// Makes a move; it has to be taken back, or [`StateVector::settle`]d, before anything else.
    #[inline]
    pub fn make(&self, found: Found, vector: &mut StateVector) {
        self.shift(found, vector);
        vector.put_parts(self.parts(found));
        vector.find_world();
    }

    /// Makes a move to look at the state that it leads to; it has to be taken back before anything
    /// else, and before the state is stored its world has to be [kept](StateVector::keep_world).
    pub fn peek(&self, found: Found, vector: &mut StateVector) {
        self.shift(found, vector);
        vector.put_parts(self.parts(found));
        vector.glimpse_world();
    }

    /// Parts of the operating system that are changed with whole cells.
    fn parts(&self, found: Found) -> &[(u32, u32)] {
        found.in_cells.map_or(&[], |at| &self.in_cells[at as usize].parts)
    }

    /// Makes a move, not even to look at the operating system there; it has to be taken back.
    #[inline]
    pub fn shift(&self, found: Found, vector: &mut StateVector) {
        match found.in_cells {
            Some(at) => {
                let changes = &self.in_cells[at as usize];
                vector.put_cells(&changes.cells);
                vector.put_rest(&changes.rest);
            }
            None => vector.put_rest(&self.get(found.which).changes),
        }
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        let lists = self.touched.bytes() + self.shares.bytes();
        self.memo.bytes() + self.kept_bytes + lists + self.by_cells.bytes() + self.cell_bytes
    }
}
