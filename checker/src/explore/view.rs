//! What a heuristic sees of a state: a read-only view of the process, how its threads stand, who
//! holds locks, and what happened on the path.
//!
//! A thread is *blocked* if its next visible operation cannot be done now, even if it has not come
//! to the operation yet. Locks are modelled mutexes and privileged memory; other objects have no
//! holder that could be told.

use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;

/// Whether a thread can move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It has ended.
    #[default]
    Ended,
    /// It can move.
    Free,
    /// It cannot move until another does.
    Blocked,
}

/// One thread as it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadStanding {
    /// Whether it can move.
    pub standing: Standing,
    /// The address of what its next operation is about.
    pub wants: Option<u64>,
    /// Locks that it holds.
    pub holds: u32,
}

impl ThreadStanding {
    /// It has not ended.
    pub fn is_alive(self) -> bool {
        self.standing != Standing::Ended
    }

    /// It cannot move now.
    pub fn is_blocked(self) -> bool {
        self.standing == Standing::Blocked
    }
}

/// What happened on the path to a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathFacts {
    /// Moves.
    pub moves: u32,
    /// Moves of another thread than the one before.
    pub switches: u32,
    /// Reads and writes of memory that several threads use.
    pub accesses: u32,
    /// Moves on the same object as the one before, by another thread.
    pub alternations: u32,
    /// Who moved last.
    pub last: Option<ThreadId>,
    /// What the last move was about.
    pub object: Option<u64>,
}

impl PathFacts {
    /// The facts after one more move.
    pub fn after(self, mover: ThreadId, object: Option<u64>, accesses: u32) -> PathFacts {
        let switched = self.last.is_some_and(|last| last != mover);
        let alternates = switched && object.is_some() && object == self.object;
        PathFacts {
            moves: self.moves + 1,
            switches: self.switches + u32::from(switched),
            accesses: self.accesses + accesses,
            alternations: self.alternations + u32::from(alternates),
            last: Some(mover),
            object,
        }
    }
}

/// See the module head.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The process as it is in the state, for heuristics that say that they need it.
    pub process: Option<&'a Process>,
    /// Where the thread that moved last stands.
    pub pc: u64,
    /// By number of the thread.
    pub threads: &'a [ThreadStanding],
    /// Locks that somebody holds.
    pub held: u32,
    /// How the state was reached.
    pub path: PathFacts,
}

impl View<'_> {
    /// The process as it is in the state.
    ///
    /// # Panics
    /// If the heuristic does not say that it needs it.
    pub fn process(&self) -> &Process {
        self.process.expect("internal error: this heuristic does not ask for the process")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_counted() {
        let path = PathFacts::default().after(ThreadId(1), Some(8), 2);
        assert_eq!((path.moves, path.switches, path.accesses, path.alternations), (1, 0, 2, 0));
        let path = path.after(ThreadId(2), Some(8), 0);
        assert_eq!((path.moves, path.switches, path.accesses, path.alternations), (2, 1, 2, 1));
        let same = path.after(ThreadId(2), Some(8), 1);
        assert_eq!((same.switches, same.accesses, same.alternations), (1, 3, 1));
        let other = path.after(ThreadId(1), Some(16), 1);
        assert_eq!((other.switches, other.alternations), (2, 1));
    }
}
