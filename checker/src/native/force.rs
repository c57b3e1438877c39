//! Leads the threads of the real process along an itinerary.

use super::itinerary::{Itinerary, Leg, Place, Target};
use super::process::{Happening, NativeError, NativeProcess};
use super::ptrace::Registers;

/// A store that an instruction has computed and the schedule holds back.
#[derive(Debug)]
struct HeldStore {
    addr: u64,
    bytes: Vec<u8>,
}

/// See the module head.
#[derive(Debug)]
pub struct Forced<'i> {
    /// The process.
    pub process: NativeProcess,
    itinerary: &'i Itinerary,
    /// Own instructions that each thread has begun.
    index: Vec<usize>,
    /// Requests of each thread that were answered.
    answered: Vec<usize>,
    held_stores: Vec<Option<HeldStore>>,
    /// The signal that came last, and the instruction that it came at.
    pub signal: Option<(usize, i32, u64)>,
    /// Instructions that were taken apart between their load and their store.
    pub splits: usize,
}

impl<'i> Forced<'i> {
    /// Nobody has gone anywhere yet.
    pub fn new(process: NativeProcess, itinerary: &'i Itinerary) -> Forced<'i> {
        let count = itinerary.own.len();
        let mut held_stores = Vec::new();
        held_stores.resize_with(count, || None);
        Forced {
            process,
            itinerary,
            index: vec![0; count],
            answered: vec![0; count],
            held_stores,
            signal: None,
            splits: 0,
        }
    }

    /// Leads one thread along its leg.
    pub fn lead(&mut self, leg: &Leg) -> Result<(), NativeError> {
        let thread = leg.thread;
        if self.is_over() && matches!(leg.place, Place::Library | Place::Ended) {
            return Ok(());
        }
        if self.process.thread_count() <= thread {
            return Err(strays(leg, "the thread is not there"));
        }
        if let Some(store) = self.held_stores[thread].take() {
            self.process.write(store.addr, &store.bytes)?;
            // The rest of the instruction is done now.
            self.index[thread] += 1;
        }
        let next = self.itinerary.own[thread].get(leg.index).copied();
        let target = match leg.place {
            Place::Own(pc) | Place::Split { pc, .. } => Some(pc),
            Place::Library => next,
            Place::Ended => None,
        };
        let outlasts = leg.place != Place::Library;
        let happening = self.run_to(thread, target, leg.index, outlasts)?;
        self.index[thread] = leg.index;
        let arrived = matches!(happening, Happening::Met(_));
        match leg.place {
            _ if self.signal.is_some() && (leg.is_last || next.is_none()) => Ok(()),
            Place::Own(_) if arrived => Ok(()),
            Place::Split { store, .. } if arrived => self.split(leg, store),
            Place::Library if arrived || happening == Happening::Asleep => Ok(()),
            // Libraries bring what is left of a thread or of the process to its end at once.
            Place::Library if next.is_none() => Ok(()),
            Place::Ended => Ok(()),
            // What comes of the last one is judged by itself.
            _ if leg.is_last => Ok(()),
            _ => Err(strays(leg, &format!("instead of going on it is {}", tell(happening)))),
        }
    }

    /// Whether the process has ended, or is about to.
    pub fn is_over(&self) -> bool {
        self.signal.is_some() || self.process.ended().is_some()
    }

    /// Lets a thread go until it has begun `index` own instructions and stands before `target`.
    fn run_to(
        &mut self,
        thread: usize,
        target: Option<u64>,
        index: usize,
        outlasts: bool,
    ) -> Result<Happening, NativeError> {
        let from = self.index[thread];
        let own = &self.itinerary.own[thread];
        let way = own.get(from..index.max(from)).unwrap_or_default();
        let target = target.map(|pc| self.process.address(pc));
        let is_target = |pc: &&u64| Some(self.process.address(**pc)) == target;
        let mut passes = way.iter().filter(is_target).count();
        let requests: Vec<u64> =
            self.itinerary.requests.iter().map(|&pc| self.process.address(pc)).collect();
        loop {
            // A thread that stands at a breakpoint would not meet it.
            if self.process.is_held(thread)
                && let Ok(registers) = self.process.registers(thread)
                && (Some(registers.rip) == target || requests.contains(&registers.rip))
            {
                if Some(registers.rip) == target && passes == 0 {
                    return Ok(Happening::Met(registers.rip));
                }
                passes -= usize::from(Some(registers.rip) == target);
                self.step_over(thread, &requests)?;
                continue;
            }
            let mut stops = requests.clone();
            stops.extend(target.filter(|target| !requests.contains(target)));
            match self.process.go(thread, &stops, outlasts)? {
                Happening::Met(_) => {}
                Happening::Signal(signal) => {
                    let pc = self.process.registers(thread)?.rip;
                    self.signal = Some((thread, signal, pc));
                    return Ok(Happening::Signal(signal));
                }
                other => return Ok(other),
            }
        }
    }

    /// Executes one own instruction; a request to the checker is answered as in the trail.
    fn step_over(&mut self, thread: usize, requests: &[u64]) -> Result<(), NativeError> {
        let at = self.process.registers(thread)?.rip;
        if !self.process.step(thread)? {
            return Ok(());
        }
        if requests.contains(&at) {
            let number = self.answered[thread];
            self.answered[thread] += 1;
            if let Some(&answer) = self.itinerary.answers[thread].get(number) {
                let mut registers = self.process.registers(thread)?;
                registers.rax = answer;
                self.process.set_registers(thread, &registers)?;
            }
        }
        Ok(())
    }

    /// Executes an instruction, but holds its store back.
    fn split(&mut self, leg: &Leg, store: Option<(Target, u64)>) -> Result<(), NativeError> {
        let Some((target, len)) = store else {
            return Err(strays(leg, "it stands inside of an instruction whose data is elsewhere"));
        };
        let addr = match target {
            Target::File(addr) => self.process.address(addr),
            Target::Register(number, distance) => {
                let all = general(&self.process.registers(leg.thread)?);
                all[number].wrapping_add_signed(distance)
            }
        };
        let mut old = vec![0; len as usize];
        self.process.read(addr, &mut old)?;
        self.process.step(leg.thread)?;
        let mut bytes = old.clone();
        self.process.read(addr, &mut bytes)?;
        self.process.write(addr, &old)?;
        self.held_stores[leg.thread] = Some(HeldStore { addr, bytes });
        self.splits += 1;
        Ok(())
    }
}

/// The general registers in the order of their encodings.
fn general(all: &Registers) -> [u64; 16] {
    [
        all.rax, all.rcx, all.rdx, all.rbx, all.rsp, all.rbp, all.rsi, all.rdi, all.r8, all.r9,
        all.r10, all.r11, all.r12, all.r13, all.r14, all.r15,
    ]
}

fn strays(leg: &Leg, what: &str) -> NativeError {
    let step = leg.step.map_or("at its ends".to_string(), |step| format!("in step {step}"));
    let thread = if leg.thread == 0 { "main".to_string() } else { format!("T{}", leg.thread) };
    NativeError::Strays(format!("{thread}, {step}: {what}"))
}

/// What a thread does, in words.
pub fn tell(happening: Happening) -> String {
    match happening {
        Happening::Met(addr) => format!("at {addr:#x}"),
        Happening::Asleep => "asleep".to_string(),
        Happening::Signal(signal) => format!("stopped by signal {signal}"),
        Happening::Gone => "at its end".to_string(),
        Happening::Exited(status) => format!("at the end of the process with status {status}"),
        Happening::Killed(signal) => format!("killed by signal {signal}"),
        Happening::Busy => "busy without end".to_string(),
    }
}
