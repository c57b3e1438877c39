//! Executing a list of choices from where a process stands.

use crate::explore::dfs::Choice;
use crate::explore::moves::{self, Ending};
use crate::explore::watch::Visible;
use samovar_runtime::{Process, ThreadState};
use samovar_vm::machine::ThreadId;

/// Where a list of choices leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// All moves were made, and somebody can go on.
    Open,
    /// All moves were made, and nobody can go on though threads are left.
    Deadlock,
    /// A move ended the process, or came to no end.
    Ended {
        /// Number of moves up to this one.
        steps: usize,
        /// Who made it.
        thread: ThreadId,
        /// How it ended.
        ending: Ending,
    },
    /// A move cannot be made here.
    Impossible {
        /// Number of moves before it.
        steps: usize,
    },
}

/// Makes the moves of a path; the process stays where they lead. The journal must be on.
pub fn follow(process: &mut Process, visible: &Visible, path: &[Choice]) -> Arrival {
    for (steps, &Choice { thread, alternative }) in path.iter().enumerate() {
        if !can_try(process, thread) {
            return Arrival::Impossible { steps };
        }
        let mark = process.mark();
        match moves::execute(process, &mark, thread, alternative, visible).ending {
            Ending::Done => {}
            Ending::Blocked => {
                process.undo_to(&mark);
                return Arrival::Impossible { steps };
            }
            ending => return Arrival::Ended { steps: steps + 1, thread, ending },
        }
    }
    if is_deadlock(process, visible) { Arrival::Deadlock } else { Arrival::Open }
}

/// Whether a move of the thread can be tried at all.
pub fn can_try(process: &Process, thread: ThreadId) -> bool {
    let threads = process.threads();
    threads.get(thread.0 as usize).is_some_and(|thread| thread.state == ThreadState::Runnable)
}

/// Whether threads are left and none of them can move. Leaves the process as it is.
fn is_deadlock(process: &mut Process, visible: &Visible) -> bool {
    let mark = process.mark();
    for thread in (0..process.machine.thread_count()).map(ThreadId) {
        if !can_try(process, thread) {
            continue;
        }
        let ending = moves::execute(process, &mark, thread, 0, visible).ending;
        process.undo_to(&mark);
        if ending != Ending::Blocked {
            return false;
        }
    }
    process.threads().iter().any(|thread| thread.is_alive())
}
