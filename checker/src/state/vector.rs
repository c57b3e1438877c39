//! The state vector: a process as a list of numbers of interned components.
//!
//! Components are granules of memory and of its shadow, page flags, objects, the map of regions,
//! the registers of each thread and the operating system. A component has a fixed position from
//! the first time it changes; position values are relative to the component's contents at the
//! start of the search, which count as zero, so a component that never changed, one that changed
//! back and one that is not known yet all look the same. The vector itself is folded into one
//! number (see [`super::tree`]): two processes on the same path of positions are equal if and only
//! if their numbers are.
//!
//! A step changes few components; only those are looked at again (cost: the size of what the
//! journal says was written). Undoing a step takes its changes of the vector back. Jumping to a
//! stored state writes the components that differ (see [`super::jump`]).
//!
//! What counts as state is what the guest can still observe: output already made, the journal and
//! counters of the checker are left out; dead stack was overwritten with zeros before (see
//! [`super::dead`]); registers of threads that have ended are zero, but for where the descriptor
//! is. Whether bytes were initialised is left out as long as nobody asks for it.

use super::pool::Pool;
use super::printed::{Printed, Printing};
use super::tree::{Pairs, StateId, Tree, TreeMark};
use super::worlds::{Regions, View, Worlds};
use crate::explore::measure::MemoryUse;
use ahash::{AHashMap, AHashSet, RandomState};
use samovar_runtime::{LOOK_AT_WAITS, Os, Process};
use samovar_vm::context::{Core, Floating};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::journal::{Changed, Mark};
use samovar_vm::memory::object::{Object, ObjectKind};
use samovar_vm::memory::reads::{LINE, Seen};
use samovar_vm::memory::{Memory, PAGE_SIZE, restore};
use samovar_vm::reg::Reg;
use samovar_vm::x87;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of memory in one component.
pub const GRANULE: u64 = LINE;
/// Pages whose flags are one component.
pub(super) const PAGES: u64 = 1024;
/// Words of the registers of a thread.
const CORE_WORDS: usize = 27;
/// The program counter among them.
const PC_WORD: usize = 18;
/// Bytes of an object: its size, kind and thread.
const OBJECT_BYTES: usize = 16;
/// Bytes of the image of floating-point registers.
const FLOATING_BYTES: usize = 512;

/// So many changes are searched one by one for one that was there before.
const FEW: usize = 32;

/// A part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Component {
    /// Memory, by address divided by [`GRANULE`].
    Granule(u64),
    /// Shadow of memory, likewise.
    Shadow(u64),
    /// Flags of pages, by number of the page divided by [`PAGES`].
    Pages(u64),
    /// The object at an address.
    Object(u64),
    /// What is mapped where.
    Regions,
    /// General registers of a thread.
    Core(u32),
    /// Floating-point registers of a thread.
    Floating(u32),
    /// The operating system.
    World,
}

/// What a component was at the start of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub component: Component,
    /// Number of its contents then; [`ABSENT`] if it did not exist.
    pub base: u32,
}

/// From here on, positions stand for what a thread sees of the operating system: its number and a
/// bit for the [`View`].
const VIEWS: u32 = 1 << 30;

/// Positions of the operating system and of the map of regions.
const WORLD: u32 = 1;
const REGIONS: u32 = 2;

/// No contents have this number.
pub(super) const ABSENT: u32 = u32::MAX;

/// Where a vector stood, to go back to.
#[derive(Clone, Copy, Debug)]
pub struct VectorMark(TreeMark, Printing);

