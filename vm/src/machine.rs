//! The machine: memory, threads and decoded code. It executes one thread at a time, as told.
//!
//! Nothing here chooses which thread runs. Every change of a thread's registers goes through
//! [`Machine::core_mut`], [`Machine::floating_mut`] or [`Machine::run`], which log the old values
//! while the journal is on.

use crate::code::Code;
use crate::context::{Core, Floating};
use crate::cpuid::Profile;
use crate::exec::{Outcome, Work};
use crate::liveness::Live;
use crate::lower::Style;
use crate::memory::Memory;
use crate::memory::journal::{Deed, Mark, Undo};
use crate::monitor::Monitor;
use crate::reg::Reg;
use crate::stop::{HookId, Stop};
use std::io;

/// A thread of the guest; threads are numbered in the order of their creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// The registers of a thread and what of them is already in the journal.
#[derive(Debug, Default)]
struct Thread {
    core: Core,
    floating: Floating,
    /// The step in which the journal last got the integer registers; 0 for none.
    core_saved: u64,
    /// The same for the floating-point registers.
    floating_saved: u64,
}

/// See the module head.
#[derive(Debug)]
pub struct Machine {
    /// The guest's memory.
    pub memory: Memory,
    threads: Vec<Thread>,
    code: Code,
    profile: Profile,
    instructions: u64,
    /// Number of the step; a new one whenever registers are to be logged anew.
    step: u64,
}

impl Machine {
    /// A machine without memory contents and threads.
    pub fn new(profile: Profile) -> io::Result<Machine> {
        Ok(Machine {
            memory: Memory::new()?,
            threads: Vec::new(),
            code: Code::default(),
            profile,
            instructions: 0,
            step: 1,
        })
    }

    /// Adds a thread with these registers.
    pub fn add_thread(&mut self, mut core: Core, floating: Floating) -> ThreadId {
        core[Reg::Frame] = 0;
        if self.memory.journal.is_on() {
            self.memory.journal.log_deed(Deed::ThreadAdded);
        }
        self.threads.push(Thread { core, floating, ..Thread::default() });
        ThreadId(self.threads.len() as u32 - 1)
    }

    /// Number of threads ever added.
    pub fn thread_count(&self) -> u32 {
        self.threads.len() as u32
    }

    /// Integer registers of a thread.
    pub fn core(&self, thread: ThreadId) -> &Core {
        &self.threads[thread.0 as usize].core
    }

    /// Integer registers of a thread, to be changed.
    pub fn core_mut(&mut self, thread: ThreadId) -> &mut Core {
        self.save_core(thread);
        &mut self.threads[thread.0 as usize].core
    }

    /// Floating-point registers of a thread.
    pub fn floating(&self, thread: ThreadId) -> &Floating {
        &self.threads[thread.0 as usize].floating
    }

    /// Floating-point registers of a thread, to be changed.
    pub fn floating_mut(&mut self, thread: ThreadId) -> &mut Floating {
        self.save_floating(thread);
        &mut self.threads[thread.0 as usize].floating
    }

    fn save_core(&mut self, thread: ThreadId) {
        let state = &mut self.threads[thread.0 as usize];
        if self.memory.journal.is_on() && state.core_saved != self.step {
            self.memory.journal.log_core(thread.0 as usize, &state.core);
            state.core_saved = self.step;
        }
    }

    fn save_floating(&mut self, thread: ThreadId) {
        let state = &mut self.threads[thread.0 as usize];
        if self.memory.journal.is_on() && state.floating_saved != self.step {
            self.memory.journal.log_floating(thread.0 as usize, &state.floating);
            state.floating_saved = self.step;
        }
    }

    /// Hooks a function at its entry: a thread that gets there stops with [`Stop::Hook`].
    pub fn set_hook(&mut self, addr: u64, hook: HookId) {
        self.code.set_hook(addr, hook);
    }

    /// The hook of an address.
    pub fn hook(&self, addr: u64) -> Option<HookId> {
        self.code.hook(addr)
    }

    /// Whether an address is hooked.
    pub fn is_hooked(&self, addr: u64) -> bool {
        self.code.is_hooked(addr)
    }

    pub(crate) fn known_live(&mut self, pc: u64) -> Option<&Live> {
        if self.memory.take_code_dirty() {
            self.code.flush();
        }
        self.code.live.get(&pc)
    }

    pub(crate) fn note_live(&mut self, pc: u64, live: Live) {
        self.code.live.insert(pc, live);
    }

    /// How code is lowered from now on.
    pub fn set_style(&mut self, style: Style) {
        self.code.style = style;
        self.code.flush();
    }

