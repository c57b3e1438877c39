//! When two states of the operating system are the same: compared by what the guest can still
//! observe, so output already made and the order of past events do not count.

use crate::module::Module;
use crate::os::Os;
use crate::process::{Process, ProcessMark};
use crate::request::Privileges;
use crate::signal::{Action, Handler};
use crate::thread::{Thread, WaitFor};
use crate::threads::{Chunk, Threads};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::journal::Mark;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Signals with which threads of a C library speak to one another.
pub(crate) const LIBRARY_SIGNALS: [usize; 2] = [32, 33];

impl Os {
    /// A number that is equal for states that are the same in what belongs to no thread.
    pub fn digest_common(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.ended.hash(&mut hasher);
        self.now_ns.hash(&mut hasher);
        hasher.finish()
    }

    /// What belongs to no thread as it is here, and these threads, who have locked this memory.
    pub fn with_threads(&self, threads: Vec<Arc<Chunk>>, privileges: Privileges) -> Os {
        Os { threads: Threads::from_chunks(threads), privileges, ..self.clone() }
    }

    /// Whether the guest cannot tell the two apart.
    pub fn is_same(&self, other: &Os) -> bool {
        self.threads == other.threads && self.same_common(other)
    }

    /// Whether the same was written to the standard descriptors in both.
    pub fn has_written_the_same(&self, other: &Os) -> bool {
        self.output == other.output
    }

    /// Who has locked which memory.
    pub fn privileges(&self) -> &Privileges {
        &self.privileges
    }

    /// Whether the guest cannot tell apart what belongs to no thread. Who has locked which memory
    /// is in the records of threads.
    pub fn same_common(&self, other: &Os) -> bool {
        self.ended == other.ended
            && self.now_ns == other.now_ns
            && self.brk == other.brk
            && (Arc::ptr_eq(&self.files, &other.files) || self.files == other.files)
            && (Arc::ptr_eq(&self.shared, &other.shared) || self.shared == other.shared)
            && (Arc::ptr_eq(&self.actions, &other.actions) || self.actions == other.actions)
            && self.pending == other.pending
            && self.random == other.random
            && self.ignored == other.ignored
            && self.suggestions == other.suggestions
            && self.evaluation == other.evaluation
            && same_modules(&self.modules, &other.modules)
    }
}

impl Thread {
    /// Memory that it has locked for itself: first bytes, and those behind the last.
    pub fn privileged(&self) -> &[(u64, u64)] {
        &self.privileged
    }

    /// A number that is equal for equal records; different records may share one.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.tid.hash(&mut hasher);
        self.state.hash(&mut hasher);
        self.atomic.hash(&mut hasher);
        self.region.hash(&mut hasher);
        self.activity.hash(&mut hasher);
        self.privileged.hash(&mut hasher);
        self.panics.hash(&mut hasher);
        self.turns.hash(&mut hasher);
        hasher.finish()
    }
}

/// Whether the same files are loaded at the same addresses.
fn same_modules(one: &[Arc<Module>], other: &[Arc<Module>]) -> bool {
    let same = |one: &Arc<Module>, other: &Arc<Module>| {
        Arc::ptr_eq(one, other) || (one.bias == other.bias && one.path == other.path)
    };
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
}

impl Process {
    /// Whether somebody else than the thread's own code, from its program counter on, may look at
    /// its registers: a model that it is about to run past, or a handler of signals. Those of the
    /// two signals that C libraries keep to themselves, 32 and 33, do not look at them.
    pub fn shows_registers(&self, thread: ThreadId) -> bool {
        let known = self.os.thread(thread);
        known.past_hook || known.condition.is_some() || self.handles_signals()
    }

    /// Whether the program has handlers of signals.
    fn handles_signals(&self) -> bool {
        let handles = |(index, action): (usize, &Action)| {
            !LIBRARY_SIGNALS.contains(&(index + 1)) && matches!(action.handler, Handler::Call(_))
        };
        self.os.actions.iter().enumerate().any(handles)
    }

    /// Whether a thread that has just blocked may be put back to where its move began: its wait
    /// says so, and no handler of signals can end it. Of such waits only that for a semaphore ends
    /// so.
    pub fn may_be_put_back(&self, thread: ThreadId) -> bool {
        let known = self.os.thread(thread);
        let is_ended = matches!(known.waiting(), Some(WaitFor::Semaphore { .. }));
        known.may_be_put_back() && !(is_ended && self.handles_signals())
    }

    /// The operating system's state, to be kept.
    pub fn world(&self) -> &Arc<Os> {
        &self.os
    }

    /// Puts back a state that was kept; the machine has to be put back as well.
    pub fn restore_world(&mut self, os: &Arc<Os>) {
        self.os = Arc::clone(os);
    }
}

impl ProcessMark {
    /// The machine's part.
    pub fn machine(&self) -> Mark {
        self.machine
    }
}
