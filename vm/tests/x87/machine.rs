//! The same instructions through decoder, micro-ops and memory of the whole machine.

use samovar_vm::context::{Core, Floating};
use samovar_vm::cpuid::Profile;
use samovar_vm::fault::FaultReason;
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::memory::region::Perms;
use samovar_vm::monitor::Unwatched;
use samovar_vm::stop::Stop;
use samovar_vm::x87::{X87Form, fxrstor};

use crate::model::Model;
use crate::native::{Native, State};
use crate::states::States;
use crate::{Encoding, encodings};

const CODE: u64 = 0x10_0000_0000;
const DATA: u64 = 0x10_1000_0000;
const INT3: u8 = 0xcc;
/// Distance between two instructions in the machine's code.
const STEP: u64 = 16;

/// A machine whose code is these instructions, each followed by a breakpoint.
fn machine(encodings: &[Encoding]) -> (Machine, ThreadId) {
    let mut machine = Machine::new(Profile::V2).expect("address space");
    let size = (encodings.len() as u64 * STEP).next_multiple_of(4096);
    machine.memory.map(CODE, size, (Perms::RX, "code".into(), 0));
    machine.memory.map(DATA, 0x1000, (Perms::RW, "data".into(), 0));
    for (encoding, at) in encodings.iter().zip((CODE..).step_by(STEP as usize)) {
        machine.memory.write_any(at, &[encoding.bytes.as_slice(), &[INT3]].concat());
    }
    let thread = machine.add_thread(Core::default(), Floating::default());
    (machine, thread)
}

/// Puts a start state into the machine, the memory operand at `addr`.
fn prepare(machine: &mut Machine, thread: ThreadId, pc: u64, start: &State, addr: u64) {
    let mut core = Core { pc, ..Core::default() };
    core.regs[..16].copy_from_slice(&start.gpr);
    core.regs[7] = addr;
    core.set_rflags(start.rflags);
    *machine.core_mut(thread) = core;
    let (x87, xmm, mxcsr) = fxrstor(&start.fx).expect("a valid image");
    *machine.floating_mut(thread) = Floating { xmm, mxcsr, x87 };
    machine.memory.write(DATA, &start.memory.0).expect("mapped");
}

/// What the machine shows afterwards, in the form that is compared with the host.
fn finish(machine: &Machine, thread: ThreadId) -> Model {
    let (core, floating) = (machine.core(thread), machine.floating(thread));
    let mut memory = [0; 512];
    machine.memory.read(DATA, &mut memory).expect("mapped");
    let (rax, rflags) = (core.regs[0], core.rflags());
    let Floating { x87: fpu, xmm, mxcsr } = *floating;
    Model { fpu, xmm, mxcsr, rax, rflags, memory }
}

#[test]
fn the_machine_executes_every_encoding_as_the_host_does() {
    let encodings = encodings();
    let (mut machine, thread) = machine(&encodings);
    let mut native = Native::new();
    for (encoding, pc) in encodings.iter().zip((CODE..).step_by(STEP as usize)) {
        native.load(&encoding.bytes);
        let mut states = States::new(3);
        for _ in 0..100 {
            let start = states.random();
            let mut host = start.clone();
            let signal = native.run(&mut host, 0);
            prepare(&mut machine, thread, pc, &start, DATA);
            match machine.run(thread, 10, &mut Unwatched) {
                Stop::Breakpoint => {
                    assert_eq!(signal, 0, "{encoding:x?}");
                    finish(&machine, thread).compare(&host, &start, encoding);
                }
                Stop::FloatingPointError => assert_eq!(signal, libc::SIGFPE, "{encoding:x?}"),
                stop => panic!("{encoding:x?} stops with {stop:?}"),
            }
        }
    }
}

/// The registers that the program can see.
fn visible(machine: &Machine, thread: ThreadId) -> (Vec<u64>, u64, u64, Floating) {
    let (core, floating) = (machine.core(thread), machine.floating(thread));
    (core.regs[..16].to_vec(), core.pc, core.rflags(), floating.clone())
}

#[test]
fn refused_accesses_change_nothing() {
    let in_memory =
        |form| matches!(form, X87Form::Load { .. } | X87Form::Store { .. } | X87Form::Image(_));
    let encodings: Vec<_> = encodings().into_iter().filter(|one| in_memory(one.form)).collect();
    let (mut machine, thread) = machine(&encodings);
    let mut start = State::new();
    start.fx[4] = 0x81;
    for (encoding, pc) in encodings.iter().zip((CODE..).step_by(STEP as usize)) {
        // Nothing is mapped behind the page of data.
        let addr = DATA + 0x2000;
        prepare(&mut machine, thread, pc, &start, addr);
        let before = visible(&machine, thread);
        let Stop::Fault(fault) = machine.run(thread, 10, &mut Unwatched) else {
            panic!("{encoding:x?} does not fault");
        };
        assert_eq!((fault.addr, fault.reason), (addr, FaultReason::Unmapped), "{encoding:x?}");
        assert_eq!(visible(&machine, thread), before, "{encoding:x?}");
    }
}
