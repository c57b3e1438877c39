//! What decides about a move: the positions that it looked at, and what is there.
//!
//! A move that was executed is remembered by the values at these positions (see [`super::memo`]).
//! To find it faster, it is also remembered by whole cells: its thread's block is one question
//! then. That asks for more than necessary, so a move that is not found by cells is looked for by
//! positions, and what is found there is remembered by cells as well.

use super::contents::{Component, PAGES};
use super::parts::{ALIVE, CODE, COUNT};
use super::vector::{CELL, COMMON, REGIONS, StateVector};
use samovar_runtime::{
    LOOK_AT_ALIVE, LOOK_AT_COUNT, LOOK_AT_REGISTERS, LOOK_AT_THREAD, LOOK_AT_WAITS,
};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::PAGE_SIZE;
use samovar_vm::memory::reads::{self, LINE, Seen};

/// Values of cells, and of positions in cells that are not asked for as a whole.
#[derive(Clone, Debug, Default)]
pub struct CellChanges {
    /// By cell.
    pub cells: Box<[(u32, u32)]>,
    /// By position.
    pub rest: Box<[(u32, u32)]>,
    /// Parts of the operating system among these, and their numbers (see [`super::roster`]).
    pub parts: Box<[(u32, u32)]>,
}

impl StateVector {
    /// The positions that decide about a move of a thread from the present state, and what is
    /// there: its registers, what it sees of the operating system, what it looked at and changes.
    pub fn looks(
        &mut self,
        thread: ThreadId,
        seen: &[Seen],
        changes: &[(u32, u32)],
        looks: &mut Vec<(u32, u32)>,
    ) {
        looks.clear();
        self.question += 1;
        self.mentioned.resize(self.contents.slots().len(), 0);
        match self.contents.parts.is_fine() {
            true => self.mention_part(CODE, looks),
            false => self.mention(REGIONS, looks),
        }
        if let Some(question) = self.contents.parts.all_guards() {
            self.mention_part(question, looks);
        }
        // The passing of time is not one thread's.
        match self.os().threads().len() <= thread.0 as usize {
            true => self.look_at_threads(looks),
            false => {
                self.threads[thread.0 as usize].into_iter().for_each(|it| self.mention(it, looks));
                self.mention(COMMON, looks);
            }
        }
        for seen in seen {
            match *seen {
                Seen::Line(line) => {
                    self.look(Component::Granule(line), looks);
                    self.look(Component::Shadow(line), looks);
                    self.look(Component::Pages(line * LINE / PAGE_SIZE / PAGES), looks);
                    if let Some(question) = self.contents.parts.guard_if_locked(line) {
                        self.mention_part(question, looks);
                    }
                }
                Seen::Guard(line) => {
                    let question = self.contents.parts.guard(line);
                    self.mention_part(question, looks);
                }
                Seen::Region(_) if !self.contents.parts.is_fine() => {}
                Seen::Region(page) => {
                    let question = self.contents.parts.region(page);
                    self.mention_part(question, looks);
                }
                Seen::Pages { first, count } => {
                    for group in first / PAGES..=(first + count.max(1) - 1) / PAGES {
                        self.look(Component::Pages(group), looks);
                    }
                }
                Seen::Dropped { first, last } => self.look_at_lines((first, last), looks),
                Seen::Object(addr) => self.look(Component::Object(addr), looks),
                Seen::Beyond { kind, which } => self.look_beyond(kind, which, looks),
            }
        }
        for &(position, _) in changes {
            self.mention(position, looks);
        }
        for &(position, _) in looks.iter().filter(|look| look.0 < CELL) {
            self.users[position as usize].note(thread.0);
        }
    }

    fn look_beyond(&mut self, kind: u32, which: u64, looks: &mut Vec<(u32, u32)>) {
        match kind {
            reads::REGIONS => self.mention(REGIONS, looks),
            LOOK_AT_WAITS => {
                let question = self.contents.parts.waits(which);
                self.mention_part(question, looks);
            }
            LOOK_AT_THREAD => self.look(Component::Record(which as u32), looks),
            LOOK_AT_REGISTERS => self.look(Component::Core(which as u32), looks),
            LOOK_AT_COUNT => self.mention_part(COUNT, looks),
            LOOK_AT_ALIVE => self.mention_part(ALIVE, looks),
            // Whatever it is.
            _ => self.look_at_threads(looks),
        }
    }

