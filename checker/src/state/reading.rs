//! Looking at states while nothing is learned: by many threads at once, each with a tree of its
//! own.
//!
//! What would have to be looked up in the contents of components, or entered into a list of what is
//! known, is not there then: the answer is that it is not known.

use super::looks::CellChanges;
use super::parts::Around;
use super::roster::Roster;
use super::tree::{Next, Pairs, StateId, Tree};
use super::vector::{CELL, PART, REGIONS, StateVector};
use super::worlds::Worlds;
use samovar_vm::machine::ThreadId;

/// A place in the space of states that moves by itself; everything else is that of a vector.
#[derive(Debug)]
pub struct Reader {
    tree: Tree,
    pairs: Pairs,
    roster: Roster,
    /// The operating system of the present state was met before.
    is_known: bool,
}

impl Reader {
    /// Stands at the start; the vector's states must be stored, not told by fingerprints.
    pub fn new(vector: &StateVector) -> Reader {
        debug_assert!(vector.printed.is_none());
        let mut reader = Reader {
            tree: Tree::like(&vector.tree),
            pairs: vector.pairs.share(),
            roster: vector.roster.clone(),
            is_known: true,
        };
        // The vector may stand elsewhere.
        for (slot, position) in vector.contents.slots().iter().zip(0..).skip(1) {
            if let Some(part) = slot.component.part() {
                reader.take_part(vector, part, position);
            }
        }
        reader
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
        let mark = self.tree.mark();
        self.tree.go(&self.pairs, state);
        for cell in self.tree.changed_since(mark) {
            for &(part, position) in vector.layout.parts_in(cell) {
                let value = vector.layout.get(&self.tree, &self.pairs, position);
                self.roster.set(part, vector.contents.number_of(position, value));
            }
        }
        self.is_known = self.roster.find_known(&vector.contents.worlds);
        self.tree.forget();
        self.roster.forget();
    }

    fn take_part(&mut self, vector: &StateVector, part: u32, position: u32) {
        let value = self.get(vector, position);
        self.roster.set(part, vector.contents.number_of(position, value));
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

    /// All operating systems, and the number of the present one, if it was met before.
    #[inline]
    pub fn world<'a>(&self, vector: &'a StateVector) -> Option<(&'a Worlds, u32)> {
        self.is_known.then(|| (&vector.contents.worlds, self.roster.world()))
    }

    /// The answer to a question, as [`StateVector::value`] gives it, if it is known.
    #[inline]
    pub fn value(&self, vector: &StateVector, question: u32) -> Option<u32> {
        if question < CELL {
            return Some(self.get(vector, question));
        }
        if question < PART {
            return Some(self.tree.get(question - CELL));
        }
        let (worlds, world) = self.world(vector)?;
        let map = vector.contents_of(REGIONS, self.get(vector, REGIONS));
        let map = (map, &**vector.contents.regions.get(map));
        vector.contents.parts.known_answer(question, &Around { worlds, world, map })
    }

    /// All cells.
    #[inline]
    pub fn cells(&self) -> &[u32] {
        self.tree.cells()
    }

    /// How a thread stands, as [`StateVector::stands`] tells it.
    pub fn stands(&self, vector: &StateVector, thread: ThreadId) -> (u32, u32) {
        (self.roster.record(thread), self.get(vector, vector.threads[thread.0 as usize][0]))
    }

    /// The state that changes lead to; its number is to be asked for later. Stays where it is.
    #[inline]
    pub fn after(&mut self, vector: &StateVector, changes: &CellChanges) -> Next {
        let mark = self.tree.mark();
        for &(cell, value) in &changes.cells {
            self.tree.set(cell, value);
        }
        for &(position, value) in &changes.rest {
            self.put(vector, position, value);
        }
        let next = self.tree.next(&mut self.pairs);
        self.tree.undo_to(mark);
        next
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
