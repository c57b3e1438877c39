//! The state of the operating system: everything a system call may change beside memory and
//! registers.
//!
//! It is one value, shared by reference count and copied when changed, so that remembering a
//! state costs nothing and going back to it is exact. Large parts have their own count.

use crate::files::Files;
use crate::module::Module;
use crate::random::Random;
use crate::request::{Privileges, Suggestion};
use crate::signal::{Action, Siginfo, Signal};
use crate::syscall::SharedMapping;
use crate::thread::Thread;
use crate::threads::Threads;
use samovar_vm::machine::ThreadId;
use std::sync::Arc;

/// The process's identifier; its threads count on from it.
pub(crate) const PID: u32 = 1000;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// By itself, with this status.
    Exited(i32),
    /// By a signal.
    Killed(Signal),
}

/// Bytes that the guest wrote to one of its standard descriptors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// 1 for standard output, 2 for standard error.
    pub fd: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// See the module head.
#[derive(Clone, Debug)]
pub struct Os {
    pub(crate) threads: Threads,
    pub(crate) ended: Option<Ended>,
    pub(crate) now_ns: u64,
    pub(crate) brk: Brk,
    pub(crate) files: Arc<Files>,
    pub(crate) shared: Arc<Vec<SharedMapping>>,
    pub(crate) actions: Arc<[Action; 64]>,
    pub(crate) pending: Arc<Vec<Siginfo>>,
    pub(crate) output: Arc<Vec<Output>>,
    pub(crate) random: Random,
    pub(crate) modules: Arc<Vec<Arc<Module>>>,
    pub(crate) privileges: Privileges,
    /// Ranges of memory that are no part of the state, sorted.
    pub(crate) ignored: Arc<Vec<(u64, u64)>>,
    /// Where agents read suggestions.
    pub(crate) suggestions: Arc<Vec<Suggestion>>,
    /// How good the state is, as the program said last.
    pub(crate) evaluation: Option<i64>,
}

/// The heap of `brk`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Brk {
    pub start: u64,
    pub end: u64,
}

impl Os {
    /// Logical time since the start of the guest.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// All threads, those that ended included.
    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// The earliest deadline of a waiting thread.
    pub fn next_deadline(&self) -> Option<u64> {
        self.threads.iter().filter_map(|thread| thread.waiting()?.deadline()).min()
    }

    pub(crate) fn thread(&self, thread: ThreadId) -> &Thread {
        &self.threads[thread.0 as usize]
    }

    pub(crate) fn thread_mut(&mut self, thread: ThreadId) -> &mut Thread {
        self.threads.get_mut(thread.0 as usize)
    }

    pub(crate) fn files_mut(&mut self) -> &mut Files {
        Arc::make_mut(&mut self.files)
    }

    pub(crate) fn action(&self, signal: Signal) -> Action {
        self.actions[signal.number() as usize - 1]
    }

    /// Appends output, joining it with the last piece where the descriptor is the same.
    pub(crate) fn emit(&mut self, fd: u32, bytes: &[u8]) {
        let output = Arc::make_mut(&mut self.output);
        match output.last_mut() {
            Some(last) if last.fd == fd => last.bytes.extend_from_slice(bytes),
            _ => output.push(Output { fd, bytes: bytes.to_vec() }),
        }
    }
}