/// See the module head.
#[derive(Debug)]
pub struct StateVector {
    positions: AHashMap<Component, u32>,
    /// By position; the first is none.
    pub(super) slots: Vec<Slot>,
    /// Contents of memory at the start of the search, pages that were not all zero.
    baseline: AHashMap<u64, Box<[u8]>>,
    shadow_baseline: AHashMap<u64, Box<[u8]>>,
    page_baseline: AHashMap<u64, Box<[u8]>>,
    object_baseline: AHashMap<u64, [u8; OBJECT_BYTES]>,
    pub(super) tree: Tree,
    pub(super) pairs: Pairs,
    /// Tells states by fingerprints, if they are not stored.
    pub(super) printed: Option<Printed>,
    pub(super) granules: Pool,
    pub(super) pages: Pool,
    pub(super) objects: Pool,
    pub(super) cores: Pool,
    pub(super) floatings: Pool,
    pub(super) floating_values: Vec<Floating>,
    pub(super) worlds: Worlds,
    pub(super) regions: Regions,
    changed: Vec<Component>,
    /// The state in which the process stands; see [`super::jump`].
    pub(super) real: StateId,
    pub(super) differing: Vec<(u32, u32)>,
    /// Positions of the registers of threads, by thread; zero for those that are not known.
    threads: Vec<[u32; 2]>,
    /// Components without a position that moves looked at.
    assumed: AHashSet<Component>,
    /// One of them got a position.
    outdated: bool,
    /// By position: the question about looks in which it was mentioned last.
    mentioned: Vec<u32>,
    question: u32,
}

impl StateVector {
    /// The vector of a process at the start of a search: all zeros.
    pub fn new(process: &Process) -> StateVector {
        let hasher = RandomState::with_seeds(21, 22, 23, 24);
        let map = || AHashMap::with_hasher(hasher.clone());
        let mut vector = StateVector {
            positions: AHashMap::with_hasher(hasher.clone()),
            slots: vec![Slot { component: Component::World, base: ABSENT }],
            baseline: map(),
            shadow_baseline: map(),
            page_baseline: map(),
            object_baseline: AHashMap::with_hasher(hasher.clone()),
            tree: Tree::default(),
            pairs: Pairs::default(),
            printed: None,
            granules: Pool::new(GRANULE as usize),
            pages: Pool::new(PAGES as usize),
            objects: Pool::new(OBJECT_BYTES),
            cores: Pool::new(CORE_WORDS * 8),
            floatings: Pool::new(FLOATING_BYTES),
            floating_values: Vec::new(),
            worlds: Worlds::default(),
            regions: Regions::default(),
            changed: Vec::new(),
            real: StateId::default(),
            differing: Vec::new(),
            threads: Vec::new(),
            assumed: AHashSet::with_hasher(hasher),
            outdated: false,
            mentioned: Vec::new(),
            question: 0,
        };
        vector.tree.push();
        vector.keep_baseline(&process.machine.memory);
        vector.add(Component::World, process);
        vector.add(Component::Regions, process);
        for thread in 0..process.machine.thread_count() {
            vector.add(Component::Core(thread), process);
            vector.add(Component::Floating(thread), process);
        }
        vector
    }

    fn keep_baseline(&mut self, memory: &Memory) {
        for (start, region) in memory.regions().iter().filter(|(_, region)| region.perms.write) {
            for page in (start..region.end).step_by(PAGE_SIZE as usize) {
                let bytes = memory.raw(page, PAGE_SIZE);
                if bytes.iter().any(|&byte| byte != 0) {
                    self.baseline.insert(page, bytes.into());
                }
                let shadow = memory.raw_shadow(page, PAGE_SIZE);
                if shadow.iter().any(|&byte| byte != 0) {
                    self.shadow_baseline.insert(page, shadow.into());
                }
            }
        }
        for (start, region) in memory.regions().iter() {
            let pages = start / PAGE_SIZE..region.end.div_ceil(PAGE_SIZE);
            for group in pages.start / PAGES..=(pages.end - 1) / PAGES {
                let mut states = vec![0; PAGES as usize];
                memory.page_states(group * PAGES, &mut states);
                self.page_baseline.insert(group, states.into());
            }
        }
        for (addr, object) in memory.objects().iter() {
            self.object_baseline.insert(addr, object_bytes(Some(object)));
        }
    }

    /// The number of the present state.
    pub fn state(&self) -> StateId {
        match &self.printed {
            None => self.tree.id(),
            Some(printed) => printed.state(),
        }
    }

