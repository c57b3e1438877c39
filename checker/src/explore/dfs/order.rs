//! Which states a depth-first search has entered, and where those lie whose component is still
//! open: Tarjan's stack, and the way from a state to its place on it.
//!
//! A bit says whether a state was entered. Places are looked up in a hash table of those that are
//! open, which are few where runs come to an end; where most states are open, as in a space that is
//! one large circle, an array by state takes less, and replaces the table for good.

use crate::state::StateId;
use crate::state::reserve::Reserve;
use crate::state::slots::fold;
use crate::state::table::ENTRIES_MAX;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// What a search knows of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// It was not entered yet.
    New,
    /// Its component is open; it has this place.
    Open(u32),
    /// Its component was left for good.
    Left,
}

/// Words of the smallest hash table.
const FIRST: usize = 1 << 10;
/// Tables up to this size are not worth replacing: most states may be open at first and few later.
const SMALL: usize = 1 << 20;

/// Places of open states, from one; zero is none.
#[derive(Debug)]
enum Places {
    /// Open addressing by state; at most four fifths of the words are taken.
    Table(Vec<u32>),
    /// By state.
    Array(Reserve<AtomicU32>),
}

/// See the module head.
#[derive(Debug)]
pub struct Order {
    /// One bit a state.
    entered: Reserve<AtomicU64>,
    /// Numbers of open states in the order of entering; what lies behind them is left over.
    open: Reserve<AtomicU32>,
    count: usize,
    /// The most states that were open.
    count_max: usize,
    places: Places,
}

impl Default for Order {
    fn default() -> Order {
        let entered = Reserve::at_most(ENTRIES_MAX / 64);
        let open = Reserve::at_most(ENTRIES_MAX);
        let places = Places::Table(vec![0; FIRST]);
        Order { entered, open, count: 0, count_max: 0, places }
    }
}

/// Where the search for a state begins in a table of so many words.
#[inline]
fn home(state: StateId, words: usize) -> usize {
    let hash = fold(u64::from(state.0) ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9);
    ((u128::from(hash) * words as u128) >> 64) as usize
}

#[inline]
fn next(at: usize, words: usize) -> usize {
    if at + 1 == words { 0 } else { at + 1 }
}

/// How far one comes from a word of a table to another.
fn distance(from: usize, to: usize, words: usize) -> usize {
    if from <= to { to - from } else { to + words - from }
}

impl Order {
    /// What is known of a state.
    #[inline]
    pub fn visit(&self, state: StateId) -> Visit {
        if !self.has_entered(state) {
            return Visit::New;
        }
        let place = match &self.places {
            Places::Table(words) => self.word_of(words, state).map_or(0, |at| words[at]),
            Places::Array(places) => places[state.0 as usize].load(Ordering::Relaxed),
        };
        if place == 0 { Visit::Left } else { Visit::Open(place) }
    }

