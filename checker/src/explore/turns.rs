//! Threads that wait in a loop and count their turns.
//!
//! A loop that only looks whether it may go on comes back to the same state, and a search is done
//! with it. One that counts its turns, to wait a little longer each time, does not: every turn is
//! another state, up to 2^32 of them, although the thread does the same. The channels of Rust's
//! library wait like that.
//!
//! # The rule
//! A thread that executes `pause`, or gives way (`sched_yield`), and reads a contended word may be
//! in such a loop, which is known by the thread and its program counter and stack pointer behind
//! the read. Once a register or a word of the stack has had [`MANY`] different values there, the
//! loop is *counting*, and everything is explored anew with that. A loop that gives up after a
//! hundred turns is none, in however many surroundings it is met. The state of a thread in a
//! counting loop then has what the thread saw in this round and the one before: the contended words
//! that it read, and their values. A round in which it did nothing else to contended words, and of
//! which all is still so at its end, was *in vain*. After so many of these in a row (`--patience`)
//! the thread stands still until one of the words has another value.
//!
//! # What that leaves out
//! Every path that is explored is one of the program, so errors are errors. Runs are left out in
//! which a thread goes round in vain more often than that and then does something else because of
//! the number of its turns, before anybody changes what it looks at: nothing is verified then,
//! unless the user takes this for granted (`--patience`), and the verdict says so. If nobody else
//! can move, that is no deadlock but the end of what can be said. Loops with fewer turns than
//! [`MANY`] are not concerned, nor are those without a hint: they are explored whole.
//!
//! A thread that stands still has shown, in the rounds before, all that a round touches; whether it
//! goes on depends on the words that it has seen, which its move looks at, so that what is compared
//! and what is left out otherwise (see [`super::stubborn`]) has all that it needs.
//!
//! Only contended words are looked at: where every access is visible, no loop is counting.

use super::visible::Visible;
use super::word::Word;
use ahash::{AHashMap, AHashSet, RandomState};
use samovar_runtime::{Process, Turns};
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Access;
use samovar_vm::reg::Reg;

/// So many values of one register or word of the stack at one place make a loop a counting one.
const MANY: usize = 1 << 12;

/// Words of the stack that a sight has, of four bytes like most counters.
const STACK_WORDS: usize = 128;

/// Words that a thread which waits looks at; one that reads more does something else.
const WORDS_MAX: usize = 32;

/// Registers that a sight has.
#[rustfmt::skip]
const REGISTERS: [Reg; 15] = [
    Reg::Rax, Reg::Rcx, Reg::Rdx, Reg::Rbx, Reg::Rbp, Reg::Rsi, Reg::Rdi, Reg::R8, Reg::R9,
    Reg::R10, Reg::R11, Reg::R12, Reg::R13, Reg::R14, Reg::R15,
];

/// Where a round of a loop begins: the thread, its program counter and its stack pointer.
pub type Loop = (ThreadId, u64, u64);

/// Loops that were found to be counting, and how long to bear with them.
#[derive(Clone, Debug, Default)]
pub struct Patience {
    /// Rounds in vain; no limit if there is none.
    rounds: Option<u32>,
    /// The loops.
    loops: Vec<Loop>,
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

    /// Where they are.
    pub fn places(&self) -> Vec<u64> {
        self.loops.iter().map(|&(_, pc, _)| pc).collect()
    }
}

/// A thread at one place: its registers, and words of its stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting(Box<[u64]>);

/// The values that registers and words of the stack had at one place.
#[derive(Debug, Default)]
struct Seen {
    values: Vec<AHashSet<u64>>,
}

impl Seen {
    /// Notes the values; how many there are of the one that has most.
    fn note(&mut self, sighting: &Sighting) -> usize {
        let set = || AHashSet::with_hasher(RandomState::with_seeds(75, 76, 77, 78));
        self.values.resize_with(sighting.0.len().max(self.values.len()), set);
        for (values, &value) in self.values.iter_mut().zip(&sighting.0) {
            values.insert(value);
        }
        self.values.iter().map(|values| values.len()).max().unwrap_or_default()
    }
}

/// What was seen of loops.
#[derive(Debug)]
pub struct Sightings {
    of: AHashMap<Loop, Seen>,
}