    /// Tells states by fingerprints from now on. The vector must be at the start.
    pub fn print_by(&mut self, mut printed: Printed) {
        debug_assert_eq!((self.state(), self.real), (StateId(0), StateId(0)));
        printed.reserve(self.slots.len());
        self.tree.flatten();
        self.printed = Some(printed);
    }

    /// Fingerprints, if states are told by them.
    #[inline]
    pub fn printed(&self) -> Option<&Printed> {
        self.printed.as_ref()
    }

    /// Takes another function for fingerprints. The vector must be at the start.
    pub fn change_function(&mut self, function: u64) {
        debug_assert_eq!(self.state(), StateId(0));
        if let Some(printed) = &mut self.printed {
            printed.change_function(function, self.slots.len());
        }
    }

    /// Another state is expanded.
    pub fn begin_state(&mut self) {
        if let Some(printed) = &mut self.printed {
            printed.begin_state();
        }
    }

    /// Everything that is different from the start.
    pub fn values(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = self.tree.elements().iter().enumerate();
        all.filter(|(_, value)| **value != 0).map(|(position, &value)| (position as u32, value))
    }

    /// Every [`StateId`] is below this number.
    pub fn ids(&self) -> usize {
        self.printed.as_ref().map_or(self.pairs.len(), Printed::len)
    }

    /// The operating system in the present state.
    pub fn os(&self) -> &Arc<Os> {
        self.worlds.get(self.contents_at(WORLD))
    }