    /// The processor that the guest believes to run on.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Instructions executed so far, by all threads; not part of the state, not undone.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Executes up to `budget` instructions of one thread.
    ///
    /// A thread that stopped at a hook or before an access stops there again unless the caller
    /// changed something: a hook is passed by [`Machine::run_past_hook`], an access by a monitor
    /// that lets it proceed.
    pub fn run<M: Monitor>(&mut self, thread: ThreadId, budget: u64, monitor: &mut M) -> Stop {
        self.execute(thread, budget, monitor, false)
    }

    /// Like [`Machine::run`], but executes the hooked function that the thread stands at.
    pub fn run_past_hook<M: Monitor>(
        &mut self,
        thread: ThreadId,
        budget: u64,
        monitor: &mut M,
    ) -> Stop {
        self.execute(thread, budget, monitor, true)
    }

    fn execute<M: Monitor>(
        &mut self,
        thread: ThreadId,
        budget: u64,
        monitor: &mut M,
        past_hook: bool,
    ) -> Stop {
        debug_assert_eq!(M::JOURNAL, self.memory.journal.is_on());
        if M::JOURNAL {
            self.save_core(thread);
        }
        let mut left = budget;
        let mut past_hook = past_hook;
        loop {
            if self.memory.take_code_dirty() {
                self.code.flush();
            }
            let outcome = self.attempt(thread, left, monitor, past_hook);
            left -= outcome.executed;
            self.instructions += outcome.executed;
            match outcome.stop {
                Some(stop) => return stop,
                None if left == 0 => return Stop::Budget,
                None => {}
            }
            past_hook = false;
            if let Some(stop) = self.write_code(thread, monitor) {
                return stop;
            }
            left -= 1;
        }
    }

    /// Runs until the first stop or write to decoded code.
    fn attempt<M: Monitor>(
        &mut self,
        thread: ThreadId,
        budget: u64,
        monitor: &mut M,
        past_hook: bool,
    ) -> Outcome {
        let index = thread.0 as usize;
        let state = &mut self.threads[index];
        // Inside an instruction there is no hook.
        let past_hook = past_hook || state.core.uops_done > 0;
        let first = past_hook
            .then(|| self.code.block_past_hook(state.core.pc, &mut self.memory, &self.profile));
        let saved = state.floating_saved == self.step;
        let mut work = Work {
            core: &mut state.core,
            floating: &mut state.floating,
            memory: &mut self.memory,
            code: &mut self.code,
            profile: &self.profile,
            monitor,
            thread: index,
            floating_saved: saved,
        };
        let outcome = work.run(budget, first);
        if work.floating_saved {
            state.floating_saved = self.step;
        }
        outcome
    }

    /// Executes the one instruction that writes to decoded code, then forgets all code.
    fn write_code<M: Monitor>(&mut self, thread: ThreadId, monitor: &mut M) -> Option<Stop> {
        self.code.flush();
        self.memory.forget_all_code();
        let state = &mut self.threads[thread.0 as usize];
        let first = self.code.solo_block(state.core.pc, &self.memory, &self.profile);
        let mut work = Work {
            core: &mut state.core,
            floating: &mut state.floating,
            memory: &mut self.memory,
            code: &mut self.code,
            profile: &self.profile,
            monitor,
            thread: thread.0 as usize,
            floating_saved: false,
        };
        let outcome = work.run(1, Some(first));
        self.code.flush();
        self.instructions += outcome.executed;
        match outcome.stop {
            Some(Stop::Budget) | None => None,
            stop => stop,
        }
    }

    /// Puts registers of a thread back, past the journal; see [`crate::memory::restore`].
    pub fn restore_core(&mut self, thread: ThreadId, core: Core) {
        self.threads[thread.0 as usize].core = core;
    }

    /// Puts floating-point registers of a thread back, past the journal.
    pub fn restore_floating(&mut self, thread: ThreadId, floating: &Floating) {
        self.threads[thread.0 as usize].floating.clone_from(floating);
    }

    /// Has so many threads, past the journal, which was started anew; the registers of new threads
    /// are to be put back next.
    pub fn restore_thread_count(&mut self, count: u32) {
        self.threads.resize_with(count as usize, Thread::default);
        self.step += 1;
    }

    /// Starts a step: undo can return to here. Registers are logged anew after it.
    pub fn mark(&mut self) -> Mark {
        self.step += 1;
        self.memory.journal.mark()
    }

    /// Undoes everything since `mark`.
    pub fn undo_to(&mut self, mark: Mark) {
        while let Some(rest) = self.memory.undo_one(mark) {
            match rest {
                None => {}
                Some(Undo::Core { thread, core }) => self.threads[thread].core = core,
                Some(Undo::Floating { thread, floating }) => {
                    self.threads[thread].floating = floating;
                }
                Some(Undo::Deed(Deed::ThreadAdded)) => {
                    self.threads.pop();
                }
                Some(_) => unreachable!("memory undoes its own entries"),
            }
        }
        self.step += 1;
    }
}
