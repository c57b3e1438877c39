//! Threads that add under a lock, and end: see `programs/counts/counter.c`. Without the counter,
//! which the threads' progress tells.

use crate::space::{Move, Protocol, with};

/// How many threads, and how often each adds.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    pub count: usize,
    pub times: usize,
}

/// How far `main` and the threads are; the lock is held by a thread with an odd number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Threads begun and waited for.
    main: usize,
    /// Operations of each thread: locks and unlocks, then its end; `None` before its beginning.
    threads: Vec<Option<usize>>,
}

impl Protocol for Counter {
    type State = State;

    fn start(&self) -> State {
        State { main: 0, threads: vec![None; self.count] }
    }

    fn moves(&self, state: &State) -> Vec<Move<State>> {
        let State { main, threads } = state;
        let end = 2 * self.times + 1;
        let mut moves = Vec::new();
        if *main < self.count {
            let threads = with(threads, *main, Some(0));
            moves.push(Move::To(State { main: main + 1, threads }));
        } else if *main == 2 * self.count {
            moves.push(Move::Exit);
        } else if threads[main - self.count] == Some(end) {
            moves.push(Move::To(State { main: main + 1, threads: threads.clone() }));
        }
        let is_free = threads.iter().flatten().all(|&done| done % 2 == 0 || done == end);
        for (id, &done) in threads.iter().enumerate() {
            let Some(done) = done.filter(|&done| done < end) else { continue };
            let next = State { main: *main, threads: with(threads, id, Some(done + 1)) };
            if done + 1 == end || done % 2 == 1 || is_free {
                moves.push(Move::To(next));
            }
        }
        moves
    }
}
