//! The machine as its callers see it: execution, stops, hooks, undo.

use samovar_vm::context::{Core, Floating};
use samovar_vm::cpuid::Profile;
use samovar_vm::fault::{AccessKind, FaultReason};
use samovar_vm::lower::Style;
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::memory::region::Perms;
use samovar_vm::monitor::{Access, Checked, Decision, Monitor, Unwatched};
use samovar_vm::reg::Reg;
use samovar_vm::stop::{HookId, Stop};

const CODE: u64 = 0x10_0000_0000;
const DATA: u64 = 0x10_1000_0000;
const STACK: u64 = 0x3f_0000_0000;

/// A machine with `code` at [`CODE`], a page of data and a stack.
fn machine(code: &[u8]) -> (Machine, ThreadId) {
    let mut machine = Machine::new(Profile::V1).expect("address space");
    machine.memory.map(CODE, 0x1000, (Perms::RX, "code".into(), 0));
    machine.memory.write_any(CODE, code);
    machine.memory.map(DATA, 0x1000, (Perms::RW, "data".into(), 0));
    machine.memory.map(STACK - 0x10000, 0x10000, (Perms::RW, "[stack]".into(), 0));
    let mut core = Core { pc: CODE, ..Core::default() };
    core[Reg::Rsp] = STACK - 64;
    core[Reg::Rdi] = DATA;
    let thread = machine.add_thread(core, Floating::default());
    (machine, thread)
}

/// xor eax,eax; mov ecx,10; l: add eax,ecx; dec ecx; jne l; mov [rdi],eax; syscall
const SUM: &[u8] =
    &[0x31, 0xc0, 0xb9, 10, 0, 0, 0, 0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0x89, 0x07, 0x0f, 0x05];

#[test]
fn a_loop_runs_to_its_system_call() {
    let (mut machine, thread) = machine(SUM);
    assert_eq!(machine.run(thread, 1000, &mut Unwatched), Stop::Syscall);
    assert_eq!(machine.core(thread)[Reg::Rax], 55);
    assert_eq!(machine.core(thread).pc, CODE + SUM.len() as u64);
    assert_eq!(machine.memory.read_u32(DATA), Ok(55));
}

#[test]
fn budgets_cut_anywhere_and_add_up() {
    for slice in 1..9 {
        let (mut machine, thread) = machine(SUM);
        let mut stops = 0;
        while machine.run(thread, slice, &mut Unwatched) == Stop::Budget {
            stops += 1;
            assert!(stops < 100);
        }
        assert_eq!(machine.core(thread)[Reg::Rax], 55, "slices of {slice}");
        // Two before the loop, ten times three in it, two behind it.
        assert_eq!(machine.instructions(), 34, "slices of {slice}");
    }
}

#[test]
fn undo_restores_registers_and_memory_after_every_prefix() {
    for steps in 0..30 {
        let (mut machine, thread) = machine(SUM);
        machine.memory.write_u64(DATA, 0x1122_3344_5566_7788).unwrap();
        machine.memory.journal.set_on(true);
        let before = *machine.core(thread);
        let mark = machine.mark();
        for _ in 0..steps {
            machine.mark();
            if machine.run(thread, 1, &mut Checked) != Stop::Budget {
                break;
            }
        }
        machine.undo_to(mark);
        assert_eq!(*machine.core(thread), before);
        assert_eq!(machine.memory.read_u64(DATA), Ok(0x1122_3344_5566_7788));
    }
}

#[test]
fn undo_brings_dropped_pages_back() {
    const PAGES: u64 = 200;
    let page = |number: u64| DATA + 0x1_0000 + number * 0x1000;
    // Nothing, one page, few pages at either end and across, and too many to clear by hand.
    for written in [vec![], vec![7], vec![0, 199], vec![63, 64, 65], (3..150).collect()] {
        let (mut machine, _) = machine(SUM);
        let memory = &mut machine.memory;
        memory.map(page(0), PAGES * 0x1000, (Perms::RW, "heap".into(), 0));
        memory.journal.set_on(true);
        for &number in &written {
            memory.write_u64(page(number) + 8, number + 1).expect("mapped");
        }
        let before: Vec<u64> = memory.touched(page(0), page(PAGES)).map(|(at, _)| at).collect();
        assert_eq!(before, written.iter().map(|&number| page(number)).collect::<Vec<_>>());
        let mark = machine.mark();
        for _ in 0..2 {
            machine.memory.clear(page(0), PAGES * 0x1000);
            assert_eq!(machine.memory.touched(page(0), page(PAGES)).count(), 0);
            let sum: u64 =
                (0..PAGES).map(|at| machine.memory.read_u64(page(at) + 8).expect("mapped")).sum();
            assert_eq!(sum, 0, "{written:?} is cleared");
        }
        machine.undo_to(mark);
        for number in 0..PAGES {
            let expected = if written.contains(&number) { number + 1 } else { 0 };
            assert_eq!(machine.memory.read_u64(page(number) + 8), Ok(expected), "{number}");
        }
        let after: Vec<u64> =
            machine.memory.touched(page(0), page(PAGES)).map(|(at, _)| at).collect();
        assert_eq!(before, after);
    }
}