    /// The program counter of a thread in the present state.
    pub fn pc(&self, thread: ThreadId) -> u64 {
        let position = self.threads[thread.0 as usize][0];
        let bytes = self.cores.contents(self.contents_at(position));
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[PC_WORD * 8..PC_WORD * 8 + 8]);
        u64::from_le_bytes(word)
    }

    /// The number of the present contents at a position.
    fn contents_at(&self, position: u32) -> u32 {
        self.contents_of(position, self.tree.get(position))
    }

    /// The number of the contents that a value at a position stands for.
    fn contents_of(&self, position: u32, value: u32) -> u32 {
        match value {
            0 => self.slots[position as usize].base,
            value => value - 1,
        }
    }

    /// What is at a position that [`StateVector::looks`] told.
    #[inline]
    pub fn value(&mut self, position: u32) -> u32 {
        if position < VIEWS {
            return self.tree.get(position);
        }
        let view = if position & 1 == 0 { View::Own } else { View::Waits };
        let thread = ThreadId((position - VIEWS) / 2);
        self.worlds.view(self.contents_at(WORLD), thread, view)
    }

    /// From now on, states that differ in what the program has written count as different.
    pub fn tell_output(&mut self) {
        self.worlds.tell_output();
    }

    /// What is at the position of the memory around an address.
    pub fn value_around(&self, addr: u64) -> u32 {
        let position = self.positions.get(&Component::Granule(addr / GRANULE));
        position.map_or(0, |&position| self.tree.get(position))
    }

    /// Whether a change is one of the operating system.
    pub fn is_world((position, _): (u32, u32)) -> bool {
        position == WORLD
    }

    /// Changes the operating system as a move of a thread changed another one to what is shown.
    #[inline]
    pub fn change_world(&mut self, shown: u32, thread: ThreadId) {
        let world = self.worlds.change(self.contents_at(WORLD), shown, thread);
        let base = self.slots[WORLD as usize].base;
        self.assign(WORLD, if world == base { 0 } else { world + 1 });
    }

    /// Changes what is at these positions; the number of the state that this is.
    #[inline]
    pub fn put(&mut self, values: &[(u32, u32)]) -> StateId {
        for &(position, value) in values {
            self.assign(position, value);
        }
        self.settle()
    }

    #[inline]
    fn assign(&mut self, position: u32, value: u32) {
        if let Some(printed) = &mut self.printed {
            let old = self.tree.get(position);
            let component = self.slots[position as usize].component;
            printed.change(position, old, value, matches!(component, Component::Core(_)));
        }
        self.tree.set(position, value);
    }

    #[inline]
    fn settle(&mut self) -> StateId {
        match &mut self.printed {
            None => self.tree.settle(&mut self.pairs),
            Some(printed) => printed.settle(self.tree.elements()),
        }
    }

    /// Positions whose values have changed since `mark`, and their values now.
    pub fn changes_since(&self, mark: VectorMark, into: &mut Vec<(u32, u32)>) {
        into.clear();
        let changed = self.tree.changed_since(mark.0);
        into.extend(changed.map(|position| (position, self.tree.get(position))));
    }

    /// The positions that decide about a move of a thread from the present state, and what is
    /// there: its registers, what it sees of the operating system, what it looked at and changes.
    /// If it changes no more of the operating system than its thread's own part and what belongs to
    /// no thread, the number of the changed operating system comes back.
    pub fn looks(
        &mut self,
        thread: ThreadId,
        seen: &[Seen],
        changes: &[(u32, u32)],
        looks: &mut Vec<(u32, u32)>,
    ) -> Option<u32> {
        looks.clear();
        self.question += 1;
        self.mentioned.resize(self.slots.len(), 0);
        self.mention(REGIONS, looks);
        // The passing of time is not one thread's.
        let mut whole = self.os().threads().len() <= thread.0 as usize;
        if whole {
            self.mention(WORLD, looks);
        } else {
            self.threads[thread.0 as usize].into_iter().for_each(|it| self.mention(it, looks));
            self.mention_view(thread, View::Own, looks);
        }
        for seen in seen {
            match *seen {
                Seen::Line(line) => {
                    self.look(Component::Granule(line), looks);
                    self.look(Component::Shadow(line), looks);
                    self.look(Component::Pages(line * LINE / PAGE_SIZE / PAGES), looks);
                }
                Seen::Object(addr) => self.look(Component::Object(addr), looks),
                Seen::Beyond(LOOK_AT_WAITS) if !whole => {
                    self.mention_view(thread, View::Waits, looks);
                }
                Seen::Beyond(_) => {
                    whole = true;
                    self.mention(WORLD, looks);
                }
            }
        }
        let shown = changes.iter().find(|(position, _)| *position == WORLD);
        let shown = shown.map(|&(position, value)| self.contents_of(position, value));
        let before = self.contents_at(WORLD);
        let is_own = |shown: &u32| !whole && self.worlds.is_own_change(before, *shown, thread);
        let shown = shown.filter(is_own);
        for &(position, _) in changes.iter().filter(|it| it.0 != WORLD || shown.is_none()) {
            self.mention(position, looks);
        }
        shown
    }

    fn mention_view(&mut self, thread: ThreadId, view: View, looks: &mut Vec<(u32, u32)>) {
        let position = VIEWS + thread.0 * 2 + u32::from(view == View::Waits);
        looks.push((position, self.value(position)));
    }

    fn look(&mut self, component: Component, looks: &mut Vec<(u32, u32)>) {
        match self.positions.get(&component) {
            Some(&position) => self.mention(position, looks),
            None => {
                self.assumed.insert(component);
            }
        }
    }

    fn mention(&mut self, position: u32, looks: &mut Vec<(u32, u32)>) {
        let mentioned = &mut self.mentioned[position as usize];
        if std::mem::replace(mentioned, self.question) != self.question {
            looks.push((position, self.tree.get(position)));
        }
    }

    /// Components in which two lists of changes differ, some of them.
    pub fn describe(&self, one: &[(u32, u32)], other: &[(u32, u32)]) -> String {
        let all = one.iter().chain(other);
        let differing = all.filter(|change| !one.contains(change) || !other.contains(change));
        let name = |&(position, value): &(u32, u32)| {
            format!("{:x?} {value} ", self.slots[position as usize].component)
        };
        differing.take(20).map(name).collect()
    }

    /// Compares the vector with the process, which must stand in the present state, component by
    /// component.
    ///
    /// # Panics
    /// If they differ.
    pub fn judge(&mut self, process: &Process) {
        for position in 1..self.slots.len() as u32 {
            let Slot { component, base } = self.slots[position as usize];
            let is_absent = match component {
                Component::Core(thread) | Component::Floating(thread) => {
                    process.machine.thread_count() <= thread
                }
                _ => false,
            };
            let number = if is_absent { base } else { self.number(component, process) };
            assert_eq!(number, self.contents_at(position), "{component:?}");
        }
    }

    /// Whether a component that moves looked at has changed for the first time since: then it is
    /// missing from what [`StateVector::looks`] said of them.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// Nobody relies on earlier answers of [`StateVector::looks`].
    pub fn renew(&mut self) {
        self.assumed.clear();
        self.outdated = false;
    }

    /// Forgets all states; components keep their numbers. The process must be at the start.
    pub fn clear(&mut self) {
        debug_assert_eq!((self.state(), self.real), (StateId(0), StateId(0)));
        self.pairs.clear();
        self.tree.forget();
        if let Some(printed) = &mut self.printed {
            printed.clear();
        }
    }

    /// Remembers where the vector stands.
    pub fn mark(&self) -> VectorMark {
        let printing = self.printed.as_ref().map(Printed::mark).unwrap_or_default();
        VectorMark(self.tree.mark(), printing)
    }

    /// Takes back all changes since `mark`.
    pub fn undo_to(&mut self, mark: VectorMark) {
        self.tree.undo_to(mark.0);
        if let Some(printed) = &mut self.printed {
            printed.undo_to(mark.1);
        }
    }

    /// Takes in what a step of the process, which stood in the present state, changed since `mark`;
    /// the number of the state that it led to.
    pub fn update(&mut self, process: &Process, mark: Mark) -> StateId {
        self.changed.clear();
        self.changed.push(Component::World);
        let (changed, mut added) = (&mut self.changed, 0);
        process.machine.memory.journal.each_since(mark, |change| match change {
            Changed::Contents { addr, len } => {
                let granules = addr / GRANULE..=(addr + len.max(1) - 1) / GRANULE;
                changed.extend(granules.map(Component::Granule));
            }
            Changed::Shadow { addr, len } => {
                let granules = addr / GRANULE..=(addr + len.max(1) - 1) / GRANULE;
                changed.extend(granules.map(Component::Shadow));
            }
            Changed::Pages { first, count } => {
                let groups = first / PAGES..=(first + count.max(1) - 1) / PAGES;
                changed.extend(groups.map(Component::Pages));
            }
            Changed::Regions => changed.push(Component::Regions),
            Changed::Object(addr) => changed.push(Component::Object(addr)),
            // Registers of a thread that has ended are nobody's.
            Changed::Core(thread) if !is_alive(process, thread) => {
                changed.extend([Component::Core(thread), Component::Floating(thread)]);
            }
            Changed::Core(thread) => changed.push(Component::Core(thread)),
            Changed::Floating(thread) => changed.push(Component::Floating(thread)),
            Changed::ThreadAdded => added += 1,
        });
        let count = process.machine.thread_count();
        for thread in count - added..count {
            changed.extend([Component::Core(thread), Component::Floating(thread)]);
        }
        self.take_in(process)
    }

    /// Whether something has changed since `mark` that is neither a register of a thread nor in
    /// these bytes, its stack.
    pub fn changed_beyond(&self, mark: VectorMark, stack: &Range<u64>) -> bool {
        self.tree.changed_since(mark.0).any(|position| {
            match self.slots[position as usize].component {
                Component::Core(_) | Component::Floating(_) => false,
                Component::Granule(granule) => !stack.contains(&(granule * GRANULE)),
                _ => true,
            }
        })
    }

    fn take_in(&mut self, process: &Process) -> StateId {
        // The same granule is often changed several times in a row.
        self.changed.dedup();
        if FEW < self.changed.len() {
            self.changed.sort_unstable();
            self.changed.dedup();
        }
        for at in 0..self.changed.len() {
            let component = self.changed[at];
            if FEW < self.changed.len() || !self.changed[..at].contains(&component) {
                self.set(component, process);
            }
        }
        self.settle()
    }

    fn set(&mut self, component: Component, process: &Process) {
        let position = match self.positions.get(&component) {
            Some(&position) => position,
            None => self.add_changed(component),
        };
        let number = self.number(component, process);
        let base = self.slots[position as usize].base;
        self.assign(position, if number == base { 0 } else { number + 1 });
    }

    /// The number of a component's present contents.
    fn number(&mut self, component: Component, process: &Process) -> u32 {
        let memory = &process.machine.memory;
        match component {
            Component::Granule(granule) => {
                let addr = granule * GRANULE;
                match process.ignored() {
                    [] => self.granules.intern(memory.raw(addr, GRANULE)),
                    ignored => {
                        let mut bytes = [0; GRANULE as usize];
                        bytes.copy_from_slice(memory.raw(addr, GRANULE));
                        leave_out(&mut bytes, addr, ignored);
                        self.granules.intern(&bytes)
                    }
                }
            }
            Component::Shadow(granule) => {
                self.intern_shadow(memory.raw_shadow(granule * GRANULE, GRANULE))
            }
            Component::Pages(group) => {
                let mut states = [0; PAGES as usize];
                memory.page_states(group * PAGES, &mut states);
                self.pages.intern(&states)
            }
            Component::Object(addr) => {
                self.objects.intern(&object_bytes(memory.objects().get(addr)))
            }
            Component::Regions => self.regions.number(memory.region_map()),
            Component::Core(thread) => {
                let core = process.machine.core(ThreadId(thread));
                let core = match is_alive(process, thread) {
                    true => canonical_core(core),
                    false => ended_core(core),
                };
                self.cores.intern(core.map(u64::to_le_bytes).as_flattened())
            }
            Component::Floating(thread) => self.floating(process, thread),
            Component::World => self.worlds.number(process.world()),
        }
    }

    fn intern_shadow(&mut self, shadow: &[u8]) -> u32 {
        let mut bytes = [0; GRANULE as usize];
        restore::judged(shadow, &mut bytes);
        self.granules.intern(&bytes)
    }

    fn floating(&mut self, process: &Process, thread: u32) -> u32 {
        let dead = Floating::default();
        let floating = if is_alive(process, thread) {
            process.machine.floating(ThreadId(thread))
        } else {
            &dead
        };
        let image = x87::fxsave(&floating.x87, &floating.xmm, floating.mxcsr);
        let number = self.floatings.intern(&image);
        if number as usize == self.floating_values.len() {
            self.floating_values.push(floating.clone());
        }
        number
    }

    /// A position for a component that changed for the first time.
    fn add_changed(&mut self, component: Component) -> u32 {
        let zeros = [0; PAGES as usize];
        let base = match component {
            Component::Granule(granule) => {
                let bytes = within(&self.baseline, granule).unwrap_or(&zeros[..GRANULE as usize]);
                self.granules.intern(bytes)
            }
            Component::Shadow(granule) => {
                let bytes = within(&self.shadow_baseline, granule);
                let bytes = bytes.unwrap_or(&zeros[..GRANULE as usize]).to_vec();
                self.intern_shadow(&bytes)
            }
            Component::Pages(group) => {
                let states = self.page_baseline.get(&group).map_or(&zeros[..], |states| states);
                self.pages.intern(states)
            }
            Component::Object(addr) => {
                let object = self.object_baseline.get(&addr).copied();
                self.objects.intern(&object.unwrap_or(object_bytes(None)))
            }
            // All that were there at the start have a position.
            Component::Core(_) | Component::Floating(_) | Component::Regions | Component::World => {
                ABSENT
            }
        };
        self.add_slot(component, base)
    }

    /// A position for a component that is there at the start.
    fn add(&mut self, component: Component, process: &Process) {
        let base = self.number(component, process);
        self.add_slot(component, base);
    }

    fn add_slot(&mut self, component: Component, base: u32) -> u32 {
        let position = self.tree.push();
        debug_assert_eq!(position as usize, self.slots.len());
        self.slots.push(Slot { component, base });
        if let Some(printed) = &mut self.printed {
            printed.reserve(self.slots.len());
        }
        self.positions.insert(component, position);
        self.outdated |= self.assumed.remove(&component);
        if let Component::Core(thread) | Component::Floating(thread) = component {
            let thread = thread as usize;
            if self.threads.len() <= thread {
                self.threads.resize(thread + 1, [0; 2]);
            }
            let which = usize::from(matches!(component, Component::Floating(_)));
            self.threads[thread][which] = position;
        }
        position
    }

    /// Memory taken by the states.
    pub fn state_bytes(&self) -> usize {
        self.printed.as_ref().map_or(self.pairs.bytes(), Printed::bytes)
    }

    /// How full the table of states is, from zero to one.
    pub fn table_load(&self) -> f64 {
        let load = match &self.printed {
            None => self.pairs.load(),
            Some(printed) => printed.load(),
        };
        load.0 as f64 / load.1.max(1) as f64
    }

    /// Memory taken by the components, by kind.
    pub fn component_use(&self) -> MemoryUse {
        let floating = self.floating_values.len() * size_of::<Floating>();
        MemoryUse {
            granules: self.granules.bytes() as u64,
            registers: (self.cores.bytes() + self.floatings.bytes() + floating) as u64,
            objects: (self.pages.bytes() + self.objects.bytes()) as u64,
            worlds: self.worlds.bytes() as u64,
            ..MemoryUse::default()
        }
    }
}

