//! Heap blocks in words: who asked for them, and where.
//!
//! "T1's 48-byte block from queue.c:12" says more than an address. Blocks of one thread that have
//! the same size and come from the same line are numbered in the order of their addresses, which
//! is the order in which they were allocated.

use super::location::Location;
use super::names::Names;
use samovar_runtime::{Origin, Process};
use samovar_vm::machine::ThreadId;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Most frames that are looked at for one of the program's own.
const FRAMES_MAX: usize = 32;

/// Places that were found, by the number of the allocation.
pub(super) type Places = RefCell<BTreeMap<u64, Option<Location>>>;

impl Names {
    /// A heap block, or a place in it, or a bare address.
    pub fn block(&self, process: &Process, addr: u64) -> String {
        match process.machine.memory.objects().at(addr) {
            Some((start, object)) => {
                let block = self.whole_block(process, start, object.size);
                if addr == start { block } else { format!("byte {} of {block}", addr - start) }
            }
            None => format!("{addr:#x}"),
        }
    }

    /// The heap block that starts there.
    pub fn whole_block(&self, process: &Process, start: u64, size: u64) -> String {
        let Some((thread, place)) = self.source(process, start) else {
            return format!("the {size}-byte block at {start:#x}");
        };
        let is_like = |&(addr, origin): &(u64, &Origin)| {
            let object = process.machine.memory.objects().get(addr);
            object.is_some_and(|object| object.size == size)
                && self.place(process, origin).is_some_and(|other| other.is_same_line(&place))
        };
        let blocks = process.blocks_of(thread).take_while(|(addr, _)| *addr < start);
        let which = match blocks.filter(is_like).count() {
            0 => String::new(),
            before => format!("{} ", ordinal(before + 1)),
        };
        let owner = self.thread(thread);
        let from = place.short().map_or_else(|| place.to_string(), |line| format!("from {line}"));
        format!("{owner}'s {which}{size}-byte block {from}")
    }

    /// Who allocated a block, and where in the program, if that is known.
    pub fn source(&self, process: &Process, block: u64) -> Option<(ThreadId, Location)> {
        let origin = process.origin(block)?;
        Some((origin.thread, self.place(process, origin)?))
    }

    fn place(&self, process: &Process, origin: &Origin) -> Option<Location> {
        let mut places = self.places.borrow_mut();
        let find = || {
            let frames = self.debug().backtrace(origin, FRAMES_MAX);
            let own =
                |strict| frames.iter().find_map(|frame| self.own(process, frame.lookup, strict));
            own(true).or_else(|| own(false))
        };
        places.entry(origin.number).or_insert_with(find).clone()
    }
}

/// `2nd`, `11th`.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_english() {
        let words = [1, 2, 3, 4, 11, 12, 13, 21, 112, 122].map(ordinal);
        let expected =
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "122nd"];
        assert_eq!(words, expected);
    }
}
