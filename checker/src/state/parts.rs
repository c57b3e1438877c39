//! Questions that a move may ask about several threads, or about parts of what belongs to none: who
//! waits for an object, how many threads there are, who has locked a line of memory, the region
//! that a page is in, what code is mapped.
//!
//! A move that looked at one of these is remembered by what that part was like, not by the whole,
//! which changes whenever any thread waits, locks memory or is created. What a part is like is a
//! number; equal parts have equal numbers. Who waits is kept by chunk of threads (see
//! [`super::worlds`]). A line is asked about from the first time on that somebody locks
//! memory there; before that nobody has to ask, but then what was said of moves that looked there
//! is not all any more ([`Parts::is_outdated`]). Likewise the map of regions is asked for as a
//! whole, which is one fast question, until there are many maps.

use super::vector::PART;
use super::worlds::Worlds;
use ahash::{AHashMap, AHashSet, RandomState};
use samovar_runtime::{Privilege, Privileges, WaitFor};
use samovar_vm::memory::PAGE_SIZE;
use samovar_vm::memory::reads::LINE;
use samovar_vm::memory::region::{Region, RegionMap};
use std::borrow::Cow;

/// What is mapped with permission to execute it.
pub const CODE: u32 = PART;
/// All that was ever locked, for programs that lock much memory at once.
const ALL_GUARDS: u32 = PART + 1;
/// How many threads there are, and how many of them have not ended.
pub const COUNT: u32 = PART + 2;
/// See [`COUNT`].
pub const ALIVE: u32 = PART + 3;
/// From here on, questions about objects, lines and pages.
const FIRST: u32 = PART + 4;
/// So many maps of regions are many.
const MANY_MAPS: u32 = 32;
/// Regions that are longer are not taken apart into lines.
const LINES_MAX: u64 = 64;

/// See the module head.
#[derive(Debug)]
pub struct Parts {
    /// What is asked about, from [`FIRST`] on, with the answers that do not depend on locks, plus
    /// one; zero if not known yet. By number of the map, or of the chunk of threads.
    asked: Vec<(Part, Vec<u32>)>,
    questions: AHashMap<Part, u32>,
    guards: AHashMap<Box<[Privilege]>, u32>,
    /// Who of a chunk waits; that nobody does is zero.
    waits: AHashMap<Vec<(u32, WaitFor)>, u32>,
    /// Chunks in which somebody waits, by their place in the world, where it is not the first
    /// alone.
    crowds: AHashMap<Vec<(u32, u32)>, u32>,
    regions: AHashMap<Option<(u64, Region)>, u32>,
    codes: AHashMap<Vec<(u64, Region)>, u32>,
    /// By number of the map; zero if not known yet.
    code_of: Vec<u32>,
    /// There are many maps.
    is_fine: bool,
    /// Memory was locked.
    is_locked: bool,
    /// Long regions were locked.
    is_wide: bool,
    /// Lines that moves looked at and that nobody has locked.
    assumed: AHashSet<u64>,
    /// Moves looked at lines before anybody locked any.
    assumed_none: bool,
    outdated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// A line of memory.
    Line(u64),
    /// A page.
    Page(u64),
    /// An object that threads may wait for.
    Waits(u64),
}

/// What questions are about: an operating system by number, and a map of regions with its own.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// All operating systems.
    pub worlds: &'a Worlds,
    /// The number of this one.
    pub world: u32,
    /// The map.
    pub map: (u32, &'a RegionMap),
}

impl Around<'_> {
    fn held(&self) -> &Privileges {
        self.worlds.privileges(self.world)
    }
}

