//! A schedule in terms of the program's own instructions.
//!
//! "Own" is code of the program's file that has source lines, so that a C library that is linked
//! statically does not count. Addresses here are those of the file, without the place it is loaded
//! at.

use crate::replay::Tape;
use crate::replay::part::Kind;
use crate::trail::Names;
use ahash::AHashMap;
use samovar_runtime::{Process, ThreadState};
use samovar_vm::lower::request;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;

/// Where a thread stands after a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before this own instruction.
    Own(u64),
    /// Inside of this own instruction: between its load and its store.
    Split {
        /// The instruction.
        pc: u64,
        /// What it stores to, if that has an address that the real process has, too.
        store: Option<(Target, u64)>,
    },
    /// In a library, on the way to the next own instruction, if one comes.
    Library,
    /// At its end, or at that of the process.
    Ended,
}

/// A place in memory that the real process has, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// An address of the program's file.
    File(u64),
    /// So far from what a register holds; the number is that of the register in encodings.
    Register(usize, i64),
}

/// One thread's way between two switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The thread.
    pub thread: usize,
    /// Own instructions that it has begun at the end, since its start.
    pub index: usize,
    /// Where it stands then.
    pub place: Place,
    /// The step of the trail, counted from one; none before and behind it.
    pub step: Option<usize>,
    /// It is the thread's last move, in which the error happens.
    pub is_last: bool,
}

/// See the module head.
#[derive(Debug, Default)]
pub struct Itinerary {
    /// The legs in their order.
    pub legs: Vec<Leg>,
    /// The own instructions of each thread.
    pub own: Vec<Vec<u64>>,
    /// The answers to requests of the program to the checker, of each thread, in their order.
    pub answers: Vec<Vec<u64>>,
    /// The instructions that make such requests.
    pub requests: Vec<u64>,
}

/// Tells own instructions from others.
struct Own<'n> {
    names: &'n Names,
    known: AHashMap<u64, bool>,
}

impl Own<'_> {
    fn is_own(&mut self, process: &Process, pc: u64) -> bool {
        let names = self.names;
        *self.known.entry(pc).or_insert_with(|| {
            let program = &process.modules()[0];
            let frames = names.debug().locate(pc);
            program.contains(pc) && frames.iter().any(|frame| frame.line.is_some())
        })
    }
}

impl Itinerary {
    /// The schedule of a tape, which is gone through from its beginning to its end.
    pub fn of(tape: &mut Tape<'_>, names: &Names) -> Itinerary {
        let mut own = Own { names, known: AHashMap::new() };
        let mut made = Itinerary::default();
        tape.go_to(0);
        let last_part = tape.parts().len().saturating_sub(1);
        while let Some(part) = tape.part_at(tape.at()) {
            let end = tape.parts()[part].end();
            let thread = tape.parts()[part].thread;
            while tape.at() < end {
                made.step(tape, thread, &mut own);
            }
            if let Some(thread) = thread {
                made.end_leg(tape, part, thread, part == last_part, &mut own);
            }
        }
        made
    }

    /// Makes one step of the tape and notes the own instruction that it executes.
    fn step(&mut self, tape: &mut Tape<'_>, thread: Option<ThreadId>, own: &mut Own<'_>) {
        let Some(thread) = thread else {
            tape.step();
            return;
        };
        let index = thread.0 as usize;
        while self.own.len() <= index {
            self.own.push(Vec::new());
            self.answers.push(Vec::new());
        }
        let core = tape.process().machine.core(thread);
        let (pc, inside) = (core.pc, 0 < core.uops_done);
        let before = tape.process().machine.instructions();
        let is_own = !inside && own.is_own(tape.process(), pc);
        let is_request = is_own && is_request(tape.process(), pc);
        tape.step();
        let core = tape.process().machine.core(thread);
        let moved = core.pc != pc || 0 < core.uops_done;
        // An instruction may lead back to itself, but a request that does not get on was put off.
        let repeats = !is_request && before != tape.process().machine.instructions();
        if !is_own || !moved && !repeats {
            return;
        }
        let bias = tape.process().modules()[0].bias;
        self.own[index].push(pc - bias);
        if is_request {
            self.answers[index].push(core[Reg::Rax]);
            if !self.requests.contains(&(pc - bias)) {
                self.requests.push(pc - bias);
            }
        }
    }

    fn end_leg(
        &mut self,
        tape: &Tape<'_>,
        part: usize,
        thread: ThreadId,
        is_last: bool,
        own: &mut Own<'_>,
    ) {
        let process = tape.process();
        let bias = process.modules()[0].bias;
        let core = process.machine.core(thread);
        let state = &process.threads()[thread.0 as usize].state;
        let index = thread.0 as usize;
        let mut begun = self.own[index].len();
        let part = &tape.parts()[part];
        let is_own = own.is_own(process, core.pc);
        let has_ended = process.ended().is_some() && !is_own || *state == ThreadState::Exited;
        let place = if has_ended {
            Place::Ended
        } else if !is_own {
            Place::Library
        } else if core.uops_done == 0 {
            Place::Own(core.pc - bias)
        } else {
            begun -= 1;
            match part.kind {
                // It is enough that the whole instruction is pending.
                Kind::Approach(_) => Place::Own(core.pc - bias),
                _ if process.ended().is_some() => Place::Own(core.pc - bias),
                // So far it has worked in registers only.
                _ if tape.accesses().is_empty() => Place::Own(core.pc - bias),
                _ => Place::Split { pc: core.pc - bias, store: pending_store(tape, thread) },
            }
        };
        let step = part.choice().map(|choice| choice + 1);
        let leg = Leg { thread: index, index: begun, place, step, is_last };
        // The pieces of what comes before the first thread are one way.
        match self.legs.last_mut() {
            Some(before) if before.step.is_none() && step.is_none() && before.thread == index => {
                *before = leg;
            }
            _ => self.legs.push(leg),
        }
    }
}

/// What the instruction that a thread is inside of is about to store to: one that loads and stores
/// does both at one place.
fn pending_store(tape: &Tape<'_>, thread: ThreadId) -> Option<(Target, u64)> {
    const REACH: u64 = 4096;
    let process = tape.process();
    let &(addr, len) = tape.accesses().last()?;
    let program = &process.modules()[0];
    if program.contains(addr) {
        return Some((Target::File(addr - program.bias), len));
    }
    let core = process.machine.core(thread);
    let registers = Reg::GENERAL.iter().enumerate();
    let nearest = registers.min_by_key(|(_, reg)| core[**reg].abs_diff(addr));
    let (number, reg) = nearest.filter(|(_, reg)| core[**reg].abs_diff(addr) < REACH)?;
    Some((Target::Register(number, addr.wrapping_sub(core[*reg]) as i64), len))
}

fn is_request(process: &Process, pc: u64) -> bool {
    let code = process.machine.memory.slice(pc, request::REQUEST.len() as u64);
    code.is_ok_and(|code| *code == request::REQUEST)
}
