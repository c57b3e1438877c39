//! The state vector: a process as a list of numbers of interned components.
//!
//! Components are granules of memory, the registers of each thread and the operating system. A
//! component has a fixed position from the first time it changes; position values are relative to
//! the component's contents at the start of the search, which count as zero, so a component that
//! never changed, one that changed back and one that is not known yet all look the same. Trailing
//! zeros are cut. Two processes on the same path of positions are equal if and only if their
//! vectors are.
//!
//! A step changes few components; only those are looked at again (cost: the size of what the
//! journal says was written). Undoing a step takes its changes of the vector back.
//!
//! What counts as state is what the guest can still observe: output already made, the journal and
//! counters of the checker are left out; dead stack was overwritten with zeros before (see
//! [`super::dead`]).

use super::intern::Interner;
use super::worlds::Worlds;
use ahash::{AHashMap, RandomState};
use samovar_runtime::Process;
use samovar_vm::context::Core;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::journal::Mark;
use samovar_vm::memory::{Memory, PAGE_SIZE};
use samovar_vm::reg::Reg;
use samovar_vm::x87;

/// Bytes of memory in one component.
pub const GRANULE: u64 = 256;

/// A part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Component {
    /// Memory, by address divided by [`GRANULE`].
    Granule(u64),
    /// General registers of a thread.
    Core(u32),
    /// Floating-point registers of a thread.
    Floating(u32),
    /// The operating system.
    World,
}

/// A component's position, and the number of its contents at the start of the search.
#[derive(Clone, Copy, Debug)]
struct Slot {
    position: u32,
    base: u32,
}

/// Where a vector stood, to go back to.
#[derive(Clone, Copy, Debug)]
pub struct VectorMark(usize);

/// See the module head.
#[derive(Debug)]
pub struct StateVector {
    slots: AHashMap<Component, Slot>,
    /// Contents of memory at the start of the search, pages that were not all zero.
    baseline: AHashMap<u64, Box<[u8]>>,
    values: Vec<u32>,
    /// Position and old value of every change.
    log: Vec<(u32, u32)>,
    granules: Interner<u8>,
    registers: Interner<u64>,
    worlds: Worlds,
    /// Threads at the start of the search; later ones are looked at whenever they exist.
    threads: u32,
}

impl StateVector {
    /// The vector of a process at the start of a search: all zeros.
    pub fn new(process: &Process) -> StateVector {
        let hasher = RandomState::with_seeds(21, 22, 23, 24);
        let mut vector = StateVector {
            slots: AHashMap::with_hasher(hasher.clone()),
            baseline: AHashMap::with_hasher(hasher),
            values: Vec::new(),
            log: Vec::new(),
            granules: Interner::new(),
            registers: Interner::new(),
            worlds: Worlds::default(),
            threads: process.machine.thread_count(),
        };
        vector.keep_baseline(&process.machine.memory);
        vector.set_world(process);
        for thread in 0..process.machine.thread_count() {
            vector.set_registers(process, ThreadId(thread));
        }
        vector.log.clear();
        vector
    }

    fn keep_baseline(&mut self, memory: &Memory) {
        for (start, region) in memory.regions().iter().filter(|(_, region)| region.perms.write) {
            for page in (start..region.end).step_by(PAGE_SIZE as usize) {
                match memory.slice(page, PAGE_SIZE) {
                    Ok(bytes) if bytes.iter().any(|&byte| byte != 0) => {
                        self.baseline.insert(page, bytes.into());
                    }
                    _ => {}
                }
            }
        }
    }

    /// The canonical form, to be compared and stored.
    pub fn key(&self) -> &[u32] {
        let used = self.values.iter().rposition(|&value| value != 0).map_or(0, |last| last + 1);
        &self.values[..used]
    }

    /// Remembers where the vector stands.
    pub fn mark(&self) -> VectorMark {
        VectorMark(self.log.len())
    }

    /// Takes back all changes since `mark`.
    pub fn undo_to(&mut self, mark: VectorMark) {
        while self.log.len() > mark.0 {
            let Some((position, old)) = self.log.pop() else { break };
            self.values[position as usize] = old;
        }
    }

