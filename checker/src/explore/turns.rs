//! Threads that wait by giving way in a loop and count their turns.
//!
//! A loop that only looks and gives way (`sched_yield`) comes back to the same state, and a search
//! is done with it. One that counts its turns, to wait a little longer each time, does not: every
//! turn is another state, up to 2^32 of them, although the thread does the same. The channels of
//! Rust's library wait like that.
//!
//! # The rule
//! A loop is known by the thread, and where it stands and its stack ends when it gives way. From
//! [`MANY`] different sights of a thread's registers and stack there on, the loop is *counting*, and
//! everything is explored anew with that. The state of a thread in a counting loop then has what the
//! thread saw since it gave way last: the contended words that it read, and their values. If it did
//! nothing else to contended words, and all of that is still so when it gives way again, it has gone
//! *round in vain*. After so many rounds in vain (`--patience`) it stands still before giving way,
//! until one of the words has another value.
//!
//! # What that leaves out
//! Every path that is explored is one of the program, so errors are errors. Runs are left out in
//! which a thread goes round in vain more often than that and then does something else because of
//! the number of its turns, before anybody changes what it looks at: a verdict says that it takes
//! this for granted. If nobody else can move, that is no deadlock but the end of what can be said.
//! A thread that stands still has shown, in the rounds before, all that a round touches; whether it
//! goes on depends on the words that it has seen, which its move looks at, so that what is compared
//! and what is left out otherwise (see [`super::stubborn`]) has all that it needs.
//!
//! Only contended words are looked at: where every access is visible, no loop is counting.

use super::visible::Visible;
use super::word::Word;
use crate::state::slots::fold;
use ahash::{AHashMap, AHashSet, RandomState};
use samovar_runtime::{Process, Turns};
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Access;
use samovar_vm::reg::Reg;

/// So many sights of a thread at one place make a loop a counting one.
const MANY: usize = 256;

/// Bytes of the stack that a sight has.
const STACK_BYTES: u64 = 512;

/// Words that a thread which waits looks at; one that reads more does something else.
const WORDS_MAX: usize = 32;

/// Registers that a call leaves as they are.
const KEPT: [Reg; 6] = [Reg::Rbx, Reg::Rbp, Reg::R12, Reg::R13, Reg::R14, Reg::R15];

/// Where a thread gives way: the thread, where it goes on, and the end of its stack.
pub type Loop = (ThreadId, u64, u64);

/// Loops that were found to be counting, and how long to bear with them.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// Rounds in vain; no limit if there is none.
    pub rounds: Option<u32>,
    /// The loops.
    loops: Vec<Loop>,
}

/// What was seen of loops.
#[derive(Debug)]
pub struct Sightings {
    of: AHashMap<Loop, AHashSet<u64>>,
}

impl Default for Sightings {
    fn default() -> Sightings {
        Sightings { of: AHashMap::with_hasher(RandomState::with_seeds(71, 72, 73, 74)) }
    }
}

impl Sightings {
    /// Notes a sight of a loop; whether the loop turns out to be a counting one.
    pub fn note(&mut self, (place, sight): (Loop, u64), patience: &mut Patience) -> bool {
        if patience.rounds.is_none() || patience.loops.contains(&place) {
            return false;
        }
        let seen = self.of.entry(place).or_insert_with(|| {
            AHashSet::with_hasher(RandomState::with_seeds(75, 76, 77, 78))
        });
        seen.insert(sight);
        if seen.len() < MANY {
            return false;
        }
        self.of.remove(&place);
        patience.loops.push(place);
        true
    }
}

impl Patience {
    /// With so many rounds in vain; zero for no limit.
    pub fn of(rounds: u32) -> Patience {
        Patience { rounds: (0 < rounds).then_some(rounds), loops: Vec::new() }
    }

    /// How many loops were found to be counting.
    pub fn loops(&self) -> usize {
        self.loops.len()
    }
}

/// The loop that a thread which has just given way is in, and a sight of it.
pub fn sight(process: &Process, thread: ThreadId) -> (Loop, u64) {
    let core = process.machine.core(thread);
    let rsp = core[Reg::Rsp];
    let mix = |hash: u64, value: u64| fold(hash ^ value, 0x9e37_79b9_7f4a_7c15);
    let mut hash = KEPT.iter().fold(1, |hash, &reg| mix(hash, core[reg]));
    // This does not count as a look of the thread's.
    for (_, bytes) in process.machine.memory.touched(rsp, rsp.saturating_add(STACK_BYTES)) {
        hash = bytes.iter().fold(hash, |hash, &byte| mix(hash, byte.into()));
    }
    ((thread, core.pc, rsp), hash)
}

/// A thread has just given way: whether it is to stand still before that instead. `look` is told
/// the words that this depends on.
pub fn gives_way(
    process: &mut Process,
    thread: ThreadId,
    patience: &Patience,
    mut look: impl FnMut(Word),
) -> bool {
    let Some(most) = patience.rounds else { return false };
    let core = process.machine.core(thread);
    if !patience.loops.contains(&(thread, core.pc, core[Reg::Rsp])) {
        return false;
    }
    let before = process.turns(thread).cloned().unwrap_or_default();
    let mut in_vain = !before.seen.is_empty();
    for &(addr, value) in &before.seen {
        look(Word(addr / 8));
        in_vain &= process.machine.memory.read_u64(addr) == Ok(value);
    }
    if in_vain && most <= before.rounds {
        return true;
    }
    let rounds = if in_vain { before.rounds + 1 } else { 0 };
    process.set_turns(thread, Some(Turns { rounds, seen: Vec::new() }));
    false
}

/// A move with this visible operation, and nothing else if it is `single`, was made by a thread.
pub fn note_operation(process: &mut Process, thread: ThreadId, made: Option<Access>, single: bool) {
    let Some(turns) = process.turns(thread) else { return };
    let read = made.filter(|it| it.kind == AccessKind::Read && !it.locked && single);
    let turns = read.map(|access| {
        let mut turns = turns.clone();
        for addr in Word::of(&access).map(Word::address) {
            let value = process.machine.memory.read_u64(addr).unwrap_or_default();
            turns.seen.retain(|known| known.0 != addr);
            turns.seen.push((addr, value));
        }
        turns
    });
    process.set_turns(thread, turns.filter(|turns| turns.seen.len() <= WORDS_MAX));
}

/// Whether loops can be told to be counting where this is visible.
pub fn concerns(visible: &Visible) -> bool {
    matches!(visible, Visible::Contended(_))
}