fn is_alive(process: &Process, thread: u32) -> bool {
    process.threads().get(thread as usize).is_some_and(|thread| thread.is_alive())
}

/// A granule of pages that were kept.
fn within(pages: &AHashMap<u64, Box<[u8]>>, granule: u64) -> Option<&[u8]> {
    let addr = granule * GRANULE;
    let page = pages.get(&(addr / PAGE_SIZE * PAGE_SIZE))?;
    let offset = (addr % PAGE_SIZE) as usize;
    Some(&page[offset..offset + GRANULE as usize])
}

/// Zeros what the program wants to be left out.
fn leave_out(bytes: &mut [u8], addr: u64, ignored: &[(u64, u64)]) {
    for &(start, end) in ignored {
        let from = start.clamp(addr, addr + GRANULE) - addr;
        let to = end.clamp(addr, addr + GRANULE) - addr;
        bytes[from as usize..to.max(from) as usize].fill(0);
    }
}

fn object_bytes(object: Option<&Object>) -> [u8; OBJECT_BYTES] {
    let mut bytes = [0; OBJECT_BYTES];
    if let Some(object) = object {
        let (kind, thread) = match object.kind {
            ObjectKind::Heap { thread } => (1u32, thread),
            ObjectKind::Freed { thread } => (2, thread),
            ObjectKind::Global => (3, 0),
        };
        bytes[..8].copy_from_slice(&object.size.to_le_bytes());
        bytes[8..12].copy_from_slice(&kind.to_le_bytes());
        bytes[12..].copy_from_slice(&thread.to_le_bytes());
    }
    bytes
}

/// Of the registers of a thread that has ended, only where its descriptor is counts: that tells
/// which mapping was its stack.
fn ended_core(core: &Core) -> [u64; CORE_WORDS] {
    let mut words = [0; CORE_WORDS];
    words[Reg::Rsp as usize] = core[Reg::FsBase];
    words[16] = core[Reg::FsBase];
    words
}

/// Registers as the guest can observe them: temporaries count inside an instruction only.
fn canonical_core(core: &Core) -> [u64; CORE_WORDS] {
    let mut words = [0; CORE_WORDS];
    words[..16].copy_from_slice(&core.regs[..16]);
    words[16] = core[Reg::FsBase];
    words[17] = core[Reg::GsBase];
    words[PC_WORD] = core.pc;
    words[19] = core.flags.bits() | u64::from(core.direction) << 16;
    words[20] = core.return_watch;
    words[26] = core[Reg::Frame];
    if core.uops_done > 0 {
        words[21] = u64::from(core.uops_done);
        words[22..26].copy_from_slice(&core.regs[Reg::T0 as usize..=Reg::T3 as usize]);
    }
    words
}