    /// Takes in what a step changed since `mark`.
    pub fn update(&mut self, process: &Process, mark: Mark) {
        let memory = &process.machine.memory;
        let mut changed = Vec::new();
        memory.journal.changes_since(mark, |addr, len| {
            changed.extend(addr / GRANULE..=(addr + len.max(1) - 1) / GRANULE);
        });
        changed.sort_unstable();
        changed.dedup();
        for granule in changed {
            self.set_granule(memory, granule);
        }
        self.set_world(process);
        let mut threads: Vec<u32> = memory.journal.threads_since(mark).collect();
        threads.extend(self.threads..process.machine.thread_count());
        threads.sort_unstable();
        threads.dedup();
        for thread in threads {
            self.set_registers(process, ThreadId(thread));
        }
    }

    fn set_granule(&mut self, memory: &Memory, granule: u64) {
        let addr = granule * GRANULE;
        let zeros = [0; GRANULE as usize];
        let contents = memory.slice(addr, GRANULE).unwrap_or(&zeros);
        let (number, _) = self.granules.intern(contents);
        let component = Component::Granule(granule);
        if !self.slots.contains_key(&component) {
            let page = addr / PAGE_SIZE * PAGE_SIZE;
            let before = match self.baseline.get(&page) {
                Some(bytes) => &bytes[(addr - page) as usize..(addr - page + GRANULE) as usize],
                None => &zeros,
            };
            let (base, _) = self.granules.intern(before);
            self.add_slot(component, base);
        }
        self.set(component, number);
    }

    fn set_registers(&mut self, process: &Process, thread: ThreadId) {
        let core = canonical_core(process.machine.core(thread));
        let (number, _) = self.registers.intern(&core);
        self.set_or_add(Component::Core(thread.0), number);
        let floating = process.machine.floating(thread);
        let image = x87::fxsave(&floating.x87, &floating.xmm, floating.mxcsr);
        let (number, _) = self.granules.intern(&image);
        self.set_or_add(Component::Floating(thread.0), number);
    }

    fn set_world(&mut self, process: &Process) {
        let number = self.worlds.number(process.world());
        self.set_or_add(Component::World, number);
    }

    /// A component that did not exist at the start has the base that nothing else has.
    fn set_or_add(&mut self, component: Component, number: u32) {
        if !self.slots.contains_key(&component) {
            let base = if self.log.is_empty() && self.is_start() { number } else { u32::MAX - 1 };
            self.add_slot(component, base);
        }
        self.set(component, number);
    }

    fn is_start(&self) -> bool {
        self.values.iter().all(|&value| value == 0)
    }

    fn add_slot(&mut self, component: Component, base: u32) {
        let position = self.values.len() as u32;
        self.slots.insert(component, Slot { position, base });
        self.values.push(0);
    }

    fn set(&mut self, component: Component, number: u32) {
        let Slot { position, base } = self.slots[&component];
        let value = if number == base { 0 } else { number + 1 };
        let place = &mut self.values[position as usize];
        if *place != value {
            self.log.push((position, *place));
            *place = value;
        }
    }

    /// Approximate memory taken by the tables of components.
    pub fn bytes(&self) -> usize {
        self.granules.bytes() + self.registers.bytes() + self.worlds.bytes()
    }
}

/// Registers as the guest can observe them: temporaries count inside an instruction only.
fn canonical_core(core: &Core) -> [u64; 26] {
    let mut words = [0; 26];
    words[..16].copy_from_slice(&core.regs[..16]);
    words[16] = core[Reg::FsBase];
    words[17] = core[Reg::GsBase];
    words[18] = core.pc;
    words[19] = core.flags.bits() | u64::from(core.direction) << 16;
    words[20] = core.return_watch;
    if core.uops_done > 0 {
        words[21] = u64::from(core.uops_done);
        words[22..26].copy_from_slice(&core.regs[Reg::T0 as usize..=Reg::T3 as usize]);
    }
    words
}
