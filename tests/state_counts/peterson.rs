//! Peterson's lock for ever: see `programs/counts/peterson.c`.

use crate::space::{Move, Protocol};

/// What a thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Is not there yet.
    Absent,
    /// Says for the first time that it wants to enter.
    Beginning,
    /// Says so again.
    Again,
    /// Lets the other one go first.
    Turn,
    /// Looks whether the other one wants to enter.
    LookAtOther,
    /// Looks whose turn it is.
    LookAtTurn,
    /// Has entered, and leaves.
    Inside,
}

/// The threads, and the shared variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    at: [At; 2],
    wants: [bool; 2],
    turn: usize,
}

/// See the module head.
#[derive(Clone, Copy, Debug)]
pub struct Peterson;

impl Protocol for Peterson {
    type State = State;

    fn start(&self) -> State {
        State { at: [At::Absent; 2], wants: [false; 2], turn: 0 }
    }

    fn moves(&self, state: &State) -> Vec<Move<State>> {
        let mut moves = Vec::new();
        if let Some(me) = state.at.iter().position(|&at| at == At::Absent) {
            let mut next = state.clone();
            next.at[me] = At::Beginning;
            moves.push(Move::To(next));
        }
        for (me, other) in [(0, 1), (1, 0)] {
            let mut next = state.clone();
            next.at[me] = match state.at[me] {
                At::Absent => continue,
                At::Beginning | At::Again => {
                    next.wants[me] = true;
                    At::Turn
                }
                At::Turn => {
                    next.turn = other;
                    At::LookAtOther
                }
                At::LookAtOther if state.wants[other] => At::LookAtTurn,
                At::LookAtTurn if state.turn == other => At::LookAtOther,
                At::LookAtOther | At::LookAtTurn => At::Inside,
                At::Inside => {
                    next.wants[me] = false;
                    At::Again
                }
            };
            moves.push(Move::To(next));
        }
        moves
    }
}
