//! Running one thread: the loop between the machine's stops and the scheduler's events.

use crate::event::{Event, Unsupported, UnsupportedKind};
use crate::models::Passage;
use crate::os::Ended;
use crate::process::Process;
use crate::request;
use crate::signal::Signal;
use crate::syscall;
use crate::thread::ThreadState;
use crate::witness::{Observer, Witness};
use samovar_vm::fault::{Fault, FaultReason};
use samovar_vm::lower::survey::Survey;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use samovar_vm::stop::Stop;
use std::sync::Arc;

/// Instructions that an atomic library call or region may take before the scheduler gets a say
/// after all.
const ATOMIC_LIMIT: u64 = 50_000_000;

impl Process {
    /// Runs a thread for up to `budget` instructions, serving its system calls and hooked library
    /// functions on the way. Inside an atomic library call and an atomic region the budget does
    /// not count, unless the monitor wants single steps.
    ///
    /// The journal of the machine must be on if, and only if, the monitor asks for it.
    pub fn step<M: Observer>(&mut self, thread: ThreadId, budget: u64, monitor: &mut M) -> Event {
        let mut left = budget;
        let mut atomic_left = ATOMIC_LIMIT;
        if self.is_atomic(thread) {
            Observer::atomic_call(monitor, true);
        }
        loop {
            if let Some(event) = self.before_running(thread) {
                return event;
            }
            let atomic = self.is_atomic(thread);
            let stepping = monitor.is_stepping();
            let quota = match atomic {
                _ if stepping => left.min(1),
                true => atomic_left,
                false => left,
            };
            if quota == 0 {
                return Event::Budget;
            }
            let start = self.machine.instructions();
            let from = self.machine.core(thread).pc;
            let past_hook = self.os.thread(thread).past_hook;
            let stop = if past_hook {
                self.os_mut().thread_mut(thread).past_hook = false;
                self.machine.run_past_hook(thread, quota, monitor)
            } else {
                self.machine.run(thread, quota, monitor)
            };
            let stop = match stop {
                Stop::Fault(fault) => self.pass_over_read(thread, fault),
                stop => stop,
            };
            let spent = self.machine.instructions() - start;
            if past_hook && spent == 0 && matches!(stop, Stop::Access(_)) {
                // Stopped before the instruction at the hook, which is still behind it.
                self.os_mut().thread_mut(thread).past_hook = true;
            }
            left = left.saturating_sub(spent);
            if atomic {
                atomic_left = atomic_left.saturating_sub(spent);
            }
            let event = self.serve(thread, stop, monitor);
            let left_atomic = atomic && !self.is_atomic(thread);
            if left_atomic && stop != Stop::Returned {
                // At the end of a region, by a signal handler, or with the thread's end.
                Observer::atomic_call(monitor, false);
            }
            if let Some(event) = event {
                return self.at_end(event);
            }
            if stepping && (0 < spent || self.machine.core(thread).pc != from) {
                return Event::Budget;
            }
        }
    }

    /// The same event, unless it is the end of the process and something leaks, or a panic was
    /// not handled.
    fn at_end(&self, event: Event) -> Event {
        let Event::ProcessExited(status) = event else { return event };
        let panic = self.config.judge_panics.then(|| self.panic_at_end(status)).flatten();
        let leak = || self.config.leaks.then(|| self.leak_at_end()).flatten();
        panic.or_else(leak).unwrap_or(event)
    }

    /// What keeps a thread from running at all; delivers signals that are due.
    fn before_running(&mut self, thread: ThreadId) -> Option<Event> {
        match self.os.ended {
            Some(Ended::Exited(status)) => return Some(Event::ProcessExited(status)),
            Some(Ended::Killed(signal)) => return Some(Event::Killed(signal)),
            None => {}
        }
        if self.has_deliverable_signal(thread)
            && let Some(event) = self.deliver_signals(thread)
        {
            return Some(event);
        }
        match self.os.thread(thread).state {
            ThreadState::Runnable => None,
            ThreadState::Waiting(_) => Some(Event::Blocked),
            ThreadState::Exited => Some(Event::ThreadExited),
        }
    }

