//! What threads share tables by. One place, so that a test can put in the types of a checker of
//! interleavings and try the table of states in all of them.

pub use std::sync::Arc;
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Numbers that a thread takes at a time from a table.
pub const BLOCK: u32 = 64;
