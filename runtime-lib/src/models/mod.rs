//! Library functions known by symbol (layer L1).
//!
//! A function is hooked at its entry address, found in the symbol tables of a module when its
//! code is mapped, so dynamic and static programs are treated alike. Only the C library itself is
//! hooked: a program that brings its own `malloc` runs its own. Two classes exist beside plain
//! execution: *modelled* functions run as Rust code here and return, or pass the call on to the
//! library's own code; *atomic* ones run the library's own code to their return without giving
//! the scheduler a say.
//!
//! Models keep their state in the guest's memory, in the library's own layout where there is one,
//! so it is undone with the memory and mixes with library code that is not modelled.

mod barrier;
mod cancel;
mod condition;
mod deadline;
mod heap;
mod holder;
mod libc;
mod mutex;
mod once;
mod panic;
mod registry;
mod rust;
mod rwlock;
mod semaphore;
mod spin;
mod threads;
mod verifier;

use crate::event::{Event, LockFault, Misuse, Unsupported, UnsupportedKind};
use crate::module::Module;
use crate::process::{LOOK_AT_REGISTERS, Process};
use crate::syscall::objects::{FILES, RANDOM, THREADS, cancellation_of, change, choice_of, look};
use crate::thread::{AtomicCall, ThreadState, WaitFor};
use crate::treatment::Treatment;
use crate::witness::Witness;
pub use holder::HeldLock;
use registry::{Class, Entry, Objects};
use samovar_vm::fault::Fault;
use samovar_vm::loader::SymbolKind;
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::monitor::{Access, Decision};
use samovar_vm::reg::Reg;
use samovar_vm::stop::HookId;

pub(crate) use condition::Stage;
pub(crate) use mutex::wake_lockers;
pub(crate) use panic::{Panics, install_panics};
#[cfg(test)]
pub(crate) use registry::{count, hook};
pub(crate) use rust::{install_rust, is_judged_instead};
pub(crate) use verifier::install_verifier;

/// Registers that belong to the callee, apart from the one for the result.
const DESTROYED: [Reg; 8] =
    [Reg::Rcx, Reg::Rdx, Reg::Rsi, Reg::Rdi, Reg::R8, Reg::R9, Reg::R10, Reg::R11];

/// What happens after a hook.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Passage {
    /// The thread goes on.
    Go,
    /// The scheduler has to know.
    Stop(Event),
}

/// How a model answers a call.
#[derive(Clone, Debug, PartialEq)]
enum Answer {
    /// The function returns this.
    Return(u64),
    /// The call waits and is then made again.
    Wait(WaitFor),
    /// The library's own code does it, atomically.
    Pass,
    /// The library's own code does it, with scheduling points like the program's.
    Plain,
    /// The program made a mistake that ends it.
    Misuse(Misuse),
    /// The scheduler has to know.
    Stop(Event),
}

impl Answer {
    /// A misuse of the object at this address.
    fn wrong(fault: LockFault, object: u64) -> Answer {
        Answer::Misuse(Misuse::Lock { fault, object })
    }
}

impl From<Fault> for Answer {
    /// The library's own code meets the same fault, and the guest sees it there.
    fn from(_: Fault) -> Answer {
        Answer::Pass
    }
}

/// A call of a modelled function.
struct ModelCall<'a> {
    process: &'a mut Process,
    thread: ThreadId,
    libc: libc::Libc,
    /// Which of the alternatives that the registry's function counted is taken.
    pick: u32,
}

