//! Guards in front of glibc's thread functions: the library's own code does the work atomically,
//! the guard says when it may.

use super::{Answer, ModelCall};
use crate::event::{Event, Unsupported, UnsupportedKind};
use crate::thread::WaitFor;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;

/// The live thread whose descriptor is at this address: glibc's `pthread_t` is its thread pointer.
fn by_descriptor(call: &ModelCall<'_>, descriptor: u64) -> Option<ThreadId> {
    let threads = call.process.os.threads.iter().enumerate();
    threads
        .filter(|(_, thread)| thread.is_alive())
        .map(|(index, _)| ThreadId(index as u32))
        .find(|&thread| call.process.machine.core(thread)[Reg::FsBase] == descriptor)
}

/// Joining waits for the other thread's end; the library collects the result. The library also
/// notices threads that join themselves or each other.
pub(super) fn join(call: &mut ModelCall<'_>) -> Answer {
    let Some(other) = by_descriptor(call, call.arg(0)) else { return Answer::Pass };
    let joins_me = WaitFor::Join { thread: call.thread.0 };
    let mutual = call.process.os.thread(other).waiting() == Some(&joins_me);
    if other == call.thread || mutual {
        return Answer::Pass;
    }
    Answer::Wait(WaitFor::Join { thread: other.0 })
}

/// Cancelling a thread that waits in a model would have no effect there.
pub(super) fn cancel(call: &mut ModelCall<'_>) -> Answer {
    let Some(other) = by_descriptor(call, call.arg(0)) else { return Answer::Pass };
    match call.process.os.thread(other).waiting() {
        Some(WaitFor::Condition { .. } | WaitFor::Join { .. }) => {
            Answer::Stop(Event::Unsupported(Unsupported {
                kind: UnsupportedKind::LibraryCall,
                name: "pthread_cancel".to_string(),
                address: call.process.machine.core(call.thread).pc,
                detail: "of a thread that waits in a modelled function; use --model none"
                    .to_string(),
            }))
        }
        _ => Answer::Pass,
    }
}
