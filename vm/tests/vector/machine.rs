//! The same instructions through decoder, micro-ops and memory of the whole machine.

use samovar_vm::context::{Core, Floating};
use samovar_vm::cpuid::Profile;
use samovar_vm::fault::FaultReason;
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::memory::region::Perms;
use samovar_vm::monitor::Unwatched;
use samovar_vm::stop::Stop;

use crate::encodings::{Encoding, encodings};
use crate::faults::is_aligned;
use crate::inputs::Inputs;
use crate::model::Model;
use crate::native::{Native, State};

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
    let floating = machine.floating_mut(thread);
    floating.xmm = std::array::from_fn(|index| start.xmm(index));
    floating.mxcsr = start.mxcsr();
    machine.memory.write(DATA, &start.memory.0).expect("mapped");
}

/// What the machine shows afterwards, in the form that is compared with the host.
fn finish(machine: &Machine, thread: ThreadId, addr: u64) -> Model {
    let (core, floating) = (machine.core(thread), machine.floating(thread));
    let mut gpr: [u64; 16] = std::array::from_fn(|index| core.regs[index]);
    if gpr[7] == addr {
        gpr[7] = 0;
    }
    let mut memory = [0; 512];
    machine.memory.read(DATA, &mut memory).expect("mapped");
    let (xmm, mxcsr) = (floating.xmm, floating.mxcsr);
    Model { xmm, gpr, rflags: core.rflags(), mxcsr, memory }
}

#[test]
fn the_machine_executes_every_encoding_as_the_host_does() {
    let encodings: Vec<_> = encodings().into_iter().filter(Encoding::host_has_it).collect();
    let (mut machine, thread) = machine(&encodings);
    let mut native = Native::new();
    let inputs = Inputs::new(100);
    for (encoding, pc) in encodings.iter().zip((CODE..).step_by(STEP as usize)) {
        native.load(&encoding.bytes);
        let mut start = State::new();
        for (number, (dst, src)) in inputs.pairs().enumerate().step_by(41) {
            inputs.fill(&mut start, number, dst, src, encoding);
            let mut host = start.clone();
            assert_eq!(native.run(&mut host, 0), 0);
            prepare(&mut machine, thread, pc, &start, DATA);
            let stop = machine.run(thread, 10, &mut Unwatched);
            assert_eq!(stop, Stop::Breakpoint, "{encoding}");
            finish(&machine, thread, DATA).compare(&host, &start, encoding);
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
    let encodings: Vec<_> = encodings().into_iter().filter(Encoding::uses_memory).collect();
    let (mut machine, thread) = machine(&encodings);
    let inputs = Inputs::new(0);
    for (encoding, pc) in encodings.iter().zip((CODE..).step_by(STEP as usize)) {
        let mut start = State::new();
        inputs.fill(&mut start, 5, 1, 2, encoding);
        let misaligned = is_aligned(encoding.form).then_some((DATA + 8, FaultReason::Misaligned));
        // Nothing is mapped behind the page of data.
        let unmapped = Some((DATA + 0x2000, FaultReason::Unmapped));
        for (addr, reason) in [misaligned, unmapped].into_iter().flatten() {
            prepare(&mut machine, thread, pc, &start, addr);
            let before = visible(&machine, thread);
            let Stop::Fault(fault) = machine.run(thread, 10, &mut Unwatched) else {
                panic!("{encoding} at {addr:#x} does not fault");
            };
            assert_eq!((fault.addr, fault.reason), (addr, reason), "{encoding}");
            assert_eq!(visible(&machine, thread), before, "{encoding}");
        }
    }
}