impl ModelCall<'_> {
    /// An argument, counted from zero.
    fn arg(&self, index: usize) -> u64 {
        const ORDER: [Reg; 6] = [Reg::Rdi, Reg::Rsi, Reg::Rdx, Reg::Rcx, Reg::R8, Reg::R9];
        self.process.machine.core(self.thread)[ORDER[index]]
    }

    /// What the call is an operation on: its own choice and cancellation first, because they make
    /// it visible whatever the rest is.
    fn announcements(&self, entry: &Entry, alternatives: u32) -> [Option<Access>; 4] {
        let object = |addr: u64| change(addr & !7, 8);
        let thread = |addr| self.by_descriptor(addr);
        let (first, second) = match entry.objects {
            Objects::None => (None, None),
            Objects::First => (Some(object(self.arg(0))), None),
            Objects::FirstTwo => (Some(object(self.arg(0))), Some(object(self.arg(1)))),
            Objects::Block => (self.block(self.arg(0)), None),
            Objects::Threads => (Some(object(THREADS)), None),
            Objects::EndOf => (self.end_of(self.arg(0)).map(object), None),
            Objects::CancellationOf => {
                (thread(self.arg(0)).map(|thread| object(cancellation_of(thread))), None)
            }
            Objects::Random => (Some(object(RANDOM)), None),
            Objects::Files => (Some(object(FILES)), None),
        };
        [
            (alternatives > 1).then(|| object(choice_of(self.thread))),
            entry.cancels.then(|| look(cancellation_of(self.thread), 8)),
            first,
            second,
        ]
    }

    /// The word that the system clears when this thread ends.
    fn end_of(&self, descriptor: u64) -> Option<u64> {
        let thread = self.by_descriptor(descriptor)?;
        Some(self.process.os.thread(thread).clear_child_tid)
    }

    /// Whether misuse of locks is an event.
    fn judges_locks(&self) -> bool {
        self.process.config.judge_locks
    }

    /// The identifier of the calling thread, as glibc notes it in locks.
    fn tid(&self) -> u32 {
        self.process.os.thread(self.thread).tid
    }

    /// Whether the thread is cancelled if this is a cancellation point; the library's own code
    /// then does that.
    fn is_cancelled(&self) -> bool {
        self.process.os.thread(self.thread).cancellation.is_due()
    }

    fn word(&self, addr: u64) -> Result<u32, Fault> {
        self.process.machine.memory.read_u32(addr)
    }

    fn set_word(&mut self, addr: u64, value: u32) -> Result<(), Fault> {
        self.process.machine.memory.write_u32(addr, value)
    }

    /// Whether some thread waits for an object in a way that fits.
    fn somebody_waits(&self, object: u64, fits: impl Fn(&WaitFor) -> bool) -> bool {
        self.process.waiters(object).any(|(_, wait)| fits(wait))
    }

    /// Something that is not modelled, named.
    fn unsupported(&self, name: &str, detail: &str) -> Answer {
        Answer::Stop(Event::Unsupported(Unsupported {
            kind: UnsupportedKind::LibraryCall,
            name: name.to_string(),
            address: self.process.machine.core(self.thread).pc,
            detail: detail.to_string(),
        }))
    }
}

/// How the function with this symbol is treated.
pub(crate) fn treatment(symbol: &str) -> Treatment {
    match registry::class_of(symbol) {
        Some(Class::Modelled(_)) => Treatment::Modelled,
        Some(Class::Atomic) => Treatment::Atomic,
        None => Treatment::Plain,
    }
}

/// The hook at the entry of `exit`, where leaks are looked for.
const EXIT: HookId = HookId(u32::MAX - 1);

/// Hooks the functions of a module that are known here; whether its allocator is among them.
pub(crate) fn install(machine: &mut Machine, module: &Module, leaks: bool) -> bool {
    let Some(found) = libc::recognise(&module.image) else { return false };
    for symbol in module.image.functions() {
        if leaks && symbol.name == "exit" {
            machine.set_hook(symbol.value.wrapping_add(module.bias), EXIT);
        } else if symbol.kind == SymbolKind::Function
            && symbol.default_version
            && let Some(hook) = registry::find(symbol.name, found)
        {
            machine.set_hook(symbol.value.wrapping_add(module.bias), hook);
        }
    }
    found.own_heap
}

impl Process {
    /// A thread stands at the entry of a hooked function.
    pub(crate) fn call_hook(
        &mut self,
        thread: ThreadId,
        hook: HookId,
        witness: &mut dyn Witness,
    ) -> Passage {
        if hook == EXIT {
            self.note_exit(thread);
            self.os_mut().thread_mut(thread).past_hook = true;
            return Passage::Go;
        }
        if hook == threads::START {
            self.begin_routine(thread, witness);
            return Passage::Go;
        }
        let (entry, libc) = registry::get(hook);
        let mut call = ModelCall { process: self, thread, libc, pick: 0 };
        let alternatives = entry.alternatives.map_or(1, |count| count(&call));
        let announced = match witness.wants_operations() {
            true => call.announcements(entry, alternatives),
            false => [None; 4],
        };
        for (index, access) in announced.into_iter().flatten().enumerate() {
            let access = Access { sequel: index > 0, ..access };
            if witness.before_operation(access) == Decision::Stop && !access.sequel {
                return Passage::Stop(Event::Access(access));
            }
        }
        let model = match entry.class {
            Class::Atomic => {
                self.enter_atomic(thread, witness);
                return Passage::Go;
            }
            Class::Modelled(model) => model,
        };
        if alternatives > 1 {
            call.pick = witness.choose(alternatives).min(alternatives - 1);
        }
        let answer = model(&mut call);
        self.conclude(thread, answer, entry.name, witness)
    }

