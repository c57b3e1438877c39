//! What decides about a move: the positions that it looked at, and what is there.
//!
//! A move that was executed is remembered by the values at these positions (see [`super::memo`]).
//! To find it faster, it is also remembered by whole cells: its thread's block is one question
//! then. That asks for more than necessary, so a move that is not found by cells is looked for by
//! positions, and what is found there is remembered by cells as well.

use super::contents::{Component, PAGES};
use super::parts::CODE;
use super::vector::{CELL, COMMON, RECORDS, REGIONS, StateVector, WAITS, WORLD};
use samovar_runtime::LOOK_AT_WAITS;
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
}

impl StateVector {
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
        self.mentioned.resize(self.contents.slots().len(), 0);
        match self.contents.parts.is_fine() {
            true => self.mention_part(CODE, looks),
            false => self.mention(REGIONS, looks),
        }
        if let Some(question) = self.contents.parts.all_guards() {
            self.mention_part(question, looks);
        }
        // The passing of time is not one thread's.
        let mut whole = self.os().threads().len() <= thread.0 as usize;
        if whole {
            self.mention(WORLD, looks);
        } else {
            self.threads[thread.0 as usize].into_iter().for_each(|it| self.mention(it, looks));
            self.mention_part(COMMON, looks);
            self.mention_part(RECORDS + thread.0, looks);
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
                Seen::Beyond(reads::REGIONS) => self.mention(REGIONS, looks),
                Seen::Beyond(LOOK_AT_WAITS) if !whole => self.mention_part(WAITS, looks),
                Seen::Beyond(_) => {
                    whole = true;
                    self.mention(WORLD, looks);
                }
            }
        }
        let shown = changes.iter().find(|(position, _)| *position == WORLD);
        let shown = shown.map(|&(position, value)| self.contents_of(position, value));
        let before = self.contents_at(WORLD);
        let is_own =
            |shown: &u32| !whole && self.contents.worlds.is_own_change(before, *shown, thread);
        let shown = shown.filter(is_own);
        for &(position, _) in changes.iter().filter(|it| it.0 != WORLD || shown.is_none()) {
            self.mention(position, looks);
        }
        for &(position, _) in looks.iter().filter(|look| look.0 < CELL) {
            self.users[position as usize].note(thread.0);
        }
        shown
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
        let (mut cells, mut rest) = (Vec::new(), Vec::new());
        for &(position, value) in changes {
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
        CellChanges { cells: cells.into(), rest: rest.into() }
    }
}
