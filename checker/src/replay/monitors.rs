//! The monitors of single steps: another monitor behind one that takes steps of one instruction,
//! and the one for what happens before there are threads.

use samovar_runtime::Observer;
use samovar_runtime::syscall::objects;
use samovar_vm::monitor::{Access, Decision, Monitor};

/// Another monitor, in steps of one instruction; notes what is accessed.
pub struct Stepping<'m, M> {
    /// The monitor that decides.
    pub inner: &'m mut M,
    /// Accesses of the step, as addresses and sizes.
    pub accesses: &'m mut Vec<(u64, u64)>,
}

impl<M: Observer> Monitor for Stepping<'_, M> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        let decision = self.inner.before_access(access);
        if decision == Decision::Proceed || access.sequel {
            self.accesses.push((access.addr, u64::from(access.size)));
        }
        decision
    }
}

impl<M: Observer> Observer for Stepping<'_, M> {
    fn atomic_call(&mut self, inside: bool) {
        self.inner.atomic_call(inside);
    }

    fn choose(&mut self, alternatives: u32) -> u32 {
        self.inner.choose(alternatives)
    }

    fn before_operation(&mut self, access: Access) -> Decision {
        self.inner.before_operation(access)
    }

    fn before_reserving(&mut self, access: Access) -> Decision {
        self.inner.before_reserving(access)
    }

    fn progress(&mut self) -> Decision {
        self.inner.progress()
    }

    fn is_past_operation(&self) -> bool {
        self.inner.is_past_operation()
    }

    fn is_stepping(&self) -> bool {
        true
    }
}

/// Before there are threads: stops before the first of them, the first choice and the first mark
/// of progress, like the prefix of a check, but can be undone.
#[derive(Debug)]
pub struct Opening;

impl Monitor for Opening {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        let branches = access.addr == objects::THREADS || objects::is_choice(access.addr);
        if branches { Decision::Stop } else { Decision::Proceed }
    }
}

impl Observer for Opening {
    fn progress(&mut self) -> Decision {
        Decision::Stop
    }
}
