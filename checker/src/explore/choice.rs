//! One step of a path, and what searches come to.

use super::measure::MemoryUse;
use super::moves::Ending;
use super::word::Word;
use samovar_runtime::Unsupported;
use samovar_vm::machine::ThreadId;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Choice {
    /// The thread that moves; the number behind the last thread stands for the passing of time.
    pub thread: ThreadId,
    /// Which alternative it takes.
    pub alternative: u32,
}

/// What a search found.
#[derive(Debug)]
pub enum Found {
    /// Nothing wrong in the whole space.
    Nothing,
    /// The last move of the path goes wrong, or the path leads into a state in which something is
    /// wrong.
    Error {
        /// The moves from the start of the search.
        path: Vec<Choice>,
        /// What goes wrong.
        error: Wrong,
    },
    /// The watchdog ended it.
    Stopped {
        /// Why.
        reason: String,
    },
    /// Something is not supported.
    Unsupported {
        /// The moves that lead there.
        path: Vec<Choice>,
        /// What it is.
        what: Unsupported,
    },
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No thread can move, and not all have ended.
    Deadlock,
    /// A move ended badly.
    Move(Ending),
    /// The next moves of two threads touch the same plain data, one changing it.
    Race {
        /// The data.
        word: Word,
    },
    /// An invariant does not hold, or a goal is reached.
    Property,
    /// However the program goes on from here, these threads never move again, though others go
    /// round and round.
    Stuck(Vec<ThreadId>),
    /// However the program goes on from here, it goes round and round, and changes nothing.
    Livelock,
}

/// Numbers about a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// States reached, in the last round.
    pub states: u64,
    /// States of which the moves were looked at, in the last round; again each time.
    pub expanded: u64,
    /// Moves that lead from one state to another, in the last round.
    pub transitions: u64,
    /// Moves that led to a state seen before, in the last round.
    pub revisits: u64,
    /// Moves that may close a cycle of states, in the last round; all that led to a state seen
    /// before, if no more is known of them.
    pub closing: u64,
    /// Most moves on a path.
    pub depth: u64,
    /// Searches begun, one for each growth of the contended set.
    pub rounds: u64,
    /// Words in the contended set at the end.
    pub contended: u64,
    /// Loops in which threads wait and count their turns.
    pub counting_loops: u64,
    /// States in which nobody can move, in the last round.
    pub terminal: u64,
    /// States that the bound on the depth kept from being explored, in the last round.
    pub cut: u64,
    /// Moves executed in all rounds, those included that were only compared.
    pub executed: u64,
    /// States of which only some moves were explored, in the last round.
    pub reduced: u64,
    /// States waiting to be explored.
    pub frontier: u64,
    /// Bytes that states, components and remembered moves take.
    pub memory: MemoryUse,
    /// Bytes of a set of fingerprints.
    pub visited_bytes: u64,
    /// States that were forgotten to stay within memory; those that were met again count again.
    pub forgotten: u64,
    /// Bytes of what a search knows of states besides: their order, where they came from.
    pub order_bytes: u64,
    /// Most bytes of the files that a search on a disk went on from; those that are being merged,
    /// or wait to be removed, do not count.
    pub disk_bytes: u64,
    /// How full the table of visited states is, from zero to one.
    pub table_load: f64,
    /// Moves that were made because they were known.
    pub remembered: u64,
    /// Moves that were made again to come back to a state.
    pub replayed: u64,
    /// Seconds in which moves were executed.
    pub execute_seconds: f64,
    /// Seconds in which states were combined, hashed and looked up, by a sample.
    pub store_seconds: f64,
}

impl Stats {
    /// Takes over the numbers that a search counts itself.
    pub fn take(&mut self, search: &Stats) {
        self.states = search.states;
        self.expanded = search.expanded;
        self.transitions = search.transitions;
        self.revisits = search.revisits;
        self.closing = search.revisits;
        self.depth = search.depth;
        self.cut = search.cut;
        self.frontier = search.frontier;
        self.forgotten = search.forgotten;
    }
}
