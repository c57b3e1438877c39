//! Files of a search that keeps its states on a disk.
//!
//! [`disk`] is what the search sees of a directory; [`directory`] is a real one. [`sorted`] is the
//! form of large files, [`merge`] reads several of them as one, [`buffer`] collects what becomes
//! one. [`append`] has the files that only grow, [`place`] says how far a search is and which files
//! belong to that. The search itself is [`crate::explore::external`].
//!
//! **Invariant:** files are written once and never changed, but for those that only grow; what
//! counts is what the manifest names, in the length that it names, and the manifest is replaced
//! whole after everything in it has reached the disk. So a search can be killed at any moment:
//! what it did since the last manifest is lost, and nothing else.

pub mod append;
pub mod buffer;
pub mod directory;
pub mod disk;
pub mod merge;
pub mod place;
#[cfg(test)]
pub mod pretended;
pub mod sorted;

pub use disk::{Disk, Sink, Source, Trouble};
pub use place::Place;
