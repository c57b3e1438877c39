//! Statements in the program (layer L2): requests to the checker, one file per group.
//!
//! A request is the instruction of [`samovar_vm::lower::request`] with its number in `rax` and up
//! to three arguments in `rdi`, `rsi` and `rdx`; the answer comes back in `rax`. The processor
//! leaves `rax` alone, so a program that finds its number still there runs natively and does what
//! a program does without a checker. The header `samovar.h` wraps all this.
//!
//! The upper half of a number is [`MAGIC`]; with anything else in `rax` the instruction is the
//! `nop` that it looks like. A number that is not known is refused, never passed over.
//!
//! A violation or a false assumption ends the step with an event, and nothing else: a caller that
//! runs the thread on gets the native behaviour, because the program's own code for it follows.
//! That is all `samovar run` needs.

mod assertion;
mod atomic;
mod choice;
mod domain;
mod mark;
mod planning;
mod privilege;
pub mod source;
mod violation;
pub(crate) mod weak;

pub use domain::{BadChoices, Choices, Domain};
pub use planning::{Activity, Mark, Suggestion};
pub use privilege::{Privilege, Privileges};
pub use violation::{Violation, ViolationKind};

use crate::event::{Event, Unsupported, UnsupportedKind};
use crate::process::Process;
use crate::thread::{ThreadState, WaitFor};
use crate::witness::Witness;
use samovar_vm::lower::request::REQUEST;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision};
use samovar_vm::reg::Reg;

/// Upper half of every request number.
pub const MAGIC: u64 = 0x5341_4d4f;

/// Longest string that is read from the program.
const STRING_MAX: usize = 4096;

/// Numbers of the requests, without [`MAGIC`]; `samovar.h` has the same list.
pub mod number {
    /// Whether there is a checker: one.
    pub const PRESENT: u32 = 1;
    /// An assertion failed: text, file, line.
    pub const ASSERTION: u32 = 2;
    /// A place that must not be reached was: name, file, line.
    pub const UNREACHABLE: u32 = 3;
    /// An assumption is false: the path ends.
    pub const PRUNE: u32 = 4;
    /// An atomic region begins.
    pub const ATOMIC_BEGIN: u32 = 5;
    /// The atomic region ends.
    pub const ATOMIC_END: u32 = 6;
    /// One of so many alternatives.
    pub const CHOOSE: u32 = 7;
    /// A value of a type: name, class, bits.
    pub const VALUE: u32 = 8;
    /// Exclusive access to a region of memory: address, length.
    pub const LOCK: u32 = 9;
    /// The end of it: address.
    pub const UNLOCK: u32 = 10;
    /// Something useful was done.
    pub const PROGRESS: u32 = 11;
    /// Memory that is no part of the state: address, length.
    pub const IGNORE: u32 = 12;
    /// The thread's name.
    pub const NAME: u32 = 13;
    /// A step of a plan: array of the name and numbers, its length.
    pub const ACTION: u32 = 14;
    /// Where an agent reads suggestions: address, length, address of what makes it wait or zero.
    pub const SUGGEST: u32 = 15;
    /// Whether the agent has something to do.
    pub const BUSY: u32 = 16;
    /// How good the present state is.
    pub const EVALUATE: u32 = 17;
    /// The world is a grid: width, height, map.
    pub const GRID: u32 = 18;
    /// A piece is somewhere: name, column, row.
    pub const PLACE: u32 = 19;
}

/// How a request is answered.
#[derive(Clone, Debug, PartialEq)]
enum Reply {
    /// With a value.
    Value(u64),
    /// After a wait the request is made again.
    Wait(WaitFor),
    /// The scheduler has to know; the thread can go on behind the request.
    Tell(Event),
    /// The checker wants to stop before it.
    Before(Access),
    /// Not understood; the text says what.
    Refuse(String),
}

/// A request being served.
struct Request<'a> {
    process: &'a mut Process,
    thread: ThreadId,
    args: [u64; 3],
    /// Of the instruction.
    address: u64,
    witness: &'a mut dyn Witness,
}

impl Request<'_> {
    /// Announces an operation; the reply if the checker wants to stop before it.
    fn announce(&mut self, access: Access) -> Option<Reply> {
        (self.witness.before_operation(access) == Decision::Stop).then_some(Reply::Before(access))
    }

    /// A string of the program, empty if there is none.
    fn text(&self, addr: u64) -> String {
        let bytes = self.process.machine.memory.read_c_string(addr, STRING_MAX);
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }
}

/// Length of the request instruction.
pub(crate) const LENGTH: u64 = REQUEST.len() as u64;

/// Serves the request that a thread has just made; `None` to go on running it.
pub(crate) fn serve(
    process: &mut Process,
    thread: ThreadId,
    witness: &mut dyn Witness,
) -> Option<Event> {
    let core = process.machine.core(thread);
    let rax = core[Reg::Rax];
    if rax >> 32 != MAGIC {
        return None;
    }
    let args = [Reg::Rdi, Reg::Rsi, Reg::Rdx].map(|reg| core[reg]);
    let address = core.pc.wrapping_sub(LENGTH);
    let mut request = Request { process, thread, args, address, witness };
    let reply = dispatch(&mut request, rax as u32);
    match reply {
        Reply::Value(value) => {
            process.machine.core_mut(thread)[Reg::Rax] = value;
            None
        }
        Reply::Tell(event) => Some(event),
        Reply::Wait(wait) => {
            process.machine.core_mut(thread).jump(address);
            process.os_mut().thread_mut(thread).state = ThreadState::Waiting(wait);
            Some(Event::Blocked)
        }
        Reply::Before(access) => {
            process.machine.core_mut(thread).jump(address);
            Some(Event::Access(access))
        }
        Reply::Refuse(detail) => {
            process.machine.core_mut(thread).jump(address);
            let name = format!("number {}", rax as u32);
            let kind = UnsupportedKind::Request;
            Some(Event::Unsupported(Unsupported { kind, name, address, detail }))
        }
    }
}

fn dispatch(request: &mut Request<'_>, number: u32) -> Reply {
    match number {
        number::PRESENT => Reply::Value(1),
        number::ASSERTION => assertion::failed(request),
        number::UNREACHABLE => assertion::reached(request),
        number::PRUNE => Reply::Tell(Event::Pruned),
        number::ATOMIC_BEGIN => atomic::begin(request),
        number::ATOMIC_END => atomic::end(request),
        number::CHOOSE => choice::choose(request),
        number::VALUE => choice::value(request),
        number::LOCK => privilege::lock(request),
        number::UNLOCK => privilege::unlock(request),
        number::PROGRESS => mark::progress(request),
        number::IGNORE => mark::ignore(request),
        number::NAME => mark::name(request),
        number::ACTION => planning::action(request),
        number::SUGGEST => planning::suggest(request),
        number::BUSY => planning::busy(request),
        number::EVALUATE => planning::evaluate(request),
        number::GRID => planning::grid(request),
        number::PLACE => planning::place(request),
        _ => Reply::Refuse("no such request; is the program's samovar.h newer?".to_string()),
    }
}
