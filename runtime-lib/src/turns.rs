//! What a thread that waits by giving way has seen since it gave way last.
//!
//! The guest cannot tell; a checker keeps it, as a part of the thread's state, to know a loop that
//! only waits. See `explore/turns.rs` of the checker.

use crate::process::Process;
use samovar_vm::machine::ThreadId;
use std::sync::Arc;

/// See the module head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turns {
    /// How often in a row it gave way, and what it had seen was still so.
    pub rounds: u32,
    /// Words that it has read since, by address, and what was there.
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
