//! What a check came to. Findings about the guest are data here and never mixed with things that
//! are unsupported or with defects of the checker.

use super::kind::ErrorKind;
use crate::trail::names::Location;
use samovar_runtime::Unsupported;
use serde::{Deserialize, Serialize};

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
