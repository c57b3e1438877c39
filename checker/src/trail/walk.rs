//! Executing a list of choices from where a process stands.

use crate::cli::ReduceChoice;
use crate::explore::choice::Choice;
use crate::explore::moves::{self, Ending, Sight};
use crate::explore::visible::Visible;
use crate::explore::word::Word;
use samovar_runtime::{Process, ThreadState};
use samovar_vm::machine::ThreadId;

/// What a search saw that ended with these contended words. The process stands at its start.
pub fn sight(
    process: &Process,
    reduce: ReduceChoice,
    contended: impl Iterator<Item = Word>,
) -> Sight {
    let mut visible = match reduce {
        ReduceChoice::Auto | ReduceChoice::Contended => Visible::none_yet(),
        ReduceChoice::Lgc => Visible::globals(process),
        ReduceChoice::None => Visible::All,
    };
    for word in contended {
        visible.add(word);
    }
    Sight::new(process, visible)
}

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

impl Arrival {
    /// Whether it is the same error, however many moves it took.
    pub fn is_same_error(&self, other: &Arrival) -> bool {
        match (self, other) {
            (Arrival::Deadlock, Arrival::Deadlock) => true,
            (
                Arrival::Ended { thread, ending, .. },
                Arrival::Ended { thread: other_thread, ending: other_ending, .. },
            ) => thread == other_thread && ending == other_ending,
            _ => false,
        }
    }
}

/// Makes one move; `None` if it cannot be tried. A blocked move leaves the thread where it hangs.
pub fn make(process: &mut Process, sight: &Sight, choice: Choice) -> Option<Ending> {
    if !can_try(process, choice.thread) {
        return None;
    }
    let mark = process.mark();
    Some(moves::execute(process, &mark, choice, sight).ending)
}

/// Makes one move of a path, after so many others; whether threads can go on then is not looked at.
pub fn follow_one(process: &mut Process, sight: &Sight, choice: Choice, steps: usize) -> Arrival {
    match make(process, sight, choice) {
        Some(Ending::Done) => Arrival::Open,
        None | Some(Ending::Blocked) => Arrival::Impossible { steps },
        Some(ending) => Arrival::Ended { steps: steps + 1, thread: choice.thread, ending },
    }
}

/// Makes the moves of a path; the process stays where they lead. The journal must be on.
pub fn follow(process: &mut Process, sight: &Sight, path: &[Choice]) -> Arrival {
    for (steps, &choice) in path.iter().enumerate() {
        match follow_one(process, sight, choice, steps) {
            Arrival::Open => {}
            arrival => return arrival,
        }
    }
    if is_deadlock(process, sight) { Arrival::Deadlock } else { Arrival::Open }
}

/// Whether a move of the thread can be tried at all.
pub fn can_try(process: &Process, thread: ThreadId) -> bool {
    match process.threads().get(thread.0 as usize) {
        Some(thread) => thread.state == ThreadState::Runnable,
        None => is_clock(process, thread) && process.next_deadline().is_some(),
    }
}

/// Whether a number is the one behind the last thread, which stands for the passing of time.
pub fn is_clock(process: &Process, thread: ThreadId) -> bool {
    thread.0 == process.machine.thread_count()
}

/// The threads, and time.
pub fn movers(process: &Process) -> impl Iterator<Item = ThreadId> + use<> {
    (0..=process.machine.thread_count()).map(ThreadId)
}

/// Whether threads are left and none of them can move. Leaves the process as it is.
pub fn is_deadlock(process: &mut Process, sight: &Sight) -> bool {
    let mark = process.mark();
    for thread in movers(process) {
        let ending = make(process, sight, Choice { thread, alternative: 0 });
        process.undo_to(&mark);
        if !matches!(ending, None | Some(Ending::Blocked)) {
            return false;
        }
    }
    process.threads().iter().any(|thread| thread.is_alive())
}
