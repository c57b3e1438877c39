//! Guards in front of glibc's thread functions: the library's own code does the work atomically,
//! the guard says when it may.

use super::{Answer, ModelCall};
use crate::event::{Event, Unsupported, UnsupportedKind};
use crate::process::Process;
use crate::thread::{AtomicCall, WaitFor};
use crate::witness::Witness;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use samovar_vm::stop::HookId;

/// The hook at the entry of start routines.
pub(super) const START: HookId = HookId(u32::MAX);

/// Creation is the library's own code. The start routine is hooked, because what the library does
/// in a new thread before it, and after its return, belongs to the library.
pub(super) fn create(call: &mut ModelCall<'_>) -> Answer {
    let routine = call.arg(2);
    let machine = &mut call.process.machine;
    if !machine.is_hooked(routine) {
        machine.set_hook(routine, START);
    }
    Answer::Pass
}

impl Process {
    /// A thread stands at the entry of a start routine: its own, or one that it calls like any
    /// other function.
    pub(super) fn begin_routine(&mut self, thread: ThreadId, witness: &mut dyn Witness) {
        let rsp = self.machine.core(thread)[Reg::Rsp];
        let begins = self.os.thread(thread).atomic == Some(AtomicCall::LIBRARY)
            && self.os.thread(thread).start_watch == u64::MAX;
        let me = self.os_mut().thread_mut(thread);
        me.past_hook = true;
        if begins {
            me.atomic = None;
            me.start_watch = rsp;
            self.machine.core_mut(thread).return_watch = rsp;
            witness.atomic_call(false);
        }
    }

    /// The start routine has returned: what follows is the library's.
    pub(super) fn end_routine(&mut self, thread: ThreadId) {
        self.machine.core_mut(thread).return_watch = u64::MAX;
        self.os_mut().thread_mut(thread).atomic = Some(AtomicCall::LIBRARY);
    }
}

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