#[test]
fn a_null_store_stops_before_it_happens() {
    // xor edi,edi; mov dword [rdi+8],1
    let (mut machine, thread) = machine(&[0x31, 0xff, 0xc7, 0x47, 8, 1, 0, 0, 0]);
    let Stop::Fault(fault) = machine.run(thread, 10, &mut Unwatched) else { panic!("no fault") };
    assert_eq!((fault.addr, fault.size), (8, 4));
    assert_eq!((fault.kind, fault.reason), (AccessKind::Write, FaultReason::Null));
    assert_eq!(machine.core(thread).pc, CODE + 2);
}

#[test]
fn hooks_stop_at_the_entry_and_can_be_passed() {
    let (mut machine, thread) = machine(SUM);
    machine.set_hook(CODE + 2, HookId(7));
    assert_eq!(machine.run(thread, 1000, &mut Unwatched), Stop::Hook(HookId(7)));
    assert_eq!(machine.core(thread).pc, CODE + 2);
    assert_eq!(machine.run(thread, 1000, &mut Unwatched), Stop::Hook(HookId(7)));
    assert_eq!(machine.run_past_hook(thread, 1000, &mut Unwatched), Stop::Syscall);
    assert_eq!(machine.core(thread)[Reg::Rax], 55);
}

/// Stops before every access, once.
#[derive(Default)]
struct Every {
    passed: Option<Access>,
    seen: Vec<Access>,
}

impl Monitor for Every {
    const JOURNAL: bool = false;
    const SHADOW: bool = false;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        if self.passed == Some(access) {
            self.passed = None;
            return Decision::Proceed;
        }
        self.passed = Some(access);
        self.seen.push(access);
        Decision::Stop
    }
}

#[test]
fn an_unlocked_increment_can_be_split_between_load_and_store() {
    // add dword [rdi],1; syscall
    let (mut machine, thread) = machine(&[0x83, 0x07, 1, 0x0f, 0x05]);
    machine.set_style(Style { fuse_memory: false, ..Style::default() });
    let mut monitor = Every::default();
    assert!(matches!(machine.run(thread, 10, &mut monitor), Stop::Access(_)));
    assert!(matches!(machine.run(thread, 10, &mut monitor), Stop::Access(_)));
    machine.memory.write_u32(DATA, 100).unwrap();
    assert_eq!(machine.run(thread, 10, &mut monitor), Stop::Syscall);
    assert_eq!(machine.memory.read_u32(DATA), Ok(1), "the other write is lost");
    let kinds: Vec<_> = monitor.seen.iter().map(|access| access.kind).collect();
    assert_eq!(kinds, [AccessKind::Read, AccessKind::Write]);
}

#[test]
fn code_that_changes_itself_runs_what_it_wrote() {
    // mov byte [rip+2],7 ; nop ; mov eax,1 (its immediate becomes 7) ; syscall
    let code = [0xc6, 0x05, 2, 0, 0, 0, 7, 0x90, 0xb8, 1, 0, 0, 0, 0x0f, 0x05];
    let (mut machine, thread) = machine(&code);
    let all = Perms { read: true, write: true, exec: true };
    machine.memory.protect(CODE, 0x1000, all);
    assert_eq!(machine.run(thread, 10, &mut Unwatched), Stop::Syscall);
    assert_eq!(machine.core(thread)[Reg::Rax], 7);
}

#[test]
fn string_operations_agree_in_both_styles() {
    // rep movsb; repne scasb; repe cmpsw; syscall, each after reloading its registers
    for (code, rcx) in [
        (&[0xf3u8, 0xa4, 0x0f, 0x05][..], 5u64),
        (&[0xf2, 0xae, 0x0f, 0x05], 20),
        (&[0xf3, 0x66, 0xa7, 0x0f, 0x05], 9),
        (&[0xf3, 0x48, 0xab, 0x0f, 0x05], 0),
        (&[0xad, 0x0f, 0x05], 3),
    ] {
        let results = [true, false].map(|fuse_memory| {
            let (mut machine, thread) = machine(code);
            machine.set_style(Style { fuse_memory, ..Style::default() });
            machine.memory.write(DATA, b"hello, hello, world and all").unwrap();
            machine.memory.write(DATA + 64, b"hello, hells").unwrap();
            let core = machine.core_mut(thread);
            core[Reg::Rcx] = rcx;
            core[Reg::Rsi] = DATA + 64;
            core[Reg::Rdi] = DATA + 7;
            core[Reg::Rax] = u64::from(b'w');
            assert_eq!(machine.run(thread, 1000, &mut Unwatched), Stop::Syscall);
            let bytes = machine.memory.slice(DATA, 128).unwrap().to_vec();
            let core = machine.core(thread);
            (core.regs[..16].to_vec(), core.flags.bits(), bytes)
        });
        assert_eq!(results[0], results[1], "{code:02x?}");
    }
}

#[test]
fn the_request_instruction_stops_behind_itself() {
    // mov eax,5; request; mov ecx,eax; nopl 0x4f4d4154(%rax); syscall
    let request = samovar_vm::lower::request::REQUEST;
    let mut other = request;
    other[3] += 1;
    let code = [&[0xb8, 5, 0, 0, 0][..], &request, &[0x89, 0xc1], &other, &[0x0f, 0x05]].concat();
    let (mut machine, thread) = machine(&code);
    assert_eq!(machine.run(thread, 1000, &mut Unwatched), Stop::Request);
    assert_eq!(machine.core(thread).pc, CODE + 12);
    machine.core_mut(thread)[Reg::Rax] = 7;
    assert_eq!(machine.run(thread, 1000, &mut Unwatched), Stop::Syscall);
    assert_eq!(machine.core(thread)[Reg::Rcx], 7);
}
