//! Finding the moves of a state among those that are known, and making them in the vector alone.
//!
//! Nearly all moves of a large space are remembered, and so are the rulings on them. Where that is
//! so for every move of a state, expanding it needs no process and no comparing. Anything else is
//! *hard*, and left to the survey: a move that was never seen, a ruling that was never made, time
//! that may pass, a state in which nothing moves. Moves that end the program or go wrong are never
//! remembered, so there are none here. What is said of a state that is not hard is what the survey
//! would have said; debug builds ask both.
//!
//! A move changes few cells, and most threads look at none of them: what they may do next is what
//! they could do in the state that was looked at last. Which cells decided about the move of each
//! thread is noted, and only moves about which a changed cell decides are looked for again.

use super::Space;
use super::pairs::Cast;
use crate::explore::choice::Choice;
use crate::explore::engine::{Expansion, Successor};
use crate::explore::known::{Found, KnownMoves};
use crate::state::StateVector;
use crate::state::tree::Next;
use crate::state::vector::CELL_BITS;
use crate::state::worlds::{Roll, Worlds};
use samovar_vm::machine::ThreadId;

/// Something is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hard;

/// A place in the space of states.
pub(super) trait Stand {
    /// The operating systems that there are, and the number of the present one, if it is known.
    fn world(&self) -> Option<(&Worlds, u32)>;

    /// The answer to a question about what a move looks at, if it is known.
    fn value(&mut self, question: u32) -> Option<u32>;

    /// How a thread stands.
    fn stands(&self, thread: ThreadId) -> (u32, u32);

    /// All cells.
    fn cells(&self) -> &[u32];

    /// What decides about the answer to a question (see [`CELL_BITS`]).
    fn deciding(&self, question: u32) -> u64;
}

impl Stand for StateVector {
    #[inline]
    fn world(&self) -> Option<(&Worlds, u32)> {
        Some(StateVector::world(self))
    }

    #[inline]
    fn value(&mut self, question: u32) -> Option<u32> {
        Some(StateVector::value(self, question))
    }

    fn stands(&self, thread: ThreadId) -> (u32, u32) {
        StateVector::stands(self, thread)
    }

    #[inline]
    fn cells(&self) -> &[u32] {
        StateVector::cells(self)
    }

    #[inline]
    fn deciding(&self, question: u32) -> u64 {
        StateVector::deciding(self, question)
    }
}

/// What moves are looked for in, while it stays as it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sought<'a> {
    pub known: &'a KnownMoves,
    /// The version that what moves share must be of.
    pub version: u64,
    /// The arrangement of cells.
    pub arrangement: u32,
    /// How often minds were changed, so that these are others.
    pub exchanges: u64,
}

impl Sought<'_> {
    /// While this stays the same, moves that were found stay the same where the cells do.
    fn edition(&self) -> (u64, u64, u64, u32) {
        (self.known.revision(), self.exchanges, self.version, self.arrangement)
    }
}

/// The only move of a thread, in the state that was looked at last.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// What decides about it (see [`CELL_BITS`]).
    deciding: u64,
    found: Found,
    class: u32,
    is_done: bool,
}

/// The moves of a state, and what they are like.
#[derive(Debug, Default)]
pub(super) struct Finder {
    /// Moves that lead to another state.
    pub ready: Vec<(Choice, Found)>,
    /// Where those lead that are being made.
    next: Vec<Next>,
    /// All threads, as a ruling on the state depends on them.
    pub cast: Cast,
    /// Moves found, so far.
    pub remembered: u64,
    /// The only moves of threads, by thread.
    last: Vec<Option<Last>>,
    /// The state in which they were: all cells, and the operating system.
    cells: Vec<u32>,
    world: u32,
    edition: (u64, u64, u64, u32),
}

impl Finder {
    /// Forgets what was found.
    pub(super) fn clear(&mut self) {
        self.ready.clear();
        self.cast.clear();
    }

    /// Finds the moves of all threads.
    #[inline]
    pub(super) fn find(&mut self, at: &mut impl Stand, sought: Sought<'_>) -> Result<(), Hard> {
        self.clear();
        let (worlds, world) = at.world().ok_or(Hard)?;
        self.forget_changed(at.cells(), world, sought.edition());
        let (chunks, is_awaited) = (worlds.chunks(world).len(), worlds.is_awaited(world));
        for chunk in 0..chunks {
            let roll = roll(at, chunk).ok_or(Hard)?;
            if roll.has_deadline {
                return Err(Hard);
            }
            for thread in threads_of(chunk, roll.runnable) {
                self.find_of(at, sought, thread)?;
            }
        }
        if self.ready.is_empty() {
            return Err(Hard);
        }
        for chunk in 0..if is_awaited { chunks } else { 0 } {
            let roll = roll(at, chunk).ok_or(Hard)?;
            for thread in threads_of(chunk, roll.waiting) {
                self.cast.note_waiting(thread, at.stands(thread));
            }
        }
        Ok(())
    }