    /// Whether a state was entered.
    #[inline]
    pub fn has_entered(&self, state: StateId) -> bool {
        let word = self.entered.get(state.0 as usize / 64);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (state.0 % 64) & 1 != 0)
    }

    /// How many states are open.
    pub fn open_count(&self) -> usize {
        self.count
    }

    /// Open states in the order of entering.
    pub fn open(&self) -> impl Iterator<Item = StateId> + '_ {
        self.open[..self.count].iter().map(|state| StateId(state.load(Ordering::Relaxed)))
    }

    #[inline]
    fn state_at(&self, place: u32) -> StateId {
        StateId(self.open[place as usize - 1].load(Ordering::Relaxed))
    }

    /// Enters a state that was not entered before; its place.
    pub fn enter(&mut self, state: StateId) -> u32 {
        let word = &self.entered[state.0 as usize / 64];
        word.store(word.load(Ordering::Relaxed) | 1 << (state.0 % 64), Ordering::Relaxed);
        self.open[self.count].store(state.0, Ordering::Relaxed);
        self.count += 1;
        self.count_max = self.count_max.max(self.count);
        let place = self.count as u32;
        if let Places::Table(words) = &self.places
            && words.len() / 5 * 4 < self.count
        {
            self.grow();
            return place;
        }
        match &mut self.places {
            Places::Table(words) => put(words, state, place),
            Places::Array(places) => places[state.0 as usize].store(place, Ordering::Relaxed),
        }
        place
    }

    /// Closes the component that begins at a place, and with it all that was entered later.
    pub fn close(&mut self, place: u32) {
        while place as usize <= self.count {
            let state = self.state_at(self.count as u32);
            match &self.places {
                Places::Table(words) => {
                    if let Some(at) = self.word_of(words, state) {
                        self.remove(at);
                    }
                }
                Places::Array(places) => places[state.0 as usize].store(0, Ordering::Relaxed),
            }
            self.count -= 1;
        }
    }

    /// Forgets all states but the open ones, which have other numbers from now on.
    pub fn renumber(&mut self, numbers: &[StateId]) {
        *self = Order::default();
        for &state in numbers {
            self.enter(state);
        }
    }

    /// Memory taken, if there are so many states.
    pub fn bytes(&self, states: usize) -> usize {
        let places = match &self.places {
            Places::Table(words) => words.len(),
            Places::Array(_) => states,
        };
        states / 8 + (places + self.count_max) * size_of::<u32>()
    }

    /// The word of a table that has the place of a state.
    #[inline]
    fn word_of(&self, words: &[u32], state: StateId) -> Option<usize> {
        let mut at = home(state, words.len());
        loop {
            match words[at] {
                0 => return None,
                place if self.state_at(place) == state => return Some(at),
                _ => at = next(at, words.len()),
            }
        }
    }

    /// Takes a word out of the table, and has those behind it close up.
    fn remove(&mut self, mut gap: usize) {
        let Order { open, places: Places::Table(words), .. } = self else { return };
        let (len, mut at) = (words.len(), gap);
        loop {
            at = next(at, len);
            let Some(place) = (words[at] as usize).checked_sub(1) else { break };
            // One whose search begins behind the gap has to stay where it is.
            let home = home(StateId(open[place].load(Ordering::Relaxed)), len);
            if distance(gap, at, len) <= distance(home, at, len) {
                words[gap] = words[at];
                gap = at;
            }
        }
        words[gap] = 0;
    }

    /// Makes room for all open states: in a table half as large again, or in an array if that is
    /// not larger.
    #[cold]
    fn grow(&mut self) {
        let Places::Table(words) = &self.places else { return };
        let size = words.len() + words.len() / 2;
        let open = || self.open().zip(1..);
        let states = self.open().map(|state| state.0 as usize).max().unwrap_or(0);
        self.places = if size < states || size <= SMALL {
            let mut words = vec![0; size];
            open().for_each(|(state, place)| put(&mut words, state, place));
            Places::Table(words)
        } else {
            let places: Reserve<AtomicU32> = Reserve::at_most(ENTRIES_MAX);
            open().for_each(|(state, place)| {
                places[state.0 as usize].store(place, Ordering::Relaxed);
            });
            Places::Array(places)
        };
    }
}

fn put(words: &mut [u32], state: StateId, place: u32) {
    let mut at = home(state, words.len());
    while words[at] != 0 {
        at = next(at, words.len());
    }
    words[at] = place;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::random::Random;

    /// Enters and closes at random, keeping a plain list as well; whether an array was needed.
    fn compare(seed: u64, states: u64, closes_one_in: u64) -> bool {
        let mut random = Random::new(seed);
        let mut order = Order::default();
        let mut visits = vec![Visit::New; states as usize];
        let mut open: Vec<StateId> = Vec::new();
        for _ in 0..states * 2 {
            let state = StateId(random.below(states) as u32);
            assert_eq!(order.visit(state), visits[state.0 as usize], "seed {seed}");
            if visits[state.0 as usize] == Visit::New {
                open.push(state);
                visits[state.0 as usize] = Visit::Open(open.len() as u32);
                assert_eq!(order.enter(state), open.len() as u32);
            }
            if !open.is_empty() && random.below(closes_one_in) == 0 {
                let place = 1 + random.below(open.len() as u64) as usize;
                for closed in open.drain(place - 1..) {
                    visits[closed.0 as usize] = Visit::Left;
                }
                order.close(place as u32);
            }
            assert_eq!(order.open_count(), open.len());
        }
        for (state, visit) in visits.iter().enumerate() {
            assert_eq!(order.visit(StateId(state as u32)), *visit, "seed {seed}, state {state}");
        }
        assert_eq!(order.open().collect::<Vec<_>>(), open);
        let others: Vec<StateId> = open.iter().map(|one| StateId(one.0 + 7)).collect();
        order.renumber(&others);
        assert!(others.iter().zip(1..).all(|(one, place)| order.visit(*one) == Visit::Open(place)));
        matches!(order.places, Places::Array(_))
    }

    #[test]
    fn places_are_those_of_a_plain_list() {
        for seed in 0..40 {
            compare(seed, 2_000, 1 + seed);
        }
        assert!(!compare(41, 200_000, 2), "few open states are in a table");
        assert!(!compare(42, 50_000, u64::MAX), "and so are those of few");
    }

    #[test]
    fn many_open_states_lie_in_an_array() {
        let mut order = Order::default();
        for state in 1..1_000_000 {
            order.enter(StateId(state));
        }
        assert!(matches!(order.places, Places::Array(_)));
        assert_eq!(order.visit(StateId(999_999)), Visit::Open(999_999));
        order.close(50_000);
        assert_eq!(order.visit(StateId(50_000)), Visit::Left);
        assert_eq!(order.visit(StateId(49_999)), Visit::Open(49_999));
        assert_eq!(order.visit(StateId(1_000_000)), Visit::New);
    }
}
