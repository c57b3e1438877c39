//! What a thread that waits in a loop has seen on its way round.
//!
//! The guest cannot tell; a checker keeps it, as a part of the thread's state, to know a loop that
//! only waits. See `explore/turns.rs` of the checker.

use crate::process::Process;
use samovar_vm::machine::ThreadId;
use std::sync::Arc;

/// See the module head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turns {
    /// Where a round begins: the program counter and the stack pointer.
    pub place: (u64, u64),
    /// How often in a row it came there, and all that it had seen on the way was still so.
    pub rounds: u32,
    /// Words that it read in the round before, by address, and what was there.
    pub before: Vec<(u64, u64)>,
    /// The same for this round.
    pub seen: Vec<(u64, u64)>,
}

impl Process {
    /// What is known of a thread's waiting, if it is known to wait.
    pub fn turns(&self, thread: ThreadId) -> Option<&Turns> {
        self.os().thread(thread).turns.as_deref()
    }

    /// Notes what is known of a thread's waiting.
    pub fn set_turns(&mut self, thread: ThreadId, turns: Option<Turns>) {
        if self.turns(thread) != turns.as_ref() {
            self.os_mut().thread_mut(thread).turns = turns.map(Arc::new);
        }
    }
}