    /// Forgets moves about which something decides that is not as it was in the last state.
    #[inline]
    fn forget_changed(&mut self, cells: &[u32], world: u32, edition: (u64, u64, u64, u32)) {
        if self.edition != edition || self.cells.len() != cells.len() {
            self.edition = edition;
            self.last.clear();
            self.cells.clear();
            self.cells.extend_from_slice(cells);
            self.world = world;
            return;
        }
        let mut changed =
            u64::from(std::mem::replace(&mut self.world, world) != world) << CELL_BITS;
        for (at, (known, &now)) in self.cells.iter_mut().zip(cells).enumerate() {
            if *known != now {
                *known = now;
                changed |= 1 << (at as u32 % CELL_BITS);
            }
        }
        for last in &mut self.last {
            if last.is_some_and(|last| last.deciding & changed != 0) {
                *last = None;
            }
        }
    }

    #[inline]
    fn find_of(
        &mut self,
        at: &mut impl Stand,
        sought: Sought<'_>,
        thread: ThreadId,
    ) -> Result<(), Hard> {
        let index = thread.0 as usize;
        if let Some(Some(last)) = self.last.get(index) {
            self.cast.note_move(thread, last.class);
            if last.is_done {
                self.ready.push((Choice { thread, alternative: 0 }, last.found));
            }
            self.remembered += 1;
            return Ok(());
        }
        let Sought { known, version, arrangement, .. } = sought;
        let (mut alternative, mut alternatives) = (0, 1);
        while alternative < alternatives {
            let mut deciding = 0;
            let value = |question| {
                deciding |= at.deciding(question);
                at.value(question)
            };
            let (found, brief) =
                known.find_by_cells(thread, alternative, arrangement, value).ok_or(Hard)?;
            if brief.version != version {
                return Err(Hard);
            }
            self.cast.note_move(thread, brief.class);
            alternatives = brief.alternatives.max(alternatives);
            if alternatives == 1 {
                let last = Last { deciding, found, class: brief.class, is_done: brief.is_done };
                self.last.resize(self.last.len().max(index + 1), None);
                self.last[index] = Some(last);
            }
            if brief.is_done {
                self.ready.push((Choice { thread, alternative }, found));
            }
            self.remembered += 1;
            alternative += 1;
        }
        Ok(())
    }
}

/// Who can run and who waits of a chunk.
#[inline]
fn roll(at: &impl Stand, chunk: usize) -> Option<Roll> {
    let (worlds, world) = at.world()?;
    Some(worlds.roll(worlds.chunks(world)[chunk]))
}

/// The threads of a chunk whose bits are set.
fn threads_of(chunk: usize, mut bits: u32) -> impl Iterator<Item = ThreadId> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(ThreadId(chunk as u32 * u32::BITS + bit))
    })
}

impl Space<'_> {
    /// Whether nobody wants to know more about moves than where they lead.
    pub(super) fn is_plain(&self) -> bool {
        let is_plain = self.properties.is_empty() && !self.appraisals.is_wanted() && !self.defers;
        is_plain && self.vector.printed().is_none() && self.remembers()
    }

    /// Expands the present state by what is known alone; whether that could be done.
    pub(super) fn expand_known(&mut self) -> bool {
        if !self.has_stack || self.only.is_some() || !self.is_plain() {
            return false;
        }
        self.renew_ground();
        let (version, arrangement) = (self.touches.version(), self.vector.arrangement());
        let exchanges = self.exchanges;
        let sought = Sought { known: &self.known, version, arrangement, exchanges };
        if self.finder.find(&mut self.vector, sought).is_err() {
            return false;
        }
        let Some(ruling) = self.rulings.get(&self.finder.cast, self.scope()) else { return false };
        let may_leave_out = self.prune && !self.keep_all && 1 < self.finder.ready.len();
        match ruling.filter(|_| may_leave_out) {
            None => self.make_known(|_| true),
            Some(sufficient) => {
                let is_kept = |choice: Choice| sufficient.contains(choice.thread);
                self.make_known(is_kept);
                let may_close = self.successors.iter().all(|one| self.is_open(one.state));
                if may_close && !self.is_straight() {
                    self.make_known(|choice| !is_kept(choice));
                    self.successors.sort_by_key(|one| one.choice);
                } else {
                    self.stats.reduced += 1;
                }
            }
        }
        self.remembered += std::mem::take(&mut self.finder.remembered);
        true
    }

    /// Expands the state that was expanded by what is known once more, without that.
    ///
    /// # Panics
    /// If something else comes out.
    pub(super) fn doubt_known(&mut self) {
        let (known, stats) = (std::mem::take(&mut self.successors), self.stats);
        let expansion = self.expand_surveying();
        assert!(
            matches!(expansion, Expansion::Successors),
            "what is known is not so: {expansion:?}"
        );
        assert_eq!(known, self.successors, "what is known leads elsewhere");
        self.stats = stats;
    }

    fn make_known(&mut self, is_wanted: impl Fn(Choice) -> bool) {
        let mark = self.vector.mark();
        let begin = self.storing.begin();
        let Finder { ready, next, .. } = &mut self.finder;
        next.clear();
        for &(_, found) in ready.iter().filter(|one| is_wanted(one.0)) {
            self.known.shift(found, &mut self.vector);
            next.push(self.vector.ahead());
            self.vector.undo_to(mark);
        }
        let made = ready.iter().filter(|one| is_wanted(one.0)).zip(next);
        for (&(choice, found), next) in made {
            let state = self.vector.number(*next);
            let effect = self.known.get(found.which).effect;
            self.successors.push(Successor { choice, state, effect });
        }
        self.storing.end(begin);
    }
}
