//! From a setting to a process before its first instruction.
//!
//! Unlike a run, a check starts from a fixed world: no environment but what was asked for, an
//! ordinary user, no terminals. Standard input is read when the program asks for it, and kept, so
//! that a trail can be replayed.

use super::setting::Setting;
use crate::cli::{ModelChoice, ReduceChoice};
use crate::error::CommandError;
use crate::host::ReadOnlyHost;
use crate::libraries;
use crate::message::Messages;
use crate::program::{self, Program};
use crate::run::input;
use crate::run::limit::Limit;
use samovar_runtime::{LoadOptions, Model, Process, Stdin};
use samovar_vm::lower::Style;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Standard input that the program was given so far.
#[derive(Clone, Debug, Default)]
pub struct Consumed(Arc<Mutex<Vec<u8>>>);

impl Consumed {
    /// The bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Where standard input comes from.
#[derive(Debug)]
pub enum InputFrom<'a> {
    /// The host, unless it is a terminal; reading has to be over in time.
    Host(&'a Limit),
    /// A saved trail.
    Saved(Vec<u8>),
}

/// Reads the program.
pub fn read(setting: &Setting, messages: &Messages) -> Result<Program, CommandError> {
    let program = program::read(Path::new(&setting.program), &setting.cflags, messages)?;
    let variables: Vec<(OsString, OsString)> =
        setting.env.iter().map(|(key, value)| (key.into(), value.into())).collect();
    libraries::check(&program, &variables)?;
    Ok(program)
}

/// Loads the program. Fresh memory of the heap and the stack holds zeros and what was there before,
/// or this filling.
pub fn load(
    program: &Program,
    setting: &Setting,
    input: InputFrom<'_>,
    filling: Option<u32>,
) -> Result<(Process, Consumed), CommandError> {
    let mut args = vec![program.name.as_bytes().to_vec()];
    args.extend(setting.args.iter().map(|word| word.as_bytes().to_vec()));
    let consumed = Consumed::default();
    let load = LoadOptions {
        args,
        env: setting.env.iter().map(|(key, value)| format!("{key}={value}").into()).collect(),
        cwd: setting.directory.as_bytes().to_vec(),
        stdin: stdin(input, &consumed),
        files: Arc::new(ReadOnlyHost),
        profile: setting.cpu().unwrap_or(crate::cli::CpuChoice::V1).profile(),
        model: match setting.model() {
            Some(ModelChoice::None) => Model::None,
            _ => Model::Full,
        },
        exact_heap: true,
        heap_fill: filling.unwrap_or(0),
        leaks: setting.leaks,
        judge_locks: setting.judge_locks,
        judge_panics: setting.judge_panics,
        refuse_interruptions: setting.reduce() != Some(ReduceChoice::None),
        spurious_wakeups: setting.spurious,
        choices: setting.choices(),
        seed: setting.seed,
        ..LoadOptions::new(program.path.as_os_str().as_bytes(), program.bytes.clone())
    };
    let mut process = Process::new(load)?;
    // Reads and writes of one instruction are two accesses, with a scheduling point in between.
    process.machine.set_style(Style {
        fuse_memory: false,
        frames: true,
        stack_fill: filling,
        ..Style::default()
    });
    Ok((process, consumed))
}

fn stdin(input: InputFrom<'_>, consumed: &Consumed) -> Stdin {
    match input {
        InputFrom::Saved(bytes) => Stdin::Bytes(bytes),
        InputFrom::Host(_) if std::io::stdin().is_terminal() => Stdin::Bytes(Vec::new()),
        InputFrom::Host(limit) => match input::from_host(limit.clone()) {
            Stdin::Source(mut source) => {
                let consumed = consumed.clone();
                Stdin::Source(Box::new(move |wanted| {
                    let bytes = source(wanted);
                    let mut all = consumed.0.lock().unwrap_or_else(PoisonError::into_inner);
                    all.extend_from_slice(&bytes);
                    bytes
                }))
            }
            other => other,
        },
    }
}
