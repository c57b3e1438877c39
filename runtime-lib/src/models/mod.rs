//! Library functions known by symbol (layer L1).
//!
//! A function is hooked at its entry address, found in the symbol tables of a module when its
//! code is mapped, so dynamic and static programs are treated alike. There are two classes beside
//! plain execution: *modelled* functions run as Rust code here and return; *atomic* ones run the
//! library's own code to their return without giving the scheduler a say.

mod registry;

use crate::event::Event;
use crate::module::Module;
use crate::process::Process;
use crate::thread::AtomicCall;
use crate::treatment::Treatment;
use crate::witness::Witness;
use registry::Class;
use samovar_vm::loader::SymbolKind;
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::reg::Reg;
use samovar_vm::stop::HookId;

/// What happens after a hook.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Passage {
    /// The thread goes on.
    Go,
    /// The scheduler has to know.
    Stop(Event),
}

/// How the function with this symbol is treated.
pub(crate) fn treatment(symbol: &str) -> Treatment {
    match registry::find(symbol).map(registry::class) {
        Some(Class::Atomic) => Treatment::Atomic,
        None => Treatment::Plain,
    }
}

/// Hooks the functions of a module that are known here.
pub(crate) fn install(machine: &mut Machine, module: &Module) {
    for symbol in module.image.functions() {
        if symbol.kind == SymbolKind::Function
            && symbol.default_version
            && let Some(hook) = registry::find(symbol.name)
        {
            machine.set_hook(symbol.value.wrapping_add(module.bias), hook);
        }
    }
}

impl Process {
    /// A thread stands at the entry of a hooked function.
    pub(crate) fn call_hook(
        &mut self,
        thread: ThreadId,
        hook: HookId,
        witness: &mut dyn Witness,
    ) -> Passage {
        match registry::class(hook) {
            Class::Atomic => {
                self.enter_atomic(thread);
                witness.atomic_call(true);
                Passage::Go
            }
        }
    }

    /// Runs the function at the program counter without scheduling points until it returns.
    pub(crate) fn enter_atomic(&mut self, thread: ThreadId) {
        let entry_rsp = self.machine.core(thread)[Reg::Rsp];
        let outermost = self.os.thread(thread).atomic.is_none();
        if outermost {
            self.machine.core_mut(thread).return_watch = entry_rsp;
        }
        let me = self.os_mut().thread_mut(thread);
        me.past_hook = true;
        if outermost {
            me.atomic = Some(AtomicCall { entry_rsp });
        }
    }

    /// The outermost atomic call has returned.
    pub(crate) fn leave_atomic(&mut self, thread: ThreadId) {
        self.machine.core_mut(thread).return_watch = u64::MAX;
        self.os_mut().thread_mut(thread).atomic = None;
    }
}
