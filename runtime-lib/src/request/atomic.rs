//! Atomic regions: code that runs without a thread switch.
//!
//! A region is a flag of the thread. Inside one a second beginning has no effect, and the first
//! end ends it. The beginning is announced as an operation on an object of the thread's own, so
//! that a checker can stop before it; from then on the checker is told that the thread is inside,
//! as for an atomic library call.
//!
//! An operation that blocks inside a region ends the step like any other. A checker then takes
//! the whole move back, to before the region, as if the thread had not begun it (see
//! [`Thread::may_be_put_back`](crate::Thread::may_be_put_back)), unless the wait has a limit;
//! `samovar run` lets others run, and the region is not atomic.

use super::{Reply, Request};
use crate::process::Process;
use crate::syscall::objects;
use samovar_vm::machine::ThreadId;

pub(super) fn begin(request: &mut Request<'_>) -> Reply {
    let thread = request.thread;
    if request.process.os.thread(thread).region {
        return Reply::Value(0);
    }
    let access = objects::change(objects::region_of(thread), 8);
    if let Some(stop) = request.announce(access) {
        return stop;
    }
    request.process.os_mut().thread_mut(thread).region = true;
    request.witness.atomic_call(true);
    Reply::Value(0)
}

pub(super) fn end(request: &mut Request<'_>) -> Reply {
    let thread = request.thread;
    if request.process.os.thread(thread).region {
        request.process.os_mut().thread_mut(thread).region = false;
        request.witness.region_over();
    }
    Reply::Value(0)
}

impl Process {
    /// Whether a thread is inside an atomic region or an atomic library call.
    pub fn is_atomic(&self, thread: ThreadId) -> bool {
        let thread = self.os.thread(thread);
        thread.region || thread.atomic.is_some()
    }
}
