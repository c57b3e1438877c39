//! Interning the operating system's state and maps of regions: compared by meaning, shared by
//! reference count.
//!
//! A world is what belongs to no thread (its *common* part) and the records of all threads. Each
//! of these *parts* is interned by itself and is a component of the state (see
//! [`super::contents`]); the world follows from their numbers (see [`super::roster`]). It is kept
//! as a common part and a list of chunks of neighbouring records, so that one which differs in one
//! record costs that record, its chunk and the list of chunks.

use super::contents::ABSENT;
use super::roster::{COMMON_PART, Roster, mix};
use super::slots::{Slots, fold};
use samovar_runtime::{Chunk, Os, Thread, ThreadState, Threads, WaitFor};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::region::RegionMap;
use std::sync::Arc;

/// Operating-system states by number.
#[derive(Debug, Default)]
pub struct Worlds {
    all: Table<World>,
    last: u32,
    /// Whether states that differ in what was written count as different.
    tells_output: bool,
    /// For each common part a state that has it.
    commons: Table<Arc<Os>>,
    records: Table<Arc<Thread>>,
    /// Chunks with the numbers of their records.
    chunks: Table<(Arc<Chunk>, Box<[u32]>)>,
    rolls: Vec<Roll>,
}

/// See the module head.
#[derive(Debug)]
struct World {
    os: Arc<Os>,
    common: u32,
    chunks: Box<[u32]>,
    /// A thread waits.
    is_awaited: bool,
    hash: u64,
}

/// Which threads of a chunk can run and which wait, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Roll {
    /// These can run.
    pub runnable: u32,
    /// These wait.
    pub waiting: u32,
    /// One of them waits with a limit.
    pub has_deadline: bool,
}

impl Roll {
    fn of(chunk: &Chunk) -> Roll {
        const { assert!(Threads::CHUNK <= u32::BITS as usize) };
        let mut roll = Roll::default();
        for (at, record) in chunk.iter().enumerate() {
            match &record.state {
                ThreadState::Runnable => roll.runnable |= 1 << at,
                ThreadState::Waiting(_) => roll.waiting |= 1 << at,
                ThreadState::Exited => {}
            }
            roll.has_deadline |= record.waiting().and_then(WaitFor::deadline).is_some();
        }
        roll
    }
}

/// A hash of a list of numbers.
fn hash_numbers(numbers: &[u32]) -> u64 {
    let mix = |hash, &number: &u32| fold(hash ^ u64::from(number), 0xd6e8_feb8_6659_fd93);
    numbers.iter().fold(0x8bb8_4b93_962e_acc9 ^ numbers.len() as u64, mix)
}

impl Worlds {
    /// From now on, states that differ in what was written count as different.
    pub fn tell_output(&mut self) {
        self.tells_output = true;
    }

    /// The number of this state; equal states have equal numbers.
    pub fn number(&mut self, os: &Arc<Os>) -> u32 {
        self.number_near(os, self.last)
    }

    /// The state that was asked about last.
    pub fn latest(&self) -> Option<&Os> {
        self.all.items.get(self.last as usize).map(|world| &*world.os)
    }

    /// The same, where much is shared with a known world.
    fn number_near(&mut self, os: &Arc<Os>, near: u32) -> u32 {
        if self.all.items.get(near as usize).is_some_and(|near| Arc::ptr_eq(&near.os, os)) {
            self.last = near;
            return near;
        }
        let common = self.common_part(os, near);
        let chunks = self.chunks_of(os.threads(), near);
        let records = chunks.iter().flat_map(|&chunk| self.chunks.items[chunk as usize].1.iter());
        let parts = records.zip(0..).map(|(&record, thread)| mix(thread, record));
        let hash = parts.fold(mix(COMMON_PART, common), u64::wrapping_add);
        let is_it = |world: &World| world.common == common && world.chunks == chunks;
        self.last = match self.all.find(hash, is_it) {
            Some(number) => number,
            None => {
                let mut rolls = chunks.iter().map(|&chunk| self.rolls[chunk as usize]);
                let is_awaited = rolls.any(|roll| roll.waiting != 0);
                let world = World { os: Arc::clone(os), common, chunks, is_awaited, hash };
                self.all.add(hash, world, |world| world.hash)
            }
        };
        self.last
    }

