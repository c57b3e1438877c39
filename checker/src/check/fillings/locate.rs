//! Where two legs part: instruction by instruction, in step.
//!
//! Legs that go different ways between two writes and then write to the same place have not parted;
//! the way that led them there made no difference. The decision is the first branch at which they
//! part for good, and what it depends on is the last that both read in the program's own code and
//! that was not the same.

use super::super::judge;
use super::super::verdict::Finding;
use crate::explore::choice::Choice;
use crate::explore::trace::Trace;
use crate::trail::names::{Location, Names};
use samovar_runtime::{Event, Observer, Process};
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::ADDRESS_LIMIT;
use samovar_vm::monitor::{Access, Decision, Monitor};

/// Instructions after which the search for the place is given up.
const STEPS_MAX: u64 = 64 << 20;

/// What the legs were seen to read differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Doubt {
    addr: u64,
    size: u32,
}

/// Executes a move in two legs that stand before it, up to where they part, and says where and on
/// account of what.
pub fn locate(a: &mut Process, b: &mut Process, choice: Choice, names: &mut Names) -> Finding {
    let thread = choice.thread;
    let mut doubt = None;
    let mut monitors = [Follower::new(choice), Follower::new(choice)];
    let mut told = None;
    for _ in 0..STEPS_MAX {
        let pc = a.machine.core(thread).pc;
        let [one, other] = &mut monitors;
        let events = (one.advance(a, thread), other.advance(b, thread));
        if one.reads == other.reads
            && let Some(read) = one.reads.iter().find(|read| differs(a, b, read))
            && (doubt.is_none() || names.is_own_code(a, pc))
        {
            doubt = Some(*read);
        }
        let same = events.0 == events.1 && one.trace == other.trace;
        let in_step = a.machine.core(thread).pc == b.machine.core(thread).pc;
        if !same || !in_step {
            names.refresh(a);
            let what = doubt.map(|read| thing(names, a, thread, read));
            told = Some((place(names, a, thread, pc), what));
        }
        let goes_on = matches!(events.0, Event::Budget | Event::Yielded);
        if !same || !in_step && !meet_again(a, b, thread, &mut monitors) || !goes_on {
            break;
        }
    }
    names.learn_start(a, thread);
    let (location, what) = told.unwrap_or_else(|| (names.standpoint(a, thread), None));
    let message = match what {
        Some(what) => format!(
            "what happens next depends on {what}, whose value comes from memory that nobody has \
             written"
        ),
        None => "what happens next depends on memory that nobody has written".to_string(),
    };
    Finding {
        thread: Some(names.thread(thread)),
        location: Some(location),
        ..super::finding(message)
    }
}

/// Lets two legs that went different ways go on up to their next writes; whether they are at the
/// same place then. If so, they stand there in step.
fn meet_again(
    a: &mut Process,
    b: &mut Process,
    thread: ThreadId,
    monitors: &mut [Follower; 2],
) -> bool {
    let [one, other] = monitors;
    let ends = [(&mut *a, one), (&mut *b, other)].map(|(process, monitor)| {
        let writes = monitor.trace.writes;
        for _ in 0..STEPS_MAX {
            let event = monitor.advance(process, thread);
            let is_over = event != Event::Budget && event != Event::Yielded;
            if is_over || writes < monitor.trace.writes {
                return (event, monitor.trace, process.machine.core(thread).pc);
            }
        }
        (Event::Budget, monitor.trace, 0)
    });
    ends[0] == ends[1] && matches!(ends[0].0, Event::Budget | Event::Yielded)
}

fn differs(a: &Process, b: &Process, read: &Doubt) -> bool {
    let bytes = |process: &Process| -> Vec<u8> {
        let size = u64::from(read.size);
        process.machine.memory.slice(read.addr, size).unwrap_or_default().to_vec()
    };
    read.addr < ADDRESS_LIMIT && bytes(a) != bytes(b)
}

/// The place of an instruction in the program's source, or where the thread stands.
fn place(names: &Names, process: &Process, thread: ThreadId, pc: u64) -> Location {
    match names.is_own_code(process, pc) {
        true => names.code(pc),
        false => names.standpoint(process, thread),
    }
}

/// What was read, by name or by its block.
fn thing(names: &Names, process: &Process, thread: ThreadId, read: Doubt) -> String {
    if let Some(data) = names.variable(process, thread, read.addr, u64::from(read.size)) {
        return data.name;
    }
    let memory = &process.machine.memory;
    let bytes = if read.size == 1 { "1 byte".to_string() } else { format!("{} bytes", read.size) };
    match memory.objects().at(read.addr) {
        Some(_) => format!("{bytes} {}", judge::relative(process, names, read.addr)),
        None => format!("{bytes} at {:#x}", read.addr),
    }
}

/// Goes along with one leg.
struct Follower {
    alternative: u32,
    trace: Trace,
    /// What the last instruction read.
    reads: Vec<Doubt>,
}

impl Follower {
    fn new(choice: Choice) -> Follower {
        let (trace, reads) = (Trace::default(), Vec::new());
        Follower { alternative: choice.alternative, trace, reads }
    }

    /// Executes one instruction, or one atomic call of the library.
    fn advance(&mut self, process: &mut Process, thread: ThreadId) -> Event {
        self.reads.clear();
        match process.machine.memory.journal.is_on() {
            true => process.step(thread, 1, &mut Journalled(self)),
            false => process.step(thread, 1, self),
        }
    }

    fn note(&mut self, access: Access) {
        self.trace.note(&access);
        if access.kind == AccessKind::Read {
            self.reads.push(Doubt { addr: access.addr, size: access.size });
        }
    }
}

impl Monitor for Follower {
    const JOURNAL: bool = false;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;
    const BLOCKS: bool = true;

    fn enter_block(&mut self, end: u64) {
        self.trace.enter(end);
    }

    fn before_access(&mut self, access: Access) -> Decision {
        self.note(access);
        Decision::Proceed
    }
}

impl Observer for Follower {
    fn choose(&mut self, alternatives: u32) -> u32 {
        self.alternative.min(alternatives.saturating_sub(1))
    }
}

/// The same while the journal is on.
struct Journalled<'a>(&'a mut Follower);

impl Monitor for Journalled<'_> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;
    const BLOCKS: bool = true;

    fn enter_block(&mut self, end: u64) {
        self.0.trace.enter(end);
    }

    fn before_access(&mut self, access: Access) -> Decision {
        self.0.note(access);
        Decision::Proceed
    }
}

impl Observer for Journalled<'_> {
    fn choose(&mut self, alternatives: u32) -> u32 {
        self.0.choose(alternatives)
    }
}
