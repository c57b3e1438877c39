//! What is still to be expanded: the stacks of workers, each with an order of its own.
//!
//! The first worker goes on with the first thread where it can, the second with the last; all
//! others mix up what they find, each in its own way. Whoever has nothing left takes over the older
//! half of the largest stack. There are always as many workers, however many cores there are, and
//! numbers of states decide nothing, so the order is the same every time.

use crate::run::random::Random;
use crate::state::StateId;
use std::ops::Range;

/// Workers.
const WORKERS: usize = 16;
/// States that a worker takes at a time.
const TAKE: usize = 256;

/// See the module head.
#[derive(Debug)]
pub struct Stacks {
    stacks: Vec<Vec<StateId>>,
    /// Batches taken so far.
    batches: u64,
}

/// States to be expanded next.
#[derive(Debug, Default)]
pub struct Batch {
    /// The states.
    pub states: Vec<StateId>,
    /// Who took which of them.
    pub shares: Vec<(usize, Range<usize>)>,
}

impl Stacks {
    /// One state is to be expanded.
    pub fn new(start: StateId) -> Stacks {
        let mut stacks = vec![Vec::new(); WORKERS];
        stacks[0].push(start);
        Stacks { stacks, batches: 0 }
    }

    /// Takes what every worker has on top.
    pub fn take(&mut self) -> Batch {
        self.batches += 1;
        let mut batch = Batch::default();
        for worker in 0..WORKERS {
            if self.stacks[worker].is_empty() {
                self.stacks[worker] = self.older_half();
            }
            let stack = &mut self.stacks[worker];
            let (first, rest) = (batch.states.len(), stack.len().saturating_sub(TAKE));
            batch.states.extend(stack.drain(rest..).rev());
            if first < batch.states.len() {
                batch.shares.push((worker, first..batch.states.len()));
            }
        }
        batch
    }

    fn older_half(&mut self) -> Vec<StateId> {
        let largest = self.stacks.iter_mut().rev().max_by_key(|stack| stack.len());
        largest.map_or_else(Vec::new, |stack| stack.drain(..stack.len() / 2).collect())
    }

    /// Gives a worker what it found, in the order in which it did.
    pub fn give(&mut self, worker: usize, found: impl Iterator<Item = StateId>) {
        let stack = &mut self.stacks[worker];
        let first = stack.len();
        stack.extend(found);
        let found = &mut stack[first..];
        match worker {
            0 => found.reverse(),
            1 => {}
            _ => {
                let mut random = Random::new(self.batches * WORKERS as u64 + worker as u64);
                for at in (1..found.len()).rev() {
                    found.swap(at, random.below(at as u64 + 1) as usize);
                }
            }
        }
    }

    /// States that are waiting.
    pub fn len(&self) -> usize {
        self.stacks.iter().map(Vec::len).sum()
    }

    /// Memory taken.
    pub fn bytes(&self) -> usize {
        self.stacks.iter().map(|stack| stack.capacity() * size_of::<StateId>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A tree in which every state below a limit has three successors.
    fn walk(limit: u32) -> (Vec<Vec<u32>>, usize) {
        let mut stacks = Stacks::new(StateId(0));
        let (mut batches, mut most) = (Vec::new(), 0);
        loop {
            let batch = stacks.take();
            if batch.states.is_empty() {
                return (batches, most);
            }
            for (worker, range) in &batch.shares {
                let next = |state: &StateId| {
                    let first = state.0 * 3 + 1;
                    (first..first + 3).filter(move |one| *one < limit).map(StateId)
                };
                stacks.give(*worker, batch.states[range.clone()].iter().flat_map(next));
            }
            most = most.max(stacks.len());
            batches.push(batch.states.iter().map(|state| state.0).collect());
        }
    }

    #[test]
    fn everything_is_taken_once_and_in_the_same_order_every_time() {
        let (batches, most) = walk(200_000);
        let all: Vec<u32> = batches.iter().flatten().copied().collect();
        assert_eq!(all.len(), 200_000);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 200_000);
        assert_eq!(walk(200_000).0, batches);
        // A queue would hold two thirds of all.
        assert!(most < 70_000, "{most} were waiting at once");
        assert!(batches.iter().all(|batch| batch.len() <= WORKERS * TAKE));
    }

    #[test]
    fn the_first_worker_goes_on_with_the_first_successor() {
        let mut stacks = Stacks::new(StateId(0));
        stacks.take();
        stacks.give(0, [1, 2, 3].map(StateId).into_iter());
        assert_eq!(stacks.stacks[0].last(), Some(&StateId(1)));
        stacks.give(1, [4, 5].map(StateId).into_iter());
        assert_eq!(stacks.stacks[1].last(), Some(&StateId(5)));
    }
}
