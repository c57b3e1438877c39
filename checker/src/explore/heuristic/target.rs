//! A known error that a search is directed to: what its trail passes through.

use crate::explore::choice::Choice;
use crate::explore::moves::Sight;
use crate::explore::word::Word;
use crate::trail::walk;
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;

/// See the module head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// By thread: where it stands after each of its moves, the last one last.
    pub threads: Vec<Vec<u64>>,
    /// Words that threads contend for, as they are in the end.
    pub words: Vec<(u64, Option<u64>)>,
}

impl Target {
    /// Where a path leads from where the process stands, and is left.
    pub fn of(process: &mut Process, sight: &Sight, path: &[Choice], words: &[Word]) -> Target {
        let mark = process.mark();
        let mut target = Target::default();
        for (steps, &choice) in path.iter().enumerate() {
            let arrival = walk::follow_one(process, sight, choice, steps);
            let count = process.machine.thread_count() as usize;
            target.threads.resize(count, Vec::new());
            if let Some(places) = target.threads.get_mut(choice.thread.0 as usize) {
                let pc = process.machine.core(ThreadId(choice.thread.0)).pc;
                places.push(pc);
            }
            if arrival != walk::Arrival::Open {
                break;
            }
        }
        let word = |word: &Word| (word.address(), Target::word(process, word.address()));
        target.words = words.iter().map(word).collect();
        process.undo_to(&mark);
        target
    }

    /// The word at an address, if it can be read.
    pub fn word(process: &Process, addr: u64) -> Option<u64> {
        let bytes = process.machine.memory.slice(addr, 8).ok()?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }
}