    fn common_part(&mut self, os: &Arc<Os>, near: u32) -> u32 {
        let tells = self.tells_output;
        let is_same =
            |known: &Os| known.same_common(os) && (!tells || known.has_written_the_same(os));
        if let Some(near) = self.all.items.get(near as usize).filter(|near| is_same(&near.os)) {
            return near.common;
        }
        let digest = os.digest_common();
        match self.commons.find(digest, |known| is_same(known)) {
            Some(number) => number,
            None => self.commons.add(digest, Arc::clone(os), |os| os.digest_common()),
        }
    }

    fn chunks_of(&mut self, threads: &Threads, near: u32) -> Box<[u32]> {
        let number = |(at, chunk): (usize, &Arc<Chunk>)| {
            let near =
                self.all.items.get(near as usize).and_then(|near| near.chunks.get(at)).copied();
            self.chunk(chunk, near)
        };
        threads.chunks().iter().enumerate().map(number).collect()
    }

    fn chunk(&mut self, chunk: &Arc<Chunk>, near: Option<u32>) -> u32 {
        if let Some(near) = near
            && Arc::ptr_eq(&self.chunks.items[near as usize].0, chunk)
        {
            return near;
        }
        let mut records = Vec::with_capacity(chunk.len());
        for (at, record) in chunk.iter().enumerate() {
            let shared = near.and_then(|near| {
                let (near, numbers) = &self.chunks.items[near as usize];
                near.get(at).filter(|near| Arc::ptr_eq(near, record)).map(|_| numbers[at])
            });
            records.push(shared.unwrap_or_else(|| self.record_number(record)));
        }
        let hash = hash_numbers(&records);
        if let Some(number) = self.chunks.find(hash, |known| *known.1 == *records) {
            return number;
        }
        self.rolls.push(Roll::of(chunk));
        let chunk = (Arc::clone(chunk), records.into());
        self.chunks.add(hash, chunk, |(_, records)| hash_numbers(records))
    }

    fn record_number(&mut self, record: &Arc<Thread>) -> u32 {
        let digest = record.digest();
        match self.records.find(digest, |known| known == record) {
            Some(number) => number,
            None => self.records.add(digest, Arc::clone(record), |record| record.digest()),
        }
    }

    /// The world with these parts, if there is one already.
    #[inline]
    pub fn find(&self, roster: &Roster) -> Option<u32> {
        self.all.find(roster.hash(), |world| self.is_of(world, roster))
    }

    fn is_of(&self, world: &World, roster: &Roster) -> bool {
        let mut rest = roster.records();
        world.common == roster.common()
            && world.chunks.iter().all(|&chunk| {
                let records = &self.chunks.items[chunk as usize].1;
                let is_it = rest.starts_with(records);
                rest = rest.get(records.len()..).unwrap_or_default();
                is_it
            })
            && rest.is_empty()
    }

    /// The world with these parts, which are known; it is like another one but for some.
    pub fn make(&mut self, roster: &Roster, near: u32) -> u32 {
        let known = &self.all.items[near as usize];
        let count = roster.records().len().max(known.os.threads().len()) as u32;
        let changed = (0..count).map(ThreadId).filter_map(|thread| {
            let record = roster.record(thread);
            let is_changed = record != self.record(near, thread);
            let record = self.records.items.get(record as usize);
            is_changed.then_some((thread, record))
        });
        let common = &self.commons.items[roster.common() as usize];
        let os = Arc::new(common.with_records(&known.os, changed));
        let number = self.number_near(&os, near);
        debug_assert!(self.is_of(&self.all.items[number as usize], roster));
        number
    }

    /// Tells all parts of a world.
    pub fn each_part(&self, world: u32, mut tell: impl FnMut(u32, u32)) {
        let World { common, chunks, .. } = &self.all.items[world as usize];
        tell(COMMON_PART, *common);
        let records = chunks.iter().flat_map(|&chunk| self.chunks.items[chunk as usize].1.iter());
        records.zip(0..).for_each(|(&record, thread)| tell(thread, record));
    }

    /// The chunks of threads of a world, by number.
    #[inline]
    pub fn chunks(&self, world: u32) -> &[u32] {
        &self.all.items[world as usize].chunks
    }

    /// Who can run and who waits of a chunk.
    #[inline]
    pub fn roll(&self, chunk: u32) -> Roll {
        self.rolls[chunk as usize]
    }

