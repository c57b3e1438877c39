//! Producers and consumers for ever: see `programs/counts/buffer.c`. A signal goes to any of the
//! threads that wait.

use crate::space::{Move, Protocol};

const PLACES: u8 = 2;

/// What a thread did last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Last {
    /// Nothing: it is not there yet.
    Absent,
    /// It was begun.
    Begun,
    /// It locked the mutex.
    Locked,
    /// It began to wait.
    Waiting,
    /// It was woken.
    Woken,
    /// It locked the mutex after it had been woken.
    Relocked,
    /// It sent a signal.
    Signalled,
    /// It unlocked the mutex.
    Unlocked,
}

/// The threads, producers first, and what they share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    threads: Vec<Last>,
    filled: u8,
}

/// How many of each.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    pub producers: usize,
    pub consumers: usize,
}

impl Buffer {
    /// Where a signal to producers or consumers can lead.
    fn signalled(&self, state: &State, whom: usize) -> Vec<State> {
        let is_meant = |id: usize| usize::from(self.producers <= id) == whom;
        let waiting = |id: &usize| state.threads[*id] == Last::Waiting && is_meant(*id);
        let woken = |id: usize| {
            let mut next = state.clone();
            next.threads[id] = Last::Woken;
            next
        };
        let nexts: Vec<State> = (0..state.threads.len()).filter(waiting).map(woken).collect();
        if nexts.is_empty() { vec![state.clone()] } else { nexts }
    }
}

impl Protocol for Buffer {
    type State = State;

    fn start(&self) -> State {
        let threads = vec![Last::Absent; self.producers + self.consumers];
        State { threads, filled: 0 }
    }

    fn moves(&self, state: &State) -> Vec<Move<State>> {
        let mut moves = Vec::new();
        if let Some(id) = state.threads.iter().position(|&last| last == Last::Absent) {
            let mut next = state.clone();
            next.threads[id] = Last::Begun;
            moves.push(Move::To(next));
        }
        let holds = |last: &Last| matches!(last, Last::Locked | Last::Relocked | Last::Signalled);
        let is_free = !state.threads.iter().any(holds);
        for (id, last) in state.threads.iter().enumerate() {
            let mine = usize::from(self.producers <= id);
            let mut next = state.clone();
            next.threads[id] = match last {
                Last::Begun | Last::Unlocked if is_free => Last::Locked,
                Last::Woken if is_free => Last::Relocked,
                Last::Locked | Last::Relocked if state.filled == [PLACES, 0][mine] => Last::Waiting,
                Last::Locked | Last::Relocked => {
                    next.filled = if mine == 0 { state.filled + 1 } else { state.filled - 1 };
                    next.threads[id] = Last::Signalled;
                    moves.extend(self.signalled(&next, 1 - mine).into_iter().map(Move::To));
                    continue;
                }
                Last::Signalled => Last::Unlocked,
                _ => continue,
            };
            moves.push(Move::To(next));
        }
        moves
    }
}
