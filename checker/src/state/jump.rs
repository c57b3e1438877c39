//! Going to a stored state, and taking the process there.
//!
//! The vector goes to states by itself, because most of what happens on the way is known (see
//! [`super::memo`]); the process stands where it stood until somebody needs it. Both moves cost the
//! number of differences, found by comparing two trees from the top. Taking the process along
//! starts the journal anew, so nothing from before can be undone then.

use super::contents::{ABSENT, Component, GRANULE, PAGES, Slot};
use super::tree::StateId;
use super::vector::StateVector;
use samovar_runtime::Process;
use samovar_vm::context::Core;
use samovar_vm::flags::Flags;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::object::{Object, ObjectKind};
use samovar_vm::reg::Reg;

impl StateVector {
    /// Goes to a stored state. The process stays behind.
    ///
    /// # Panics
    /// If states are told by fingerprints: then there is no way but to the start.
    pub fn jump(&mut self, target: StateId) {
        if self.printed.is_some() {
            assert_eq!(target, StateId(0), "internal error: states are not stored");
            self.go(&[]);
            self.forget();
            return;
        }
        self.follow(target);
        self.forget();
    }

    /// Goes to a stored state; going back is possible. Only if states are not told by fingerprints.
    #[inline]
    pub fn follow(&mut self, target: StateId) {
        debug_assert!(self.printed.is_none());
        let mark = self.tree.mark();
        self.tree.go(&self.pairs, target);
        for cell in self.tree.changed_since(mark) {
            for &(part, position) in self.layout.parts_in(cell) {
                let value = self.layout.get(&self.tree, &self.pairs, position);
                self.roster.set(part, self.contents.number_of(position, value));
            }
        }
        self.roster.find(&mut self.contents.worlds);
    }

    /// Forgets how to take changes back.
    pub fn forget(&mut self) {
        self.tree.forget();
        self.roster.forget();
    }

    /// Goes to where these values, in the order of their positions, are all that is different from
    /// the start.
    pub fn go(&mut self, values: &[(u32, u32)]) {
        let mut changes = std::mem::take(&mut self.differing);
        changes.clear();
        let mut wanted = values.iter().copied().peekable();
        for position in 1..self.contents.slots().len() as u32 {
            let next = wanted.next_if(|next| next.0 == position);
            let next = next.map_or(0, |next| next.1);
            if self.get(position) != next {
                changes.push((position, next));
            }
        }
        self.put(&changes);
        self.settle();
        self.differing = changes;
    }

    /// What differs where the process stands, as it is in the present state.
    fn differences_to_process(&self, changes: &mut Vec<(u32, u32)>) {
        changes.clear();
        let Some(printed) = &self.printed else {
            self.tree.differences(&self.pairs, self.real, |cell, other| {
                let both = (self.tree.get(cell), other);
                self.layout.differences(&self.pairs, cell, both, &mut |position, value| {
                    changes.push((position, value));
                });
            });
            return;
        };
        for (position, &value) in self.tree.cells().iter().enumerate() {
            if printed.real.get(position).copied().unwrap_or(0) != value {
                changes.push((position as u32, value));
            }
        }
    }

    /// Makes the process stand in the present state.
    pub fn bring(&mut self, process: &mut Process) {
        let mut changes = std::mem::take(&mut self.differing);
        self.differences_to_process(&mut changes);
        if changes.is_empty() {
            self.differing = changes;
            return;
        }
        process.machine.memory.journal.set_on(false);
        // The operating system knows how many threads there are, so it comes first.
        let is_part = |change: &(u32, u32)| self.contents.slot(change.0).component.part().is_some();
        if changes.iter().any(is_part) {
            process.restore_world(self.os());
        }
        process.machine.restore_thread_count(process.threads().len() as u32);
        // Pages come before their contents.
        for of_pages in [true, false] {
            for &(position, value) in &changes {
                let component = self.contents.slot(position).component;
                if matches!(component, Component::Pages(_)) == of_pages {
                    self.apply(process, position, value);
                }
            }
        }
        self.differing = changes;
        match &mut self.printed {
            None => self.real = self.tree.id(),
            Some(printed) => printed.real = self.tree.cells().to_vec(),
        }
        process.machine.memory.journal.set_on(true);
        process.machine.mark();
    }

    fn apply(&self, process: &mut Process, position: u32, value: u32) {
        let Slot { component, base } = self.contents.slot(position);
        let number = if value == 0 { base } else { value - 1 };
        if number == ABSENT {
            // A thread that does not exist in this state.
            return;
        }
        let memory = &mut process.machine.memory;
        match component {
            Component::Granule(granule) => {
                memory.restore(granule * GRANULE, self.contents.granules.contents(number));
            }
            Component::Shadow(granule) => {
                memory.restore_shadow(granule * GRANULE, self.contents.granules.contents(number));
            }
            Component::Pages(group) => {
                memory.restore_page_states(group * PAGES, self.contents.pages.contents(number));
            }
            Component::Object(addr) => {
                memory.restore_object(addr, object(self.contents.objects.contents(number)));
            }
            Component::Regions => memory.restore_regions(self.contents.regions.get(number)),
            Component::Core(thread) => {
                process
                    .machine
                    .restore_core(ThreadId(thread), core(self.contents.cores.contents(number)));
            }
            Component::Floating(thread) => {
                let floating = &self.contents.floating_values[number as usize];
                process.machine.restore_floating(ThreadId(thread), floating);
            }
            // All parts at once.
            Component::Record(_) | Component::Common => {}
        }
    }
}

fn word(bytes: &[u8], index: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[index * 8..index * 8 + 8]);
    u64::from_le_bytes(word)
}

fn core(bytes: &[u8]) -> Core {
    let mut core = Core::default();
    for register in 0..16 {
        core.regs[register] = word(bytes, register);
    }
    core[Reg::FsBase] = word(bytes, 16);
    core[Reg::GsBase] = word(bytes, 17);
    core.pc = word(bytes, 18);
    let flags = word(bytes, 19);
    core.flags = Flags::eager(flags & 0xffff);
    core.direction = flags >> 16 != 0;
    core.return_watch = word(bytes, 20);
    core.uops_done = word(bytes, 21) as u8;
    core[Reg::Frame] = word(bytes, 26);
    for temporary in 0..4 {
        core.regs[Reg::T0 as usize + temporary] = word(bytes, 22 + temporary);
    }
    core
}

fn object(bytes: &[u8]) -> Option<Object> {
    let (size, rest) = (word(bytes, 0), word(bytes, 1));
    let thread = (rest >> 32) as u32;
    let kind = match rest as u32 {
        1 => ObjectKind::Heap { thread },
        2 => ObjectKind::Freed { thread },
        3 => ObjectKind::Global,
        _ => return None,
    };
    Some(Object { size, kind })
}
