//! Panics of Rust that nobody handles.
//!
//! A panic is *handled* if `catch_unwind` of the program's stops it, or if the thread that it ends
//! is joined: what the program makes of an `Err` is its own business. A panic that leaves `main` is
//! an error at once, and one of a thread that nobody has joined is when the process ends, because
//! until then somebody might. A scope that is told of a panic panics itself, which is then judged.
//!
//! The library calls the body of every thread, `main` included, through a function that is never
//! inlined, *the short backtrace's*. Where the unwinder has found a handler, it leaves the stack
//! pointer of that frame in the exception, so a handler above the frame of the outermost such
//! function is the library's own, and any other is the program's.
//!
//! Functions are found by the mangled names of Rust 1.95. In a program without symbols the
//! message of the library in `main`, followed by status 101, says the same about `main`; panics of
//! other threads are not seen there.

use super::{Answer, ModelCall, registry};
use crate::event::Event;
use crate::module::Module;
use crate::process::Process;
use crate::request::{Violation, ViolationKind};
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::reg::Reg;

pub(super) const BODY: &str = "backtrace::__rust_begin_short_backtrace";
pub(super) const PANIC: &str = "panicking::panic_with_hook";
pub(super) const CATCH: &str = "__rust_panic_cleanup";
pub(super) const JOIN: &str = "thread::unix::Thread::join";
pub(super) const TELL_SCOPE: &str = "ScopeData::decrement_num_running_threads";

/// How the symbols of functions that are no templates end, behind the crate's number.
const SYMBOLS: [(&str, &str); 4] = [
    (PANIC, "_3std9panicking15panic_with_hook"),
    (CATCH, "_7___rustc20___rust_panic_cleanup"),
    (JOIN, "_3std3sys6thread4unixNtB5_6Thread4join"),
    (TELL_SCOPE, "_3std6thread6scopedNtB2_9ScopeData29decrement_num_running_threads"),
];

/// How the symbols of the template begin in the older scheme, and what is in them in the newer one.
const BODY_SYMBOLS: (&str, &str) = (
    "_ZN3std3sys9backtrace28__rust_begin_short_backtrace17h",
    "_3std3sys9backtrace28___rust_begin_short_backtrace",
);

/// Offset in an exception of the stack pointer of the frame that handles it.
const HANDLER: u64 = 24;

/// The status with which the library ends a process whose main thread has panicked.
const PANICKED: i32 = 101;

/// Longest file name that is read from the program.
const NAME_MAX: u64 = 4096;

/// What is known about panics of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Panics {
    /// Stack pointer at the entry of its body; zero before that.
    body: u64,
    /// Where the place of the latest panic is written, if it is not handled yet; or zero.
    place: u64,
    /// A panic has ended the thread.
    is_fatal: bool,
    /// Somebody waits for its end, or has.
    is_joined: bool,
    /// It has written the library's message about a panic of the main thread.
    has_said_so: bool,
}

/// What a symbol is known as here.
fn known_as(symbol: &str) -> Option<&'static str> {
    let (older, newer) = BODY_SYMBOLS;
    if symbol.starts_with(older) || symbol.starts_with("_RINvNtNt") && symbol.contains(newer) {
        return Some(BODY);
    }
    let fits = |(_, end): &&(&str, &str)| symbol.starts_with("_R") && symbol.ends_with(end);
    SYMBOLS.iter().find(fits).map(|known| known.0)
}

/// Hooks the functions of a module that are known here.
pub(crate) fn install_panics(machine: &mut Machine, module: &Module) {
    for symbol in module.image.functions() {
        if let Some(hook) = known_as(symbol.name).and_then(registry::find_of_rust) {
            machine.set_hook(symbol.value.wrapping_add(module.bias), hook);
        }
    }
}

/// The body of a thread begins, or something inside that looks like one.
pub(super) fn body(call: &mut ModelCall<'_>) -> Answer {
    let rsp = call.process.machine.core(call.thread)[Reg::Rsp];
    if call.process.os.thread(call.thread).panics.body < rsp {
        call.panics().body = rsp;
    }
    Answer::Plain
}

/// A panic begins.
pub(super) fn panic(call: &mut ModelCall<'_>) -> Answer {
    let place = call.arg(2);
    call.panics().place = place;
    Answer::Plain
}

/// A panic has come to a handler.
pub(super) fn caught(call: &mut ModelCall<'_>) -> Answer {
    let body = call.process.os.thread(call.thread).panics.body;
    let frame = call.process.machine.memory.read_u64(call.arg(0).wrapping_add(HANDLER));
    let is_fatal = body != 0 && frame.is_ok_and(|frame| body < frame);
    if !is_fatal {
        call.panics().place = 0;
        return Answer::Plain;
    }
    call.panics().is_fatal = true;
    match call.thread {
        MAIN => {
            call.process.os_mut().thread_mut(MAIN).past_hook = true;
            Answer::Stop(call.process.unhandled(MAIN))
        }
        _ => Answer::Plain,
    }
}

