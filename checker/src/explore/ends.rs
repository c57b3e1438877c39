//! Whether the program can come to an end from wherever it is: then no run has to go on for ever.
//!
//! What is wrong with runs without end is wrong in a part of the space that cannot be left. If an
//! end can be reached from every state there is no such part, and that is quickly seen: states lie
//! in the order in which they were expanded, and an end is mostly ahead. A state from which an end
//! can be reached is *marked*. First the ways on which states were found are gone backwards from
//! the ends; then states that are not marked yet are expanded again, the last first, and marked if
//! one of their successors is, until there are none left, or nothing changes any more.
//!
//! Marks only say that there is a way, so expanding less here than the search did, or otherwise,
//! cannot mark too much. Where something is left over, nothing is said.

use super::hands::{Hands, Listed, Task};
use super::space::Space;
use super::space::hand::Known;
use crate::state::StateId;
use std::sync::atomic::{AtomicU64, Ordering};

/// States that are expanded at a time.
const BATCH: usize = 1 << 14;

/// States that were explored, by their places in the order of expanding them.
pub trait Explored: Sync {
    /// The states.
    fn order(&self) -> &[StateId];

    /// The place of the state from which a state was found, none for the first.
    fn parent(&self, state: StateId) -> Option<usize>;

    /// Whether a successor does not justify that other moves of the state at a place were left out.
    fn is_open(&self, place: usize, successor: StateId) -> bool;
}

/// Marks of states.
#[derive(Debug)]
struct Marks {
    bits: Vec<AtomicU64>,
}

impl Marks {
    fn has(&self, state: StateId) -> bool {
        let word = self.bits.get(state.0 as usize / 64);
        word.is_some_and(|word| word.load(Ordering::Relaxed) & 1 << (state.0 % 64) != 0)
    }

    fn add(&self, state: StateId) {
        self.bits[state.0 as usize / 64].fetch_or(1 << (state.0 % 64), Ordering::Relaxed);
    }
}

/// Marks a state if one of its successors is marked.
struct Marking<'a, E> {
    explored: &'a E,
    marks: &'a Marks,
}

impl<E: Explored> Task for Marking<'_, E> {
    type Outcome = ();

    fn is_open(&self, _: &Known<'_>, from: u64, successor: StateId) -> bool {
        self.explored.is_open(from as usize, successor)
    }

    fn take(&self, from: u64, successors: &[StateId], (): &mut ()) {
        if successors.iter().any(|one| self.marks.has(*one)) {
            self.marks.add(self.explored.order()[from as usize]);
        }
    }

    fn prepare(&self, _: &mut Space<'_>, _: u64) -> bool {
        false
    }
}

/// Whether an end can be reached from every state, as far as that is seen. `ends` are states in
/// which there is one; `edges` lead from the states that hands could not expand, by place.
pub fn can_always_end(
    space: &mut Space<'_>,
    hands: &mut Hands,
    explored: &impl Explored,
    ends: &[StateId],
    edges: &[(u32, StateId)],
) -> bool {
    let order = explored.order();
    let ids = order.iter().map(|state| state.0 as usize + 1).max().unwrap_or(0);
    let marks = Marks { bits: (0..ids.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() };
    ends.iter().for_each(|state| marks.add(*state));
    for &state in order.iter().rev().filter(|state| marks.has(**state)) {
        if let Some(parent) = explored.parent(state) {
            marks.add(order[parent]);
        }
    }
    let places = (0..order.len()).rev();
    let mut left: Vec<Listed> =
        places.map(|at| (at as u64, order[at])).filter(|one| !marks.has(one.1)).collect();
    let marking = Marking { explored, marks: &marks };
    while !left.is_empty() {
        for batch in left.chunks(BATCH) {
            let (_, hard) = hands.expand(space, batch, &marking);
            for (place, state) in hard {
                let begin = edges.partition_point(|edge| u64::from(edge.0) < place);
                let here = edges[begin..].iter().take_while(|edge| u64::from(edge.0) == place);
                if here.into_iter().any(|edge| marks.has(edge.1)) {
                    marks.add(state);
                }
            }
        }
        let before = left.len();
        left.retain(|one| !marks.has(one.1));
        if left.len() == before {
            return false;
        }
    }
    true
}
