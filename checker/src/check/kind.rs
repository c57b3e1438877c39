//! Kinds of errors, by the names that reports and `--check` use.

use serde::{Deserialize, Serialize};

/// What is wrong with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// No thread can go on, and not all have ended.
    Deadlock,
    /// Some threads can never go on, though others do.
    PartialDeadlock,
    /// Threads work on for ever without getting anywhere.
    Livelock,
    /// A failed assertion, a call of `abort`, or an exception or panic that nobody catches.
    Assertion,
    /// An illegal access to memory, or a misuse of the heap.
    Memory,
    /// A misuse of a lock.
    Lock,
    /// Two accesses to the same data, one changing it, that nothing orders.
    Race,
    /// An access to memory that another thread has locked for itself.
    Privilege,
    /// A division by zero or without a result.
    Arithmetic,
    /// Bytes that are no instruction, or one that exists to fail.
    IllegalInstruction,
    /// Death by a signal that nobody handles.
    Signal,
    /// Heap blocks that nothing refers to when the program ends.
    Leak,
    /// An exit status other than zero.
    Exit,
    /// An invariant that does not hold, or a goal that is reached.
    Invariant,
}

impl ErrorKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Deadlock => "deadlock",
            ErrorKind::PartialDeadlock => "partial-deadlock",
            ErrorKind::Livelock => "livelock",
            ErrorKind::Race => "race",
            ErrorKind::Assertion => "assertion",
            ErrorKind::Memory => "memory",
            ErrorKind::Lock => "lock",
            ErrorKind::Privilege => "privilege",
            ErrorKind::Arithmetic => "arithmetic",
            ErrorKind::IllegalInstruction => "illegal-instruction",
            ErrorKind::Signal => "signal",
            ErrorKind::Leak => "leak",
            ErrorKind::Exit => "exit",
            ErrorKind::Invariant => "invariant",
        }
    }

    /// The kinds that `--check` switches on and off.
    pub fn selectable() -> impl Iterator<Item = ErrorKind> {
        [
            ErrorKind::Deadlock,
            ErrorKind::PartialDeadlock,
            ErrorKind::Livelock,
            ErrorKind::Assertion,
            ErrorKind::Memory,
            ErrorKind::Lock,
            ErrorKind::Race,
            ErrorKind::Leak,
            ErrorKind::Exit,
        ]
        .into_iter()
    }

    /// Whether an error of this kind counts when these kinds were asked for.
    pub fn counts(self, asked: &[ErrorKind]) -> bool {
        let is_deadlock = matches!(self, ErrorKind::PartialDeadlock | ErrorKind::Livelock);
        asked.contains(&self)
            || is_deadlock && asked.contains(&ErrorKind::Deadlock)
            || ErrorKind::selectable().all(|kind| kind != self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_saved_form() {
        for kind in [ErrorKind::Deadlock, ErrorKind::IllegalInstruction, ErrorKind::Exit] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }

    #[test]
    fn what_cannot_be_switched_off_counts() {
        assert!(ErrorKind::Arithmetic.counts(&[]));
        assert!(!ErrorKind::Exit.counts(&[ErrorKind::Deadlock]));
        assert!(ErrorKind::Exit.counts(&[ErrorKind::Exit]));
    }
}
