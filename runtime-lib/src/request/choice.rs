//! Values that the program leaves open.
//!
//! A choice of more than one alternative is announced as an operation on an object of the thread's
//! own before it is made, so that a checker can make it the first thing of a move. Without any
//! alternative the path ends, as after a false assumption. Programs that say so lose their scratch
//! registers then, so that leftovers of what led there do not tell states apart.
//!
//! A value of a whole type comes from the domain that the user set for it. Without one the
//! boundary values stand in, and the process remembers that this happened: nothing is proved about
//! the values in between.

use super::domain::{Class, Values};
use super::{Reply, Request};
use crate::event::Event;
use crate::process::Process;
use crate::syscall::objects;
use samovar_vm::flags::Flags;
use samovar_vm::reg::Reg;

/// Says in the third argument that scratch registers are lost with the request.
const LOST: u64 = 0x4c4f_5354;
/// Registers that the program does not want back then, beside those of the request.
const SCRATCH: [Reg; 5] = [Reg::Rcx, Reg::R8, Reg::R9, Reg::R10, Reg::R11];
/// Bytes below the stack pointer that functions may use that call no others; the request's own
/// function keeps nothing there.
const RED_ZONE: u64 = 128;

pub(super) fn choose(request: &mut Request<'_>) -> Reply {
    if request.args[2] == LOST {
        forget_scratch(request);
    }
    match u32::try_from(request.args[0]) {
        Ok(alternatives) => match pick(request, alternatives) {
            Ok(index) => Reply::Value(u64::from(index)),
            Err(reply) => reply,
        },
        Err(_) => Reply::Refuse(format!("a choice of {} alternatives", request.args[0])),
    }
}

/// Clears what a program may have left in registers and below its stack and does not want back.
fn forget_scratch(request: &mut Request<'_>) {
    let (machine, thread) = (&mut request.process.machine, request.thread);
    let core = machine.core_mut(thread);
    SCRATCH.iter().for_each(|&reg| core[reg] = 0);
    core.flags = Flags::default();
    let rsp = core[Reg::Rsp];
    let red_zone = rsp.wrapping_sub(RED_ZONE);
    if machine.memory.slice(red_zone, RED_ZONE).is_ok_and(|zone| zone.iter().any(|&it| it != 0)) {
        machine.memory.zero_words(red_zone & !7, rsp & !7);
    }
    if machine.floating(thread).xmm.iter().any(|&register| register != 0) {
        machine.floating_mut(thread).xmm = [0; 16];
    }
}

/// Asks for one of the alternatives.
fn pick(request: &mut Request<'_>, alternatives: u32) -> Result<u32, Reply> {
    match alternatives {
        0 => return Err(Reply::Tell(Event::Pruned)),
        1 => return Ok(0),
        _ => {}
    }
    let access = objects::change(objects::choice_of(request.thread), 8);
    match request.announce(access) {
        Some(stop) => Err(stop),
        None => Ok(request.witness.choose(alternatives).min(alternatives - 1)),
    }
}

pub(super) fn value(request: &mut Request<'_>) -> Reply {
    let [name, class, bits] = request.args;
    let name = request.text(name);
    let Some(class) = Class::from_request(class, bits) else {
        return Reply::Refuse(format!("a value of the type {name}, class {class}, {bits} bits"));
    };
    let domain = request.process.config.choices.domain(&name);
    let values = Values::new(class, domain);
    let Ok(count) = u32::try_from(values.count()) else {
        return Reply::Refuse(format!("too many choices for a value of the type {name}"));
    };
    if count == 0 {
        return Reply::Refuse(format!("none of the choices fits the type {name}"));
    }
    let partial = values.are_boundary();
    match pick(request, count) {
        Ok(index) => {
            let value = values.get(index);
            if partial && !request.process.boundary_types.contains(&name) {
                request.process.boundary_types.insert(name);
            }
            Reply::Value(value)
        }
        Err(reply) => reply,
    }
}

impl Process {
    /// Names of the types of which a value was asked for while the user had set no domain, so that
    /// only boundary values were given. Never taken back: it is about the whole exploration.
    pub fn boundary_types(&self) -> impl Iterator<Item = &str> {
        self.boundary_types.iter().map(String::as_str)
    }
}
