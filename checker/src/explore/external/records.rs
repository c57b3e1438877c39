//! Records of fixed size: how a state was reached first, and every move between two states.
//!
//! Numbers of states take five bytes: there are fewer than 2^40.

use crate::explore::choice::Choice;
use crate::explore::engine::Effect;
use samovar_vm::machine::ThreadId;

fn put(into: &mut [u8], number: u64) {
    let bytes = number.to_le_bytes();
    into.copy_from_slice(&bytes[..into.len()]);
}

fn take(from: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..from.len()].copy_from_slice(from);
    u64::from_le_bytes(bytes)
}

/// The number of a state as the tail of a record.
pub fn id_bytes(state: u64) -> [u8; 5] {
    let mut bytes = [0; 5];
    put(&mut bytes, state);
    bytes
}

/// The number of a state from the tail of a record.
pub fn id(tail: &[u8]) -> Option<u64> {
    (tail.len() == 5).then(|| take(tail))
}

/// How a state was reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// From this state.
    pub parent: u64,
    /// By this move.
    pub choice: Choice,
}

impl Origin {
    /// Bytes of one.
    pub const BYTES: usize = 14;

    /// Where the origin of a state is; the start has none.
    pub fn offset(state: u64) -> u64 {
        (state - 1) * Origin::BYTES as u64
    }

    /// As written.
    pub fn bytes(&self) -> [u8; Origin::BYTES] {
        let mut bytes = [0; Origin::BYTES];
        put(&mut bytes[..5], self.parent);
        put(&mut bytes[5..8], self.choice.thread.0.into());
        put(&mut bytes[8..], self.choice.alternative.into());
        bytes
    }

    /// From what was written.
    pub fn read(bytes: &[u8; Origin::BYTES]) -> Origin {
        let thread = ThreadId(take(&bytes[5..8]) as u32);
        let choice = Choice { thread, alternative: take(&bytes[8..]) as u32 };
        Origin { parent: take(&bytes[..5]), choice }
    }
}

/// No state has this number.
const NOWHERE: u64 = (1 << 40) - 1;

/// A move between two states, or that a move of a state ends the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// From this state.
    pub parent: u64,
    /// To this one; none if it ends the program.
    pub child: Option<u64>,
    /// The thread that moves.
    pub mover: ThreadId,
    /// What the move did.
    pub effect: Effect,
}

impl Edge {
    /// Bytes of one.
    pub const BYTES: usize = 14;

    /// A state in which the program can end, or nobody can move.
    pub fn end(parent: u64) -> Edge {
        Edge { parent, child: None, mover: ThreadId(0), effect: Effect::default() }
    }

    /// A move.
    pub fn new(parent: u64, child: u64, thread: ThreadId, effect: Effect) -> Edge {
        Edge { parent, child: Some(child), mover: thread, effect }
    }

    /// As written.
    pub fn bytes(&self) -> [u8; Edge::BYTES] {
        let mut bytes = [0; Edge::BYTES];
        put(&mut bytes[..5], self.parent);
        put(&mut bytes[5..10], self.child.unwrap_or(NOWHERE));
        put(&mut bytes[10..13], self.mover.0.into());
        bytes[13] = self.effect.flags();
        bytes
    }

    /// From what was written.
    pub fn read(bytes: &[u8; Edge::BYTES]) -> Edge {
        Edge {
            parent: take(&bytes[..5]),
            child: Some(take(&bytes[5..10])).filter(|child| *child != NOWHERE),
            mover: ThreadId(take(&bytes[10..13]) as u32),
            effect: Effect::of_flags(bytes[13]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let choice = Choice { thread: ThreadId(70_000), alternative: u32::MAX };
        let origin = Origin { parent: NOWHERE - 1, choice };
        assert_eq!(Origin::read(&origin.bytes()), origin);
        let effect = Effect { progress: true, borrows: true, ..Effect::default() };
        for thread in [0, 1, 62, 63, 64, 1000] {
            let edge = Edge::new(1 << 39, 5, ThreadId(thread), effect);
            assert_eq!(Edge::read(&edge.bytes()), edge);
        }
        assert_eq!(Edge::read(&Edge::end(9).bytes()).child, None);
        assert_eq!(id(&id_bytes(1 << 39)), Some(1 << 39));
        assert_eq!(id(&[1, 2]), None);
    }
}
