//! How far a search is, and the files that belong to that: what an interrupted one goes on from.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Files that only grow.
pub const LOG: &str = "log";
/// See [`LOG`].
pub const EDGES: &str = "edges";
/// See [`LOG`].
pub const ORIGINS: &str = "origins";

/// See the module head.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Moves from the start to the states that are being expanded.
    pub level: u64,
    /// States found in this round; each has a number below this.
    pub states: u64,
    /// The first number of the level.
    pub first: u64,
    /// The states of the level, in the order of their numbers.
    pub frontier: Vec<SortedFile>,
    /// States of the level that were looked at in this pass.
    pub done: u64,
    /// Bits of the states that this pass is about, if it is the second one over the level.
    pub again: Option<SortedFile>,
    /// States of the next level.
    pub next: Vec<SortedFile>,
    /// Where moves led, not yet compared with what is known.
    pub runs: Vec<Run>,
    /// All states of the round.
    pub visited: Vec<SortedFile>,
    /// What belongs to it of the files that only grow.
    pub log: Mark,
    /// See [`Place::log`].
    pub edges: Mark,
    /// See [`Place::log`].
    pub origins: Mark,
    /// Bytes that remembered moves may take: that decides which are executed again.
    pub memo_bytes: u64,
    /// Files named so far.
    pub names: u64,
    /// Numbers about the search.
    pub counts: Counts,
}

/// A place in a file that only grows: see [`super::append`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Bytes that were appended before it.
    pub length: u64,
    /// Digest of those that are in no whole block.
    pub digest: u64,
}

/// A file that was written whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SortedFile {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Records in it.
    pub records: u64,
}

/// Moves in the order of where they lead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Where it is.
    pub file: SortedFile,
    /// How often it was merged with others.
    pub tier: u32,
}

/// Numbers about the round, and some about the whole search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// States expanded.
    pub expanded: u64,
    /// Moves from state to state.
    pub transitions: u64,
    /// Those that led to a state seen before.
    pub revisits: u64,
    /// States that the bound on the depth kept from being explored.
    pub cut: u64,
    /// States in which nobody can move.
    pub terminal: u64,
    /// States of which only some moves were explored.
    pub reduced: u64,
    /// Moves executed, in all rounds.
    pub executed: u64,
}

impl Place {
    /// The files that this place needs, with their lengths.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        let whole = self.frontier.iter().chain(&self.next).chain(&self.visited);
        let whole = whole.chain(&self.again).chain(self.runs.iter().map(|run| &run.file));
        let growing = [(LOG, self.log), (EDGES, self.edges), (ORIGINS, self.origins)];
        let growing = growing.map(|(name, mark)| (name, mark.bytes()));
        whole.map(|file| (file.name.as_str(), file.bytes)).chain(growing)
    }

    /// Their names.
    pub fn names(&self) -> BTreeSet<String> {
        self.files().map(|(name, _)| name.to_string()).collect()
    }

    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        let files: BTreeSet<(&str, u64)> = self.files().collect();
        files.iter().map(|(_, bytes)| bytes).sum()
    }

    /// States of the level.
    pub fn width(&self) -> u64 {
        self.frontier.iter().map(|file| file.records).sum()
    }
}
