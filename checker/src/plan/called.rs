//! Which function of the program a move calls after its choice: the name of an action that the
//! program does not mark.
//!
//! The move is executed once more, stopping before every access to memory, and the functions that
//! the thread is in there are looked up. Functions that make no access to memory are not seen.

use crate::explore::choice::Choice;
use crate::explore::moves::{self, Ending, Sight};
use crate::trail::Names;
use samovar_runtime::{Event, Observer, Process};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};

/// Accesses that are looked at in one move.
const LOOKS_MAX: u32 = 20_000;

/// For each move of a path the function that it calls after its choice, if there is one. The
/// process stays at the end of the path.
pub fn functions(
    process: &mut Process,
    sight: &Sight,
    path: &[Choice],
    names: &Names,
) -> Vec<Option<String>> {
    let mut found = Vec::new();
    for &choice in path {
        let mark = process.mark();
        let before = process.machine.instructions();
        let made = moves::execute(process, &mark, choice, sight);
        let length = process.machine.instructions() - before;
        let function = if made.alternatives < 2 {
            None
        } else {
            process.undo_to(&mark);
            let function = first_called(process, choice, length, names);
            process.undo_to(&mark);
            moves::execute(process, &mark, choice, sight);
            function
        };
        found.push(function);
        if made.ending != Ending::Done {
            break;
        }
    }
    found
}

/// The first function that a move enters after its choice.
fn first_called(
    process: &mut Process,
    choice: Choice,
    length: u64,
    names: &Names,
) -> Option<String> {
    let end = process.machine.instructions() + length;
    let mut stops = Stops { alternative: choice.alternative, passes: true, chosen: false };
    let mut at_choice: Option<Vec<String>> = None;
    for _ in 0..LOOKS_MAX {
        let left = end.saturating_sub(process.machine.instructions());
        if left == 0 {
            return None;
        }
        stops.passes = true;
        let event = process.step(choice.thread, left, &mut stops);
        if !matches!(event, Event::Access(_) | Event::Budget | Event::Yielded) {
            return None;
        }
        if !stops.chosen {
            continue;
        }
        let functions = own_functions(process, choice.thread, names);
        match &at_choice {
            None => at_choice = Some(functions),
            Some(known) => {
                // The outermost one that was not there.
                let new = functions.iter().rev().find(|name| !known.contains(name));
                if let Some(new) = new {
                    return Some(new.clone());
                }
            }
        }
    }
    None
}

/// The program's own functions that a thread is in, innermost first.
fn own_functions(process: &Process, thread: ThreadId, names: &Names) -> Vec<String> {
    let pc = process.machine.core(thread).pc;
    if !names.is_own_code(process, pc) {
        return Vec::new();
    }
    names.functions(process, thread)
}

/// Stops before every access but the first, and chooses as told.
struct Stops {
    alternative: u32,
    passes: bool,
    chosen: bool,
}

impl Monitor for Stops {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        if self.passes || access.sequel {
            self.passes = false;
            return Decision::Proceed;
        }
        Decision::Stop
    }
}

impl Observer for Stops {
    fn choose(&mut self, alternatives: u32) -> u32 {
        self.chosen = true;
        self.alternative.min(alternatives.saturating_sub(1))
    }
}
