//! Guards in front of glibc's thread functions: the library's own code does the work atomically,
//! the guard says when it may.
//!
//! Functions of the program that the library calls in a thread of its own (start routines,
//! destructors of keys and of thread-local objects) are hooked at their entry, because what the
//! library does around them runs without scheduling points and they must not.

use super::deadline::{self, Deadline};
use super::{Answer, ModelCall};
use crate::event::LockFault;
use crate::process::Process;
use crate::thread::{AtomicCall, WaitFor};
use crate::witness::Witness;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use samovar_vm::stop::HookId;

/// The hook at the entry of functions of the program that the library calls.
pub(super) const START: HookId = HookId(u32::MAX);

/// Where glibc's attributes of threads have their flags, and the flag of detached threads.
const ATTRIBUTE_FLAGS: u64 = 8;
/// See [`ATTRIBUTE_FLAGS`].
const DETACHED: u32 = 1;

/// Creation is the library's own code.
pub(super) fn create(call: &mut ModelCall<'_>) -> Answer {
    call.watch_function(call.arg(2));
    let attributes = call.arg(1);
    let flags = if attributes == 0 { Ok(0) } else { call.word(attributes + ATTRIBUTE_FLAGS) };
    if flags.is_ok_and(|flags| flags & DETACHED != 0) {
        call.process.os_mut().thread_mut(call.thread).creates_detached = true;
    }
    Answer::Pass
}

/// From now on the thread cannot be joined.
pub(super) fn detach(call: &mut ModelCall<'_>) -> Answer {
    if let Some(other) = call.by_descriptor(call.arg(0)) {
        call.process.os_mut().thread_mut(other).detached_by = Some(call.thread);
    }
    Answer::Pass
}

/// A key with a destructor, which the library calls when a thread ends.
pub(super) fn key_create(call: &mut ModelCall<'_>) -> Answer {
    call.watch_function(call.arg(1));
    Answer::Pass
}

/// A thread-local object with a destructor.
pub(super) fn thread_atexit(call: &mut ModelCall<'_>) -> Answer {
    call.watch_function(call.arg(0));
    Answer::Pass
}

impl ModelCall<'_> {
    fn watch_function(&mut self, function: u64) {
        let machine = &mut self.process.machine;
        if function != 0 && !machine.is_hooked(function) {
            machine.set_hook(function, START);
        }
    }

    /// The live thread whose descriptor is at this address: glibc's `pthread_t` is its thread
    /// pointer. Where descriptors have the identifier of their thread, the kernel clears it when
    /// the thread ends; that is as far from the thread pointer in all of them. So nothing has to
    /// be known about any other thread.
    pub(super) fn by_descriptor(&self, descriptor: u64) -> Option<ThreadId> {
        let own = self.process.machine.core(self.thread)[Reg::FsBase];
        let offset = self.process.os.thread(self.thread).clear_child_tid.wrapping_sub(own);
        let place = descriptor.wrapping_add(offset);
        let thread = self.process.by_tid(self.word(place).ok()?)?;
        let record = self.process.other_thread(thread)?;
        (record.clear_child_tid == place).then_some(thread)
    }
}

impl Process {
    /// A thread stands at the entry of a function that the library may call on its behalf, or that
    /// the program calls like any other.
    pub(super) fn begin_routine(&mut self, thread: ThreadId, witness: &mut dyn Witness) {
        let rsp = self.machine.core(thread)[Reg::Rsp];
        let begins = self.os.thread(thread).atomic == Some(AtomicCall::LIBRARY);
        let me = self.os_mut().thread_mut(thread);
        me.past_hook = true;
        if begins {
            me.atomic = None;
            me.start_watch = rsp;
            self.machine.core_mut(thread).return_watch = rsp;
            witness.atomic_call(false);
        }
    }

    /// The function has returned: what follows is the library's.
    pub(super) fn end_routine(&mut self, thread: ThreadId) {
        self.machine.core_mut(thread).return_watch = u64::MAX;
        self.os_mut().thread_mut(thread).atomic = Some(AtomicCall::LIBRARY);
    }
}

/// Joining waits for the other thread's end; the library collects the result. The library also
/// notices threads that are detached, and those that join themselves or each other. If a third
/// thread detached it, that might as well have happened while this one was waiting already, and
/// what comes of that is not defined.
fn join_until(call: &mut ModelCall<'_>, until: Deadline) -> Answer {
    if call.is_cancelled() {
        return Answer::Plain;
    }
    let Some(other) = call.by_descriptor(call.arg(0)) else { return Answer::Pass };
    let deadline = match deadline::resolve(call, until) {
        Ok(Ok(deadline)) => deadline,
        Ok(Err(_)) | Err(_) => return Answer::Pass,
    };
    let mutual = matches!(
        call.process.os.thread(other).waiting(),
        Some(WaitFor::Join { thread, .. }) if *thread == call.thread.0
    );
    let past = deadline.is_some_and(|at| at <= call.process.now_ns());
    let detached_by = call.process.os.thread(other).detached_by;
    if call.judges_locks() && detached_by.is_some_and(|by| by != call.thread) {
        return Answer::wrong(LockFault::Detached, call.arg(0));
    }
    if other == call.thread || detached_by.is_some() || mutual || past {
        return Answer::Pass;
    }
    Answer::Wait(WaitFor::Join { thread: other.0, deadline })
}

pub(super) fn join(call: &mut ModelCall<'_>) -> Answer {
    join_until(call, Deadline::Never)
}

pub(super) fn timedjoin(call: &mut ModelCall<'_>) -> Answer {
    let until = match call.arg(2) {
        0 => Deadline::Never,
        time => Deadline::Realtime(time),
    };
    join_until(call, until)
}

pub(super) fn clockjoin(call: &mut ModelCall<'_>) -> Answer {
    let until = match call.arg(3) {
        0 => Deadline::Never,
        time => Deadline::On { clock: call.arg(2) as u32, time },
    };
    join_until(call, until)
}
