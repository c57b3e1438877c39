//! `samovar replay --native`: what the real program has to show for a finding, and the attempt.

use super::kind::ErrorKind;
use super::recording;
use super::state_error::StateError;
use super::verdict::Finding;
use crate::error::CommandError;
use crate::message::Messages;
use crate::native::{Certificate, Expected, Itinerary, Start, certify};
use crate::program::Program;
use crate::replay::{Executable, Tape};
use crate::trail::Names;
use crate::trail::file::SavedTrail;
use samovar_runtime::{Event, Misuse, Process};
use samovar_vm::fault::FaultReason;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Executes the trail once more to learn its schedule, then forces that onto the real program.
pub fn attempt(
    (saved, program): (&SavedTrail, &Program),
    finding: &Finding,
    names: &Names,
    messages: &Messages,
) -> Result<Certificate, CommandError> {
    let sight = recording::sight(saved, program)?;
    let process = recording::load(saved, program)?;
    let executable = Executable::of(&process)?;
    let mut tape = Tape::new(process, &sight);
    recording::record(&mut tape, saved, finding);
    let Some(expected) = expected(&tape, saved, finding, names) else {
        return Err(CommandError::NoSymptom { kind: finding.kind.name() });
    };
    let itinerary = Itinerary::of(&mut tape, names);
    let mut output = scratch_file(&[])?;
    let mut args = vec![executable.path().display().to_string()];
    args.extend(saved.setting.args.iter().cloned());
    let start = Start {
        file: executable.path().to_path_buf(),
        args,
        env: saved.setting.env.clone(),
        entry: entry(tape.process()),
        stdin: scratch_file(&saved.stdin)?,
        output: output.try_clone().map_err(unreadable)?,
    };
    messages.detail(&format_args!("{} stretches are to be forced", itinerary.legs.len()));
    let certificate = certify(&start, &itinerary, &expected);
    let mut text = String::new();
    let read = output.seek(SeekFrom::Start(0)).and_then(|_| output.read_to_string(&mut text));
    if read.is_ok() && !text.is_empty() {
        messages.detail(&format_args!("the real program wrote: {}", text.trim_end()));
    }
    Ok(certificate?)
}

/// What the error looks like from outside of the process; none if it does not.
fn expected(
    tape: &Tape<'_>,
    saved: &SavedTrail,
    finding: &Finding,
    names: &Names,
) -> Option<Expected> {
    match &saved.state_error {
        Some(StateError::Deadlock) => return Some(Expected::Asleep(Vec::new())),
        Some(StateError::Stuck(threads)) => {
            return Some(Expected::Asleep(threads.iter().map(|&it| it as usize).collect()));
        }
        Some(StateError::Race(word)) => return race(tape.process(), finding, names, *word),
        Some(StateError::Livelock | StateError::Property | StateError::Uninitialised(_)) => {
            return None;
        }
        None => {}
    }
    let process = tape.process();
    let part = tape.parts().last()?;
    let thread = part.thread?;
    let pc = process.machine.core(thread).pc;
    let program = process.modules().first()?;
    let own = program.contains(pc).then(|| pc - program.bias);
    let own = own.filter(|_| names.is_own_code(process, pc));
    let index = thread.0 as usize;
    let signal = |signal: i32, pc: Option<u64>| Expected::Signal { signal, thread: index, pc };
    let reached =
        |what: &str| Some(Expected::Reached { thread: index, pc: own?, what: what.to_string() });
    match tape.last_event()? {
        Event::Killed(killed) => Some(signal(killed.number() as i32, None)),
        Event::Violated(_) if finding.kind == ErrorKind::Assertion => {
            Some(signal(libc::SIGABRT, None))
        }
        Event::ProcessExited(status) if finding.kind == ErrorKind::Exit => {
            Some(Expected::Exit(*status))
        }
        Event::Fault(fault) => match fault.reason {
            FaultReason::UseAfterFree => reached("uses a block that was freed before"),
            FaultReason::OutOfBounds => reached("leaves the object that it is about"),
            _ => Some(signal(libc::SIGSEGV, own)),
        },
        Event::Misuse { misuse: Misuse::DoubleFree | Misuse::InvalidPointer, .. } => {
            Some(signal(libc::SIGABRT, None))
        }
        // A single thread that waits for itself.
        Event::Blocked => Some(Expected::Asleep(Vec::new())),
        _ => None,
    }
}

fn race(process: &Process, finding: &Finding, names: &Names, word: u64) -> Option<Expected> {
    let program = process.modules().first()?;
    let sides: Option<Vec<(usize, u64)>> = finding
        .accesses
        .iter()
        .map(|access| {
            let thread = recording::thread_named(process, names, &access.thread)?;
            Some((thread.0 as usize, access.location.address.checked_sub(program.bias)?))
        })
        .collect();
    let data = program.contains(word).then(|| (word - program.bias, 8));
    Some(Expected::Race { sides: sides?, data })
}

/// The file's own address of its first instruction.
fn entry(process: &Process) -> u64 {
    let bytes = process.modules()[0].image.bytes();
    let field = bytes.get(24..32).unwrap_or_default();
    field.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// A file without a name, with contents, to be read from its start.
fn scratch_file(contents: &[u8]) -> Result<File, CommandError> {
    let name = format!("samovar-native-{}-{}", std::process::id(), contents.len());
    let path: PathBuf = std::env::temp_dir().join(name);
    let failed = |error| CommandError::NoScratch { parent: std::env::temp_dir(), error };
    let mut file =
        File::options().read(true).write(true).create_new(true).open(&path).map_err(failed)?;
    std::fs::remove_file(&path).map_err(failed)?;
    file.write_all(contents).and_then(|()| file.rewind()).map_err(failed)?;
    Ok(file)
}

fn unreadable(error: std::io::Error) -> CommandError {
    CommandError::NoScratch { parent: std::env::temp_dir(), error }
}
