//! The report of a deadlock: who waits, for what, and where.

use crate::place::Places;
use samovar_runtime::{Process, Thread, WaitFor};
use samovar_vm::machine::ThreadId;
use std::fmt;

/// A process in which no thread can run and no deadline will come.
pub struct Deadlock<'a> {
    /// The process.
    pub process: &'a Process,
    /// Names for its addresses.
    pub places: &'a Places<'a>,
}

impl fmt::Display for Deadlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alive = || {
            let threads = self.process.threads().iter().enumerate();
            threads.filter(|(_, thread)| thread.is_alive())
        };
        match alive().count() {
            1 => write!(f, "deadlock: the only thread waits for something that cannot happen")?,
            count => write!(f, "deadlock: all {count} threads wait, and none can wake another")?,
        }
        for (index, thread) in alive() {
            let standpoint = self.places.standpoint(ThreadId(index as u32));
            write!(f, "\n  thread {index}{} waits for ", name_of(thread))?;
            match thread.waiting() {
                Some(wait) => self.cause(f, wait)?,
                None => f.write_str("nothing known")?,
            }
            write!(f, ", {standpoint:#}")?;
        }
        Ok(())
    }
}

impl Deadlock<'_> {
    fn cause(&self, f: &mut fmt::Formatter<'_>, wait: &WaitFor) -> fmt::Result {
        let data = |addr: u64| self.places.data(addr);
        match wait {
            WaitFor::Futex { addr, .. } => write!(f, "a wake-up on the futex {}", data(*addr))?,
            WaitFor::FutexOwnership { addr, .. } => write!(f, "the futex {}", data(*addr))?,
            WaitFor::Mutex { addr, .. } => write!(f, "the mutex {}", data(*addr))?,
            WaitFor::ReaderWriter { addr, writing, .. } => {
                let purpose = if *writing { "writing" } else { "reading" };
                write!(f, "the read-write lock {}, for {purpose}", data(*addr))?;
            }
            WaitFor::Spin { addr } => write!(f, "the spin lock {}", data(*addr))?,
            WaitFor::Lock { addr } => write!(f, "the lock {}", data(*addr))?,
            WaitFor::Semaphore { addr, .. } => write!(f, "the semaphore {}", data(*addr))?,
            WaitFor::Barrier { addr } => write!(f, "others at the barrier {}", data(*addr))?,
            WaitFor::Once { addr } => {
                write!(f, "the end of the initialisation {}", data(*addr))?;
            }
            WaitFor::Condition { addr, .. } => {
                write!(f, "a signal on the condition variable {}", data(*addr))?;
            }
            WaitFor::Privilege { start, .. } => {
                return write!(f, "access to {}, which another thread has locked", data(*start));
            }
            WaitFor::Join { thread, .. } => return write!(f, "the end of thread {thread}"),
            WaitFor::Signal { .. } => f.write_str("a signal")?,
            WaitFor::Sleep { .. } => f.write_str("time to pass")?,
            WaitFor::Files { wanted, .. } => {
                let numbers: Vec<String> = wanted.iter().map(|(fd, _)| fd.to_string()).collect();
                match numbers.as_slice() {
                    [] => f.write_str("a signal")?,
                    [one] => write!(f, "file descriptor {one}")?,
                    several => write!(f, "one of the file descriptors {}", several.join(", "))?,
                }
            }
        }
        match self.process.holder(wait) {
            Some(holder) => write!(f, ", held by thread {}", holder.0),
            None => Ok(()),
        }
    }
}

/// The thread's own name in brackets, if it has one.
fn name_of(thread: &Thread) -> String {
    let name = thread.name.split(|&byte| byte == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name);
    if name.is_empty() { String::new() } else { format!(" ({})", name.escape_debug()) }
}
