//! Where a block was freed that somebody still uses: the step, and the line of the call.
//!
//! The trail is executed once more, up to the move that frees the block, and that move instruction
//! by instruction.

use super::names::{Location, Names};
use super::walk;
use crate::explore::choice::Choice;
use crate::explore::moves::Ending;
use crate::explore::moves::Sight;
use samovar_runtime::{Misuse, Observer, Process, ProcessMark};
use samovar_vm::fault::FaultReason;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::object::ObjectKind;
use samovar_vm::monitor::Monitor;
use samovar_vm::reg::Reg;
use serde::{Deserialize, Serialize};

/// Most instructions of a move that are looked at one by one.
const INSTRUCTIONS_MAX: u64 = 1 << 20;

/// A block that a step frees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freed {
    /// The block, in words.
    pub block: String,
    /// Where the program frees it.
    pub location: Location,
}

/// The block that a thread must not use any more, if that is how its last move ended.
pub fn stale_block(process: &Process, thread: ThreadId, ending: &Ending) -> Option<u64> {
    let address = match ending {
        Ending::Fault(fault) if fault.reason == FaultReason::UseAfterFree => fault.addr,
        Ending::Misuse(_, Misuse::DoubleFree) => process.machine.core(thread)[Reg::Rdi],
        _ => return None,
    };
    let (start, _) = process.machine.memory.objects().before(address)?;
    is_freed(process, start).then_some(start)
}

/// Finds the move that frees a block and the place of the call. The process stands where the path
/// ends before and after.
pub fn find(
    process: &mut Process,
    (start, sight): (&ProcessMark, &Sight),
    path: &[Choice],
    names: &Names,
    block: u64,
) -> Option<(usize, Freed)> {
    let words = names.block(process, block);
    process.undo_to(start);
    let mut found = None;
    for (index, &choice) in path.iter().enumerate() {
        let mark = process.mark();
        let was_freed = is_freed(process, block);
        walk::make(process, sight, choice);
        if found.is_none() && !was_freed && is_freed(process, block) {
            process.undo_to(&mark);
            let location = call(process, choice, names, block);
            process.undo_to(&mark);
            found = location.map(|location| (index, Freed { block: words.clone(), location }));
            walk::make(process, sight, choice);
        }
    }
    found
}

/// Executes a move up to the instruction that frees a block, and says where that is.
fn call(process: &mut Process, choice: Choice, names: &Names, block: u64) -> Option<Location> {
    let mut along = Along { alternative: choice.alternative };
    for _ in 0..INSTRUCTIONS_MAX {
        let before = process.mark();
        process.step(choice.thread, 1, &mut along);
        if is_freed(process, block) {
            process.undo_to(&before);
            return Some(names.standpoint(process, choice.thread));
        }
    }
    None
}

fn is_freed(process: &Process, block: u64) -> bool {
    let object = process.machine.memory.objects().get(block);
    object.is_some_and(|object| matches!(object.kind, ObjectKind::Freed { .. }))
}

/// Lets everything happen and chooses as told.
struct Along {
    alternative: u32,
}

impl Monitor for Along {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;
}

impl Observer for Along {
    fn choose(&mut self, alternatives: u32) -> u32 {
        self.alternative.min(alternatives.saturating_sub(1))
    }
}
