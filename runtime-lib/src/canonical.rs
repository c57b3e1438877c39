//! When two states of the operating system are the same: compared by what the guest can still
//! observe, so output already made and the order of past events do not count.

use crate::os::Os;
use crate::process::{Process, ProcessMark};
use samovar_vm::memory::journal::Mark;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

impl Os {
    /// A number that is equal for equal states; different states may share one.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for thread in &self.threads {
            thread.state.hash(&mut hasher);
            thread.atomic.hash(&mut hasher);
            thread.region.hash(&mut hasher);
            thread.activity.hash(&mut hasher);
        }
        self.ended.hash(&mut hasher);
        self.now_ns.hash(&mut hasher);
        self.privileges.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether the guest cannot tell the two apart. Files that were changed count as different
    /// unless they are the same object: this errs on the side of more states.
    pub fn is_same(&self, other: &Os) -> bool {
        self.threads == other.threads
            && self.ended == other.ended
            && self.now_ns == other.now_ns
            && self.brk == other.brk
            && Arc::ptr_eq(&self.files, &other.files)
            && self.shared.len() == other.shared.len()
            && (Arc::ptr_eq(&self.actions, &other.actions) || self.actions == other.actions)
            && self.pending == other.pending
            && self.random == other.random
            && self.privileges == other.privileges
            && self.ignored == other.ignored
            && self.suggestions == other.suggestions
            && self.evaluation == other.evaluation
            && Arc::ptr_eq(&self.modules, &other.modules)
    }
}

impl Process {
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
