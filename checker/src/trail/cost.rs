//! What a trail costs its reader: preemptions, moves, switches between threads.
//!
//! A preemption is a switch away from a thread that could have gone on: the fewer an error needs,
//! the likelier it is and the easier to understand. The passing of time is no switch.

use super::walk::{self, Arrival};
use crate::explore::choice::Choice;
use crate::explore::moves::{Ending, Sight};
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;

/// What a trail costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Switches away from threads that could have gone on.
    pub preemptions: usize,
    /// Moves.
    pub moves: usize,
    /// Switches between threads.
    pub switches: usize,
}

/// What matters most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Few preemptions, then few moves.
    FewPreemptions,
    /// Few moves, then few preemptions.
    FewMoves,
}

impl Wish {
    /// Less is better.
    pub fn key(self, cost: Cost) -> (usize, usize, usize) {
        let Cost { preemptions, moves, switches } = cost;
        match self {
            Wish::FewPreemptions => (preemptions, moves, switches),
            Wish::FewMoves => (moves, preemptions, switches),
        }
    }
}

/// How often a path changes from one thread to another.
pub fn switches(path: &[Choice]) -> usize {
    path.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// Makes the moves of a path, and counts what it costs; the process stays where they lead.
pub fn follow(process: &mut Process, sight: &Sight, path: &[Choice]) -> (Arrival, Cost) {
    let mut preemptions = 0;
    let mut last: Option<ThreadId> = None;
    let mut done = 0;
    let mut arrival = Arrival::Open;
    for &choice in path {
        let is_clock = walk::is_clock(process, choice.thread);
        let switches = !is_clock && last.is_some_and(|last| last != choice.thread);
        let preempts = switches && last.is_some_and(|last| can_move(process, sight, last));
        arrival = walk::follow_one(process, sight, choice, done);
        if let Arrival::Impossible { .. } = arrival {
            break;
        }
        done += 1;
        preemptions += usize::from(preempts);
        last = if is_clock { last } else { Some(choice.thread) };
        if arrival != Arrival::Open {
            break;
        }
    }
    if arrival == Arrival::Open && walk::is_deadlock(process, sight) {
        arrival = Arrival::Deadlock;
    }
    (arrival, Cost { preemptions, moves: done, switches: switches(&path[..done]) })
}

/// Whether a thread can move. Leaves the process as it is.
fn can_move(process: &mut Process, sight: &Sight, thread: ThreadId) -> bool {
    let mark = process.mark();
    let ending = walk::make(process, sight, Choice { thread, alternative: 0 });
    process.undo_to(&mark);
    !matches!(ending, None | Some(Ending::Blocked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_differ() {
        let few_moves = Cost { preemptions: 2, moves: 3, switches: 2 };
        let few_preemptions = Cost { preemptions: 1, moves: 9, switches: 4 };
        assert!(Wish::FewMoves.key(few_moves) < Wish::FewMoves.key(few_preemptions));
        assert!(Wish::FewPreemptions.key(few_preemptions) < Wish::FewPreemptions.key(few_moves));
    }

    #[test]
    fn switches_are_counted() {
        let choice = |&thread: &u32| Choice { thread: ThreadId(thread), alternative: 0 };
        let path: Vec<Choice> = [0, 0, 1, 0].iter().map(choice).collect();
        assert_eq!(switches(&path), 2);
    }
}