    /// Deals with the reason why the machine stopped; `None` to go on.
    fn serve(&mut self, thread: ThreadId, stop: Stop, witness: &mut dyn Witness) -> Option<Event> {
        self.served += 1;
        if witness.is_past_operation()
            && let Some(event) = self.stop_before(thread, stop)
        {
            return Some(event);
        }
        match stop {
            // The loop notices that nothing is left.
            Stop::Budget => None,
            Stop::Access(access) => Some(Event::Access(access)),
            Stop::Syscall => self.noting_stir(|process| syscall::serve(process, thread, witness)),
            Stop::Request => self.noting_stir(|process| request::serve(process, thread, witness)),
            Stop::Hook(hook) => match self.call_hook(thread, hook, witness) {
                Passage::Go => None,
                Passage::Stop(event) => Some(event),
            },
            Stop::Returned => {
                self.watched_return(thread, witness);
                None
            }
            Stop::Fault(fault) => self.fault(thread, fault),
            Stop::DivideError => self.trap(thread, Signal::FPE, 1),
            Stop::FloatingPointError => self.trap(thread, Signal::FPE, 7),
            Stop::Breakpoint => self.trap(thread, Signal::TRAP, crate::signal::SI_KERNEL),
            Stop::IllegalInstruction => self.trap(thread, Signal::ILL, 2),
            Stop::Unsupported => Some(self.unsupported_instruction(thread)),
            Stop::TimeStamp => {
                self.supply_time_stamp(thread);
                None
            }
        }
    }

    /// Does something, and notes whether it changes what threads share beside memory.
    fn noting_stir(&mut self, act: impl FnOnce(&mut Process) -> Option<Event>) -> Option<Event> {
        if !self.machine.memory.journal.is_on() {
            return act(self);
        }
        let before = (Arc::clone(&self.os.files), self.os.privileges.clone());
        let event = act(self);
        self.is_stirred |= before.0 != self.os.files || before.1 != self.os.privileges;
        event
    }

    /// Takes back that a thread asked for something, if it did.
    fn stop_before(&mut self, thread: ThreadId, stop: Stop) -> Option<Event> {
        let length = match stop {
            Stop::Syscall => syscall::SYSCALL_LEN,
            Stop::Request => request::LENGTH,
            Stop::Hook(_) => 0,
            _ => return None,
        };
        if length != 0 {
            let pc = self.machine.core(thread).pc;
            self.machine.core_mut(thread).jump(pc.wrapping_sub(length));
        }
        let own = syscall::objects::region_of(thread);
        Some(Event::Access(syscall::objects::change(own, 8)))
    }

    /// A signal that the instruction at the program counter raised.
    fn trap(&mut self, thread: ThreadId, signal: Signal, code: i32) -> Option<Event> {
        let pc = self.machine.core(thread).pc;
        self.raise_fault(thread, signal, code, pc)
    }

    /// An illegal access: the guest's handler gets it if the processor would have noticed it too.
    fn fault(&mut self, thread: ThreadId, fault: Fault) -> Option<Event> {
        let code = match fault.reason {
            FaultReason::Null | FaultReason::Unmapped => Some(1),
            FaultReason::Protected => Some(2),
            FaultReason::Misaligned => Some(crate::signal::SI_KERNEL),
            FaultReason::OutOfBounds
            | FaultReason::UseAfterFree
            | FaultReason::BeyondFrame
            | FaultReason::ReturnAddress => None,
        };
        let handled = match code {
            Some(code) => self.raise_fault(thread, Signal::SEGV, code, fault.addr),
            None => Some(self.kill(Signal::SEGV)),
        };
        handled.map(|_| Event::Fault(fault))
    }

    /// Ends the process by a signal.
    pub(crate) fn kill(&mut self, signal: Signal) -> Event {
        self.os_mut().ended = Some(Ended::Killed(signal));
        Event::Killed(signal)
    }

    fn supply_time_stamp(&mut self, thread: ThreadId) {
        let ticks = syscall::time::tick(self);
        let core = self.machine.core_mut(thread);
        core[Reg::Rax] = ticks & 0xffff_ffff;
        core[Reg::Rdx] = ticks >> 32;
    }

    fn unsupported_instruction(&self, thread: ThreadId) -> Event {
        let address = self.machine.core(thread).pc;
        let memory = &self.machine.memory;
        let bytes = (1..=INSTRUCTION_MAX).rev().find_map(|len| memory.slice(address, len).ok());
        let bytes = bytes.unwrap_or_default();
        let mut survey = Survey::default();
        survey.add(bytes, address, &self.machine.profile());
        let named = survey.unsupported.into_iter().find(|(_, found)| found.first == address);
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Event::Unsupported(Unsupported {
            kind: UnsupportedKind::Instruction,
            name: named.map_or("unnamed".to_string(), |(name, _)| name),
            address,
            detail: format!("bytes from there on {}", hex.join(" ")),
        })
    }
}

/// Length of the longest instruction.
const INSTRUCTION_MAX: u64 = 15;
