//! State reconstruction: of a state only the move that led to it is kept, and from where.
//!
//! A state comes back by making the moves from the start again, or from the nearest *key state* on
//! the way, of which the whole state vector is kept: one every so many levels. So a state takes
//! constant memory however large the program's state is, and the way back is short.

use crate::explore::choice::Choice;
use crate::state::StateId;
use ahash::{AHashMap, RandomState};

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
struct Mini {
    parent: u32,
    /// Number of the choice.
    choice: u32,
    /// Moves since the last key state.
    since_key: u32,
}

/// Nothing is known of the state yet.
const UNKNOWN: Mini = Mini { parent: u32::MAX, choice: 0, since_key: 0 };

/// What differs from the start in a key state, in the order of positions.
type Key = Box<[(u32, u32)]>;

/// See the module head.
#[derive(Debug)]
pub struct MiniStates {
    every: u32,
    /// By number of the state; the first is the start.
    minis: Vec<Mini>,
    choices: Vec<Choice>,
    numbers: AHashMap<Choice, u32>,
    keys: AHashMap<u32, Key>,
    key_bytes: usize,
    way: Vec<Choice>,
}

impl MiniStates {
    /// No state but the start; one level in so many has key states.
    pub fn new(every: u32) -> MiniStates {
        let hasher = RandomState::with_seeds(81, 82, 83, 84);
        MiniStates {
            every: every.max(1),
            minis: vec![Mini { parent: 0, ..UNKNOWN }],
            choices: Vec::new(),
            numbers: AHashMap::with_hasher(hasher.clone()),
            keys: AHashMap::with_hasher(hasher),
            key_bytes: 0,
            way: Vec::new(),
        }
    }

    /// Whether the way to a state is known.
    #[inline]
    pub fn knows(&self, state: StateId) -> bool {
        self.minis.get(state.0 as usize).is_some_and(|mini| mini.parent != UNKNOWN.parent)
    }

    /// Notes how a state was reached for the first time; `values` tells what differs from the start
    /// there.
    pub fn add(
        &mut self,
        state: StateId,
        parent: StateId,
        choice: Choice,
        values: impl FnOnce() -> Key,
    ) {
        let next = self.choices.len() as u32;
        let number = *self.numbers.entry(choice).or_insert(next);
        if number == next {
            self.choices.push(choice);
        }
        let mut since_key = self.minis[parent.0 as usize].since_key + 1;
        if self.every <= since_key {
            since_key = 0;
            let key = values();
            self.key_bytes += size_of_val(&*key) + size_of::<(u32, Key)>();
            self.keys.insert(state.0, key);
        }
        let index = state.0 as usize;
        if self.minis.len() <= index {
            self.minis.resize(index + 1, UNKNOWN);
        }
        self.minis[index] = Mini { parent: parent.0, choice: number, since_key };
    }

    /// How to come to a state: what differs from the start in the last key state on the way, and
    /// the choices from there on, the last first.
    pub fn way(&mut self, state: StateId) -> (&[(u32, u32)], &[Choice]) {
        self.way.clear();
        let mut at = state.0;
        loop {
            if at == 0 {
                return (&[], &self.way);
            }
            if let Some(key) = self.keys.get(&at) {
                return (key, &self.way);
            }
            let Mini { parent, choice, .. } = self.minis[at as usize];
            self.way.push(self.choices[choice as usize]);
            at = parent;
        }
    }

    /// Forgets all states but the start.
    pub fn clear(&mut self) {
        self.minis.truncate(1);
        self.keys.clear();
        self.key_bytes = 0;
    }

    /// Memory taken by mini-states and by key states.
    pub fn bytes(&self) -> (usize, usize) {
        (self.minis.capacity() * size_of::<Mini>(), self.key_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use samovar_vm::machine::ThreadId;

    fn choice(thread: u32) -> Choice {
        Choice { thread: ThreadId(thread), alternative: 0 }
    }

    #[test]
    fn the_way_begins_at_the_nearest_key_state() {
        for every in [1, 2, 3, 100] {
            let mut states = MiniStates::new(every);
            for number in 1..20u32 {
                let key = || Box::from([(1, number)]);
                states.add(StateId(number), StateId(number - 1), choice(number % 3), key);
            }
            for number in 0..20 {
                assert!(states.knows(StateId(number)));
                let (key, way) = states.way(StateId(number));
                let from = key.first().map_or(0, |key| key.1);
                assert!((way.len() as u32) < every || from == 0, "{every} {number}");
                let expected: Vec<Choice> =
                    (from + 1..=number).rev().map(|number| choice(number % 3)).collect();
                assert_eq!(way, expected);
            }
            assert!(!states.knows(StateId(20)));
            states.clear();
            assert!(states.knows(StateId(0)) && !states.knows(StateId(1)));
        }
    }
}