/// A thread is joined. Nobody can join two threads with the same descriptor: the one that came
/// last has it.
pub(super) fn join(call: &mut ModelCall<'_>) -> Answer {
    let descriptor = call.arg(0);
    let threads = (0..call.process.all_threads().len() as u32).rev().map(ThreadId);
    let mut named = threads.filter(|&it| call.process.machine.core(it)[Reg::FsBase] == descriptor);
    if let Some(other) = named.next() {
        call.process.os_mut().thread_mut(other).panics.is_joined = true;
    }
    Answer::Plain
}

/// A scope is told that one of its threads has ended: by the thread, or by somebody who has dropped
/// its handle later. In the latter case it is not known which thread is meant, and all are taken
/// for told; in another interleaving the thread itself comes last, because nobody can wait for it
/// but by joining it.
pub(super) fn tell_scope(call: &mut ModelCall<'_>) -> Answer {
    if call.arg(1) as u8 == 0 {
        return Answer::Plain;
    }
    if call.process.os.thread(call.thread).panics.is_fatal {
        call.panics().is_fatal = false;
        return Answer::Plain;
    }
    for index in 0..call.process.all_threads().len() as u32 {
        if call.process.os.thread(ThreadId(index)).panics.is_fatal {
            call.process.os_mut().thread_mut(ThreadId(index)).panics.is_fatal = false;
        }
    }
    Answer::Plain
}

const MAIN: ThreadId = ThreadId(0);

impl ModelCall<'_> {
    fn panics(&mut self) -> &mut Panics {
        &mut self.process.os_mut().thread_mut(self.thread).panics
    }
}

impl Process {
    /// A thread writes to standard error; the library does so when it panics.
    pub(crate) fn note_message(&mut self, thread: ThreadId, bytes: &[u8]) {
        let has = |words: &[u8]| bytes.windows(words.len()).any(|window| window == words);
        if self.config.judge_panics
            && thread == MAIN
            && has(b"thread 'main' ")
            && has(b"panicked at ")
        {
            self.os_mut().thread_mut(MAIN).panics.has_said_so = true;
        }
    }

    /// What to say at the end of the process: a violation if a panic was not handled.
    pub(crate) fn panic_at_end(&self, status: i32) -> Option<Event> {
        let main = self.os.thread(MAIN).panics;
        if main.has_said_so && main.body == 0 && status == PANICKED {
            return Some(self.unhandled(MAIN));
        }
        let threads = self.all_threads().iter().zip(0..);
        let mut lost = threads.filter(|(thread, _)| thread.panics.is_lost());
        lost.next().map(|(_, index)| self.unhandled(ThreadId(index)))
    }

    fn unhandled(&self, thread: ThreadId) -> Event {
        let place = self.place_of_panic(self.os.thread(thread).panics.place);
        let message = match thread {
            MAIN => "a panic that nobody catches",
            _ => "a panic of a thread that nobody joins",
        };
        Event::Violated(Violation {
            kind: ViolationKind::Panic { thread: thread.0 },
            message: message.to_string(),
            source: place,
            data: None,
            address: 0,
        })
    }

    /// File and line out of a `Location` of Rust's library.
    fn place_of_panic(&self, addr: u64) -> Option<(String, u32)> {
        let memory = &self.machine.memory;
        let (name, len) = (memory.read_u64(addr).ok()?, memory.read_u64(addr + 8).ok()?);
        let line = memory.read_u32(addr + 16).ok()?;
        let mut bytes = vec![0; len.min(NAME_MAX) as usize];
        memory.read(name, &mut bytes).ok()?;
        Some((String::from_utf8(bytes).ok()?, line))
    }
}

impl Panics {
    fn is_lost(self) -> bool {
        self.is_fatal && !self.is_joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_both_schemes_are_known() {
        let old = "_ZN3std3sys9backtrace28__rust_begin_short_backtrace17h3603cd317714e347E";
        assert_eq!(known_as(old), Some(BODY));
        let new = "_RINvNtNtCsjrHSEGnQ3l9_3std3sys9backtrace28___rust_begin_short_backtrace\
                   FEuuECs3x_2p1";
        assert_eq!(known_as(new), Some(BODY));
        let end = "_RINvNtNtCsjrHSEGnQ3l9_3std3sys9backtrace26___rust_end_short_backtraceNCzEB6_";
        assert_eq!(known_as(end), None);
        let catch = "_RNvCsfLfy6EI15iL_7___rustc20___rust_panic_cleanup";
        assert_eq!(known_as(catch), Some(CATCH));
        assert_eq!(known_as("panic_with_hook"), None);
    }

    #[test]
    fn joining_handles_a_panic() {
        let lost = Panics { is_fatal: true, ..Panics::default() };
        assert!(lost.is_lost());
        assert!(!Panics { is_joined: true, ..lost }.is_lost());
        assert!(!Panics::default().is_lost());
    }
}
