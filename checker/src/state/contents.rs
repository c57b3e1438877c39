//! The contents of components: interned, so that a number stands for them.
//!
//! Components are granules of memory and of its shadow, page flags, objects, the map of regions,
//! the registers of each thread, and the parts of the operating system: what it knows of each
//! thread and what belongs to none. A component has a position from the first time it changes; what
//! it was at the start of the search is its *base*. Equal contents of a component have equal
//! numbers, decided on the contents themselves.
//!
//! What counts as state is what the guest can still observe: output already made, the journal and
//! counters of the checker are left out; dead stack was overwritten with zeros before (see
//! [`super::dead`]); registers of threads that have ended are zero, but for where the descriptor
//! is. Whether bytes were initialised is left out as long as nobody asks for it.

use super::parts::Parts;
use super::pool::Pool;
use super::roster::COMMON_PART;
use super::worlds::{Regions, Worlds};
use crate::explore::measure::MemoryUse;
use ahash::{AHashMap, RandomState};
use samovar_runtime::Process;
use samovar_vm::context::{Core, Floating};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::object::{Object, ObjectKind};
use samovar_vm::memory::reads::LINE;
use samovar_vm::memory::{Memory, PAGE_SIZE, restore};
use samovar_vm::reg::Reg;
use samovar_vm::x87;

/// Bytes of memory in one component.
pub const GRANULE: u64 = LINE;
/// Pages whose flags are one component.
pub(super) const PAGES: u64 = 1024;
/// Words of the registers of a thread.
pub(super) const CORE_WORDS: usize = 27;
/// The program counter among them.
pub(super) const PC_WORD: usize = 18;
/// Bytes of an object: its size, kind and thread.
const OBJECT_BYTES: usize = 16;
/// Bytes of the image of floating-point registers.
const FLOATING_BYTES: usize = 512;

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
    /// What the operating system knows of a thread.
    Record(u32),
    /// What belongs to no thread in the operating system.
    Common,
}

impl Component {
    /// Which part of the operating system it is, if it is one.
    #[inline]
    pub(super) fn part(self) -> Option<u32> {
        match self {
            Component::Common => Some(COMMON_PART),
            Component::Record(thread) => Some(thread),
            _ => None,
        }
    }

    /// The component that a part of the operating system is.
    pub(super) fn of_part(part: u32) -> Component {
        if part == COMMON_PART { Component::Common } else { Component::Record(part) }
    }

    /// Whether it is contents of memory from one line to another.
    pub(super) fn is_in(self, (first, last): (u64, u64)) -> bool {
        match self {
            Component::Granule(line) | Component::Shadow(line) => (first..=last).contains(&line),
            _ => false,
        }
    }
}

/// What a component was at the start of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub component: Component,
    /// Number of its contents then; [`ABSENT`] if it did not exist.
    pub base: u32,
}

/// No contents have this number.
pub(super) const ABSENT: u32 = u32::MAX;

/// See the module head.
#[derive(Debug)]
pub(super) struct Contents {
    positions: AHashMap<Component, u32>,
    /// By position; the first is none.
    slots: Vec<Slot>,
    /// Contents of memory at the start of the search, pages that were not all zero.
    baseline: AHashMap<u64, Box<[u8]>>,
    shadow_baseline: AHashMap<u64, Box<[u8]>>,
    page_baseline: AHashMap<u64, Box<[u8]>>,
    object_baseline: AHashMap<u64, [u8; OBJECT_BYTES]>,
    pub granules: Pool,
    pub pages: Pool,
    pub objects: Pool,
    pub cores: Pool,
    pub floatings: Pool,
    pub floating_values: Vec<Floating>,
    pub worlds: Worlds,
    pub regions: Regions,
    pub parts: Parts,
}

