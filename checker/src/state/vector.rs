//! The state vector: a process as a list of numbers of interned components.
//!
//! Components and their numbers are those of [`super::contents`]. Values in the vector are relative
//! to the component's contents at the start of the search, which count as zero, so a component that
//! never changed, one that changed back and one that is not known yet all look the same. The values
//! lie in the cells of a tree (see [`super::layout`]), which is folded into one number (see
//! [`super::tree`]): two processes are equal if and only if their numbers are.
//!
//! A step changes few components; only those are looked at again (cost: the size of what the
//! journal says was written). Undoing a step takes its changes of the vector back. Jumping to a
//! stored state writes the components that differ (see [`super::jump`]).

pub use super::contents::GRANULE;
use super::contents::{ABSENT, Component, Contents, PAGES, PC_WORD, Slot, is_alive};
use super::layout::{Layout, Users};
use super::parts::Around;
use super::printed::{Printed, Printing};
use super::roster::{COMMON_PART, Roster, RosterMark};
use super::tree::{Next, Pairs, StateId, Tree, TreeMark};
use super::worlds::Worlds;
use crate::explore::measure::MemoryUse;
use ahash::{AHashSet, RandomState};
use samovar_runtime::{Os, Process};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::journal::{Changed, Mark};
use std::ops::Range;
use std::sync::Arc;

/// So many changes are searched one by one for one that was there before.
const FEW: usize = 32;
/// Numbers of states up to which components may be arranged anew: beginning anew costs little then.
const ARRANGE_AT: [usize; 2] = [1 << 14, 1 << 18];
/// Cells of a vector of which nothing is known.
const CELLS: usize = 16;

/// From here on, questions are about what several components decide about (see [`super::parts`]).
pub(super) const PART: u32 = 1 << 30;
/// From here to there, they are about whole cells. All others are about positions.
pub(super) const CELL: u32 = 1 << 29;

/// Positions of what belongs to no thread in the operating system, and of the map of regions.
pub(super) const COMMON: u32 = 1;
pub(super) const REGIONS: u32 = 2;

/// Cells share so many bits, each having that with the rest of its number; the next bit stands for
/// the operating system as a whole.
pub const CELL_BITS: u32 = u64::BITS - 1;

/// Where a vector stood, to go back to.
#[derive(Clone, Copy, Debug)]
pub struct VectorMark(TreeMark, RosterMark, Printing);

/// See the module head.
#[derive(Debug)]
pub struct StateVector {
    pub(super) contents: Contents,
    pub(super) tree: Tree,
    pub(super) pairs: Pairs,
    pub(super) layout: Layout,
    /// The parts of the operating system in the present state.
    pub(super) roster: Roster,
    /// How often components were arranged anew.
    arrangement: u32,
    /// The most states that there were when that was done.
    arranged_at: usize,
    /// By position: who works on it.
    pub(super) users: Vec<Users>,
    /// Tells states by fingerprints, if they are not stored.
    pub(super) printed: Option<Printed>,
    changed: Vec<Component>,
    /// Positions whose values the last update changed.
    updated: Vec<u32>,
    /// The state in which the process stands; see [`super::jump`].
    pub(super) real: StateId,
    pub(super) differing: Vec<(u32, u32)>,
    /// Positions of the registers and the record of threads, by thread; zero for those that are
    /// not known.
    pub(super) threads: Vec<[u32; 3]>,
    /// Components without a position that moves looked at.
    pub(super) assumed: AHashSet<Component>,
    /// First and last lines of memory where moves looked at all that has a position.
    pub(super) assumed_lines: Vec<(u64, u64)>,
    /// One of them got a position.
    outdated: bool,
    /// By position, and by cell: the question about looks in which it was mentioned last.
    pub(super) mentioned: Vec<u32>,
    pub(super) mentioned_cells: Vec<u32>,
    pub(super) question: u32,
}

