//! Proof that a thread goes round in circles: run alone, it comes back to a state that it was in.
//!
//! Brent's method: the present state is compared with one remembered state, which is replaced by
//! the present one whenever a power of two of steps has passed. Registers are compared at every
//! step, memory only when they agree. Cost: one instruction a step, and a bounded number of
//! comparisons of memory. Circles longer than the window are not found.
//!
//! A circle is endless unless another thread changes something that is read on the way round, so
//! these words are told; not all of them, if some are more likely to be what threads meet at.
//!
//! A thread that waits in a loop (it gives way, or executes `pause`) need not come back to the same
//! state, because it may count its turns. There is no proof then that it goes on for ever, but what
//! it reads on its way, and does not write itself, is what it may be waiting for.

use super::visible;
use super::word::{LARGE, Word};
use samovar_runtime::syscall::objects;
use samovar_runtime::{Event, Observer, Process, ProcessMark};
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::region::RegionMap;
use samovar_vm::monitor::{Access, Decision, Monitor};
use samovar_vm::reg::Reg;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// Instructions in the largest circle that is found.
pub const WINDOW: u64 = 1 << 20;
/// Instructions in which one who waits looks at all that it waits for.
const WHILE: u64 = 1 << 12;
/// Words that one who waits looks at.
const WORDS_MAX: usize = 64;
/// Comparisons of memory in vain before giving up.
const COMPARISONS_MAX: u32 = 32;
/// Memory that undoing what was tried may take: one that takes more and more does not come back.
const JOURNAL_MAX: usize = 32 << 20;

/// The words that a thread reads on its way round, if it repeats a state when run alone from here
/// without an access that `stops` names, and in at most `window` instructions. The journal must be
/// on; the process is left as it was.
pub fn circle(
    process: &mut Process,
    thread: ThreadId,
    window: u64,
    stops: &dyn Fn(&Access) -> bool,
) -> Option<Vec<Word>> {
    let here = process.mark();
    let found = length(process, thread, window.min(WINDOW), stops).map(|length| {
        let begin = process.mark();
        let mut single = Single { stops, read: Vec::new() };
        for _ in 0..length {
            process.step(thread, 1, &mut single);
        }
        let mut read = single.words();
        let written = written_since(process, &begin);
        let place = Place::of(process, thread);
        prefer(&mut read, |word| place.may_change(word) && place.is_common(word));
        prefer(&mut read, |word| is_among(word, &written));
        read
    });
    process.undo_to(&here);
    found
}

/// The words that a thread which seems to wait reads until it gives way the next time, or for a
/// while, and that another thread could write: those that it writes itself on the way do not count,
/// nor its own stack if there is anything else. Nothing if there are many: then it does not wait.
/// The journal must be on; the process is left as it was.
pub fn turn(
    process: &mut Process,
    thread: ThreadId,
    stops: &dyn Fn(&Access) -> bool,
) -> Option<Vec<Word>> {
    let here = process.mark();
    let mut single = Single { stops, read: Vec::new() };
    let event = process.step(thread, WHILE, &mut single);
    let written = written_since(process, &here);
    process.undo_to(&here);
    let mut read = single.words();
    let place = Place::of(process, thread);
    read.retain(|word| place.may_change(*word) && !is_among(*word, &written));
    prefer(&mut read, |word| place.is_common(word));
    let goes_on = matches!(event, Event::Yielded | Event::Budget);
    (goes_on && (1..=WORDS_MAX).contains(&read.len())).then_some(read)
}

/// Where a thread is, for telling which words others are likely to change.
struct Place<'a> {
    regions: &'a RegionMap,
    /// Where the region of its stack begins.
    stack: Option<u64>,
    linked: Vec<Range<u64>>,
}

impl Place<'_> {
    fn of(process: &Process, thread: ThreadId) -> Place<'_> {
        let regions = process.machine.memory.regions();
        let stack = regions.at(process.machine.core(thread)[Reg::Rsp]).map(|(start, _)| start);
        Place { regions, stack, linked: visible::linked(process) }
    }

    /// Whether a word can be written at all.
    fn may_change(&self, word: Word) -> bool {
        self.regions.at(word.address()).is_some_and(|(_, region)| region.perms.write)
    }

    /// Whether a word is neither on the thread's stack nor the dynamic linker's.
    fn is_common(&self, word: Word) -> bool {
        let address = word.address();
        self.regions.at(address).map(|(start, _)| start) != self.stack
            && !self.linked.iter().any(|range| range.contains(&address))
    }
}

