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

mod condition;
mod heap;
mod libc;
mod mutex;
mod registry;
mod threads;
mod verifier;

use crate::event::{Event, Misuse};
use crate::module::Module;
use crate::process::Process;
use crate::syscall::objects::{THREADS, change};
use crate::thread::{AtomicCall, ThreadState, WaitFor};
use crate::treatment::Treatment;
use crate::witness::Witness;
use registry::{Class, Objects};
use samovar_vm::loader::SymbolKind;
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::monitor::{Access, Decision};
use samovar_vm::reg::Reg;
use samovar_vm::stop::HookId;

pub(crate) use condition::{Stage, leave_queue};
#[cfg(test)]
pub(crate) use registry::count;
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
    /// The program made a mistake that ends it.
    Misuse(Misuse),
    /// The scheduler has to know.
    Stop(Event),
}

/// A call of a modelled function.
struct ModelCall<'a> {
    process: &'a mut Process,
    thread: ThreadId,
    libc: libc::Libc,
}

impl ModelCall<'_> {
    /// An argument, counted from zero.
    fn arg(&self, index: usize) -> u64 {
        const ORDER: [Reg; 6] = [Reg::Rdi, Reg::Rsi, Reg::Rdx, Reg::Rcx, Reg::R8, Reg::R9];
        self.process.machine.core(self.thread)[ORDER[index]]
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
        let model = match entry.class {
            Class::Atomic => {
                self.enter_atomic(thread, witness);
                return Passage::Go;
            }
            Class::Modelled(model) => model,
        };
        let mut call = ModelCall { process: self, thread, libc };
        let objects = match entry.objects {
            Objects::None => [None, None],
            Objects::First => [Some(call.arg(0)), None],
            Objects::FirstTwo => [Some(call.arg(0)), Some(call.arg(1))],
            Objects::Threads => [Some(THREADS), None],
        };
        for (index, addr) in objects.into_iter().flatten().enumerate() {
            let access = Access { sequel: index > 0, ..change(addr & !7, 8) };
            if witness.before_operation(access) == Decision::Stop && !access.sequel {
                return Passage::Stop(Event::Access(access));
            }
        }
        match model(&mut call) {
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
            Answer::Misuse(misuse) => Passage::Stop(self.report_misuse(thread, entry.name, misuse)),
            Answer::Stop(event) => Passage::Stop(event),
        }
    }

    /// Returns from the function whose entry the thread stands at.
    fn return_from(&mut self, thread: ThreadId, value: u64) {
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
            self.os_mut().thread_mut(thread).atomic = None;
        } else {
            self.end_routine(thread);
        }
        // Inside a region of the program it stays so.
        witness.atomic_call(!was_atomic || self.is_atomic(thread));
    }

    /// The program misused a library function. Where heap blocks are exact the caller is told;
    /// otherwise the process ends as glibc ends it.
    fn report_misuse(&mut self, thread: ThreadId, function: &str, misuse: Misuse) -> Event {
        let event = self.kill(crate::Signal::ABRT);
        if self.config.exact_heap {
            let address = self.machine.core(thread).pc;
            return Event::Misuse { function: function.to_string(), misuse, address };
        }
        self.os_mut().emit(2, format!("{function}(): {misuse}\n").as_bytes());
        event
    }
}