impl StateVector {
    /// The vector of a process at the start of a search: all zeros.
    pub fn new(process: &Process) -> StateVector {
        let mut vector = StateVector {
            contents: Contents::new(process),
            tree: Tree::new(CELLS),
            pairs: Pairs::default(),
            layout: Layout::new(CELLS),
            roster: Roster::default(),
            arrangement: 0,
            arranged_at: 0,
            users: vec![Users::default()],
            printed: None,
            changed: Vec::new(),
            updated: Vec::new(),
            real: StateId::default(),
            differing: Vec::new(),
            threads: Vec::new(),
            assumed: AHashSet::with_hasher(RandomState::with_seeds(25, 26, 27, 28)),
            assumed_lines: Vec::new(),
            outdated: false,
            mentioned: Vec::new(),
            mentioned_cells: Vec::new(),
            question: 0,
        };
        let threads = (0..process.machine.thread_count()).flat_map(|thread| {
            [Component::Core(thread), Component::Floating(thread), Component::Record(thread)]
        });
        for component in [Component::Common, Component::Regions].into_iter().chain(threads) {
            let position = vector.contents.add_present(component, process);
            vector.take_position(component, position, None);
        }
        let world = vector.contents.world(process);
        vector.roster = Roster::new(&vector.contents.worlds, world);
        vector
    }

    /// The number of the present state.
    #[inline]
    pub fn state(&self) -> StateId {
        match &self.printed {
            None => self.tree.id(),
            Some(printed) => printed.state(),
        }
    }

    /// Tells states by fingerprints from now on. The vector must be at the start.
    pub fn print_by(&mut self, mut printed: Printed) {
        debug_assert_eq!((self.state(), self.real), (StateId(0), StateId(0)));
        let positions = self.contents.slots().len();
        printed.reserve(positions);
        self.layout = Layout::flat(positions);
        self.tree = Tree::flat();
        (0..positions).for_each(|_| self.tree.grow());
        self.note_parts();
        self.arrangement += 1;
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
            printed.change_function(function, self.contents.slots().len());
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
        let positions = 1..self.contents.slots().len() as u32;
        let all = positions.map(|position| (position, self.get(position)));
        all.filter(|(_, value)| *value != 0)
    }

    /// Every [`StateId`] is below this number.
    pub fn ids(&self) -> usize {
        self.printed.as_ref().map_or(self.pairs.len(), Printed::len)
    }

    /// Whether there is hardly any room left for states.
    pub fn is_full(&self) -> bool {
        self.pairs.is_full()
    }

    /// Whether so many components came up that the numbers of states since then mean nothing: the
    /// search has to begin anew, which arranges all of them.
    #[inline]
    pub fn is_overgrown(&self) -> bool {
        self.tree.is_overgrown()
    }

    /// How often components were arranged anew: questions about cells mean something until then.
    pub fn arrangement(&self) -> u32 {
        self.arrangement
    }

    /// All operating systems, and the number of the one in the present state.
    #[inline]
    pub fn world(&self) -> (&Worlds, u32) {
        (&self.contents.worlds, self.roster.world())
    }

    /// The operating system in the present state.
    pub fn os(&self) -> &Arc<Os> {
        self.roster.os(&self.contents.worlds)
    }