impl Default for Sightings {
    fn default() -> Sightings {
        Sightings { of: AHashMap::with_hasher(RandomState::with_seeds(71, 72, 73, 74)) }
    }
}

impl Sightings {
    /// Notes a sight of a loop; whether the loop turns out to be a counting one.
    pub fn note(&mut self, (place, sight): &(Loop, Sighting), patience: &mut Patience) -> bool {
        if patience.rounds.is_none() || patience.loops.contains(place) {
            return false;
        }
        if self.of.entry(*place).or_default().note(sight) < MANY {
            return false;
        }
        self.of.remove(place);
        patience.loops.push(*place);
        true
    }
}

/// The loop that a thread may be in that has just read something after a hint, and a sight of it.
fn sight(process: &Process, thread: ThreadId) -> (Loop, Sighting) {
    let core = process.machine.core(thread);
    let rsp = core[Reg::Rsp];
    let mut values = [0; REGISTERS.len() + STACK_WORDS];
    for (value, &reg) in values.iter_mut().zip(&REGISTERS) {
        *value = core[reg];
    }
    // This does not count as a look of the thread's.
    let end = rsp.saturating_add(STACK_WORDS as u64 * 4);
    for (start, bytes) in process.machine.memory.touched(rsp, end) {
        for (addr, &byte) in (start..).zip(bytes) {
            let offset = (addr - rsp) as usize;
            values[REGISTERS.len() + offset / 4] |= u64::from(byte) << (offset % 4 * 8);
        }
    }
    ((thread, core.pc, rsp), Sighting(Box::new(values)))
}

/// Whether a thread stands still because it would go round in vain. `look` is told the words that
/// this depends on.
pub fn stands_still(
    process: &Process,
    thread: ThreadId,
    patience: &Patience,
    mut look: impl FnMut(Word),
) -> bool {
    let Some(turns) = process.turns(thread) else { return false };
    if patience.rounds.is_none_or(|most| turns.rounds < most) {
        return false;
    }
    let mut words = turns.before.iter().chain(&turns.seen);
    words.clone().for_each(|&(addr, _)| look(Word(addr / 8)));
    words.all(|known| is_still_so(process, known))
}

fn is_still_so(process: &Process, &(addr, value): &(u64, u64)) -> bool {
    process.machine.memory.read_u64(addr).unwrap_or_default() == value
}

/// A move that a thread has just made.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The visible operation, if there is one and nothing else was accessed.
    pub operation: Option<Access>,
    /// The thread gave a hint that it waits.
    pub hint: bool,
}

/// Notes what a thread has seen in a move; the loop that it may be in, and a sight of it.
pub fn note(
    process: &mut Process,
    thread: ThreadId,
    turn: Turn,
    patience: &Patience,
) -> Option<(Loop, Sighting)> {
    let read = turn.operation.filter(|it| it.kind == AccessKind::Read && !it.locked);
    if patience.rounds.is_none() || read.is_none() && process.turns(thread).is_none() {
        return None;
    }
    let seen = turn.hint.then(|| sight(process, thread));
    let mut turns = process.turns(thread).cloned();
    let Some(read) = read else {
        process.set_turns(thread, None);
        return None;
    };
    let place = seen.as_ref().map(|seen| seen.0);
    if let Some((_, pc, rsp)) = place.filter(|place| patience.loops.contains(place)) {
        let place = (pc, rsp);
        match &mut turns {
            Some(known) if known.place == place => {
                let in_vain = known.seen.iter().all(|seen| is_still_so(process, seen));
                known.rounds = if in_vain { known.rounds.saturating_add(1) } else { 0 };
                known.before = std::mem::take(&mut known.seen);
            }
            Some(_) => {}
            None => turns = Some(Turns { place, ..Turns::default() }),
        }
    }
    if let Some(known) = &mut turns {
        for addr in Word::of(&read).map(Word::address) {
            let value = process.machine.memory.read_u64(addr).unwrap_or_default();
            known.seen.retain(|one| one.0 != addr);
            known.seen.push((addr, value));
        }
    }
    process.set_turns(thread, turns.filter(|turns| turns.seen.len() <= WORDS_MAX));
    seen
}

/// Whether loops can be told to be counting where this is visible.
pub fn concerns(visible: &Visible) -> bool {
    matches!(visible, Visible::Contended(_))
}
