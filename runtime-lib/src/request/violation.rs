//! What the program itself says must not happen, and did.

use std::fmt;

/// What sort of statement was violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// An assertion, or a place that must not be reached.
    Assertion,
    /// The exclusive access to a region of memory.
    Privilege,
    /// No statement of the program: a heap block that nothing refers to at the end.
    Leak,
    /// A panic of this thread of a Rust program that nobody handles.
    Panic {
        /// Number of the thread.
        thread: u32,
    },
}

/// A violated statement of the program. The thread has not gone on; if it does, it behaves as it
/// would natively.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What sort.
    pub kind: ViolationKind,
    /// One sentence that names the statement.
    pub message: String,
    /// Source file and line, where the statement tells them.
    pub source: Option<(String, u32)>,
    /// Address of the memory that it is about, if it is about memory.
    pub data: Option<u64>,
    /// Address of the instruction that said so.
    pub address: u64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(data) = self.data {
            write!(f, ", at {data:#x}")?;
        }
        match &self.source {
            Some((file, line)) => write!(f, ", {file}:{line}"),
            None => Ok(()),
        }
    }
}
