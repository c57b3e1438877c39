//! A process: a machine and an operating system that serves it.
//!
//! No policy lives here: the caller picks the thread for [`Process::step`], decides when time
//! passes while nobody runs, and takes the output. All state is either in the machine, which has
//! a journal, or in one copy-on-write [`Os`], so a mark and an undo are cheap and exact. Not part
//! of the state: bytes of standard input that the host has already handed out (they only grow).

use crate::elapse::ClockLook;
use crate::host::{HostFiles, Input};
use crate::load::Model;
use crate::module::Module;
use crate::origin::Origins;
use crate::os::{Ended, Os, Output, PID};
use crate::request::Choices;
use crate::syscall::futex;
use crate::thread::{Thread, ThreadState, WaitFor};
use crate::threads::Threads;
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::memory::journal::Mark;
use samovar_vm::reg::Reg;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a step looked at beyond memory, its thread's own record and what is common to all threads:
/// who waits for the object with this address, and how (see [`WaitFor::concerns`]).
pub const LOOK_AT_WAITS: u32 = 1;
/// The same: everything about the thread with this number, or that there is none.
pub const LOOK_AT_THREAD: u32 = 2;
/// The same: everything about all threads.
pub const LOOK_AT_THREADS: u32 = 3;
/// The same: how many threads there are, those that ended included.
pub const LOOK_AT_COUNT: u32 = 4;
/// The same: how many threads have not ended.
pub const LOOK_AT_ALIVE: u32 = 5;
/// The same: the registers of the thread with this number.
pub const LOOK_AT_REGISTERS: u32 = 6;

/// See the module head.
#[derive(Debug)]
pub struct Process {
    /// The machine; registers and memory may be inspected freely.
    pub machine: Machine,
    pub(crate) os: Arc<Os>,
    pub(crate) host: Arc<dyn HostFiles>,
    pub(crate) input: Input,
    pub(crate) config: Config,
    /// Types of which only boundary values were given: no part of the state, it only grows.
    pub(crate) boundary_types: BTreeSet<String>,
    /// System calls, hooked functions and requests served so far: no part of the state.
    pub(crate) served: u64,
    /// No part of the state either.
    pub(crate) origins: Origins,
    /// The same.
    pub(crate) clock_look: ClockLook,
    /// Whether files or reserved memory changed, be it for a while: the same.
    pub(crate) is_stirred: bool,
    /// Whether a library's allocator was found and is modelled.
    pub(crate) models_heap: bool,
}

/// What never changes while a process runs.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub model: Model,
    pub exact_heap: bool,
    /// What fresh blocks of it hold.
    pub heap_fill: u32,
    /// The end of the process is a violation if something leaks.
    pub leaks: bool,
    pub judge_locks: bool,
    /// A panic that nobody handles is a violation.
    pub judge_panics: bool,
    /// Handlers interrupt their own thread only.
    pub refuse_interruptions: bool,
    pub spurious_wakeups: bool,
    /// The wall clock when logical time is zero.
    pub wall_clock_ns: u64,
    pub cpus: u32,
    pub uid: u32,
    pub gid: u32,
    /// Which of the three standard descriptors are terminals.
    pub terminals: [bool; 3],
    /// Values that open values may take.
    pub choices: Choices,
    /// Absolute path of the program.
    pub exe: Vec<u8>,
    /// The arguments, each with its final zero.
    pub command_line: Vec<u8>,
    /// The environment, likewise.
    pub environment: Vec<u8>,
    /// Where the main thread's stack ends.
    pub stack: (u64, u64),
}

/// A state to go back to.
#[derive(Clone, Debug)]
pub struct ProcessMark {
    pub(crate) machine: Mark,
    os: Arc<Os>,
}

impl Process {
    /// Remembers the present state. Memory and registers come back only if the journal was on
    /// (`machine.memory.journal.set_on`).
    pub fn mark(&mut self) -> ProcessMark {
        ProcessMark { machine: self.machine.mark(), os: Arc::clone(&self.os) }
    }

    /// Goes back to a state remembered earlier on the present path.
    pub fn undo_to(&mut self, mark: &ProcessMark) {
        self.machine.undo_to(mark.machine);
        self.os = Arc::clone(&mark.os);
    }

    /// The operating system's state.
    pub fn os(&self) -> &Os {
        &self.os
    }

    pub(crate) fn os_mut(&mut self) -> &mut Os {
        Arc::make_mut(&mut self.os)
    }

    /// All threads, those that ended included; the index is the thread's number.
    pub fn threads(&self) -> &Threads {
        &self.os.threads
    }

    /// Threads whose wait concerns an object, by number, and their waits: for somebody who acts on
    /// behalf of a thread.
    pub(crate) fn waiters(&self, object: u64) -> impl Iterator<Item = (ThreadId, &WaitFor)> {
        self.machine.memory.reads.note_beyond(LOOK_AT_WAITS, object);
        let threads = self.os.threads.iter().zip(0..);
        let waits =
            threads.filter_map(|(thread, index)| Some((ThreadId(index), thread.waiting()?)));
        waits.filter(move |(_, wait)| wait.concerns(object))
    }

    /// Lets all of them run on whose wait fits.
    pub(crate) fn wake_waiters(&mut self, object: u64, fits: impl Fn(&WaitFor) -> bool) {
        let waiters = self.waiters(object).filter(|(_, wait)| fits(wait));
        let woken: Vec<ThreadId> = waiters.map(|(thread, _)| thread).collect();
        woken.into_iter().for_each(|thread| self.set_runnable(thread));
    }

    /// All threads, for somebody who wants to know everything about them.
    pub(crate) fn all_threads(&self) -> &Threads {
        self.machine.memory.reads.note_beyond(LOOK_AT_THREADS, 0);
        &self.os.threads
    }