    /// The waits of a chunk's threads that concern an object, by thread, as counted in the chunk.
    pub fn waits(&self, chunk: u32, object: u64) -> Vec<(u32, WaitFor)> {
        let records = self.chunks.items[chunk as usize].0.iter().zip(0..);
        let waits = records.filter_map(|(record, at)| Some((at, record.waiting()?)));
        let waits = waits.filter(|(_, wait)| wait.concerns(object));
        waits.map(|(at, wait)| (at, wait.clone())).collect()
    }

    /// Whether any thread waits.
    #[inline]
    pub fn is_awaited(&self, world: u32) -> bool {
        self.all.items[world as usize].is_awaited
    }

    /// How many threads have not ended.
    pub fn alive(&self, world: u32) -> u32 {
        let rolls = self.chunks(world).iter().map(|&chunk| self.roll(chunk));
        rolls.map(|roll| (roll.runnable | roll.waiting).count_ones()).sum()
    }

    /// The number of the record of a thread in a world; [`ABSENT`] if it does not exist there.
    #[inline]
    pub fn record(&self, world: u32, thread: ThreadId) -> u32 {
        let (chunk, at) = (thread.0 as usize / Threads::CHUNK, thread.0 as usize % Threads::CHUNK);
        let chunk = self.all.items[world as usize].chunks.get(chunk);
        let record = chunk.and_then(|&chunk| self.chunks.items[chunk as usize].1.get(at));
        record.copied().unwrap_or(ABSENT)
    }

    /// The number of what belongs to no thread in a world.
    #[inline]
    pub fn common(&self, world: u32) -> u32 {
        self.all.items[world as usize].common
    }

    /// How many different common parts, and records, there are.
    pub fn part_counts(&self) -> (usize, usize) {
        (self.commons.items.len(), self.records.items.len())
    }

    /// A digest of a common part, and of a record: the same in every process.
    pub fn common_digest(&self, number: u32) -> u64 {
        self.commons.items[number as usize].digest_common()
    }

    /// See [`Worlds::common_digest`].
    pub fn record_digest(&self, number: u32) -> u64 {
        self.records.items[number as usize].digest()
    }

    /// A state by number.
    #[inline]
    pub fn get(&self, number: u32) -> &Arc<Os> {
        &self.all.items[number as usize].os
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        let threads = self.all.items.last().map_or(0, |world| world.os.threads().len());
        let lists = threads.div_ceil(Threads::CHUNK) * (size_of::<usize>() + size_of::<u32>());
        let chunk = threads.min(Threads::CHUNK) * (size_of::<usize>() + size_of::<u32>());
        self.all.bytes(size_of::<Os>() + lists)
            + self.chunks.bytes(size_of::<Chunk>() + chunk)
            + self.records.bytes(size_of::<Thread>())
    }
}

/// Things by number, and found by a hash of what they mean.
#[derive(Debug)]
struct Table<T> {
    items: Vec<T>,
    slots: Slots,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { items: Vec::new(), slots: Slots::default() }
    }
}

impl<T> Table<T> {
    fn find(&self, hash: u64, is_it: impl Fn(&T) -> bool) -> Option<u32> {
        self.slots.find(hash, |number| is_it(&self.items[number as usize]))
    }

    /// Adds what is not there yet; its number.
    fn add(&mut self, hash: u64, item: T, hash_of: impl Fn(&T) -> u64) -> u32 {
        let (number, items) = (self.items.len() as u32, &self.items);
        self.slots.add(hash, number, |number| hash_of(&items[number as usize]));
        self.items.push(item);
        number
    }

    /// Memory taken, with so many bytes for what an item points to.
    fn bytes(&self, beyond: usize) -> usize {
        self.slots.bytes() + self.items.len() * (size_of::<T>() + beyond)
    }
}

/// Maps of regions by number; there are few.
#[derive(Debug, Default)]
pub struct Regions {
    all: Vec<Arc<RegionMap>>,
}

impl Regions {
    /// The number of this map; equal maps have equal numbers.
    pub fn number(&mut self, map: &Arc<RegionMap>) -> u32 {
        let known = self.all.iter().rposition(|known| Arc::ptr_eq(known, map) || **known == **map);
        let number = known.unwrap_or_else(|| {
            self.all.push(Arc::clone(map));
            self.all.len() - 1
        });
        number as u32
    }

    /// Number of different maps.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none yet.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A map by number.
    pub fn get(&self, number: u32) -> &Arc<RegionMap> {
        &self.all[number as usize]
    }
}