    /// Does what a model answered.
    fn conclude(
        &mut self,
        thread: ThreadId,
        answer: Answer,
        function: &str,
        witness: &mut dyn Witness,
    ) -> Passage {
        match answer {
            Answer::Return(value) => {
                self.return_from(thread, value);
                Passage::Go
            }
            Answer::Wait(wait) => {
                self.os_mut().thread_mut(thread).state = ThreadState::Waiting(wait);
                Passage::Stop(Event::Blocked)
            }
            Answer::Pass => {
                self.enter_atomic(thread, witness);
                Passage::Go
            }
            Answer::Plain => {
                self.os_mut().thread_mut(thread).past_hook = true;
                Passage::Go
            }
            Answer::Misuse(misuse) => Passage::Stop(self.report_misuse(thread, function, misuse)),
            Answer::Stop(event) => Passage::Stop(event),
        }
    }

    /// Returns from the function whose entry the thread stands at.
    fn return_from(&mut self, thread: ThreadId, value: u64) {
        // It may be another one than the caller's.
        self.machine.memory.reads.note_beyond(LOOK_AT_REGISTERS, u64::from(thread.0));
        let rsp = self.machine.core(thread)[Reg::Rsp];
        // The call has just written the return address; an unreadable one faults at the jump.
        let target = self.machine.memory.read_u64(rsp).unwrap_or(0);
        let core = self.machine.core_mut(thread);
        // What a function may destroy it destroys, so that equal situations are equal states.
        for reg in DESTROYED {
            core[reg] = 0;
        }
        core.set_rflags(0);
        core[Reg::Rax] = value;
        core[Reg::Rsp] = rsp.wrapping_add(8);
        core.jump(target);
    }

    /// Runs the function at the program counter without scheduling points until it returns.
    fn enter_atomic(&mut self, thread: ThreadId, witness: &mut dyn Witness) {
        let entry_rsp = self.machine.core(thread)[Reg::Rsp];
        let outermost = self.os.thread(thread).atomic.is_none();
        self.os_mut().thread_mut(thread).past_hook = true;
        if outermost {
            self.machine.core_mut(thread).return_watch = entry_rsp;
            self.os_mut().thread_mut(thread).atomic = Some(AtomicCall { entry_rsp });
            witness.atomic_call(true);
        }
    }

    /// The watched return has happened: of an atomic call, or of the thread's start routine.
    pub(crate) fn watched_return(&mut self, thread: ThreadId, witness: &mut dyn Witness) {
        let me = self.os.thread(thread);
        let (was_atomic, start_watch) = (me.atomic.is_some(), me.start_watch);
        if was_atomic {
            self.machine.core_mut(thread).return_watch = start_watch;
            let me = self.os_mut().thread_mut(thread);
            me.atomic = None;
            me.interrupted = None;
        } else {
            self.end_routine(thread);
        }
        // Inside a region of the program it stays so.
        witness.atomic_call(!was_atomic || self.is_atomic(thread));
    }

    /// The program misused a library function. Where heap blocks are exact the caller is told;
    /// otherwise the process ends as glibc ends it.
    fn report_misuse(&mut self, thread: ThreadId, function: &str, misuse: Misuse) -> Event {
        let address = self.machine.core(thread).pc;
        if matches!(misuse, Misuse::Lock { .. }) {
            return Event::Misuse { function: function.to_string(), misuse, address };
        }
        let event = self.kill(crate::Signal::ABRT);
        if self.config.exact_heap {
            return Event::Misuse { function: function.to_string(), misuse, address };
        }
        self.os_mut().emit(2, format!("{function}(): {misuse}\n").as_bytes());
        event
    }
}
