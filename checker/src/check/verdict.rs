//! What a check came to. Findings about the guest are data here and never mixed with things that
//! are unsupported or with defects of the checker.

use super::kind::ErrorKind;
use crate::trail::names::Location;
use samovar_runtime::Unsupported;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The result of a check.
#[derive(Debug)]
pub enum Verdict {
    /// Everything was explored, exactly, and nothing is wrong.
    Verified,
    /// Something is wrong with the program.
    Error(Finding),
    /// A limit or a bound ended the search before anything wrong was found.
    Incomplete {
        /// What ended it.
        reason: String,
    },
    /// The program asks for something that does not exist here.
    Unsupported {
        /// What it is.
        what: Unsupported,
        /// Where the program asks for it.
        location: Location,
    },
}

impl Verdict {
    /// The name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Error(_) => "error",
            Verdict::Incomplete { .. } => "incomplete",
            Verdict::Unsupported { .. } => "unsupported",
        }
    }
}

/// One thing that is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What sort of error.
    pub kind: ErrorKind,
    /// Which variety of it: `use-after-free`, `double-free`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// One sentence.
    pub message: String,
    /// The thread that is to blame, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Where it happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// For a deadlock: what each thread waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Wait>,
    /// For a deadlock: threads of which each waits for the next, the last for the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<String>,
    /// For a data race: the two accesses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<RaceAccess>,
}

impl Finding {
    /// A finding with nothing but a sentence.
    pub fn new(kind: ErrorKind, message: String) -> Finding {
        Finding {
            kind,
            detail: None,
            message,
            thread: None,
            location: None,
            waits: Vec::new(),
            cycle: Vec::new(),
            accesses: Vec::new(),
        }
    }
}

/// One of the two accesses of a data race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceAccess {
    /// Who makes it.
    pub thread: String,
    /// `reads` or `writes`.
    pub operation: String,
    /// Where.
    pub location: Location,
    /// The functions that the thread is in, innermost first.
    pub stack: Vec<Location>,
    /// Locks that the thread holds.
    pub locks: Vec<String>,
}

impl RaceAccess {
    /// Which locks the thread holds, in words.
    pub fn holds(&self) -> String {
        match self.locks.is_empty() {
            true => format!("{} holds no lock", self.thread),
            false => format!("{} holds {}", self.thread, self.locks.join(", ")),
        }
    }

    /// By which it is told from others: where it is in the source, or else in the program.
    pub fn place(&self) -> Place {
        let Location { file, line, address, .. } = &self.location;
        let address = if line.is_some() { 0 } else { *address };
        (file.clone().unwrap_or_default(), line.unwrap_or(0), address)
    }
}

/// File, line, and where there is none the address.
type Place = (String, u32, u64);

/// Something that may be wrong with a program, and may as well be what it means: it does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What sort of error it would be.
    pub kind: ErrorKind,
    /// One sentence.
    pub message: String,
    /// The two accesses.
    pub accesses: Vec<RaceAccess>,
}

/// Notes in the order of the places that they are about, one for each pair of places.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    notes: BTreeMap<Vec<Place>, Note>,
}

impl Notes {
    /// Adds a note, unless there is one about the same places.
    pub fn add(&mut self, note: Note) {
        let places = note.accesses.iter().map(RaceAccess::place).collect();
        self.notes.entry(places).or_insert(note);
    }

    /// All notes.
    pub fn into_vec(self) -> Vec<Note> {
        self.notes.into_values().collect()
    }
}

/// A thread that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The thread.
    pub thread: String,
    /// What it waits for: `fork[1]`, `a signal on not_empty`.
    pub object: String,
    /// Who could give it, if that is a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
    /// Where it waits.
    pub location: Location,
}
