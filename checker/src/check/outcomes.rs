//! How executions end: the set that `--outcomes` asks for.
//!
//! States that two executions share are explored once. While ends are collected, what was written
//! is part of a state, so executions that wrote something else are kept apart; moves that a
//! reduction leaves out are left out here, too, so threads that write independently of each other
//! need not be seen to do so in every order.
//!
//! An execution that goes on for ever does not end, and is not in the set: whether there is one is
//! for the verdict to say, where livelocks count. This holds for a thread alone as for several.

use crate::explore::choice::Wrong;
use crate::explore::moves::Ending;
use samovar_runtime::{Output, Process};
use serde::Serialize;
use std::collections::BTreeSet;

/// One end of an execution.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ExecutionEnd {
    /// `exit 0`, `deadlock`, the text of an assertion.
    pub end: String,
    /// What was written to standard output since the first thread was created.
    pub output: String,
}

/// The ends of a program that has one execution, which came to this.
pub fn of_only(wrong: &Wrong, output: &[Output]) -> BTreeSet<ExecutionEnd> {
    match wrong {
        Wrong::Move(Ending::Diverges) => BTreeSet::new(),
        wrong => BTreeSet::from([ExecutionEnd::with(wrong, output)]),
    }
}

impl ExecutionEnd {
    /// How an execution ended that nothing counts as wrong; the process stands there. Takes the
    /// output, which comes back when the last move is undone.
    pub fn of(process: &mut Process, wrong: &Wrong) -> ExecutionEnd {
        ExecutionEnd::with(wrong, &process.take_output())
    }

    /// How an execution ended that wrote this.
    pub fn with(wrong: &Wrong, output: &[Output]) -> ExecutionEnd {
        let end = match wrong {
            Wrong::Deadlock => "deadlock".to_string(),
            Wrong::Move(Ending::Exited(status)) => format!("exit {status}"),
            Wrong::Move(Ending::Killed(signal)) => format!("killed by {signal}"),
            Wrong::Move(Ending::Violated(violation)) => violation.message.clone(),
            Wrong::Move(Ending::Fault(fault)) => format!("memory: {fault}"),
            Wrong::Move(Ending::Misuse(function, misuse)) => format!("{function}: {misuse:?}"),
            Wrong::Move(other) => format!("{other:?}"),
            other => format!("{other:?}"),
        };
        let mut written = Vec::new();
        for piece in output.iter().filter(|piece| piece.fd == 1) {
            written.extend_from_slice(&piece.bytes);
        }
        ExecutionEnd { end, output: String::from_utf8_lossy(&written).into_owned() }
    }
}

/// All ends that a search came to, in their order; `None` if they were not asked for.
pub type Outcomes = Option<BTreeSet<ExecutionEnd>>;
