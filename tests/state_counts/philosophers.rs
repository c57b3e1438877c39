//! Philosophers who never stop: see `programs/counts/philosophers.c`.

use crate::space::{Move, Protocol, with};

/// What a philosopher did last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Philosopher {
    /// Is not there yet.
    Absent,
    /// Was begun.
    Begun,
    /// Took the first fork.
    First,
    /// Took the second fork.
    Both,
    /// Put the second fork back.
    Less,
    /// Put the first fork back.
    None,
}

/// How many, and whether the last one is careful.
#[derive(Clone, Copy, Debug)]
pub struct Philosophers {
    pub count: usize,
    pub careful: bool,
}

impl Philosophers {
    fn forks(&self, id: usize) -> (usize, usize) {
        let (left, right) = (id, (id + 1) % self.count);
        if self.careful && id + 1 == self.count { (right, left) } else { (left, right) }
    }

    fn is_taken(&self, state: &[Philosopher], fork: usize) -> bool {
        state.iter().enumerate().any(|(id, philosopher)| {
            let (first, second) = self.forks(id);
            match philosopher {
                Philosopher::First | Philosopher::Less => fork == first,
                Philosopher::Both => fork == first || fork == second,
                _ => false,
            }
        })
    }
}

impl Protocol for Philosophers {
    type State = Vec<Philosopher>;

    fn start(&self) -> Self::State {
        vec![Philosopher::Absent; self.count]
    }

    fn moves(&self, state: &Self::State) -> Vec<Move<Self::State>> {
        let absent = state.iter().position(|&one| one == Philosopher::Absent);
        let mut moves: Vec<Move<Self::State>> =
            absent.map(|id| Move::To(with(state, id, Philosopher::Begun))).into_iter().collect();
        for (id, philosopher) in state.iter().enumerate() {
            let (first, second) = self.forks(id);
            let next = match philosopher {
                Philosopher::Begun | Philosopher::None if !self.is_taken(state, first) => {
                    Philosopher::First
                }
                Philosopher::First if !self.is_taken(state, second) => Philosopher::Both,
                Philosopher::Both => Philosopher::Less,
                Philosopher::Less => Philosopher::None,
                _ => continue,
            };
            moves.push(Move::To(with(state, id, next)));
        }
        moves
    }
}
