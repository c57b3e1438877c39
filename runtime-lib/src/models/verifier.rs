//! The de-facto names of verification benchmarks, where a program defines them itself.
//!
//! Calling `reach_error` or `__VERIFIER_error` is an error whatever the program's own function
//! does, and a function whose name begins with `__VERIFIER_atomic_` runs without scheduling
//! points. Both are found by symbol, in every module, whether or not the C library is modelled; a
//! function that the compiler inlined is not found. What the program leaves to the checker
//! (`__VERIFIER_nondet_int` and the like) is `lib/samovar_verifier.c` on top of requests.

use super::{Answer, ModelCall, registry};
use crate::event::Event;
use crate::module::Module;
use crate::request::{Violation, ViolationKind};
use samovar_vm::machine::Machine;

/// Functions that the program defines and that run atomically, by their beginning.
pub(super) const ATOMIC_PREFIX: &str = "__VERIFIER_atomic_";

/// Hooks the program's functions with a meaning.
pub(crate) fn install_verifier(machine: &mut Machine, module: &Module) {
    for symbol in module.image.functions() {
        let name = match symbol.name {
            "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => continue,
            name if name.starts_with(ATOMIC_PREFIX) => ATOMIC_PREFIX,
            name => name,
        };
        if let Some(hook) = registry::find_in_program(name) {
            machine.set_hook(symbol.value.wrapping_add(module.bias), hook);
        }
    }
}

pub(super) fn reach_error(call: &mut ModelCall<'_>) -> Answer {
    called(call, "reach_error")
}

pub(super) fn verifier_error(call: &mut ModelCall<'_>) -> Answer {
    called(call, "__VERIFIER_error")
}

/// Tells of the call; a thread that goes on executes the program's own function.
fn called(call: &mut ModelCall<'_>, name: &str) -> Answer {
    let address = call.process.machine.core(call.thread).pc;
    call.process.os_mut().thread_mut(call.thread).past_hook = true;
    let message = format!("{name} was called");
    let kind = ViolationKind::Assertion;
    Answer::Stop(Event::Violated(Violation { kind, message, source: None, data: None, address }))
}
