//! Exploring the state space of a process.
//!
//! # What is explored
//! A *move* of a thread is a block of invisible work and the visible operation behind it (see
//! [`watch`]); stored states lie between moves, each live thread at the start of a block. With
//! [`visible::Visible::All`] every access to memory is a visible operation: full interleaving at
//! memory-access grain. With a set of contended words only operations on these, and beginnings and
//! ends of threads, are visible.
//!
//! # Why the contended set is enough
//! In every expanded state the next moves of the threads are compared, those of blocked threads
//! included. A word that two of them touch, one changing it, outside of the set is contended: it
//! joins the set and the search begins anew. A thread that finds an object outside of the set
//! taken shows contention as well. When a search ends without a new word, no two simultaneous
//! moves conflict outside of the set. Then the order between threads comes from visible operations
//! alone: any full execution can be rearranged into whole moves, and the reduced space has the
//! same deadlocks, failing assertions and local states. (Were there a conflict outside of the set,
//! take a shortest execution with one: its causal past rearranges into whole moves and ends in a
//! stored state where both moves stand ready, and the comparison there would have seen it.) The
//! test depends on the state alone, never on the path, so it is sound together with state
//! matching. Which moves of a state may be left out then is argued in [`stubborn`].

pub mod avoid;
pub mod beam;
pub mod best_first;
pub mod bfs;
pub mod choice;
mod crowd;
pub mod deepening;
pub mod dfs;
pub mod endless;
mod ends;
pub mod engine;
mod expanse;
pub mod external;
mod findings;
pub mod future;
#[cfg(test)]
mod graph;
mod hands;
pub mod heuristic;
pub mod ida_star;
pub mod known;
pub mod lent;
pub mod levels;
mod lists;
pub mod lossy;
pub mod measure;
pub mod moves;
pub mod origins;
pub mod passing;
pub mod pct;
pub mod preemptions;
pub mod random_walk;
pub mod refine;
pub mod roaming;
pub mod scout;
pub mod space;
pub mod stubborn;
pub mod thread_set;
pub mod touches;
pub mod trace;
pub mod turns;
pub mod view;
pub mod visible;
pub mod watch;
pub mod word;
pub mod workers;