/// Leaves those that have a property, if there are any.
fn prefer(words: &mut Vec<Word>, has: impl Fn(Word) -> bool) {
    if words.iter().any(|word| has(*word)) {
        words.retain(|word| has(*word));
    }
}

/// The words that were written since a mark.
fn written_since(process: &Process, mark: &ProcessMark) -> Vec<RangeInclusive<u64>> {
    let mut written = Vec::new();
    process.machine.memory.journal.changes_since(mark.machine(), |addr, len| {
        written.push(addr / 8..=(addr + len.max(1) - 1) / 8);
    });
    written
}

fn is_among(word: Word, ranges: &[RangeInclusive<u64>]) -> bool {
    ranges.iter().any(|range| range.contains(&word.0))
}

/// The number of steps in the circle; the process then stands somewhere on it.
fn length(
    process: &mut Process,
    thread: ThreadId,
    window_max: u64,
    stops: &dyn Fn(&Access) -> bool,
) -> Option<u64> {
    let mut single = Single { stops, read: Vec::new() };
    let mut comparisons = 0;
    let mut window = 1;
    let journal_max = process.machine.memory.journal.bytes() + JOURNAL_MAX;
    while window <= window_max {
        let mark = process.mark();
        let core = *process.machine.core(thread);
        let floating = process.machine.floating(thread).clone();
        let world = Arc::clone(process.world());
        for step in 1..=window {
            if !matches!(process.step(thread, 1, &mut single), Event::Budget | Event::Yielded) {
                return None;
            }
            single.read.clear();
            if journal_max < process.machine.memory.journal.bytes() {
                return None;
            }
            let is_same = *process.machine.core(thread) == core
                && *process.machine.floating(thread) == floating
                && (Arc::ptr_eq(process.world(), &world) || process.world().is_same(&world));
            if !is_same {
                continue;
            }
            let written = contents(process, &mark);
            process.undo_to(&mark);
            if written.iter().all(|(addr, bytes)| holds(process, *addr, bytes)) {
                return Some(step);
            }
            comparisons += 1;
            if comparisons == COMPARISONS_MAX {
                return None;
            }
            for _ in 0..step {
                process.step(thread, 1, &mut single);
            }
        }
        window *= 2;
    }
    None
}

/// The bytes that were written since a mark, as they are now.
fn contents(process: &Process, mark: &ProcessMark) -> Vec<(u64, Vec<u8>)> {
    let memory = &process.machine.memory;
    let mut ranges = Vec::new();
    memory.journal.changes_since(mark.machine(), |addr, len| ranges.push((addr, len)));
    ranges.sort_unstable();
    ranges.dedup();
    let bytes = |(addr, len)| (addr, memory.slice(addr, len).unwrap_or_default().to_vec());
    ranges.into_iter().map(bytes).collect()
}

fn holds(process: &Process, addr: u64, bytes: &[u8]) -> bool {
    process.machine.memory.slice(addr, bytes.len() as u64).unwrap_or_default() == bytes
}

/// One instruction at a time, noting what is read; no thread is created on the way.
struct Single<'a> {
    stops: &'a dyn Fn(&Access) -> bool,
    read: Vec<Word>,
}

impl Single<'_> {
    /// The words that were read, in ascending order.
    fn words(mut self) -> Vec<Word> {
        self.read.sort_unstable();
        self.read.dedup();
        self.read
    }
}

impl Monitor for Single<'_> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        if access.addr == objects::THREADS || (self.stops)(&access) {
            return Decision::Stop;
        }
        // What takes memory away does not look at it.
        let is_taken = LARGE <= access.size && access.kind == AccessKind::Write;
        if !is_taken && (access.kind == AccessKind::Read || access.locked) {
            self.read.extend(Word::of(&access));
        }
        Decision::Proceed
    }
}

impl Observer for Single<'_> {}