    /// The record of a thread, if there is one with this number, for somebody else.
    pub(crate) fn other_thread(&self, thread: ThreadId) -> Option<&Thread> {
        self.machine.memory.reads.note_beyond(LOOK_AT_THREAD, u64::from(thread.0));
        self.os.threads.get(thread.0 as usize)
    }

    /// The thread with this identifier, if it is alive.
    pub(crate) fn by_tid(&self, tid: u32) -> Option<ThreadId> {
        // Threads count on from the process's identifier.
        let thread = ThreadId(tid.checked_sub(PID)?);
        self.other_thread(thread)?.is_alive().then_some(thread)
    }

    /// Number of threads, those that ended included, for somebody who acts on behalf of one.
    pub(crate) fn thread_count(&self) -> usize {
        self.machine.memory.reads.note_beyond(LOOK_AT_COUNT, 0);
        self.os.threads.len()
    }

    /// Number of threads that have not ended.
    pub(crate) fn alive(&self) -> usize {
        self.machine.memory.reads.note_beyond(LOOK_AT_ALIVE, 0);
        self.os.threads.iter().filter(|thread| thread.is_alive()).count()
    }

    /// Numbers of the threads that can run, in ascending order.
    pub fn runnable(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let threads = self.os.threads.iter().enumerate();
        threads
            .filter(|(_, thread)| thread.state == ThreadState::Runnable)
            .map(|(index, _)| ThreadId(index as u32))
    }

    /// System calls, library functions and requests served so far, which may have changed memory
    /// on the guest's behalf. Not part of the state, not undone.
    pub fn served(&self) -> u64 {
        self.served
    }

    /// Whether a file, a pipe or reserved memory has changed since this was asked last, whatever
    /// became of it. Noted only while the journal is on.
    pub fn has_stirred(&mut self) -> bool {
        std::mem::take(&mut self.is_stirred)
    }

    /// How the process ended, if it has.
    pub fn ended(&self) -> Option<Ended> {
        self.os.ended
    }

    /// Whether the blocks of the program's heap are known: some library's allocator is modelled.
    pub fn models_heap(&self) -> bool {
        self.models_heap
    }

    /// ELF files whose code is mapped, in the order of their mapping: the program first.
    pub fn modules(&self) -> &[Arc<Module>] {
        &self.os.modules
    }

    /// The module that an address of code belongs to.
    pub fn module_at(&self, addr: u64) -> Option<&Arc<Module>> {
        self.os.modules.iter().rev().find(|module| module.contains(addr))
    }

    /// What the guest wrote to its standard output and error since the last call.
    pub fn take_output(&mut self) -> Vec<Output> {
        if self.os.output.is_empty() {
            return Vec::new();
        }
        Arc::unwrap_or_clone(std::mem::take(&mut self.os_mut().output))
    }

    /// Logical time since the start, in nanoseconds. It advances a little with every question
    /// for the time, and as far as [`Process::wake_due`] says.
    pub fn now_ns(&self) -> u64 {
        self.os.now_ns
    }

    /// The earliest deadline of a waiting thread. A scheduler that finds nobody runnable goes
    /// there with [`Process::wake_due`]; if there is none, the guest is deadlocked.
    pub fn next_deadline(&self) -> Option<u64> {
        self.os.next_deadline()
    }

    /// Lets time pass until `now_ns` (it never goes backwards) and wakes the threads whose
    /// deadline has come. A scheduler calls this also while others run, or a thread that sleeps
    /// would never wake next to one that spins.
    pub fn wake_due(&mut self, now_ns: u64) {
        let now = now_ns.max(self.os.now_ns);
        if now != self.os.now_ns {
            self.os_mut().now_ns = now;
        }
        if self.next_deadline().is_none_or(|deadline| deadline > now) {
            return;
        }
        for index in 0..self.all_threads().len() {
            let due = self.os.threads[index]
                .waiting()
                .and_then(WaitFor::deadline)
                .is_some_and(|deadline| deadline <= now);
            if due {
                self.time_out(ThreadId(index as u32));
            }
        }
    }

    /// Ends a wait whose deadline has come.
    fn time_out(&mut self, thread: ThreadId) {
        let Some(wait) = self.os.thread(thread).waiting().cloned() else { return };
        match wait {
            WaitFor::Sleep { .. } => self.finish_wait(thread, 0),
            WaitFor::Futex { .. } => {
                self.finish_wait(thread, crate::Errno::ETIMEDOUT.to_rax());
            }
            WaitFor::FutexOwnership { addr, .. } => {
                self.finish_wait(thread, crate::Errno::ETIMEDOUT.to_rax());
                futex::drop_waiters_bit(self, addr);
            }
            // These look at the clock themselves when they are executed again.
            WaitFor::Files { .. }
            | WaitFor::Signal { .. }
            | WaitFor::Mutex { .. }
            | WaitFor::ReaderWriter { .. }
            | WaitFor::Semaphore { .. }
            | WaitFor::Condition { .. }
            | WaitFor::Join { .. } => self.set_runnable(thread),
            // These have none.
            WaitFor::Privilege { .. }
            | WaitFor::Barrier { .. }
            | WaitFor::Spin { .. }
            | WaitFor::Once { .. }
            | WaitFor::Lock { .. } => {}
        }
    }

    /// Lets a waiting thread run on.
    pub(crate) fn set_runnable(&mut self, thread: ThreadId) {
        self.os_mut().thread_mut(thread).state = ThreadState::Runnable;
    }

    /// Ends a wait whose system call is over, with its result.
    pub(crate) fn finish_wait(&mut self, thread: ThreadId, rax: u64) {
        self.machine.core_mut(thread)[Reg::Rax] = rax;
        self.set_runnable(thread);
    }
}
