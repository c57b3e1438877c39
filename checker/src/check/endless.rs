//! Proof that a thread goes round in circles: run alone, it comes back to a state that it was in.
//!
//! Brent's method: the present state is compared with one remembered state, which is replaced by
//! the present one whenever a power of two of steps has passed. Registers are compared at every
//! step, memory only when they agree. Cost: one instruction a step, and a bounded number of
//! comparisons of memory. Circles longer than the window are not found.

use samovar_runtime::syscall::objects;
use samovar_runtime::{Event, Observer, Process};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};
use std::sync::Arc;

/// Instructions in the largest circle that is found.
const WINDOW: u64 = 1 << 20;
/// Comparisons of memory in vain before giving up.
const COMPARISONS_MAX: u32 = 32;

/// Whether the thread, run alone from here, repeats a state exactly. The journal must be on; the
/// process stays somewhere on its way, in a state that it would have reached anyway, and stands
/// unchanged if the answer is yes.
pub fn repeats(process: &mut Process, thread: ThreadId) -> bool {
    let found = goes_round(process, thread);
    // Whoever switches the journal off next must not find registers taken for logged.
    let here = process.mark();
    process.undo_to(&here);
    found
}

fn goes_round(process: &mut Process, thread: ThreadId) -> bool {
    let mut comparisons = 0;
    let mut window = 1;
    while window <= WINDOW {
        let mark = process.mark();
        let core = *process.machine.core(thread);
        let floating = process.machine.floating(thread).clone();
        let world = Arc::clone(process.world());
        for step in 1..=window {
            if process.step(thread, 1, &mut Single) != Event::Budget {
                return false;
            }
            let is_same = *process.machine.core(thread) == core
                && *process.machine.floating(thread) == floating
                && (Arc::ptr_eq(process.world(), &world) || process.world().is_same(&world));
            if !is_same {
                continue;
            }
            let written = contents(process, &mark);
            process.undo_to(&mark);
            if written.iter().all(|(addr, bytes)| holds(process, *addr, bytes)) {
                return true;
            }
            comparisons += 1;
            if comparisons == COMPARISONS_MAX {
                return false;
            }
            for _ in 0..step {
                process.step(thread, 1, &mut Single);
            }
        }
        window *= 2;
    }
    false
}

/// The bytes that were written since a mark, as they are now.
fn contents(process: &Process, mark: &samovar_runtime::ProcessMark) -> Vec<(u64, Vec<u8>)> {
    let memory = &process.machine.memory;
    let mut ranges = Vec::new();
    memory.journal.changes_since(mark.machine(), |addr, len| ranges.push((addr, len)));
    ranges.sort_unstable();
    ranges.dedup();
    let bytes = |(addr, len)| (addr, memory.slice(addr, len).unwrap_or_default().to_vec());
    ranges.into_iter().map(bytes).collect()
}

fn holds(process: &Process, addr: u64, bytes: &[u8]) -> bool {
    process.machine.memory.slice(addr, bytes.len() as u64).unwrap_or_default() == bytes
}

/// One instruction at a time, and no thread created on the way.
struct Single;

impl Monitor for Single {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        if access.addr == objects::THREADS { Decision::Stop } else { Decision::Proceed }
    }
}

impl Observer for Single {}
