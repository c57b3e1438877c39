//! The end of a pass over a level: what is new among the states that moves led to.

use super::External;
use super::bits::Bits;
use super::records::{self, Edge, Origin};
use crate::explore::choice::{Found, Stats};
use crate::explore::dfs::{Round, Watchdog};
use crate::explore::roaming::Roaming;
use crate::spill::buffer::Arrival;
use crate::spill::merge::Merge;
use crate::spill::place::{Run, SortedFile};
use crate::spill::sorted::{SortedReader, SortedWriter};
use crate::spill::{Place, Trouble};

/// So many runs of the same size are merged into one: more files are never open.
const FAN: usize = 32;
/// States between two questions to the watchdog.
const WATCH_EVERY: u32 = 1 << 12;
/// A file of visited states is merged with the one before unless that is so many times larger.
const GROWTH: u64 = 2;

/// States that were expanded in part, and those of them with a new successor, by place in their
/// level.
#[derive(Debug)]
struct Partial {
    all: Bits,
    lucky: Bits,
}

impl External<'_> {
    /// Merges runs where there are many of the same size.
    pub(super) fn merge_runs(&mut self) -> Result<(), Trouble> {
        while let Some(last) = self.place.runs.last() {
            let tier = last.tier;
            let same = self.place.runs.iter().rev().take_while(|run| run.tier == tier).count();
            if same < FAN {
                break;
            }
            let name = self.new_name("run");
            let first = self.place.runs.len() - same;
            let merge =
                Merge::open(self.disk, self.place.runs[first..].iter().map(|run| &run.file))?;
            let writer = SortedWriter::create(self.disk, name)?;
            if let Some(file) = merge.write(writer, &mut || true)? {
                self.place.runs.truncate(first);
                self.place.runs.push(Run { file, tier: tier + 1 });
            }
            self.sweep();
        }
        Ok(())
    }

    /// All states of this pass were expanded: finds out which of the states that they led to are
    /// new, and prepares the next pass. A round comes back only if the search has to stop.
    pub(super) fn end_pass<E: Roaming>(
        &mut self,
        engine: &mut E,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Result<Option<Round>, Trouble> {
        self.write_run()?;
        let (log, edges, origins) = (self.log.mark(), self.edges.mark(), self.origins.mark());
        let before = Place { log, edges, origins, ..self.place.clone() };
        let mut partial = None;
        let fresh = match self.find_new(&mut partial, stats, watchdog)? {
            Ok(fresh) => fresh,
            Err(reason) => {
                self.place = before;
                self.commit_place(engine)?;
                return Ok(Some(Round::Over(Found::Stopped { reason })));
            }
        };
        self.place.runs.clear();
        if 0 < fresh.records {
            self.place.next.push(fresh.clone());
            self.place.visited.push(fresh);
            self.merge_visited(stats, watchdog)?;
        }
        let unlucky = partial.map(|mut partial| {
            partial.all.subtract(&partial.lucky);
            partial.all
        });
        match unlucky.filter(|bits| 0 < bits.count()) {
            Some(again) => {
                self.take_back(engine, &again, edges.length)?;
                let name = self.new_name("again");
                self.place.again = Some(again.write(self.disk, name)?);
            }
            None => self.next_level(),
        }
        self.place.done = 0;
        self.sweep();
        Ok(None)
    }

    fn next_level(&mut self) {
        self.place.first += self.place.width();
        self.place.again = None;
        self.place.frontier = std::mem::take(&mut self.place.next);
        self.place.level += u64::from(!self.place.frontier.is_empty());
    }

    /// Merges the runs with what was visited; the states that are new, or a reason to stop.
    fn find_new(
        &mut self,
        partial: &mut Option<Partial>,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Result<Result<SortedFile, String>, Trouble> {
        let mut merge = Merge::open(self.disk, self.place.runs.iter().map(|run| &run.file))?;
        let visited = self.place.visited.iter();
        let mut visited = visited
            .map(|file| SortedReader::open(self.disk, file))
            .collect::<Result<Vec<_>, _>>()?;
        let name = self.new_name("states");
        let mut fresh = SortedWriter::create(self.disk, name)?;
        let (mut key, mut count) = (Vec::new(), 0u32);
        while let Some((next, _)) = merge.record() {
            key.clear();
            key.extend_from_slice(next);
            let known = find(&mut visited, &key)?;
            let is_cut = known.is_none() && self.depth_max <= self.place.level;
            let id = known.unwrap_or(self.place.states);
            let mut is_new = known.is_none();
            while let Some((same, tail)) = merge.record().filter(|(same, _)| **same == *key) {
                debug_assert_eq!(same, &*key);
                let arrival =
                    Arrival::read(tail).ok_or_else(|| Trouble::damaged("a file of moves"))?;
                if arrival.is_partial {
                    self.note_partial(partial, arrival.parent, known.is_none());
                }
                if is_cut {
                    self.place.counts.cut += 1;
                } else {
                    self.arrive(&arrival, id, is_new)?;
                }
                is_new = false;
                merge.advance()?;
            }
            if known.is_none() && !is_cut {
                fresh.push(&key, &records::id_bytes(id))?;
                self.place.states += 1;
            }
            count += 1;
            if count.is_multiple_of(WATCH_EVERY)
                && let Some(reason) = self.watch(stats, watchdog)
            {
                return Ok(Err(reason));
            }
        }
        fresh.finish().map(Ok)
    }

    /// A move led to a state, which is new with its first move.
    fn arrive(&mut self, arrival: &Arrival, id: u64, is_new: bool) -> Result<(), Trouble> {
        let Arrival { parent, choice, effect, .. } = *arrival;
        self.edges.write(&Edge::new(parent, id, choice.thread, effect).bytes())?;
        match is_new {
            true => self.origins.write(&Origin { parent, choice }.bytes()),
            false => {
                self.place.counts.revisits += 1;
                Ok(())
            }
        }
    }

    fn note_partial(&mut self, partial: &mut Option<Partial>, parent: u64, is_new: bool) {
        let width = self.place.width();
        let partial = partial
            .get_or_insert_with(|| Partial { all: Bits::new(width), lucky: Bits::new(width) });
        let at = parent - self.place.first;
        partial.all.set(at);
        if is_new {
            partial.lucky.set(at);
        }
    }

    /// Does not count the moves of these states that led nowhere new: all are made once more.
    fn take_back<E: Roaming>(
        &mut self,
        engine: &mut E,
        again: &Bits,
        from: u64,
    ) -> Result<(), Trouble> {
        let mut reader = self.edges.reader(self.disk)?;
        let mut moves = 0;
        for at in (from..reader.length()).step_by(Edge::BYTES) {
            let mut bytes = [0; Edge::BYTES];
            reader.read(at, &mut bytes)?;
            let edge = Edge::read(&bytes);
            moves += u64::from(edge.child.is_some() && again.get(edge.parent - self.place.first));
        }
        let counts = &mut self.place.counts;
        counts.transitions -= moves;
        counts.revisits -= moves;
        counts.expanded -= again.count();
        engine.tally().reduced -= again.count();
        Ok(())
    }

    /// Keeps the files of visited states few: each is larger than the one behind it.
    fn merge_visited(
        &mut self,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Result<(), Trouble> {
        let files = &self.place.visited;
        let (mut first, mut bytes) = (files.len() - 1, files[files.len() - 1].bytes);
        while 0 < first && files[first - 1].bytes < bytes * GROWTH {
            first -= 1;
            bytes += files[first].bytes;
        }
        if first + 1 == files.len() {
            return Ok(());
        }
        let name = self.new_name("states");
        let merge = Merge::open(self.disk, self.place.visited[first..].iter())?;
        let writer = SortedWriter::create(self.disk, name)?;
        // Who has to stop does without; the next question to the watchdog has the same answer.
        let mut go_on = || self.watch(stats, watchdog).is_none();
        if let Some(file) = merge.write(writer, &mut go_on)? {
            self.place.visited.truncate(first);
            self.place.visited.push(file);
        }
        Ok(())
    }
}

/// The number of a state, if it was visited.
fn find(visited: &mut [SortedReader], key: &[u8]) -> Result<Option<u64>, Trouble> {
    for reader in visited {
        if reader.find(key)? {
            let damaged = || Trouble::damaged("a file of states");
            return records::id(reader.tail()).ok_or_else(damaged).map(Some);
        }
    }
    Ok(None)
}
