//! Saved trails: everything that is needed to execute an error again, and the steps for readers.
//!
//! A trail fits the exact program and libraries it was recorded with; their fingerprints are saved
//! and compared before anything is executed. Files are written whole or not at all.

use super::describe::Step;
use crate::check::kind::ErrorKind;
use crate::check::no_return::NoReturn;
use crate::check::setting::Setting;
use crate::check::state_error::StateError;
use crate::check::verdict::Finding;
use crate::error::reason;
use crate::explore::choice::Choice;
use crate::explore::word::Word;
use crate::message::Messages;
use crate::plan::verdict::Plan;
use crate::whole;
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The form of the file; raised when older readers would misunderstand it.
const FORM: u32 = 1;
/// Largest file that is read.
const SIZE_MAX: u64 = 1 << 30;

/// A saved trail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedTrail {
    /// See [`FORM`].
    pub samovar_trail: u32,
    /// What to execute.
    pub setting: Setting,
    /// Standard input that the program was given.
    pub stdin: Vec<u8>,
    /// The files whose code is executed.
    pub modules: Vec<Fingerprint>,
    /// Words of memory at which threads are switched; none if they are switched everywhere.
    pub contended: Vec<u64>,
    /// The choices: number of the thread, number of the alternative.
    pub choices: Vec<(u32, u32)>,
    /// What they lead to.
    pub error: Finding,
    /// Where to look for it, if it is not in the last move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_error: Option<StateError>,
    /// Up to where the error could be avoided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point_of_no_return: Option<NoReturn>,
    /// The choices in words.
    pub trail: Vec<Step>,
    /// The plan that they are, if they lead to a goal and not to an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
}

/// A file, recognised by its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Where it was.
    pub path: String,
    /// FNV-1a of what is loaded of it.
    pub hash: String,
}

/// Why a trail cannot be used.
#[derive(Debug, Error)]
pub enum TrailError {
    /// It cannot be read.
    #[error("{}: cannot be read: {}", file.display(), reason(error))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the host said.
        error: io::Error,
    },
    /// It is no trail.
    #[error("{}: not a trail of samovar check: {problem}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// It cannot be written.
    #[error(
        "{}: the trail cannot be written: {}; name another file with --trail",
        file.display(),
        reason(error)
    )]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// What the host said.
        error: io::Error,
    },
    /// The program is another one.
    #[error("{path}: not the file that the trail was recorded with; check the program again")]
    Changed {
        /// The file that differs.
        path: String,
    },
}

impl SavedTrail {
    /// A trail of the present form, without anything in it but what decides the execution.
    pub fn new(setting: &Setting, error: Finding) -> SavedTrail {
        SavedTrail {
            samovar_trail: FORM,
            setting: setting.clone(),
            stdin: Vec::new(),
            modules: Vec::new(),
            contended: Vec::new(),
            choices: Vec::new(),
            error,
            state_error: None,
            point_of_no_return: None,
            trail: Vec::new(),
            plan: None,
        }
    }

    /// The same for a plan that leads to a goal.
    pub fn of_plan(setting: &Setting, plan: Plan, goal: &str) -> SavedTrail {
        let message = format!("the goal {goal} is reached");
        let finding = Finding::new(ErrorKind::Invariant, message);
        SavedTrail { plan: Some(plan), ..SavedTrail::new(setting, finding) }
    }

    /// The choices as the explorer has them.
    pub fn path(&self) -> Vec<Choice> {
        let choice =
            |&(thread, alternative): &(u32, u32)| Choice { thread: ThreadId(thread), alternative };
        self.choices.iter().map(choice).collect()
    }

    /// The contended words as the explorer has them.
    pub fn words(&self) -> impl Iterator<Item = Word> + '_ {
        self.contended.iter().map(|addr| Word(addr / 8))
    }

    /// Reads a trail.
    pub fn read(file: &Path) -> Result<SavedTrail, TrailError> {
        let unreadable = |error| TrailError::Unreadable { file: file.to_path_buf(), error };
        let malformed = |problem: String| TrailError::Malformed { file: file.into(), problem };
        let metadata = std::fs::metadata(file).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(malformed("no regular file".to_string()));
        }
        if SIZE_MAX < metadata.len() {
            return Err(malformed("too large".to_string()));
        }
        let bytes = std::fs::read(file).map_err(unreadable)?;
        let json = |error: serde_json::Error| malformed(problem(&bytes, &error));
        // The form first: another one may have other fields.
        let head: Head = serde_json::from_slice(&bytes).map_err(json)?;
        if head.samovar_trail != FORM {
            let form = head.samovar_trail;
            return Err(malformed(format!("its form is {form}, this version reads {FORM}")));
        }
        serde_json::from_slice(&bytes).map_err(json)
    }

    /// Writes the trail next to where it goes and moves it there.
    pub fn write(&self, file: &Path) -> Result<(), TrailError> {
        let result = whole::write(file, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        });
        result.map_err(|error| TrailError::Unwritable { file: file.to_path_buf(), error })
    }
}