impl Default for Parts {
    fn default() -> Parts {
        let hasher = RandomState::with_seeds(35, 36, 37, 38);
        Parts {
            asked: Vec::new(),
            questions: AHashMap::with_hasher(hasher.clone()),
            guards: AHashMap::with_hasher(hasher.clone()),
            waits: AHashMap::with_hasher(hasher.clone()),
            crowds: AHashMap::with_hasher(hasher.clone()),
            regions: AHashMap::with_hasher(hasher.clone()),
            codes: AHashMap::with_hasher(hasher.clone()),
            code_of: Vec::new(),
            is_fine: false,
            is_locked: false,
            is_wide: false,
            assumed: AHashSet::with_hasher(hasher),
            assumed_none: false,
            outdated: false,
        }
    }
}

impl Parts {
    /// A world comes up that is about the same as another one; memory may be locked there that
    /// never was before.
    pub fn meet(&mut self, new: &Privileges, near: Option<&Privileges>) {
        let none = Privileges::default();
        for privilege in new.beyond(near.unwrap_or(&none)) {
            let lines = privilege.start / LINE..=privilege.end.saturating_sub(1) / LINE;
            if LINES_MAX < lines.end() - lines.start() {
                self.outdated |= !std::mem::replace(&mut self.is_wide, true);
                continue;
            }
            for line in lines {
                self.guard(line);
            }
        }
    }

    /// A map of regions has this number.
    pub fn meet_map(&mut self, number: u32) {
        self.outdated |= MANY_MAPS <= number && !std::mem::replace(&mut self.is_fine, true);
    }

    /// Whether maps of regions are taken apart.
    pub fn is_fine(&self) -> bool {
        self.is_fine
    }

    /// The question about a line that somebody may lock.
    pub fn guard(&mut self, line: u64) -> u32 {
        if let Some(&known) = self.questions.get(&Part::Line(line)) {
            return known;
        }
        self.is_locked = true;
        self.outdated |= self.assumed_none || self.assumed.remove(&line);
        self.ask(Part::Line(line))
    }

    /// The question about a line that a move looks at, if somebody ever locked it.
    pub fn guard_if_locked(&mut self, line: u64) -> Option<u32> {
        if !self.is_locked {
            self.assumed_none = true;
            return None;
        }
        let known = self.questions.get(&Part::Line(line)).copied();
        if known.is_none() {
            self.assumed.insert(line);
        }
        known
    }

    /// The question about everything that is locked, if that has to be asked.
    pub fn all_guards(&self) -> Option<u32> {
        self.is_wide.then_some(ALL_GUARDS)
    }

    /// The question about the region that a page is in.
    pub fn region(&mut self, page: u64) -> u32 {
        self.question(Part::Page(page))
    }

    /// The question about who waits for an object.
    pub fn waits(&mut self, object: u64) -> u32 {
        self.question(Part::Waits(object))
    }

    fn question(&mut self, part: Part) -> u32 {
        self.questions.get(&part).copied().unwrap_or_else(|| self.ask(part))
    }

    fn ask(&mut self, part: Part) -> u32 {
        let question = FIRST + self.asked.len() as u32;
        self.asked.push((part, Vec::new()));
        self.questions.insert(part, question);
        question
    }

    /// The answer to a question.
    pub fn answer(&mut self, question: u32, around: &Around<'_>) -> u32 {
        if let Some(known) = self.known_answer(question, around) {
            return known;
        }
        let Around { map, .. } = *around;
        if question == CODE {
            let next = self.codes.len() as u32 + 1;
            let code = map.1.iter().filter(|(_, region)| region.perms.exec);
            let code = code.map(|(start, region)| (start, region.clone())).collect();
            let number = *self.codes.entry(code).or_insert(next);
            set(&mut self.code_of, map.0, number);
            return number;
        }
        match self.part(question) {
            Some(Part::Page(page)) => {
                let next = self.regions.len() as u32 + 1;
                let region = map.1.at(page * PAGE_SIZE);
                let region = region.map(|(start, region)| (start, region.clone()));
                let number = *self.regions.entry(region).or_insert(next);
                set(&mut self.asked[(question - FIRST) as usize].1, map.0, number);
                number
            }
            Some(Part::Waits(object)) => self.new_waits(question, object, around),
            line => {
                let next = self.guards.len() as u32;
                *self.guards.entry(guards(around.held(), line).as_ref().into()).or_insert(next)
            }
        }
    }

