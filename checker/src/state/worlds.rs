//! Interning the operating system's state and maps of regions: compared by meaning, shared by
//! reference count.
//!
//! A world is what belongs to no thread (its *common* part) and the records of all threads. Each
//! of these *parts* is interned by itself and is a component of the state (see
//! [`super::contents`]); the world follows from their numbers (see [`super::roster`]). It is kept
//! as a common part and a list of chunks of neighbouring records, so that one which differs in one
//! record costs that record, its chunk and the list of chunks: some hundred bytes. The state of the
//! operating system itself is put together again when somebody wants to see it.
//!
//! States do not have worlds in them, only parts. So worlds can be forgotten when there are many
//! for the states that there are ([`Worlds::forget`]); they are made again when they come up
//! again, and their new numbers are above all that were given before.
//!
//! A world that is only looked at *passes*: it has a number that no other world gets for long, and
//! is gone when the next one is looked at. It has to be [kept](Worlds::keep) before anybody relies
//! on it, which gives it an ordinary number.

use super::contents::ABSENT;
use super::roster::{COMMON_PART, Roster, mix};
use super::slots::{Slots, fold};
use samovar_runtime::{Chunk, Os, Privileges, Thread, ThreadState, Threads, WaitFor};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::region::RegionMap;
use std::sync::{Arc, OnceLock};

/// Operating-system states by number.
#[derive(Debug, Default)]
pub struct Worlds {
    all: Table<World>,
    /// The number of the first one; those with smaller numbers were forgotten.
    base: u32,
    last: u32,
    /// Whether states that differ in what was written count as different.
    tells_output: bool,
    /// For each common part a state that has it.
    commons: Table<Arc<Os>>,
    records: Table<Arc<Thread>>,
    chunks: Table<Records>,
    /// The world that passes, with its number, and how many did before.
    passing: Option<(u32, World)>,
    passed: u32,
}

/// From here on, numbers are of worlds that pass.
const PASSING: u32 = 1 << 30;
/// So many worlds are never too many.
const FEW: usize = 1 << 14;
/// States that are worth a world.
const STATES: usize = 128;

/// A chunk of records.
#[derive(Debug)]
struct Records {
    numbers: Box<[u32]>,
    roll: Roll,
    /// The records themselves, if somebody wanted to see them.
    shared: OnceLock<Arc<Chunk>>,
}