/// Says why a trail was not saved, if it was not. That is no reason to give up if nobody `named` a
/// file for it.
pub fn tell_unsaved(
    unsaved: Option<TrailError>,
    named: bool,
    messages: &Messages,
) -> Result<(), TrailError> {
    match unsaved {
        Some(error) if named => return Err(error),
        Some(error) => messages.error(&error),
        None => {}
    }
    Ok(())
}

/// The part of a trail that is the same in all forms.
#[derive(Deserialize)]
struct Head {
    samovar_trail: u32,
}

/// What is wrong with a file, for somebody who may have named the wrong one.
fn problem(bytes: &[u8], error: &serde_json::Error) -> String {
    match error.classify() {
        _ if bytes.is_empty() => "it is empty".to_string(),
        Category::Eof => format!("it ends too early ({error})"),
        Category::Syntax if !bytes.starts_with(b"{") => "it is no JSON object".to_string(),
        Category::Syntax => format!("it is damaged ({error})"),
        Category::Data | Category::Io => error.to_string(),
    }
}

/// Recognises the files whose code a process executes.
pub fn fingerprints(process: &Process) -> Vec<Fingerprint> {
    let modules = process.modules().iter();
    modules
        .map(|module| Fingerprint {
            path: module.path.clone(),
            hash: format!("{:016x}", loaded_hash(module.image.bytes())),
        })
        .collect()
}

/// Whether a process executes the files that a trail was recorded with.
pub fn compare(saved: &[Fingerprint], present: &[Fingerprint]) -> Result<(), TrailError> {
    let known = |other: &Fingerprint| saved.iter().any(|saved| saved.hash == other.hash);
    match present.iter().find(|file| !known(file)) {
        Some(changed) => Err(TrailError::Changed { path: changed.path.clone() }),
        None => Ok(()),
    }
}

/// The hash of what a program consists of when it runs: the contents of its segments. Debug
/// information, and notes such as the linker's own hash of everything, differ when the same source
/// is compiled again.
fn loaded_hash(file: &[u8]) -> u64 {
    const HEADER: usize = 64;
    const ENTRY: usize = 56;
    const LOAD: u64 = 1;
    const NOTE: u64 = 4;
    let number = |bytes: &[u8], at: usize, len: usize| {
        let bytes = bytes.get(at..at + len)?;
        Some(bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte)))
    };
    let table = number(file, 32, 8).unwrap_or(0) as usize;
    let count = number(file, 56, 2).unwrap_or(0) as usize;
    let segments = |wanted: u64| -> Vec<Range<usize>> {
        let entry = |index: usize| {
            let entry = file.get(table.checked_add(index * ENTRY)?..)?.get(..ENTRY)?;
            let (offset, len) = (number(entry, 8, 8)? as usize, number(entry, 32, 8)? as usize);
            (number(entry, 0, 4)? == wanted).then(|| offset..offset.saturating_add(len))
        };
        (0..count).filter_map(entry).collect()
    };
    let notes = segments(NOTE);
    let mut hash = FNV_START;
    for load in segments(LOAD) {
        let mut at = load.start.max(HEADER);
        while at < load.end.min(file.len()) {
            // Up to the next note, then behind it.
            let note = notes.iter().filter(|note| at < note.end).min_by_key(|note| note.start);
            let stop = note.map_or(load.end, |note| note.start.max(at)).min(load.end);
            hash = fnv1a(file.get(at..stop).unwrap_or_default(), hash);
            at = note.map_or(load.end, |note| note.end).max(stop);
        }
    }
    hash
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Fowler, Noll and Vo's hash: simple, and the same everywhere for ever.
fn fnv1a(bytes: &[u8], start: u64) -> u64 {
    bytes
        .iter()
        .fold(start, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b"", FNV_START), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar", FNV_START), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn only_what_is_loaded_counts() {
        let mut file = vec![0u8; 400];
        file[32..40].copy_from_slice(&64u64.to_le_bytes());
        file[56] = 2;
        let mut entry = |index: usize, kind: u8, offset: u64, len: u64| {
            let at = 64 + index * 56;
            file[at] = kind;
            file[at + 8..at + 16].copy_from_slice(&offset.to_le_bytes());
            file[at + 32..at + 40].copy_from_slice(&len.to_le_bytes());
        };
        entry(0, 1, 0, 300);
        entry(1, 4, 200, 20);
        let changed = |at: usize| {
            let mut other = file.clone();
            other[at] ^= 1;
            loaded_hash(&other) != loaded_hash(&file)
        };
        assert!(changed(199) && changed(220) && changed(299));
        assert!(!changed(200) && !changed(219), "notes do not count");
        assert!(!changed(300) && !changed(399), "nor does what is not loaded");
        assert!(!changed(40), "nor the place of the table of sections");
        // Nonsense is no trouble.
        loaded_hash(&[]);
        loaded_hash(&[0xff; 100]);
    }

    #[test]
    fn changed_files_are_named() {
        let print = |path: &str, hash: &str| Fingerprint { path: path.into(), hash: hash.into() };
        let saved = [print("a", "1"), print("b", "2")];
        assert!(compare(&saved, &saved).is_ok());
        assert!(compare(&saved, &saved[..1]).is_ok());
        let error = compare(&saved, &[print("b", "3")]).unwrap_err();
        assert!(error.to_string().starts_with("b: not the file"), "{error}");
    }
}
