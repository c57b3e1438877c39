//! Interning the operating system's state and maps of regions: compared by meaning, shared by
//! reference count.
//!
//! A world is what belongs to no thread (its *common* part) and the records of all threads. Both
//! are interned by themselves: a record by its contents, then chunks of neighbouring records, so
//! that a world is a common part and a list of chunks. Two worlds are equal if and only if these
//! numbers are. A world that differs in one record costs that record, its chunk and the list of
//! chunks; what is shared with the world before is found by comparing references.
//!
//! A world that is only looked at *passes*: it has a number that no other world ever gets, and is
//! gone when the next one is looked at. No state may be stored with such a number; to store one,
//! the world is [kept](Worlds::keep) first, which gives it an ordinary number.

use super::slots::{Slots, fold};
use ahash::{AHashMap, RandomState};
use samovar_runtime::{Chunk, Os, Thread, ThreadState, Threads, WaitFor};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::region::RegionMap;
use std::sync::Arc;

/// Operating-system states by number.
#[derive(Debug)]
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
    /// By chunk: the number of what its threads wait for; zero if not known yet.
    chunk_waits: Vec<u32>,
    rolls: Vec<Roll>,
    /// What threads wait for: those of chunks, from one, and those of worlds, from zero.
    waits: AHashMap<Vec<(u32, WaitFor)>, u32>,
    waits_of_all: AHashMap<Vec<u32>, u32>,
    /// What became of a world by a change, by the world that shows the change.
    changed: AHashMap<(u32, u32, ThreadId), u32>,
    /// The world that passes, with its number, and how many did before.
    passing: Option<(u32, World)>,
    passed: u32,
}

/// From here on, numbers are of worlds that pass.
const PASSING: u32 = 1 << 30;

/// See the module head.
#[derive(Debug)]
struct World {
    os: Arc<Os>,
    common: u32,
    /// Number of what threads wait for, plus one; zero if not known yet.
    waits: u32,
    chunks: Box<[u32]>,
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

impl World {
    fn hash(&self) -> u64 {
        hash_numbers(self.common, &self.chunks)
    }
}

impl Default for Worlds {
    fn default() -> Worlds {
        let hasher = RandomState::with_seeds(31, 32, 33, 34);
        Worlds {
            all: Table::default(),
            last: 0,
            tells_output: false,
            commons: Table::default(),
            records: Table::default(),
            chunks: Table::default(),
            chunk_waits: Vec::new(),
            rolls: Vec::new(),
            waits: AHashMap::with_hasher(hasher.clone()),
            waits_of_all: AHashMap::with_hasher(hasher.clone()),
            changed: AHashMap::with_hasher(hasher),
            passing: None,
            passed: 0,
        }
    }
}

/// A hash of a list of numbers.
fn hash_numbers(first: u32, numbers: &[u32]) -> u64 {
    let start = fold(u64::from(first) ^ 0x9e37_79b9_7f4a_7c15, 0x8bb8_4b93_962e_acc9);
    let mix = |hash, &number: &u32| fold(hash ^ u64::from(number), 0xd6e8_feb8_6659_fd93);
    numbers.iter().fold(start ^ numbers.len() as u64, mix)
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
        let world = self.taken_apart(Arc::clone(os), near);
        self.last = match self.find(&world) {
            Some(number) => number,
            None => self.all.add(world.hash(), world, World::hash),
        };
        self.last
    }

    fn taken_apart(&mut self, os: Arc<Os>, near: u32) -> World {
        let common = self.common_part(&os, near);
        let chunks = self.chunks_of(os.threads(), near);
        World { os, common, waits: 0, chunks }
    }

    fn find(&self, world: &World) -> Option<u32> {
        let is_it = |known: &World| known.common == world.common && known.chunks == world.chunks;
        self.all.find(world.hash(), is_it)
    }

    #[inline]
    fn world(&self, number: u32) -> &World {
        match &self.passing {
            Some((passing, world)) if *passing == number => world,
            _ => &self.all.items[number as usize],
        }
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
        let hash = hash_numbers(0, &records);
        if let Some(number) = self.chunks.find(hash, |known| *known.1 == *records) {
            return number;
        }
        self.chunk_waits.push(0);
        self.rolls.push(Roll::of(chunk));
        let chunk = (Arc::clone(chunk), records.into());
        self.chunks.add(hash, chunk, |(_, records)| hash_numbers(0, records))
    }

    fn record_number(&mut self, record: &Arc<Thread>) -> u32 {
        let digest = record.digest();
        match self.records.find(digest, |known| known == record) {
            Some(number) => number,
            None => self.records.add(digest, Arc::clone(record), |record| record.digest()),
        }
    }

    /// How many chunks of threads a world has.
    pub fn rolls(&self, world: u32) -> usize {
        self.world(world).chunks.len()
    }

    /// Who can run and who waits of a chunk.
    #[inline]
    pub fn roll(&self, world: u32, chunk: usize) -> Roll {
        self.rolls[self.world(world).chunks[chunk] as usize]
    }

    /// The number of the record of a thread in a world.
    #[inline]
    pub fn record(&self, world: u32, thread: ThreadId) -> u32 {
        let (chunk, at) = (thread.0 as usize / Threads::CHUNK, thread.0 as usize % Threads::CHUNK);
        self.chunks.items[self.world(world).chunks[chunk] as usize].1[at]
    }

