//! Breadth-first search whose states are on a disk: for spaces larger than memory.
//!
//! # How
//! The states of a level are expanded one by one from a file; where their moves lead is collected
//! in a buffer, which is sorted and written as a *run* when it is full. Only when the whole level
//! was expanded, the runs are merged with each other and with the sorted files of all states
//! visited before (*delayed duplicate detection*): what is in none of those is new, and makes up
//! the next level. States are compared as whole keys (see [`crate::state::key`]), never by a hash.
//! Everything is read and written from front to back. What is in memory: the buffer, a block of
//! each open file, two bits for each state of the level where moves are left out, a few bits for
//! each state at the end (see [`endless`]), and the contents of components, which are few compared
//! with states.
//!
//! New states are numbered in the order in which they are written. For each there is its *origin*
//! (the state and the move that it was reached by first), which is the way back to the start; for
//! each move an *edge*, which the judgement of runs without end needs.
//!
//! # Leaving moves out
//! Where some moves of a state suffice (see [`super::stubborn`]), the others must not be put off
//! for ever round a cycle. In memory, a state whose remaining moves lead to known states only is
//! expanded in full at once. Here it is not known at that time what is new. So every such state is
//! first expanded in part; if after the merge none of its successors was new, it is expanded in
//! full in a second pass over the same level. Then every state that was expanded in part has a
//! successor on the next level, where the moves that were left out are still possible, because
//! those that were made do not disturb them. Going on from successor to successor on ever higher
//! levels ends, because there are finitely many, in a state that was expanded in full: what is
//! left out somewhere is made later on some path from there. That is all that the argument needs
//! which the search in memory rests on, where the order of finding takes the place of levels.
//!
//! # Interruptions
//! See [`crate::spill`]. At every commit the buffer is empty, so a place in the level, the finished
//! files and the log say everything. The log lists the expansions in which a move was executed or
//! something was learned, and the beginnings of rounds (see [`super::roaming`]); an expansion that
//! is not in it changed nothing, so making those of the log again, in their order, leads to the
//! same knowledge, the remembered moves included.

pub mod bits;
pub mod endless;
mod keeping;
mod level;
pub mod log;
mod records;

use super::choice::{Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::Expansion;
use super::origins;
use super::roaming::{Learned, Roaming};
use crate::spill::append::Appender;
use crate::spill::buffer::{Arrival, Buffer};
use crate::spill::place::{EDGES, Mark, ORIGINS, Run};
use crate::spill::sorted::{SortedReader, SortedWriter};
use crate::spill::{Disk, Place, Trouble};
use bits::Bits;
use log::{Entry, Log, Replay};
use records::Edge;
use std::collections::BTreeSet;

/// See the module head.
pub struct External<'d> {
    disk: &'d mut dyn Disk,
    depth_max: u64,
    buffer: Buffer,
    /// Bytes of moves that are written before the search says where it is.
    work_max: u64,
    work: u64,
    place: Place,
    log: Log,
    edges: Appender,
    origins: Appender,
    /// Files that were created and not removed.
    created: BTreeSet<String>,
    /// Files that the last commit names, and those of them and others that reached the disk.
    committed: BTreeSet<String>,
    synced: BTreeSet<String>,
    /// Moves between two questions to the watchdog.
    unwatched: u64,
    last: Stats,
}

/// What came of the attempt to go on with a search.
#[derive(Debug)]
pub enum Resumed<'d> {
    /// It goes on.
    There(Box<External<'d>>),
    /// What is written down does not lead to what was known.
    Different,
    /// It was stopped on the way there, for this reason; everything is as it was.
    Stopped(String),
}

impl std::fmt::Debug for External<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("External").field("place", &self.place).finish_non_exhaustive()
    }
}