    /// The same, if it was asked for before.
    #[inline]
    pub fn known_answer(&self, question: u32, around: &Around<'_>) -> Option<u32> {
        let Around { worlds, world, map } = *around;
        let of_map = |all: &[u32]| all.get(map.0 as usize).copied().filter(|&known| known != 0);
        match question {
            CODE => return of_map(&self.code_of),
            COUNT => return Some(worlds.count(world)),
            ALIVE => return Some(worlds.alive(world)),
            _ => {}
        }
        match self.part(question) {
            Some(Part::Page(_)) => of_map(&self.asked[(question - FIRST) as usize].1),
            Some(Part::Waits(_)) => self.known_waits(question, around),
            line => self.guards.get(guards(around.held(), line).as_ref()).copied(),
        }
    }

    #[inline]
    fn known_waits(&self, question: u32, around: &Around<'_>) -> Option<u32> {
        let Around { worlds, world, .. } = *around;
        if !worlds.is_awaited(world) {
            return Some(0);
        }
        let answers = &self.asked[(question - FIRST) as usize].1;
        let of_chunk = |chunk: u32| answers.get(chunk as usize)?.checked_sub(1);
        let chunks = worlds.chunks(world);
        if let [chunk] = *chunks {
            return of_chunk(chunk).map(|known| known * 2);
        }
        let mut crowd = Vec::new();
        for (&chunk, at) in chunks.iter().zip(0..) {
            match of_chunk(chunk)? {
                0 => {}
                some => crowd.push((at, some)),
            }
        }
        match *crowd {
            [] => Some(0),
            [(0, first)] => Some(first * 2),
            _ => self.crowds.get(&crowd).map(|known| known * 2 + 1),
        }
    }

    #[cold]
    fn new_waits(&mut self, question: u32, object: u64, around: &Around<'_>) -> u32 {
        let Around { worlds, world, .. } = *around;
        let mut crowd = Vec::new();
        for (&chunk, at) in worlds.chunks(world).iter().zip(0..) {
            let waits = worlds.waits(chunk, object);
            let next = self.waits.len() as u32 + 1;
            let is_empty = waits.is_empty();
            let number = if is_empty { 0 } else { *self.waits.entry(waits).or_insert(next) };
            set(&mut self.asked[(question - FIRST) as usize].1, chunk, number + 1);
            crowd.extend((!is_empty).then_some((at, number)));
        }
        let next = self.crowds.len() as u32;
        match *crowd {
            [] => 0,
            [(0, first)] => first * 2,
            _ => *self.crowds.entry(crowd).or_insert(next) * 2 + 1,
        }
    }

    /// Chunks of threads have other numbers from now on.
    pub fn forget_chunks(&mut self) {
        for (_, answers) in self.asked.iter_mut().filter(|one| matches!(one.0, Part::Waits(_))) {
            answers.clear();
        }
    }

    fn part(&self, question: u32) -> Option<Part> {
        question.checked_sub(FIRST).map(|at| self.asked[at as usize].0)
    }

    /// Whether what was said of moves is not all any more.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// Nobody relies on what was said of moves.
    pub fn renew(&mut self) {
        self.assumed.clear();
        self.assumed_none = false;
        self.outdated = false;
    }
}

/// What is locked around a line, or everywhere.
fn guards(held: &Privileges, line: Option<Part>) -> Cow<'_, [Privilege]> {
    match line {
        Some(Part::Line(line)) => held.around(line * LINE, (line + 1).saturating_mul(LINE)),
        _ => held.around(0, u64::MAX),
    }
}

fn set(all: &mut Vec<u32>, index: u32, number: u32) {
    let index = index as usize;
    all.resize(all.len().max(index + 1), 0);
    all[index] = number;
}
