//! The number of states of a protocol, counted by brute force at the grain of `samovar check`.
//!
//! A move is one visible operation with the invisible work before it: an operation on something
//! that threads contend for, the beginning or the end of a thread, or waiting for that end. All
//! moves of a state are counted, as with `--reduce contended`.

use std::collections::HashSet;
use std::hash::Hash;

/// A move of a thread.
#[derive(Clone, Debug)]
pub enum Move<S> {
    /// Leads to a state.
    To(S),
    /// Ends the program.
    Exit,
}

/// Threads that share something.
pub trait Protocol {
    /// Everything that distinguishes two situations.
    type State: Clone + Eq + Hash;

    /// Where it begins.
    fn start(&self) -> Self::State;

    /// What the threads can do, in the order of their numbers.
    fn moves(&self, state: &Self::State) -> Vec<Move<Self::State>>;
}

/// How large a space is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// All states.
    pub states: u64,
    /// Moves that end the program, and states in which nobody can move.
    pub terminal: u64,
}

/// Counts.
pub fn size<P: Protocol>(protocol: &P) -> Size {
    let start = protocol.start();
    let mut seen = HashSet::from([start.clone()]);
    let (mut todo, mut terminal) = (vec![start], 0);
    while let Some(state) = todo.pop() {
        let moves = protocol.moves(&state);
        terminal += u64::from(moves.is_empty());
        for one in moves {
            match one {
                Move::Exit => terminal += 1,
                Move::To(next) => {
                    if seen.insert(next.clone()) {
                        todo.push(next);
                    }
                }
            }
        }
    }
    Size { states: seen.len() as u64, terminal }
}

/// A list with one element replaced.
pub fn with<T: Clone>(list: &[T], at: usize, value: T) -> Vec<T> {
    let mut list = list.to_vec();
    list[at] = value;
    list
}
