//! Builds small programs, loads them, and runs them to where a formula holds.

use samovar::formula::{Formula, Value, Watched};
use samovar::host::ReadOnlyHost;
use samovar::place::debug_of;
use samovar_runtime::{Event, LoadOptions, Observer, Process};
use samovar_tests::build::{execute, programs};
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use samovar_vm::debug::DebugModules;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Monitor;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// A program in some state, and its names.
pub struct Subject {
    pub process: Process,
    pub debug: Arc<DebugModules>,
    /// Holds the executable.
    _scratch: Scratch,
}

/// Judges accesses by objects, as a check does.
struct Exact;

impl Monitor for Exact {
    const JOURNAL: bool = false;
    const SHADOW: bool = true;
    const ACCESSES: bool = false;
}

impl Observer for Exact {}

/// Compiles a source; `None` if the compiler is not there.
pub fn compile(
    compiler: &str,
    flags: &[&str],
    source: &Path,
    scratch: &Scratch,
) -> Option<PathBuf> {
    let out = scratch.join("program");
    let mut command = Command::new(need(compiler)?);
    command.args(["-pthread", "-w"]).args(flags).arg(source).arg("-o").arg(&out);
    execute(&mut command);
    Some(out)
}

impl Subject {
    /// Builds a program of `programs/formula` and stops where `ready` is true.
    pub fn new(compiler: &str, flags: &[&str], source: &str, ready: &str) -> Option<Subject> {
        let scratch = Scratch::new("formula");
        let source = programs().join("formula").join(source);
        let program = compile(compiler, flags, &source, &scratch)?;
        let mut subject = Subject::load(&program, scratch);
        subject.run_to(ready);
        Some(subject)
    }

    /// A program before its first instruction.
    pub fn load(program: &Path, scratch: Scratch) -> Subject {
        let path = program.display().to_string().into_bytes();
        let mut options = LoadOptions::new(&path, std::fs::read(program).expect("it").into());
        options.files = Arc::new(ReadOnlyHost);
        options.exact_heap = true;
        let process = Process::new(options).expect("a process");
        let debug = Arc::new(debug_of(&process));
        Subject { process, debug, _scratch: scratch }
    }

    /// Runs all threads in turn, a few instructions at a time, to where a formula holds.
    pub fn run_to(&mut self, ready: &str) {
        let ready = self.watched(ready);
        loop {
            let runnable: Vec<ThreadId> = self.process.runnable().collect();
            assert!(!runnable.is_empty(), "a deadlock");
            for thread in runnable {
                // Close to the threads' own code every instruction counts.
                let budget = if self.process.threads().len() > 1 { 1 } else { 40 };
                match self.process.step(thread, budget, &mut Exact) {
                    Event::Budget | Event::Yielded | Event::Blocked | Event::ThreadExited => {}
                    event => panic!("{event:?} before {}", ready.text()),
                }
                if ready.holds(&self.process) == Some(true) {
                    return;
                }
            }
        }
    }

    /// A formula of this program.
    pub fn watched(&self, text: &str) -> Watched {
        let formula = Formula::parse(text).unwrap_or_else(|error| panic!("{error}"));
        formula.resolve(&self.debug).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What a formula comes to.
    pub fn value(&self, text: &str) -> Value {
        self.watched(text).value(&self.process)
    }

    /// The same, for whole numbers.
    pub fn number(&self, text: &str) -> i128 {
        match self.value(text) {
            Value::Integer(value) => value,
            other => panic!("{text} is {other:?}"),
        }
    }

    /// What is said about a formula that does not fit.
    pub fn complaint(&self, text: &str) -> String {
        match Formula::parse(text).and_then(|formula| formula.resolve(&self.debug)) {
            Ok(_) => panic!("{text} is accepted"),
            Err(error) => error.render(),
        }
    }
}
