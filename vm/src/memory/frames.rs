//! Return addresses on the stacks: where they lie, by thread.
//!
//! Code that is lowered with [`crate::lower::Style::frames`] tells of every call and return. What a
//! thread has called and not returned from is a chain of nodes, each the return address of a call
//! and the chain before it; equal chains are one chain, so its number, which the thread keeps in a
//! register of the machine ([`crate::reg::Reg::Frame`]), says everything, can be compared and comes
//! and goes with the other registers. Nodes are never removed.
//!
//! With it accesses can be judged that leave a frame: a store over a return address of the thread's
//! own callers, and an access relative to the frame that ends up beyond the frame of the caller.
//! What lies between two variables of a frame, and in the frame of the caller, where arguments are,
//! is not judged.
//!
//! Threads may leave frames without returning (`longjmp`, exceptions) or switch stacks: where the
//! stack pointer is set to anything, the chain is forgotten, and nodes below the stack pointer do
//! not count, nor those in other mappings than it, nor those whose return address is not there any
//! more. A chain that is shorter than it could be makes nothing wrong.

use super::Memory;
use crate::fault::{AccessKind, Fault, FaultReason};
use ahash::{AHashMap, RandomState};

/// A return address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    parent: u32,
    /// Where it lies.
    slot: u64,
    /// What it is.
    target: u64,
}

/// See the module head.
#[derive(Debug)]
pub struct Frames {
    nodes: Vec<Node>,
    /// By node: the call that was made last from there.
    last: Vec<u32>,
    numbers: AHashMap<Node, u32>,
}

/// No calls.
const ROOT: u32 = 0;
/// Size of a return address.
const SIZE: u64 = 8;

impl Default for Frames {
    fn default() -> Frames {
        let root = Node { parent: ROOT, slot: u64::MAX, target: 0 };
        let numbers = AHashMap::with_hasher(RandomState::with_seeds(5, 6, 7, 8));
        Frames { nodes: vec![root], last: vec![ROOT], numbers }
    }
}

impl Frames {
    /// The chain without what lies below an address.
    pub(crate) fn above(&self, chain: u64, addr: u64) -> u64 {
        let mut at = chain as u32;
        while self.nodes[at as usize].slot < addr {
            at = self.nodes[at as usize].parent;
        }
        u64::from(at)
    }

    /// The chain after a call that puts its return address `target` at `slot`.
    pub(crate) fn enter(&mut self, chain: u64, slot: u64, target: u64) -> u64 {
        let parent = self.above(chain, slot.saturating_add(1)) as u32;
        let node = Node { parent, slot, target };
        let last = self.last[parent as usize];
        if last != ROOT && self.nodes[last as usize] == node {
            return u64::from(last);
        }
        let number = *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.last.push(ROOT);
            self.nodes.len() as u32 - 1
        });
        self.last[parent as usize] = number;
        u64::from(number)
    }

    /// Whether the nearest return address of a chain lies exactly there.
    pub(crate) fn is_just_above(&self, chain: u64, addr: u64) -> bool {
        chain as u32 != ROOT && self.nodes[chain as u32 as usize].slot == addr
    }

    /// Whether all return addresses of a chain lie above the end of an access: the usual case.
    #[inline]
    pub(crate) fn is_below(&self, chain: u64, end: u64) -> bool {
        end <= self.nodes[chain as u32 as usize].slot
    }
}

/// An access whose place is to be judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub addr: u64,
    pub size: u32,
    pub kind: AccessKind,
    /// Its address is relative to the frame.
    pub of_frame: bool,
    /// It stores this whole word.
    pub value: Option<u64>,
}

impl Memory {
    /// What is wrong with an access of a thread that has its stack pointer at `rsp`.
    #[cold]
    pub(crate) fn judge_reach(&self, chain: u64, rsp: u64, reach: &Reach) -> Option<Fault> {
        let Reach { addr, size, kind, .. } = *reach;
        let end = addr.checked_add(u64::from(size))?;
        let nodes = &self.frames.nodes;
        let top = &nodes[self.frames.above(chain, rsp) as usize];
        let (_, stack) = self.region_at(rsp)?;
        if end <= top.slot || stack.end <= addr {
            // Below all frames, or not on this stack.
            return None;
        }
        let is_code = |value: u64| self.regions.at(value).is_some_and(|(_, it)| it.perms.exec);
        if kind == AccessKind::Write && reach.value.is_some_and(is_code) {
            // Whoever stores a return address means to.
            return None;
        }
        let fault = |reason| Some(Fault { addr, size, kind, reason });
        let caller = &nodes[top.parent as usize];
        if reach.of_frame && top.parent != ROOT && caller.slot < end && self.is_there(caller) {
            return fault(FaultReason::BeyondFrame);
        }
        if kind != AccessKind::Write {
            return None;
        }
        let mut node = top;
        while node.slot < end {
            if addr < node.slot + SIZE && node.slot < stack.end && self.is_there(node) {
                return fault(FaultReason::ReturnAddress);
            }
            node = &nodes[node.parent as usize];
        }
        None
    }

    fn is_there(&self, node: &Node) -> bool {
        self.read_u64(node.slot) == Ok(node.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_chains_have_the_same_number() {
        let mut frames = Frames::default();
        let one = frames.enter(0, 0x1000, 7);
        let two = frames.enter(one, 0xf00, 8);
        let three = frames.enter(two, 0xe00, 9);
        assert_eq!(frames.enter(one, 0xf00, 8), two);
        assert_eq!(frames.enter(three, 0xf00, 8), two, "what lies below is gone");
        assert_ne!(frames.enter(one, 0xf00, 9), two, "another return address");
        assert_eq!(frames.above(three, 0xf01), one);
        assert_eq!(frames.above(three, 0x1001), 0);
        assert!(frames.is_below(two, 0xf00));
        assert!(!frames.is_below(two, 0xf01));
    }
}
