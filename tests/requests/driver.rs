//! Runs a process with an observer that answers requests as told and writes down what it hears.

use samovar::host::ReadOnlyHost;
use samovar_runtime::syscall::objects;
use samovar_runtime::{Choices, Event, LoadOptions, Model, Observer, Process};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};
use std::path::Path;
use std::sync::Arc;

/// What the observer heard, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A choice was announced.
    ChoiceAnnounced,
    /// One of so many alternatives was asked for.
    Choice(u32),
    /// A thread entered or left atomic execution.
    Atomic(bool),
    /// Progress was made.
    Progress,
}

/// Answers with the given numbers, then with the last alternative.
#[derive(Debug, Default)]
pub struct Listener {
    pub answers: Vec<u32>,
    pub heard: Vec<Heard>,
    /// Stop at announcements of choices.
    pub stop_at_choices: bool,
}

impl Monitor for Listener {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;
}

impl Observer for Listener {
    fn atomic_call(&mut self, inside: bool) {
        self.heard.push(Heard::Atomic(inside));
    }

    fn choose(&mut self, alternatives: u32) -> u32 {
        self.heard.push(Heard::Choice(alternatives));
        if self.answers.is_empty() { alternatives - 1 } else { self.answers.remove(0) }
    }

    fn before_operation(&mut self, access: Access) -> Decision {
        if !objects::is_choice(access.addr) {
            return Decision::Proceed;
        }
        if self.stop_at_choices {
            return Decision::Stop;
        }
        self.heard.push(Heard::ChoiceAnnounced);
        Decision::Proceed
    }

    fn progress(&mut self) -> Decision {
        self.heard.push(Heard::Progress);
        Decision::Proceed
    }
}

/// A process ready to be driven.
pub fn load(program: &Path, args: &[&str], choices: &[&str], model: Model) -> Process {
    let path = program.display().to_string().into_bytes();
    let bytes = std::fs::read(program).expect("the program");
    let mut options = LoadOptions::new(&path, bytes.into());
    options.args.extend(args.iter().map(|arg| arg.as_bytes().to_vec()));
    options.files = Arc::new(ReadOnlyHost);
    options.model = model;
    let mut set = Choices::default();
    for choice in choices {
        set.set(choice).expect("a domain");
    }
    options.choices = set;
    let mut process = Process::new(options).expect("a process");
    process.machine.memory.journal.set_on(true);
    process
}

/// Steps one thread until something else than the end of a budget, a yield, or the like.
pub fn step(process: &mut Process, thread: u32, listener: &mut Listener) -> Event {
    loop {
        match process.step(ThreadId(thread), 10_000, listener) {
            Event::Budget | Event::Yielded => {}
            event => return event,
        }
    }
}

/// Runs all threads in turn to the first event that is neither a wait nor the end of a thread.
pub fn run(process: &mut Process, listener: &mut Listener) -> Event {
    loop {
        let runnable: Vec<ThreadId> = process.runnable().collect();
        assert!(!runnable.is_empty(), "a deadlock: {:?}", process.threads());
        for thread in runnable {
            match process.step(thread, 10_000, listener) {
                Event::Budget | Event::Yielded | Event::Blocked | Event::ThreadExited => {}
                event => return event,
            }
        }
    }
}

/// What the process printed.
pub fn output(process: &mut Process) -> String {
    let pieces = process.take_output();
    pieces.iter().map(|piece| String::from_utf8_lossy(&piece.bytes)).collect()
}