    /// The program counter of a thread in the present state.
    pub fn pc(&self, thread: ThreadId) -> u64 {
        let position = self.threads[thread.0 as usize][0];
        let bytes = self.contents.cores.contents(self.contents_at(position));
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[PC_WORD * 8..PC_WORD * 8 + 8]);
        u64::from_le_bytes(word)
    }

    /// Numbers that tell how a thread stands: its record, its registers.
    pub fn stands(&self, thread: ThreadId) -> (u32, u32) {
        (self.roster.record(thread), self.get(self.threads[thread.0 as usize][0]))
    }

    /// The value at a position.
    #[inline]
    pub(super) fn get(&self, position: u32) -> u32 {
        self.layout.get(&self.tree, &self.pairs, position)
    }

    /// The number of the present contents at a position.
    pub(super) fn contents_at(&self, position: u32) -> u32 {
        self.contents_of(position, self.get(position))
    }

    /// The number of the contents that a value at a position stands for.
    pub(super) fn contents_of(&self, position: u32, value: u32) -> u32 {
        self.contents.number_of(position, value)
    }

    /// The answer to a question that [`StateVector::looks`] or [`StateVector::look_at_cells`] told.
    #[inline]
    pub fn value(&mut self, question: u32) -> u32 {
        if question < CELL {
            return self.get(question);
        }
        if question < PART {
            return self.tree.get(question - CELL);
        }
        let (world, map) = (self.roster.world(), self.contents_at(REGIONS));
        let Contents { worlds, regions, parts, .. } = &mut self.contents;
        parts.answer(question, &Around { worlds, world, map: (map, regions.get(map)) })
    }

    /// From now on, states that differ in what the program has written count as different.
    pub fn tell_output(&mut self) {
        self.contents.worlds.tell_output();
    }

    /// What is at the position of the memory around an address.
    pub fn value_around(&self, addr: u64) -> u32 {
        let position = self.contents.position(Component::Granule(addr / GRANULE));
        position.map_or(0, |position| self.get(position))
    }

    /// All cells.
    #[inline]
    pub fn cells(&self) -> &[u32] {
        self.tree.cells()
    }

    /// What decides about the answer to a question, as [`CELL_BITS`] says.
    #[inline]
    pub fn deciding(&self, question: u32) -> u64 {
        let bit = |cell: u32| 1 << (cell % CELL_BITS);
        match question {
            0..CELL => bit(self.layout.place(question).cell),
            CELL..PART => bit(question - CELL),
            PART.. => bit(self.layout.place(REGIONS).cell) | 1 << CELL_BITS,
        }
    }

    /// Whether a change is one of what the operating system knows of another thread than this.
    pub fn is_about_other(&self, (position, _): (u32, u32), thread: ThreadId) -> bool {
        let component = self.contents.slot(position).component;
        matches!(component, Component::Record(other) if other != thread.0)
    }

    /// Changes what is at these positions; [`StateVector::settle`] has to follow, or going back.
    #[inline]
    pub fn put(&mut self, values: &[(u32, u32)]) {
        self.put_rest(values);
        self.find_world();
    }

    /// The same, where more is changed before anybody looks at the operating system.
    #[inline]
    pub fn put_rest(&mut self, values: &[(u32, u32)]) {
        for &(position, value) in values {
            self.assign(position, value);
        }
    }

    /// Notes that these parts of the operating system were changed with cells.
    #[inline]
    pub fn put_parts(&mut self, parts: &[(u32, u32)]) {
        for &(part, number) in parts {
            self.roster.set(part, number);
        }
    }

    /// Finds out which operating system changes have led to.
    #[inline]
    pub fn find_world(&mut self) {
        self.roster.find(&mut self.contents.worlds);
    }

    /// The same, to look at it only: before the state is stored, [`StateVector::keep_world`].
    pub fn glimpse_world(&mut self) {
        self.roster.glimpse(&mut self.contents.worlds);
    }

    /// Forgets operating systems if there are too many for the states that there are.
    #[inline]
    pub fn limit_worlds(&mut self) {
        if self.contents.worlds.are_many(self.ids()) {
            self.contents.worlds.forget();
            self.contents.parts.forget_chunks();
            self.roster.renew(&mut self.contents.worlds);
        }
    }

    /// The present state may be stored from now on.
    pub fn keep_world(&mut self) {
        self.roster.keep(&mut self.contents.worlds);
    }

    /// Changes what is in these cells; likewise.
    #[inline]
    pub fn put_cells(&mut self, values: &[(u32, u32)]) {
        for &(cell, value) in values {
            match self.printed {
                None => self.tree.set(cell, value),
                // A cell is the position with its number then.
                Some(_) => self.assign(cell, value),
            }
        }
    }

    #[inline]
    pub(super) fn assign(&mut self, position: u32, value: u32) {
        let place = self.layout.place(position);
        let old = self.tree.get(place.cell);
        let component = self.contents.slot(position).component;
        if let Some(part) = component.part() {
            self.roster.set(part, self.contents.number_of(position, value));
        }
        if let Some(printed) = &mut self.printed {
            printed.change(position, old, value, matches!(component, Component::Core(_)));
        }
        let number = self.layout.changed(&mut self.pairs, old, place, value);
        self.tree.set(place.cell, number);
    }

    /// Stores the state that changes have led to; its number.
    #[inline]
    pub fn settle(&mut self) -> StateId {
        match &mut self.printed {
            None => self.tree.settle(&mut self.pairs),
            Some(printed) => printed.settle(self.tree.cells()),
        }
    }

    /// The state that changes have led to, which must not be told by fingerprints; the changes have
    /// to be taken back before anything else.
    #[inline]
    pub fn ahead(&mut self) -> Next {
        debug_assert!(self.printed.is_none());
        self.tree.next(&mut self.pairs)
    }

    /// Stores such a state; its number.
    #[inline]
    pub fn number(&mut self, next: Next) -> StateId {
        self.pairs.state(next)
    }

    /// Positions whose values the last update changed, and their values now.
    pub fn changes(&self, into: &mut Vec<(u32, u32)>) {
        into.clear();
        into.extend(self.updated.iter().map(|&position| (position, self.get(position))));
    }

    /// Components in which two lists of changes differ, some of them.
    pub fn describe(&self, one: &[(u32, u32)], other: &[(u32, u32)]) -> String {
        let all = one.iter().chain(other);
        let differing = all.filter(|change| !one.contains(change) || !other.contains(change));
        let name = |&(position, value): &(u32, u32)| {
            format!("{:x?} {value} ", self.contents.slot(position).component)
        };
        differing.take(20).map(name).collect()
    }

    /// Compares the vector with the process, which must stand in the present state, component by
    /// component.
    ///
    /// # Panics
    /// If they differ.
    pub fn judge(&mut self, process: &Process) {
        for position in 1..self.contents.slots().len() as u32 {
            let Slot { component, base } = self.contents.slot(position);
            let is_absent = match component {
                Component::Core(thread) | Component::Floating(thread) => {
                    process.machine.thread_count() <= thread
                }
                Component::Record(thread) => process.threads().len() as u32 <= thread,
                _ => false,
            };
            let number = if is_absent { base } else { self.contents.number(component, process) };
            assert_eq!(number, self.contents_at(position), "{component:?}");
        }
        assert_eq!(self.contents.world(process), self.roster.world(), "the operating system");
    }

    /// Whether a component that moves looked at has changed for the first time since: then it is
    /// missing from what [`StateVector::looks`] said of them.
    pub fn is_outdated(&self) -> bool {
        self.outdated || self.contents.parts.is_outdated()
    }

    /// Nobody relies on earlier answers of [`StateVector::looks`].
    pub fn renew(&mut self) {
        self.assumed.clear();
        self.assumed_lines.clear();
        self.contents.parts.renew();
        self.outdated = false;
    }

    /// Forgets all states; components keep their numbers. The process must be at the start.
    pub fn clear(&mut self) {
        debug_assert_eq!((self.state(), self.real), (StateId(0), StateId(0)));
        self.arranged_at = self.arranged_at.max(self.pairs.counts().0);
        self.pairs.clear();
        match &mut self.printed {
            Some(printed) => printed.clear(),
            None => self.arrange(),
        }
        self.forget();
    }

    /// Puts components where it is best by what is known of them. The vector must be at the start,
    /// and no state stored.
    fn arrange(&mut self) {
        self.layout = Layout::arranged(&self.users);
        self.tree = Tree::new(self.layout.cells());
        self.note_parts();
        self.arrangement += 1;
    }

    /// Tells a new layout where the parts of the operating system are.
    fn note_parts(&mut self) {
        for (slot, position) in self.contents.slots().iter().zip(0..).skip(1) {
            let part = slot.component.part();
            part.into_iter().for_each(|part| self.layout.note_part(part, position));
        }
    }

    /// Whether it would be of use to begin anew for components to be arranged: states cost more
    /// than they should, and there are many more than at the last time.
    pub fn wants_arrangement(&self) -> bool {
        let (states, inner) = self.pairs.counts();
        self.printed.is_none()
            && ARRANGE_AT.contains(&states.next_power_of_two())
            && states < inner * 4
            && self.arranged_at * 2 <= states
    }

    /// Remembers where the vector stands.
    #[inline]
    pub fn mark(&self) -> VectorMark {
        let printing = self.printed.as_ref().map(Printed::mark).unwrap_or_default();
        VectorMark(self.tree.mark(), self.roster.mark(), printing)
    }

    /// Takes back all changes since `mark`.
    #[inline]
    pub fn undo_to(&mut self, mark: VectorMark) {
        self.tree.undo_to(mark.0);
        self.roster.undo_to(mark.1);
        self.roster.renew(&mut self.contents.worlds);
        if let Some(printed) = &mut self.printed {
            printed.undo_to(mark.2);
        }
    }

    /// Takes in what a step of the process, which stood in the present state, changed since `mark`;
    /// the number of the state that it led to.
    pub fn update(&mut self, process: &Process, mark: Mark) -> StateId {
        self.update_by(process, mark, None)
    }

    /// The same, knowing which thread made the step.
    pub fn update_by(&mut self, process: &Process, mark: Mark, mover: Option<ThreadId>) -> StateId {
        self.note_changed(process, mark);
        // The same granule is often changed several times in a row.
        self.changed.dedup();
        if FEW < self.changed.len() {
            self.changed.sort_unstable();
            self.changed.dedup();
        }
        self.updated.clear();
        self.update_world(process, mover);
        for at in 0..self.changed.len() {
            let component = self.changed[at];
            if FEW < self.changed.len() || !self.changed[..at].contains(&component) {
                self.set(component, process, mover);
            }
        }
        self.settle()
    }

    fn note_changed(&mut self, process: &Process, mark: Mark) {
        self.changed.clear();
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
    }

    /// Whether the last update changed something that is neither a register of a thread nor in
    /// these bytes, its own, nor the operating system's, if that does not count.
    pub fn changed_beyond(&self, own: &[Range<u64>], world_counts: bool) -> bool {
        self.updated.iter().any(|&position| match self.contents.slot(position).component {
            Component::Record(_) | Component::Common => world_counts,
            Component::Core(_) | Component::Floating(_) => false,
            Component::Granule(granule) => {
                !own.iter().any(|range| range.contains(&(granule * GRANULE)))
            }
            _ => true,
        })
    }

    /// Takes in what changed in the operating system.
    fn update_world(&mut self, process: &Process, mover: Option<ThreadId>) {
        let (before, world) = (self.roster.world(), self.contents.world(process));
        if world == before {
            return;
        }
        let worlds = &self.contents.worlds;
        let mut changed = Vec::new();
        worlds.each_part(world, |part, number| changed.push((part, number)));
        worlds.each_part(before, |part, _| {
            if part != COMMON_PART && worlds.record(world, ThreadId(part)) == ABSENT {
                changed.push((part, ABSENT));
            }
        });
        for (part, number) in changed {
            if self.roster.part(part) != number {
                self.set_number(Component::of_part(part), number, mover);
            }
        }
        self.roster.find(&mut self.contents.worlds);
        debug_assert_eq!(self.roster.world(), world);
    }

    fn set(&mut self, component: Component, process: &Process, mover: Option<ThreadId>) {
        // The base comes first, in the order of first sight.
        self.position(component, mover);
        let number = self.contents.number(component, process);
        self.set_number(component, number, mover);
    }

    /// The position of a component, which may get one now.
    fn position(&mut self, component: Component, mover: Option<ThreadId>) -> u32 {
        self.contents.position(component).unwrap_or_else(|| {
            let position = self.contents.add_changed(component);
            self.take_position(component, position, mover);
            position
        })
    }

    fn set_number(&mut self, component: Component, number: u32, mover: Option<ThreadId>) {
        let position = self.position(component, mover);
        let base = self.contents.slot(position).base;
        let value = if number == base { 0 } else { number + 1 };
        if self.get(position) != value {
            self.updated.push(position);
            self.users[position as usize].changes += 1;
            self.assign(position, value);
        }
    }

    /// A component has got the next position.
    pub(super) fn take_position(
        &mut self,
        component: Component,
        position: u32,
        mover: Option<ThreadId>,
    ) {
        let mut users = match component {
            Component::Core(thread) | Component::Floating(thread) | Component::Record(thread) => {
                Users::fixed(thread)
            }
            _ => Users::default(),
        };
        mover.into_iter().for_each(|mover| users.note(mover.0));
        let owner = users.owner();
        self.users.push(users);
        while self.layout.add(owner).is_none() {
            self.tree.grow();
            self.layout.extend(self.tree.len());
        }
        component.part().into_iter().for_each(|part| self.layout.note_part(part, position));
        if let Some(printed) = &mut self.printed {
            printed.reserve(self.contents.slots().len());
        }
        self.outdated |= self.assumed.remove(&component)
            || self.assumed_lines.iter().any(|&range| component.is_in(range));
        let (thread, which) = match component {
            Component::Core(thread) => (thread as usize, 0),
            Component::Floating(thread) => (thread as usize, 1),
            Component::Record(thread) => (thread as usize, 2),
            _ => return,
        };
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, [0; 3]);
        }
        self.threads[thread][which] = position;
    }

    /// Forgets all states but these, which get other numbers, and those on the way back.
    pub fn forget_but(&mut self, keep: &mut [StateId]) {
        let keep = keep.iter_mut().map(|state| &mut state.0);
        self.pairs.keep_roots(keep.chain(self.tree.roots()).chain([&mut self.real.0]));
    }

    /// Memory taken by the states.
    pub fn state_bytes(&self) -> usize {
        self.printed.as_ref().map_or(self.pairs.bytes(), Printed::bytes)
    }

    /// Memory taken by the states at most while so many are added.
    pub fn state_bytes_ahead(&self, more: usize) -> usize {
        self.printed.as_ref().map_or(self.pairs.bytes_ahead(more), Printed::bytes)
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
        self.contents.component_use()
    }
}
