//! Going on and going back until something that gdb wants to see.
//!
//! A breakpoint is met at a position from which a thread's next step is the instruction at its
//! address; a watchpoint by a step that changes, or for some kinds accesses, its bytes. Going back
//! finds the last such position before the present one: for a watchpoint that is where the bytes
//! still have their old value, as gdb expects.

use super::link::Link;
use crate::replay::Tape;
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use std::collections::BTreeSet;
use std::ops::Range;

/// Steps between two looks at whether gdb wants to stop.
const PATIENCE: u64 = 1 << 16;

/// Memory that gdb watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watchpoint {
    /// `watch`, `rwatch` or `awatch`, as gdb calls them.
    pub kind: &'static str,
    /// First byte.
    pub addr: u64,
    /// Number of bytes.
    pub len: u64,
}

/// What ends going on and going back.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// Instructions to stop at.
    pub breakpoints: BTreeSet<u64>,
    /// Memory to look at.
    pub watchpoints: Vec<Watchpoint>,
}

/// How far to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To the next thing worth seeing.
    Anything,
    /// One step of a thread.
    Step(ThreadId),
    /// Until a thread leaves these addresses.
    Leave(ThreadId, Range<u64>),
}

/// Why it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A step was made.
    Stepped(ThreadId),
    /// A breakpoint.
    Breakpoint(ThreadId),
    /// A watchpoint: its kind and address.
    Watched(ThreadId, &'static str, u64),
    /// gdb asked for it.
    Interrupted,
    /// The end of the recording.
    End,
    /// The beginning of the recording.
    Begin,
}

impl Points {
    /// The thread that makes the next step, if that is at a breakpoint.
    fn met(&self, tape: &Tape<'_>) -> Option<ThreadId> {
        let actor = tape.actor()?;
        let core = tape.process().machine.core(actor);
        let is_met = core.uops_done == 0 && self.breakpoints.contains(&core.pc);
        is_met.then_some(actor)
    }

    fn contents(&self, process: &Process) -> Vec<Vec<u8>> {
        let bytes = |point: &Watchpoint| {
            process.machine.memory.slice(point.addr, point.len).unwrap_or_default().to_vec()
        };
        self.watchpoints.iter().map(bytes).collect()
    }

    /// The watchpoint that the last step has met; `before` is what the bytes were.
    fn seen(&self, tape: &Tape<'_>, before: &[Vec<u8>]) -> Option<&Watchpoint> {
        let now = self.contents(tape.process());
        let is_touched = |point: &Watchpoint| {
            let overlaps = |&(addr, len): &(u64, u64)| {
                addr < point.addr + point.len && point.addr < addr + len
            };
            tape.accesses().iter().any(overlaps)
        };
        let mut all = self.watchpoints.iter().zip(before.iter().zip(&now));
        let found = all.find(|(point, (before, now))| {
            before != now || point.kind != "watch" && is_touched(point)
        });
        found.map(|(point, _)| point)
    }
}

/// Goes on. `fresh` tells that the present position has not been shown to gdb as a breakpoint.
pub fn forward(
    tape: &mut Tape<'_>,
    points: &Points,
    goal: &Goal,
    fresh: bool,
    link: &mut Link,
) -> Halt {
    let start = tape.at();
    let mut before = points.contents(tape.process());
    loop {
        if (start < tape.at() || fresh)
            && let Some(thread) = points.met(tape)
        {
            return Halt::Breakpoint(thread);
        }
        let actor = tape.actor();
        if !tape.step() {
            return Halt::End;
        }
        if !points.watchpoints.is_empty()
            && let Some(point) = points.seen(tape, &before)
        {
            let thread = actor.unwrap_or(ThreadId(0));
            return Halt::Watched(thread, point.kind, point.addr);
        }
        if !points.watchpoints.is_empty() {
            before = points.contents(tape.process());
        }
        match (goal, actor) {
            (Goal::Step(wanted), Some(thread)) if *wanted == thread => {
                return Halt::Stepped(thread);
            }
            (Goal::Leave(wanted, range), Some(thread))
                if *wanted == thread
                    && !range.contains(&tape.process().machine.core(thread).pc) =>
            {
                return Halt::Stepped(thread);
            }
            _ => {}
        }
        if (tape.at() - start).is_multiple_of(PATIENCE) && link.is_interrupted() {
            return Halt::Interrupted;
        }
    }
}

/// Goes back by one step of a thread.
pub fn step_back(tape: &mut Tape<'_>, thread: ThreadId) -> Halt {
    let at = tape.at();
    let own = tape.parts().iter().rev().find(|it| it.thread == Some(thread) && it.first < at);
    match own.map(|part| part.end().min(at) - 1) {
        Some(position) => {
            tape.go_to(position);
            Halt::Stepped(thread)
        }
        None => {
            tape.go_to(0);
            Halt::Begin
        }
    }
}

/// Goes back to the last position worth seeing.
pub fn backward(tape: &mut Tape<'_>, points: &Points, link: &mut Link) -> Halt {
    let limit = tape.at();
    let last = match limit.checked_sub(1).and_then(|before| tape.part_at(before)) {
        Some(last) => last,
        None => return Halt::Begin,
    };
    for index in (0..=last).rev() {
        let (first, end) = (tape.parts()[index].first, tape.parts()[index].end().min(limit));
        if let Some((position, halt)) = last_in(tape, points, first..end) {
            tape.go_to(position);
            return halt;
        }
        if index % 64 == 0 && link.is_interrupted() {
            tape.go_to(first);
            return Halt::Interrupted;
        }
    }
    tape.go_to(0);
    Halt::Begin
}

/// The last position of a range at which something is to be seen.
fn last_in(tape: &mut Tape<'_>, points: &Points, range: Range<u64>) -> Option<(u64, Halt)> {
    tape.go_to(range.start);
    let mut found = None;
    let mut before = points.contents(tape.process());
    while tape.at() < range.end {
        let (at, actor) = (tape.at(), tape.actor());
        if let Some(thread) = points.met(tape) {
            found = Some((at, Halt::Breakpoint(thread)));
        }
        if !tape.step() {
            break;
        }
        if !points.watchpoints.is_empty() {
            if let Some(point) = points.seen(tape, &before) {
                let thread = actor.unwrap_or(ThreadId(0));
                found = Some((at, Halt::Watched(thread, point.kind, point.addr)));
            }
            before = points.contents(tape.process());
        }
    }
    found
}