/// See the module head.
#[derive(Debug)]
struct World {
    common: u32,
    chunks: Box<[u32]>,
    privileges: Privileges,
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
    fn of<'a>(records: impl Iterator<Item = &'a Arc<Thread>>) -> Roll {
        const { assert!(Threads::CHUNK <= u32::BITS as usize) };
        let mut roll = Roll::default();
        for (at, record) in records.enumerate() {
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

    /// Who has locked which memory in the state that was asked about last.
    pub fn latest_privileges(&self) -> Option<&Privileges> {
        self.get(self.last).map(|world| &world.privileges)
    }

    /// The same, where much is shared with a known world.
    fn number_near(&mut self, os: &Arc<Os>, near: u32) -> u32 {
        let common = self.common_part(os, near);
        let chunks = self.chunks_of(os.threads(), near);
        let records = chunks.iter().flat_map(|&chunk| self.records_of(chunk));
        let parts = records.zip(0..).map(|(&record, thread)| mix(thread, record));
        let hash = parts.fold(mix(COMMON_PART, common), u64::wrapping_add);
        let is_it = |world: &World| world.common == common && world.chunks == chunks;
        self.last = match self.all.find(hash, is_it) {
            Some(index) => self.base + index,
            None => self.add(self.new_world(common, chunks, os.privileges().clone(), hash)),
        };
        self.last
    }

    fn add(&mut self, world: World) -> u32 {
        self.base + self.all.add(world.hash, world, |world| world.hash)
    }

    /// A world, unless it was forgotten.
    #[inline]
    fn get(&self, number: u32) -> Option<&World> {
        match &self.passing {
            Some((passing, world)) if *passing == number => Some(world),
            _ => self.all.items.get(number.wrapping_sub(self.base) as usize),
        }
    }

    #[inline]
    fn world(&self, number: u32) -> &World {
        self.get(number).expect("a world that was not forgotten")
    }

    /// Whether a world was forgotten.
    #[inline]
    pub fn is_forgotten(&self, number: u32) -> bool {
        number < self.base
    }

    /// Whether there are more worlds than that many states are worth, and numbers for others.
    #[inline]
    pub fn are_many(&self, states: usize) -> bool {
        FEW.max(states / STATES) < self.all.items.len() && self.base < PASSING / 2
    }

    /// Forgets all worlds, and chunks of records, but not the parts that they consist of.
    pub fn forget(&mut self) {
        self.base += self.all.items.len() as u32;
        (self.all, self.chunks, self.passing) = (Table::default(), Table::default(), None);
    }

    fn new_world(&self, common: u32, chunks: Box<[u32]>, held: Privileges, hash: u64) -> World {
        let is_awaited = chunks.iter().any(|&chunk| self.roll(chunk).waiting != 0);
        World { common, chunks, privileges: held, is_awaited, hash }
    }

    /// The numbers of the records of a chunk.
    #[inline]
    fn records_of(&self, chunk: u32) -> &[u32] {
        &self.chunks.items[chunk as usize].numbers
    }

    fn common_part(&mut self, os: &Arc<Os>, near: u32) -> u32 {
        let tells = self.tells_output;
        let is_same =
            |known: &Os| known.same_common(os) && (!tells || known.has_written_the_same(os));
        let near = self.get(near).map(|near| near.common);
        if let Some(near) = near.filter(|&near| is_same(&self.commons.items[near as usize])) {
            return near;
        }
        let digest = os.digest_common();
        match self.commons.find(digest, |known| is_same(known)) {
            Some(number) => number,
            None => self.commons.add(digest, Arc::clone(os), |os| os.digest_common()),
        }
    }

    fn chunks_of(&mut self, threads: &Threads, near: u32) -> Box<[u32]> {
        let number = |(at, chunk): (usize, &Arc<Chunk>)| {
            let near = self.get(near).and_then(|near| near.chunks.get(at)).copied();
            self.chunk(chunk, near)
        };
        threads.chunks().iter().enumerate().map(number).collect()
    }

    fn chunk(&mut self, chunk: &Arc<Chunk>, near: Option<u32>) -> u32 {
        if let Some(near) = near {
            let shared = self.chunks.items[near as usize].shared.get();
            if shared.is_some_and(|shared| Arc::ptr_eq(shared, chunk)) {
                return near;
            }
        }
        let mut numbers = Vec::with_capacity(chunk.len());
        for (at, record) in chunk.iter().enumerate() {
            let near = near.and_then(|near| self.records_of(near).get(at).copied());
            let is_same = |near: &u32| Arc::ptr_eq(&self.records.items[*near as usize], record);
            numbers.push(near.filter(is_same).unwrap_or_else(|| self.record_number(record)));
        }
        self.chunk_number(&numbers)
    }

    /// The number of the chunk of these records.
    fn chunk_number(&mut self, numbers: &[u32]) -> u32 {
        let hash = hash_numbers(numbers);
        if let Some(number) = self.chunks.find(hash, |known| *known.numbers == *numbers) {
            return number;
        }
        let records = numbers.iter().map(|&number| &self.records.items[number as usize]);
        let roll = Roll::of(records);
        let chunk = Records { numbers: numbers.into(), roll, shared: OnceLock::new() };
        self.chunks.add(hash, chunk, |chunk| hash_numbers(&chunk.numbers))
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
        let index = self.all.find(roster.hash(), |world| self.is_of(world, roster))?;
        Some(self.base + index)
    }

    fn is_of(&self, world: &World, roster: &Roster) -> bool {
        let mut rest = roster.records();
        world.common == roster.common()
            && world.chunks.iter().all(|&chunk| {
                let records = self.records_of(chunk);
                let is_it = rest.starts_with(records);
                rest = rest.get(records.len()..).unwrap_or_default();
                is_it
            })
            && rest.is_empty()
    }

    /// Adds the world with these parts, which is new and like another one but for some of them.
    pub fn make(&mut self, roster: &Roster, near: u32) -> u32 {
        let world = self.put_together(roster, near);
        self.add(world)
    }

    /// The same, but the world passes.
    pub fn pass(&mut self, roster: &Roster, near: u32) -> u32 {
        let world = self.put_together(roster, near);
        self.passed = (self.passed + 1) % PASSING;
        let number = PASSING + self.passed;
        self.passing = Some((number, world));
        number
    }

    /// The number under which a world stays that may be passing.
    pub fn keep(&mut self, world: u32) -> u32 {
        match self.passing.take_if(|passing| passing.0 == world) {
            Some((_, passing)) => self.add(passing),
            None => world,
        }
    }

    fn put_together(&mut self, roster: &Roster, near: u32) -> World {
        let near = Some(near).filter(|&near| self.get(near).is_some());
        let mut held = near.map_or_else(Privileges::default, |near| self.privileges(near).clone());
        let count = near.map_or(0, |near| self.count(near) as usize);
        for thread in (0..roster.records().len().max(count) as u32).map(ThreadId) {
            let before = near.map_or(ABSENT, |near| self.record(near, thread));
            let after = roster.record(thread);
            if before != after {
                held = held.with_own(thread, self.held_by(before), self.held_by(after));
            }
        }
        let chunks = roster.records().chunks(Threads::CHUNK);
        let chunks = chunks.map(|records| self.chunk_number(records)).collect();
        self.new_world(roster.common(), chunks, held, roster.hash())
    }

    /// Memory that the thread with a record has locked.
    fn held_by(&self, record: u32) -> &[(u64, u64)] {
        self.records.items.get(record as usize).map_or(&[], |record| record.privileged())
    }

    /// Tells all parts of a world.
    pub fn each_part(&self, world: u32, mut tell: impl FnMut(u32, u32)) {
        let World { common, chunks, .. } = self.world(world);
        tell(COMMON_PART, *common);
        let records = chunks.iter().flat_map(|&chunk| self.records_of(chunk));
        records.zip(0..).for_each(|(&record, thread)| tell(thread, record));
    }

    /// The chunks of threads of a world, by number.
    #[inline]
    pub fn chunks(&self, world: u32) -> &[u32] {
        &self.world(world).chunks
    }

    /// Who can run and who waits of a chunk.
    #[inline]
    pub fn roll(&self, chunk: u32) -> Roll {
        self.chunks.items[chunk as usize].roll
    }

    /// The waits of a chunk's threads that concern an object, by thread, as counted in the chunk.
    pub fn waits(&self, chunk: u32, object: u64) -> Vec<(u32, WaitFor)> {
        let records = self.records_of(chunk).iter().zip(0..);
        let records = records.map(|(&record, at)| (&self.records.items[record as usize], at));
        let waits = records.filter_map(|(record, at)| Some((at, record.waiting()?)));
        let waits = waits.filter(|(_, wait)| wait.concerns(object));
        waits.map(|(at, wait)| (at, wait.clone())).collect()
    }

    /// Whether any thread waits.
    #[inline]
    pub fn is_awaited(&self, world: u32) -> bool {
        self.world(world).is_awaited
    }

    /// How many threads there are.
    pub fn count(&self, world: u32) -> u32 {
        let last = self.chunks(world).split_last();
        let count = |(&last, full): (&u32, &[u32])| {
            full.len() * Threads::CHUNK + self.records_of(last).len()
        };
        last.map_or(0, count) as u32
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
        let chunk = self.world(world).chunks.get(chunk);
        let record = chunk.and_then(|&chunk| self.records_of(chunk).get(at));
        record.copied().unwrap_or(ABSENT)
    }

    /// The number of what belongs to no thread in a world.
    #[inline]
    pub fn common(&self, world: u32) -> u32 {
        self.world(world).common
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

    /// Who has locked which memory in a world.
    #[inline]
    pub fn privileges(&self, world: u32) -> &Privileges {
        &self.world(world).privileges
    }

    /// A state of the operating system by number.
    pub fn os(&self, world: u32) -> Arc<Os> {
        let World { common, chunks, privileges, .. } = self.world(world);
        let threads = chunks.iter().map(|&chunk| {
            let Records { numbers, shared, .. } = &self.chunks.items[chunk as usize];
            let record = |&number: &u32| Arc::clone(&self.records.items[number as usize]);
            Arc::clone(shared.get_or_init(|| Arc::new(numbers.iter().map(record).collect())))
        });
        let common = &self.commons.items[*common as usize];
        Arc::new(common.with_threads(threads.collect(), privileges.clone()))
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        let threads = self.get(self.last).map_or(0, |_| self.count(self.last)) as usize;
        let lists = threads.div_ceil(Threads::CHUNK) * size_of::<u32>();
        let chunk = threads.min(Threads::CHUNK) * size_of::<u32>();
        let seen = self.chunks.items.iter().filter(|chunk| chunk.shared.get().is_some()).count();
        let shared = size_of::<Chunk>() + threads.min(Threads::CHUNK) * size_of::<usize>();
        self.all.bytes(lists)
            + self.chunks.bytes(chunk)
            + seen * shared
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