    /// Looks at everything that the operating system knows.
    fn look_at_threads(&mut self, looks: &mut Vec<(u32, u32)>) {
        self.mention_part(COUNT, looks);
        self.mention(COMMON, looks);
        for thread in 0..self.os().threads().len() {
            self.mention(self.threads[thread][2], looks);
        }
    }

    fn mention_part(&mut self, question: u32, looks: &mut Vec<(u32, u32)>) {
        looks.push((question, self.value(question)));
    }

    fn look(&mut self, component: Component, looks: &mut Vec<(u32, u32)>) {
        match self.contents.position(component).or_else(|| self.foresee(component)) {
            Some(position) => self.mention(position, looks),
            None => {
                self.assumed.insert(component);
            }
        }
    }

    /// A position for what will probably change, though it did not yet: the shadow of memory behind
    /// a line whose shadow changed. A thread that hands out one thing of an array after the other
    /// would otherwise have all moves forgotten with each line that it comes to.
    fn foresee(&mut self, component: Component) -> Option<u32> {
        let Component::Shadow(line) = component else { return None };
        self.contents.position(Component::Shadow(line.checked_sub(1)?))?;
        if self.assumed.contains(&component) || self.printed.is_some() {
            return None;
        }
        let position = self.contents.add_changed(component);
        self.take_position(component, position, None);
        self.mentioned.resize(self.contents.slots().len(), 0);
        Some(position)
    }

    /// Looks at all contents of consecutive lines. Those that were never different from the start
    /// are taken for the same in all states, like [`StateVector::look`] does.
    fn look_at_lines(&mut self, range: (u64, u64), looks: &mut Vec<(u32, u32)>) {
        for position in 1..self.contents.slots().len() as u32 {
            if self.contents.slot(position).component.is_in(range) {
                self.mention(position, looks);
            }
        }
        if !self.assumed_lines.contains(&range) {
            self.assumed_lines.push(range);
        }
    }

    fn mention(&mut self, position: u32, looks: &mut Vec<(u32, u32)>) {
        let mentioned = &mut self.mentioned[position as usize];
        if std::mem::replace(mentioned, self.question) != self.question {
            looks.push((position, self.get(position)));
        }
    }

    /// Turns looks of a thread at positions into looks at cells, where it may ask for these.
    pub fn look_at_cells(&mut self, thread: ThreadId, looks: &mut Vec<(u32, u32)>) {
        self.question += 1;
        self.mentioned_cells.resize(self.layout.cells(), 0);
        looks.retain_mut(|look| {
            if CELL <= look.0 {
                return true;
            }
            let cell = self.layout.place(look.0).cell;
            if !self.layout.is_whole_for(cell, thread.0) {
                return true;
            }
            *look = (CELL + cell, self.tree.get(cell));
            let mentioned = &mut self.mentioned_cells[cell as usize];
            std::mem::replace(mentioned, self.question) != self.question
        });
    }

    /// What changes of positions by a move of a thread come to in the present state.
    pub fn cell_changes(&mut self, thread: ThreadId, changes: &[(u32, u32)]) -> CellChanges {
        let (mut cells, mut rest, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for &(position, value) in changes {
            let part = self.contents.slot(position).component.part();
            parts.extend(part.map(|part| (part, self.contents_of(position, value))));
            let place = self.layout.place(position);
            if !self.layout.is_whole_for(place.cell, thread.0) {
                rest.push((position, value));
                continue;
            }
            let at = cells.iter().position(|&(cell, _)| cell == place.cell).unwrap_or_else(|| {
                cells.push((place.cell, self.tree.get(place.cell)));
                cells.len() - 1
            });
            cells[at].1 = self.layout.changed(&mut self.pairs, cells[at].1, place, value);
        }
        CellChanges { cells: cells.into(), rest: rest.into(), parts: parts.into() }
    }
}