impl Contents {
    /// Knows what everything is at the start of a search; no component has a position.
    pub fn new(process: &Process) -> Contents {
        let hasher = RandomState::with_seeds(21, 22, 23, 24);
        let map = || AHashMap::with_hasher(hasher.clone());
        let mut contents = Contents {
            positions: AHashMap::with_hasher(hasher.clone()),
            slots: vec![Slot { component: Component::Common, base: ABSENT }],
            baseline: map(),
            shadow_baseline: map(),
            page_baseline: map(),
            object_baseline: AHashMap::with_hasher(hasher.clone()),
            granules: Pool::new(GRANULE as usize),
            pages: Pool::new(PAGES as usize),
            objects: Pool::new(OBJECT_BYTES),
            cores: Pool::new(CORE_WORDS * 8),
            floatings: Pool::new(FLOATING_BYTES),
            floating_values: Vec::new(),
            worlds: Worlds::default(),
            regions: Regions::default(),
            parts: Parts::default(),
        };
        contents.keep_baseline(&process.machine.memory);
        contents
    }

    fn keep_baseline(&mut self, memory: &Memory) {
        for (start, region) in memory.regions().iter().filter(|(_, region)| region.perms.write) {
            let is_zero = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
            let touched = memory.touched(start, region.end).filter(|page| !is_zero(page.1));
            self.baseline.extend(touched.map(|(page, bytes)| (page, bytes.into())));
            let shadowed = memory.shadowed(start, region.end).filter(|page| !is_zero(page.1));
            self.shadow_baseline.extend(shadowed.map(|(page, bytes)| (page, bytes.into())));
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

    /// The position of a component, if it has one.
    #[inline]
    pub fn position(&self, component: Component) -> Option<u32> {
        self.positions.get(&component).copied()
    }

    /// All components that have a position, by position; the first is none.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// What is at a position.
    #[inline]
    pub fn slot(&self, position: u32) -> Slot {
        self.slots[position as usize]
    }

    /// The number of the contents that a value at a position stands for.
    #[inline]
    pub fn number_of(&self, position: u32, value: u32) -> u32 {
        match value {
            0 => self.slot(position).base,
            value => value - 1,
        }
    }

    /// Gives a component that is there at the start a position.
    pub fn add_present(&mut self, component: Component, process: &Process) -> u32 {
        let base = self.number(component, process);
        self.add_slot(component, base)
    }

    fn add_slot(&mut self, component: Component, base: u32) -> u32 {
        let position = self.slots.len() as u32;
        self.slots.push(Slot { component, base });
        self.positions.insert(component, position);
        position
    }

    /// The number of a component's present contents.
    pub fn number(&mut self, component: Component, process: &Process) -> u32 {
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
            Component::Regions => {
                let number = self.regions.number(memory.region_map());
                self.parts.meet_map(number);
                number
            }
            Component::Core(thread) => {
                let core = process.machine.core(ThreadId(thread));
                let core = match is_alive(process, thread) {
                    true => canonical_core(core),
                    false => ended_core(core),
                };
                self.cores.intern(core.map(u64::to_le_bytes).as_flattened())
            }
            Component::Floating(thread) => self.floating(process, thread),
            Component::Common => {
                let world = self.world(process);
                self.worlds.common(world)
            }
            Component::Record(thread) => {
                let world = self.world(process);
                self.worlds.record(world, ThreadId(thread))
            }
        }
    }

    /// The number of the operating system's present state.
    pub fn world(&mut self, process: &Process) -> u32 {
        self.parts.meet(process.privileges(), self.worlds.latest_privileges());
        self.worlds.number(process.world())
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

    /// Gives a component that changed for the first time a position.
    pub fn add_changed(&mut self, component: Component) -> u32 {
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
            Component::Core(_)
            | Component::Floating(_)
            | Component::Regions
            | Component::Record(_)
            | Component::Common => ABSENT,
        };
        self.add_slot(component, base)
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

pub(super) fn is_alive(process: &Process, thread: u32) -> bool {
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
