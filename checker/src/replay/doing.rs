//! What a thread is doing, for debuggers.

use crate::trail::Names;
use samovar_runtime::{Process, ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;

/// What a thread is doing, in a few words.
pub fn doing(process: &Process, names: &Names, thread: ThreadId) -> String {
    let Some(state) = process.threads().get(thread.0 as usize).map(|it| &it.state) else {
        return String::new();
    };
    let wait = match state {
        ThreadState::Runnable => return "can run".to_string(),
        ThreadState::Exited => return "has ended".to_string(),
        ThreadState::Waiting(wait) => wait,
    };
    let object =
        |what: &str, addr: u64| format!("waits for {what} {}", names.object(process, thread, addr));
    match *wait {
        WaitFor::Futex { addr, .. } | WaitFor::FutexOwnership { addr, .. } => {
            object("the futex", addr)
        }
        WaitFor::Sleep { .. } => "sleeps".to_string(),
        WaitFor::Files { .. } => "waits for a pipe".to_string(),
        WaitFor::Signal { .. } => "waits for a signal".to_string(),
        WaitFor::Mutex { addr, .. } => object("the mutex", addr),
        WaitFor::Condition { addr, .. } => object("a signal on", addr),
        WaitFor::ReaderWriter { addr, .. } => object("the lock", addr),
        WaitFor::Semaphore { addr, .. } => object("the semaphore", addr),
        WaitFor::Barrier { addr } => object("the barrier", addr),
        WaitFor::Spin { addr } => object("the spin lock", addr),
        WaitFor::Once { addr } => object("the initialisation of", addr),
        WaitFor::Lock { addr } => object("the lock", addr),
        WaitFor::Privilege { start, .. } => object("the reserved memory", start),
        WaitFor::Join { thread, .. } => {
            format!("waits for the end of {}", names.thread(ThreadId(thread)))
        }
    }
}
