//! Cancellation of threads. The library does it; the models have to know of it, because a thread
//! that is to be cancelled must not wait in a model: it leaves the wait, and the library's own code
//! of the function that it waited in acts on the cancellation.
//!
//! Deferred cancellation only: one that may strike between any two instructions is refused where
//! all interleavings are wanted. To be ready for it is no such thing, and some libraries' threads
//! are: what is refused is to cancel a thread that is ready, and to become ready when cancelled.
//! Both are operations on the thread's cancellation, so every order of them is met.

use super::{Answer, ModelCall, Stage};
use crate::thread::WaitFor;

const DEFERRED: u32 = 0;
const ASYNCHRONOUS: u32 = 1;

/// What is refused.
const STRIKES: &str = "asynchronous cancellation";

pub(super) fn cancel(call: &mut ModelCall<'_>) -> Answer {
    let Some(other) = call.by_descriptor(call.arg(0)) else { return Answer::Pass };
    let thread = call.process.os.thread(other);
    let wait = thread.waiting().cloned();
    let due = !thread.cancellation.disabled;
    if thread.cancellation.asynchronous && call.process.config.exact_heap {
        return call.unsupported("pthread_cancel", STRIKES);
    }
    if thread.atomic.is_some() && wait.is_some() && due {
        let detail = "of a thread that waits inside a library function that runs atomically; \
                      use --model none";
        return call.unsupported("pthread_cancel", detail);
    }
    let thread = call.process.os_mut().thread_mut(other);
    thread.cancellation.requested = true;
    match wait {
        Some(WaitFor::Condition { .. }) if due => {
            thread.condition = Some(Stage::Cancelled);
            call.process.set_runnable(other);
        }
        Some(WaitFor::Join { .. } | WaitFor::Semaphore { .. }) if due => {
            call.process.set_runnable(other);
        }
        _ => {}
    }
    Answer::Pass
}

pub(super) fn setcancelstate(call: &mut ModelCall<'_>) -> Answer {
    if let state @ (0 | 1) = call.arg(0) as u32 {
        let thread = call.thread;
        call.process.os_mut().thread_mut(thread).cancellation.disabled = state == 1;
    }
    Answer::Plain
}

pub(super) fn setcanceltype(call: &mut ModelCall<'_>) -> Answer {
    let (thread, judged) = (call.thread, call.process.config.exact_heap);
    let asynchronous = match call.arg(0) as u32 {
        DEFERRED => false,
        ASYNCHRONOUS => true,
        _ => return Answer::Plain,
    };
    let requested = call.process.os.thread(thread).cancellation.requested;
    if asynchronous && requested && judged {
        return call.unsupported("pthread_setcanceltype", STRIKES);
    }
    call.process.os_mut().thread_mut(thread).cancellation.asynchronous = asynchronous;
    Answer::Plain
}