impl<'d> External<'d> {
    /// A search that follows no path further than `depth_max` moves, and collects moves in memory
    /// up to so many bytes of a buffer. No round has begun.
    pub fn new(
        disk: &'d mut dyn Disk,
        depth_max: u64,
        buffer: usize,
        memo_bytes: u64,
    ) -> Result<External<'d>, Trouble> {
        External::at(disk, depth_max, buffer, Place { memo_bytes, ..Place::default() })
    }

    fn at(
        disk: &'d mut dyn Disk,
        depth_max: u64,
        buffer: usize,
        place: Place,
    ) -> Result<External<'d>, Trouble> {
        let log = Log::open(disk, place.log)?;
        let edges = Appender::open(disk, EDGES, place.edges)?;
        let origins = Appender::open(disk, ORIGINS, place.origins)?;
        let committed = place.names();
        Ok(External {
            disk,
            depth_max,
            buffer: Buffer::new(buffer),
            work_max: buffer as u64,
            work: 0,
            log,
            edges,
            origins,
            created: committed.clone(),
            synced: committed.clone(),
            committed,
            place,
            unwatched: 0,
            last: Stats::default(),
        })
    }

    /// Goes on from a place that was committed; the engine has done what it does before a search.
    /// `stops` is asked whether there is a reason not to.
    pub fn resume<E: Roaming>(
        engine: &mut E,
        disk: &'d mut dyn Disk,
        depth_max: u64,
        buffer: usize,
        place: Place,
        stops: &mut dyn FnMut() -> Option<String>,
    ) -> Result<Resumed<'d>, Trouble> {
        // Damage is to be noticed before moves are executed, which can take long.
        let search = External::at(disk, depth_max, buffer, place)?;
        let place = &search.place;
        let mut replay = Replay::open(search.disk, place.log)?;
        while let Some(entry) = replay.entry()? {
            if let Some(reason) = stops() {
                return Ok(Resumed::Stopped(reason));
            }
            if !redo(engine, &entry) {
                return Ok(Resumed::Different);
            }
        }
        let counts = engine.tally();
        counts.terminal = place.counts.terminal;
        counts.reduced = place.counts.reduced;
        counts.executed = place.counts.executed;
        Ok(Resumed::There(Box::new(search)))
    }

    /// Begins a round: all that was found is forgotten, but not what was learned.
    pub fn begin<E: Roaming>(&mut self, engine: &mut E) -> Result<(), Trouble> {
        engine.begin();
        self.log.round()?;
        self.buffer.clear();
        let Place { names, memo_bytes, .. } = self.place;
        self.place = Place { names, memo_bytes, states: 1, ..Place::default() };
        let name = self.new_name("states");
        let mut start = SortedWriter::create(self.disk, name)?;
        start.push(&[], &records::id_bytes(0))?;
        let start = start.finish()?;
        self.place.frontier.push(start.clone());
        self.place.visited.push(start);
        // Only then nothing that counts is in what is cut off now.
        self.place.log = self.log.mark();
        self.commit_place(engine)?;
        self.edges = Appender::open(self.disk, EDGES, Mark::default())?;
        self.origins = Appender::open(self.disk, ORIGINS, Mark::default())?;
        Ok(())
    }

    /// Searches from where it is: the rest of the space, or up to the first error. `stats` is kept
    /// up to date. If it is stopped, it can be gone on with later.
    pub fn run<E: Roaming>(
        &mut self,
        engine: &mut E,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Result<Round, Trouble> {
        let mut round = None;
        while round.is_none() && !self.place.frontier.is_empty() {
            round = match self.pass(engine, stats, watchdog)? {
                None => self.end_pass(engine, stats, watchdog)?,
                over => over,
            };
        }
        if round.is_none() && 0 < self.place.counts.revisits && self.place.counts.cut == 0 {
            self.commit(engine)?;
            if !engine.is_unsettled() {
                round = self.judge_runs(engine, stats, watchdog)?;
            }
        }
        self.publish(stats);
        Ok(round.unwrap_or(Round::Over(Found::Nothing)))
    }

    /// Bytes of all files.
    pub fn disk_bytes(&self) -> u64 {
        self.place.bytes().max(self.last.disk_bytes)
    }

    fn publish(&mut self, stats: &mut Stats) {
        let counts = self.place.counts;
        self.last = Stats {
            states: self.place.states,
            expanded: counts.expanded,
            transitions: counts.transitions,
            revisits: counts.revisits,
            cut: counts.cut,
            depth: self.place.level,
            frontier: self.place.width() - self.place.done.min(self.place.width())
                + self.place.next.iter().map(|file| file.records).sum::<u64>(),
            disk_bytes: self.place.bytes().max(self.last.disk_bytes),
            ..Stats::default()
        };
        stats.take(&self.last);
        stats.disk_bytes = self.last.disk_bytes;
    }

    /// Asks the watchdog; a reason to stop.
    fn watch(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Option<String> {
        self.unwatched = 0;
        self.publish(stats);
        watchdog(stats)
    }

    /// Expands the states of the level that this pass is about.
    fn pass<E: Roaming>(
        &mut self,
        engine: &mut E,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Result<Option<Round>, Trouble> {
        let again = match &self.place.again {
            None => None,
            Some(file) => Some(Bits::read(self.disk, file)?),
        };
        let mut index = 0;
        for file in self.place.frontier.clone() {
            if index + file.records <= self.place.done {
                index += file.records;
                continue;
            }
            let mut reader = SortedReader::open(self.disk, &file)?;
            while reader.advance()? {
                let at = index;
                index += 1;
                if at < self.place.done {
                    continue;
                }
                if again.as_ref().is_none_or(|bits| bits.get(at)) {
                    let is_first = again.is_none();
                    let state = self.place.first + at;
                    let end = self.expand(engine, &file.name, reader.key(), state, is_first)?;
                    if end.is_some() {
                        return Ok(end);
                    }
                }
                self.place.done = index;
                if self.buffer.is_full() {
                    self.write_run()?;
                }
                let is_watched = WATCH_EVERY <= self.unwatched;
                if is_watched && let Some(reason) = self.watch(stats, watchdog) {
                    self.commit(engine)?;
                    return Ok(Some(Round::Over(Found::Stopped { reason })));
                }
                if self.work_max <= self.work || (is_watched && self.disk.is_due()) {
                    self.commit(engine)?;
                }
            }
        }
        Ok(None)
    }

    /// Expands a state, and collects where its moves lead.
    fn expand<E: Roaming>(
        &mut self,
        engine: &mut E,
        file: &str,
        key: &[u8],
        state: u64,
        leave_out: bool,
    ) -> Result<Option<Round>, Trouble> {
        if !engine.stand(key) {
            return Err(Trouble::damaged(file));
        }
        let (before, counted) = (engine.learned(), *engine.tally());
        let expansion = engine.expand_freely(leave_out);
        self.note(engine, key, &before, leave_out)?;
        let is_partial = counted.reduced < engine.tally().reduced;
        if !leave_out {
            // They were counted the first time.
            engine.tally().terminal = counted.terminal;
        }
        self.place.counts.expanded += 1;
        if matches!(expansion, Expansion::Wrong(..) | Expansion::Unsupported(..)) {
            let way = self.way(state)?;
            return Ok(origins::end(expansion, |last| way.into_iter().chain(last).collect()));
        }
        if matches!(expansion, Expansion::Anew) {
            return Ok(Some(Round::Anew));
        }
        if engine.ends() || engine.successors().is_empty() {
            self.edges.write(&Edge::end(state).bytes())?;
        }
        let before = self.buffer.bytes();
        for successor in engine.successors() {
            let (choice, effect) = (successor.choice, successor.effect);
            let arrival = Arrival { parent: state, choice, effect, is_partial };
            self.buffer.add(engine.key(successor.state), &arrival);
        }
        let moves = engine.successors().len() as u64;
        self.place.counts.transitions += moves;
        self.unwatched += moves + 1;
        self.work += (self.buffer.bytes() - before) as u64;
        Ok(None)
    }

    /// Writes an expansion down if something was learned from it.
    fn note<E: Roaming>(
        &mut self,
        engine: &E,
        key: &[u8],
        before: &Learned,
        leave_out: bool,
    ) -> Result<(), Trouble> {
        if engine.learned() == *before {
            return Ok(());
        }
        let digest = engine.digest_since(before);
        self.log.expansion(key, leave_out, digest)
    }

    /// Writes what is in the buffer, and merges runs if there are many of the same size.
    fn write_run(&mut self) -> Result<(), Trouble> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let name = self.new_name("run");
        let file = self.buffer.write(self.disk, name)?;
        self.place.runs.push(Run { file, tier: 0 });
        self.merge_runs()
    }
}

/// Makes an expansion of the log again; whether it comes to the same.
fn redo<E: Roaming>(engine: &mut E, entry: &Entry) -> bool {
    match entry {
        Entry::Round => {
            engine.begin();
            true
        }
        Entry::Expansion { key, leave_out, digest } => {
            if !engine.stand(key) {
                return false;
            }
            let before = engine.learned();
            engine.expand_freely(*leave_out);
            engine.digest_since(&before) == *digest
        }
    }
}

#[cfg(test)]
mod tests;
