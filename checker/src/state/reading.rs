//! Looking at states while nothing is learned: by many threads at once, each with a tree of its
//! own.
//!
//! What would have to be looked up in the contents of components, or entered into a list of what is
//! known, is not there then: the answer is that it is not known.

use super::contents::Component;
use super::looks::CellChanges;
use super::tree::{Next, Pairs, StateId, Tree};
use super::vector::{CELL, COMMON, PART, RECORDS, REGIONS, StateVector, WAITS, WORLD};
use super::worlds::Worlds;
use samovar_vm::machine::ThreadId;

/// A place in the space of states that moves by itself; everything else is that of a vector.
#[derive(Debug)]
pub struct Reader {
    tree: Tree,
    pairs: Pairs,
}

impl Reader {
    /// Stands at the start; the vector's states must be stored, not told by fingerprints.
    pub fn new(vector: &StateVector) -> Reader {
        debug_assert!(vector.printed.is_none());
        Reader { tree: Tree::like(&vector.tree), pairs: vector.pairs.share() }
    }

    /// Whether the vector's states are still stored where they were when this was made.
    pub fn is_current(&self, vector: &StateVector) -> bool {
        self.pairs.is_same_index(&vector.pairs) && !self.pairs.is_overrun()
    }

    /// Goes to a stored state. Components may have been added to the vector since the last time,
    /// but not arranged anew.
    pub fn go(&mut self, vector: &StateVector, state: StateId) {
        while self.tree.len() < vector.tree.len() {
            self.tree.grow();
        }
        self.tree.go(&self.pairs, state);
        self.tree.forget();
    }

    /// Whether something could not be stored: states named since then mean nothing, and neither
    /// does this any more.
    pub fn is_overrun(&self) -> bool {
        self.pairs.is_overrun()
    }

    /// The value at a position.
    fn get(&self, vector: &StateVector, position: u32) -> u32 {
        vector.layout.get(&self.tree, &self.pairs, position)
    }

    /// All operating systems, and the number of the present one.
    #[inline]
    pub fn world<'a>(&self, vector: &'a StateVector) -> (&'a Worlds, u32) {
        (&vector.contents.worlds, vector.contents_of(WORLD, self.get(vector, WORLD)))
    }

    /// The answer to a question, as [`StateVector::value`] gives it, if it is known.
    #[inline]
    pub fn value(&self, vector: &StateVector, question: u32) -> Option<u32> {
        if question < CELL {
            return Some(self.get(vector, question));
        }
        if question < RECORDS {
            return Some(self.tree.get(question - CELL));
        }
        let (worlds, world) = self.world(vector);
        match question {
            COMMON => Some(worlds.common(world)),
            WAITS => worlds.known_waits(world),
            PART.. => {
                let map = vector.contents_of(REGIONS, self.get(vector, REGIONS));
                let map = (map, &**vector.contents.regions.get(map));
                let held = worlds.get(world).privileges();
                vector.contents.parts.known_answer(question, held, map)
            }
            record => Some(worlds.record(world, ThreadId(record - RECORDS))),
        }
    }

    /// How a thread stands, as [`StateVector::stands`] tells it.
    pub fn stands(&self, vector: &StateVector, thread: ThreadId) -> Option<(u32, u32)> {
        let record = self.value(vector, RECORDS + thread.0)?;
        Some((record, self.get(vector, vector.threads[thread.0 as usize][0])))
    }

    /// The state that changes lead to, if it can be told what becomes of the operating system; its
    /// number is to be asked for later. Stays where it is.
    #[inline]
    pub fn after(
        &mut self,
        vector: &StateVector,
        world: Option<(u32, ThreadId)>,
        changes: &CellChanges,
    ) -> Option<Next> {
        let mark = self.tree.mark();
        if let Some((shown, thread)) = world {
            let (worlds, before) = self.world(vector);
            let number = worlds.known_change(before, shown, thread)?;
            let base = vector.contents.slot(WORLD).base;
            debug_assert_eq!(vector.contents.slot(WORLD).component, Component::World);
            self.put(vector, WORLD, if number == base { 0 } else { number + 1 });
        }
        for &(cell, value) in &changes.cells {
            self.tree.set(cell, value);
        }
        for &(position, value) in &changes.rest {
            self.put(vector, position, value);
        }
        let next = self.tree.next(&mut self.pairs);
        self.tree.undo_to(mark);
        Some(next)
    }

    /// The number of a state.
    #[inline]
    pub fn number(&mut self, next: Next) -> StateId {
        self.pairs.state(next)
    }

    fn put(&mut self, vector: &StateVector, position: u32, value: u32) {
        let place = vector.layout.place(position);
        let number = self.tree.get(place.cell);
        let number = vector.layout.changed(&mut self.pairs, number, place, value);
        self.tree.set(place.cell, number);
    }
}

impl StateVector {
    /// Takes over what a reader knows about how many states there are.
    pub fn take_counts(&mut self, reader: &mut Reader) {
        self.pairs.take_counts(&mut reader.pairs);
    }

    /// Makes room for so many more pairs of states, on so many cores, so that readers can add them.
    pub fn reserve(&mut self, more: usize, jobs: usize) {
        self.pairs.reserve(more, jobs);
    }
}
