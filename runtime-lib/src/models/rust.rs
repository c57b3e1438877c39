//! Functions of Rust's standard library, found by their mangled names wherever it is linked in.
//!
//! The library's `Mutex` is one word: 0 free, 1 locked, 2 locked and somebody may sleep. The fast
//! ways are inlined; who finds it locked calls `lock_contended`, which looks a hundred times before
//! it sleeps on the futex. Here the call waits at once until the word is 0, which is all that the
//! hundred looks are for. Who waits sets the word to 2, so that whoever unlocks it wakes one up.
//!
//! At its beginning a thread asks for a stack of its own for the handler of stack overflows, and is
//! entered into a list behind a lock, for the message that the handler writes; at its end both are
//! undone. Where errors are judged, a stack overflow is reported as such and needs no message, so
//! there a thread is answered as if the program had a handler of its own: that none of this is
//! needed. Otherwise every thread would meet every other at that lock. The handler itself, which
//! the library installs before `main`, does not keep illegal accesses from being reported there.
//!
//! The key that runs destructors is *atomic*: no code of the program is called from there.
//!
//! Names and contents are those of Rust 1.95. Where a version of the library has other names,
//! nothing is hooked, and everything goes down to futexes.

use super::registry;
use super::{Answer, ModelCall};
use crate::module::Module;
use crate::process::Process;
use crate::thread::WaitFor;
use samovar_vm::machine::Machine;

const FREE: u32 = 0;
const LOCKED: u32 = 1;
const CONTENDED: u32 = 2;

/// The library's null pointer for "no handler is needed".
const NO_HANDLER: u64 = 0;

pub(super) const LOCK_CONTENDED: &str = "Mutex::lock_contended";
pub(super) const MAKE_HANDLER: &str = "stack_overflow::make_handler";
pub(super) const DROP_HANDLER: &str = "stack_overflow::drop_handler";
pub(super) const OVERFLOW_HANDLER: &str = "stack_overflow::signal_handler";
pub(super) const ENABLE_KEY: &str = "thread_local::guard::key::enable";

/// How the symbols of functions end, behind the crate's number, or begin in the older scheme.
const SYMBOLS: [(&str, &str, &str); 5] = [
    (
        LOCK_CONTENDED,
        "_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
        "_ZN3std3sys4sync5mutex5futex5Mutex14lock_contended17h",
    ),
    (
        MAKE_HANDLER,
        "_3std3sys3pal4unix14stack_overflow3imp12make_handler",
        "_ZN3std3sys3pal4unix14stack_overflow3imp12make_handler17h",
    ),
    (
        DROP_HANDLER,
        "_3std3sys3pal4unix14stack_overflow3imp12drop_handler",
        "_ZN3std3sys3pal4unix14stack_overflow3imp12drop_handler17h",
    ),
    (
        OVERFLOW_HANDLER,
        "_3std3sys3pal4unix14stack_overflow3imp14signal_handler",
        "_ZN3std3sys3pal4unix14stack_overflow3imp14signal_handler17h",
    ),
    (
        ENABLE_KEY,
        "_3std3sys12thread_local5guard3key6enable",
        "_ZN3std3sys12thread_local5guard3key6enable17h",
    ),
];

/// What a symbol is known as here.
fn known_as(symbol: &str) -> Option<&'static str> {
    let fits = |(_, end, start): &&(&str, &str, &str)| {
        symbol.starts_with("_R") && symbol.ends_with(end) || symbol.starts_with(start)
    };
    SYMBOLS.iter().find(fits).map(|known| known.0)
}

/// Hooks the functions of a module that are known here.
pub(crate) fn install_rust(machine: &mut Machine, module: &Module) {
    for symbol in module.image.functions() {
        if let Some(hook) = known_as(symbol.name).and_then(registry::find_of_rust) {
            machine.set_hook(symbol.value.wrapping_add(module.bias), hook);
        }
    }
}

pub(super) fn lock_contended(call: &mut ModelCall<'_>) -> Answer {
    let addr = call.arg(0);
    let word = match call.word(addr) {
        Ok(word) => word,
        Err(fault) => return fault.into(),
    };
    let sleeps = call.somebody_waits(addr, |wait| *wait == WaitFor::Lock { addr });
    let (next, answer) = match word {
        FREE => (if sleeps { CONTENDED } else { LOCKED }, Answer::Return(0)),
        LOCKED | CONTENDED => (CONTENDED, Answer::Wait(WaitFor::Lock { addr })),
        // No word of this library's.
        _ => return Answer::Plain,
    };
    match call.set_word(addr, next) {
        Ok(()) => answer,
        Err(fault) => fault.into(),
    }
}

/// Whether the stack overflows of threads are for the caller to judge, not for the library.
fn judges_overflows(call: &ModelCall<'_>) -> bool {
    call.process.config.exact_heap
}

/// Whether a handler of illegal accesses is the library's, where the caller judges these.
pub(crate) fn is_judged_instead(process: &Process, handler: u64) -> bool {
    let hook = process.machine.hook(handler);
    process.config.exact_heap
        && hook.is_some_and(|hook| registry::get(hook).0.name == OVERFLOW_HANDLER)
}

/// The handler, if it is called all the same.
pub(super) fn overflow_handler(_: &mut ModelCall<'_>) -> Answer {
    Answer::Plain
}

/// A handler of stack overflows: for the main thread, or for one that begins.
pub(super) fn make_handler(call: &mut ModelCall<'_>) -> Answer {
    let main_thread = call.arg(0) as u8 != 0;
    if main_thread || !judges_overflows(call) { Answer::Pass } else { Answer::Return(NO_HANDLER) }
}

/// What was made is given back; where nothing was made there is no entry in the list either.
pub(super) fn drop_handler(call: &mut ModelCall<'_>) -> Answer {
    if call.arg(0) != NO_HANDLER || !judges_overflows(call) {
        return Answer::Pass;
    }
    Answer::Return(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_both_schemes_are_known() {
        let lock =
            "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended";
        assert_eq!(known_as(lock), Some(LOCK_CONTENDED));
        let old = "_ZN3std3sys4sync5mutex5futex5Mutex14lock_contended17h0123456789abcdefE";
        assert_eq!(known_as(old), Some(LOCK_CONTENDED));
        let run = "_RNvNvNtNtNtNtCsjrHSEGnQ3l9_3std3sys12thread_local5guard3key6enable3run";
        assert_eq!(known_as(run), None, "destructors are code of the program");
        assert_eq!(known_as("lock_contended"), None);
    }
}
