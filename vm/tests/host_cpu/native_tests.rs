//! The native side judged by hand-computed outcomes: an oracle has to be right first.

use crate::arena::Place;
use crate::cpu::{Cpu, End, Fault, flag, gpr};
use crate::native::Native;

struct Run {
    end: End,
    cpu: Cpu,
    next: u64,
    pads: [u64; 2],
}

fn run(native: &mut Native, place: Place, code: &[u8], mut cpu: Cpu) -> Run {
    let (slot, _) = native.install(place, code);
    let next = slot.instruction() + code.len() as u64;
    let end = native.run(place, slot, next, &mut cpu);
    Run { end, cpu, next, pads: [slot.pad(1), slot.pad(2)] }
}

#[test]
fn an_addition_changes_its_destination_and_flags_only() {
    let mut native = Native::new();
    for place in Place::ALL {
        let mut cpu = Cpu::RESET;
        for (i, register) in cpu.gpr.iter_mut().enumerate() {
            *register = 0x1111_1111_1111_1111 * i as u64;
        }
        cpu.fx.xmm[7] = 0x1234;
        cpu.fx.st[3][..10].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
        cpu.fx.tags = 0xff;
        cpu.rflags |= flag::DF;
        let got = run(&mut native, place, &[0x4c, 0x01, 0xfc], cpu); // add rsp, r15
        assert_eq!(got.end, End::At(got.next));
        let mut expected = cpu.gpr;
        expected[gpr::RSP] = 0x4444_4444_4444_4443;
        assert_eq!(got.cpu.gpr, expected);
        assert_eq!(got.cpu.rflags & flag::USER, flag::DF | flag::CF | flag::AF);
        assert_eq!(got.cpu.fx.xmm, cpu.fx.xmm);
        assert_eq!(got.cpu.fx.st, cpu.fx.st);
    }
}

#[test]
fn exceptions_are_outcomes() {
    let mut native = Native::new();
    let fault = |native: &mut Native, code: &[u8]| {
        let mut cpu = Cpu::RESET;
        cpu.gpr[gpr::RBX] = 0x77;
        let got = run(native, Place::High, code, cpu);
        assert_eq!(got.cpu.gpr, cpu.gpr, "registers as at the fault");
        got.end
    };
    for _ in 0..1000 {
        assert_eq!(fault(&mut native, &[0x48, 0xf7, 0xf1]), End::Fault(Fault::Divide)); // div rcx
        assert_eq!(fault(&mut native, &[0x8b, 0x03]), End::Fault(Fault::Memory)); // mov eax,[rbx]
        assert_eq!(fault(&mut native, &[0x0f, 0x0b]), End::Fault(Fault::InvalidOpcode)); // ud2
        assert_eq!(fault(&mut native, &[0xcc]), End::Fault(Fault::Breakpoint));
        assert_eq!(fault(&mut native, &[0x50]), End::Fault(Fault::Memory)); // push rax, rsp = 0
    }
}

#[test]
fn jumps_end_where_they_land() {
    let mut native = Native::new();
    let arena = native.arena(Place::High);
    let slot = native.next_slot(Place::High);
    let mut cpu = Cpu::RESET;
    cpu.gpr[gpr::RAX] = slot.pad(2);
    cpu.gpr[gpr::RSP] = arena.data() + 0x1800;
    let got = run(&mut native, Place::High, &[0xff, 0xd0], cpu); // call rax
    assert_eq!(got.end, End::At(got.pads[1]));
    assert_eq!(got.cpu.gpr[gpr::RSP], arena.data() + 0x17f8);
    assert_eq!(native.data(Place::High)[0x17f8..0x1800], got.next.to_le_bytes());
    cpu.gpr[gpr::RAX] = 0x1230; // nothing there
    let got = run(&mut native, Place::High, &[0xff, 0xe0], cpu); // jmp rax
    assert_eq!(got.end, End::At(0x1230));
    cpu.gpr[gpr::RAX] = arena.code() + 0x1000; // nothing installed there
    let got = run(&mut native, Place::High, &[0xff, 0xe0], cpu);
    assert_eq!(got.end, End::At(arena.code() + 0x1000));
}

#[test]
fn fs_is_the_guests_inside_and_the_hosts_outside() {
    thread_local!(static MARK: std::cell::Cell<u64> = const { std::cell::Cell::new(42) });
    let mut native = Native::new();
    let arena = native.arena(Place::High);
    native.data_mut(Place::High)[0x610..0x618].copy_from_slice(&0xfeed_u64.to_le_bytes());
    let mut cpu = Cpu::RESET;
    cpu.fs_base = arena.data() + 0x600;
    let code = [0x64, 0x48, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0]; // mov rax, fs:[0x10]
    let got = run(&mut native, Place::High, &code, cpu);
    assert_eq!((got.end, got.cpu.gpr[gpr::RAX]), (End::At(got.next), 0xfeed));
    // And a fault in between.
    cpu.fs_base = 0x1000_0000;
    let got = run(&mut native, Place::High, &code, cpu);
    assert_eq!(got.end, End::Fault(Fault::Memory));
    assert_eq!(MARK.get(), 42);
}
