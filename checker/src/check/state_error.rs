//! Errors of a state rather than of a move: what is wrong where a path leads.
//!
//! Saved with a trail, so that a replay knows what to look for at its end.

use super::kind::ErrorKind;
use super::verdict::Finding;
use super::{deadlock, race};
use crate::explore::choice::Wrong;
use crate::explore::moves::Sight;
use crate::explore::word::Word;
use crate::formula::Properties;
use crate::trail::names::Names;
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use serde::{Deserialize, Serialize};

/// See the module head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateError {
    /// Nobody can go on.
    Deadlock,
    /// These threads never can.
    Stuck(Vec<u32>),
    /// All go round in circles.
    Livelock,
    /// A data race on the word at an address.
    Race(u64),
    /// A property is decided.
    Property,
    /// The last move is another one if memory that nobody has written is filled with this instead
    /// of zeros.
    Uninitialised(u32),
}

impl StateError {
    /// What is wrong with the state, unless it is the last move.
    pub fn of(wrong: &Wrong) -> Option<StateError> {
        Some(match wrong {
            Wrong::Move(_) => return None,
            Wrong::Deadlock => StateError::Deadlock,
            Wrong::Stuck(threads) => {
                StateError::Stuck(threads.iter().map(|thread| thread.0).collect())
            }
            Wrong::Livelock => StateError::Livelock,
            Wrong::Race { word } => StateError::Race(word.address()),
            Wrong::Property => StateError::Property,
        })
    }

    /// Describes it in the state where the process stands; `None` if it is not there.
    pub fn describe(
        &self,
        process: &mut Process,
        names: &mut Names,
        sight: &Sight,
        properties: &Properties,
        last: Option<ThreadId>,
    ) -> Option<Finding> {
        match self {
            StateError::Deadlock => Some(deadlock::describe(process, names, sight)),
            StateError::Stuck(threads) => {
                let threads: Vec<ThreadId> = threads.iter().copied().map(ThreadId).collect();
                Some(deadlock::describe_stuck(process, names, sight, &threads))
            }
            StateError::Livelock => Some(deadlock::describe_livelock(process, names, sight)),
            StateError::Race(addr) => race::describe(process, names, sight, Word(addr / 8)),
            // It takes two executions to see that; see [`super::fillings`].
            StateError::Uninitialised(_) => None,
            StateError::Property => {
                let broken = properties.check(process)?;
                let mut finding = Finding::new(ErrorKind::Invariant, broken.to_string());
                if let Some(thread) = last {
                    finding.thread = Some(names.thread(thread));
                    finding.location = Some(names.standpoint(process, thread));
                }
                Some(finding)
            }
        }
    }
}