    /// The number of what belongs to no thread in a world.
    #[inline]
    pub fn common(&self, world: u32) -> u32 {
        self.world(world).common
    }

    /// The number of what threads wait for in a world: equal if the same threads wait for the same.
    #[inline]
    pub fn waits(&mut self, world: u32) -> u32 {
        match self.world(world).waits.checked_sub(1) {
            Some(known) => known,
            None => self.new_waits(world),
        }
    }

    /// The same, if it was asked for before.
    pub fn known_waits(&self, world: u32) -> Option<u32> {
        self.world(world).waits.checked_sub(1)
    }

    #[cold]
    fn new_waits(&mut self, world: u32) -> u32 {
        let mut all = Vec::new();
        for at in 0..self.world(world).chunks.len() {
            let chunk = self.world(world).chunks[at] as usize;
            if self.chunk_waits[chunk] == 0 {
                let records = self.chunks.items[chunk].0.iter().zip(0..);
                let waits =
                    records.filter_map(|(record, at)| Some((at, record.waiting()?.clone())));
                let next = self.waits.len() as u32 + 1;
                self.chunk_waits[chunk] = *self.waits.entry(waits.collect()).or_insert(next);
            }
            all.push(self.chunk_waits[chunk]);
        }
        // Threads that do not exist do not wait.
        let none = self.waits.get(&Vec::new()).copied();
        while all.last().copied().is_some_and(|last| Some(last) == none) {
            all.pop();
        }
        let next = self.waits_of_all.len() as u32;
        let number = *self.waits_of_all.entry(all).or_insert(next);
        match &mut self.passing {
            Some((passing, there)) if *passing == world => there.waits = number + 1,
            _ => self.all.items[world as usize].waits = number + 1,
        }
        number
    }

    /// Whether a move of a thread changed nothing in the records of others.
    pub fn is_own_change(&self, before: u32, after: u32, thread: ThreadId) -> bool {
        self.get(before).same_others(thread, self.get(after))
    }

    /// What becomes of a state by a move of a thread that changes its own record and what belongs
    /// to no thread; `shown` is what became of another state by it.
    #[inline]
    pub fn change(&mut self, world: u32, shown: u32, thread: ThreadId) -> u32 {
        match self.changed.get(&(world, shown, thread)) {
            Some(&known) => known,
            None => self.new_change(world, shown, thread),
        }
    }

    /// The same, if it was asked for before.
    pub fn known_change(&self, world: u32, shown: u32, thread: ThreadId) -> Option<u32> {
        self.changed.get(&(world, shown, thread)).copied()
    }

    #[cold]
    fn new_change(&mut self, world: u32, shown: u32, thread: ThreadId) -> u32 {
        let os = self.get(shown).with_others(thread, self.get(world));
        let number = self.number_near(&Arc::new(os), world);
        self.changed.insert((world, shown, thread), number);
        number
    }

    /// What becomes of a state likewise, to be looked at only: it may pass.
    pub fn change_passing(&mut self, world: u32, shown: u32, thread: ThreadId) -> u32 {
        if let Some(&known) = self.changed.get(&(world, shown, thread)) {
            return known;
        }
        let os = self.get(shown).with_others(thread, self.get(world));
        let new = self.taken_apart(Arc::new(os), world);
        if let Some(number) = self.find(&new) {
            self.changed.insert((world, shown, thread), number);
            return number;
        }
        self.passed += 1;
        assert!(self.passed < PASSING, "internal error: too many worlds were looked at");
        let number = PASSING + self.passed;
        self.passing = Some((number, new));
        number
    }

    /// The number under which a world stays that may be passing.
    pub fn keep(&mut self, world: u32) -> u32 {
        match self.passing.take_if(|passing| passing.0 == world) {
            Some((_, passing)) => self.all.add(passing.hash(), passing, World::hash),
            None => world,
        }
    }

    /// Number of different states.
    pub fn len(&self) -> usize {
        self.all.items.len()
    }

    /// Whether there are none yet.
    pub fn is_empty(&self) -> bool {
        self.all.items.is_empty()
    }

    /// A state by number.
    pub fn get(&self, number: u32) -> &Arc<Os> {
        &self.world(number).os
    }

    /// A digest of a state, the same in every process.
    pub fn digest(&self, number: u32) -> u64 {
        let os = self.get(number);
        let records = os.threads().iter().map(|record| record.digest());
        records.fold(os.digest_common(), |all, one| fold(all ^ one, 0xd6e8_feb8_6659_fd93))
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        let threads = self.all.items.last().map_or(0, |world| world.os.threads().len());
        let lists = threads.div_ceil(Threads::CHUNK) * (size_of::<usize>() + size_of::<u32>());
        let chunk = threads.min(Threads::CHUNK) * (size_of::<usize>() + size_of::<u32>());
        self.all.bytes(size_of::<Os>() + lists)
            + self.chunks.bytes(size_of::<Chunk>() + chunk)
            + self.records.bytes(size_of::<Thread>())
            + self.changed.capacity() * (size_of::<((u32, u32, ThreadId), u32)>() + 1)
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
