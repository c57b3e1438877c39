//! Signals: handlers, masks, default actions.

use crate::errno::Errno;
use crate::event::Event;
use crate::os::Ended;
use crate::process::Process;
use crate::signal::Signal;
use crate::syscall::names::number as nr;
use crate::testing::{MAIN, Outcome, SCRATCH, add_thread, call, call_by, process, result};
use crate::thread::ThreadState;
use samovar_vm::monitor::Unwatched;
use samovar_vm::reg::Reg;

const USR1: u64 = 10;
const HANDLER: u64 = 0x40_00f0;
const RESTORER: u64 = 0x40_00e0;
const RESTART: u64 = 0x1000_0000;

fn handle(process: &mut Process, signal: u64, handler: u64, flags: u64) {
    for (at, word) in [(0, handler), (8, flags | 0x0400_0000), (16, RESTORER), (24, 0)] {
        process.machine.memory.write_u64(SCRATCH + at, word).unwrap();
    }
    assert_eq!(call(process, nr::RT_SIGACTION, &[signal, SCRATCH, 0, 8]), Ok(0));
}

/// Lets a signal that is due be delivered; nothing of the guest is executed.
fn deliver(process: &mut Process) {
    assert!(process.has_deliverable_signal(MAIN));
    assert_eq!(process.deliver_signals(MAIN), None);
}

#[test]
fn unhandled_signals_end_the_process_or_vanish() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::KILL, &[1000, 17]), Ok(0));
    assert_eq!(call(&mut process, nr::KILL, &[1000, 0]), Ok(0));
    assert_eq!(call(&mut process, nr::KILL, &[1, 9]), Err(Errno::ESRCH));
    assert_eq!(call(&mut process, nr::TGKILL, &[1000, 1005, 9]), Err(Errno::ESRCH));
    assert_eq!(call(&mut process, nr::KILL, &[1000, 65]), Err(Errno::EINVAL));
    assert_eq!(process.ended(), None);
    assert_eq!(call(&mut process, nr::TGKILL, &[1000, 1000, 6]), Ok(0));
    assert_eq!(process.ended(), Some(Ended::Killed(Signal::ABRT)));
    assert_eq!(process.step(MAIN, 1, &mut Unwatched), Event::Killed(Signal::ABRT));
}

#[test]
fn a_handler_runs_and_returns() {
    let mut process = process();
    handle(&mut process, USR1, HANDLER, 4);
    call(&mut process, nr::TKILL, &[1000, USR1]).unwrap();
    let before = *process.machine.core(MAIN);
    process.machine.floating_mut(MAIN).xmm[3] = 42;
    deliver(&mut process);
    let core = process.machine.core(MAIN);
    assert_eq!((core.pc, core[Reg::Rdi]), (HANDLER, USR1));
    assert_eq!(core[Reg::Rsp] % 16, 8);
    assert!(core[Reg::Rsp] < before[Reg::Rsp] - 128);
    assert_eq!(process.machine.memory.read_u64(core[Reg::Rsp]), Ok(RESTORER));
    let (info, context) = (core[Reg::Rsi], core[Reg::Rdx]);
    assert_eq!(process.machine.memory.read_u32(info), Ok(USR1 as u32));
    assert_eq!(process.machine.memory.read_u32(info + 8), Ok(-6i32 as u32));
    assert_eq!(process.machine.memory.read_u64(context + 40 + 16 * 8), Ok(before.pc));
    assert!(process.threads()[0].blocked.contains(Signal::new(USR1).unwrap()));
    // A handler that changes the saved rbx and some registers of its own.
    process.machine.memory.write_u64(context + 40 + 11 * 8, 0x77).unwrap();
    let core = process.machine.core_mut(MAIN);
    core[Reg::Rsp] += 8;
    core[Reg::R15] = 0xbad;
    process.machine.floating_mut(MAIN).xmm[3] = 0xbad;
    let back = call_keeping_registers(&mut process);
    assert_eq!(back, None);
    let core = process.machine.core(MAIN);
    assert_eq!((core.pc, core[Reg::Rsp]), (before.pc, before[Reg::Rsp]));
    assert_eq!((core[Reg::Rbx], core[Reg::R15]), (0x77, before[Reg::R15]));
    assert_eq!(core.rflags(), before.rflags());
    assert_eq!(process.machine.floating(MAIN).xmm[3], 42);
    assert_eq!(process.threads()[0].blocked.0, 0);
}

/// `rt_sigreturn`, whose arguments are on the stack.
fn call_keeping_registers(process: &mut Process) -> Option<Event> {
    process.machine.core_mut(MAIN)[Reg::Rax] = nr::RT_SIGRETURN;
    crate::syscall::serve(process, MAIN, &mut Unwatched)
}

#[test]
fn blocked_signals_wait() {
    let mut process = process();
    handle(&mut process, USR1, HANDLER, 0);
    process.machine.memory.write_u64(SCRATCH, 1 << 9 | 1 << 8).unwrap();
    assert_eq!(call(&mut process, nr::RT_SIGPROCMASK, &[0, SCRATCH, 0, 8]), Ok(0));
    // SIGKILL cannot be blocked.
    assert_eq!(process.threads()[0].blocked.0, 1 << 9);
    call(&mut process, nr::KILL, &[1000, USR1]).unwrap();
    call(&mut process, nr::KILL, &[1000, USR1]).unwrap();
    assert!(!process.has_deliverable_signal(MAIN));
    assert_eq!(call(&mut process, nr::RT_SIGPENDING, &[SCRATCH, 8]), Ok(0));
    assert_eq!(process.machine.memory.read_u64(SCRATCH), Ok(1 << 9));
    let timed = [SCRATCH, 0, 0, 8];
    assert_eq!(call(&mut process, nr::RT_SIGTIMEDWAIT, &timed), Ok(USR1));
    // Queued once only.
    let again = call_by(&mut process, MAIN, nr::RT_SIGTIMEDWAIT, &timed);
    assert_eq!(again, Outcome::Stopped(Event::Blocked));
    let thread = add_thread_unblocked(&mut process);
    call_by(&mut process, thread, nr::TGKILL, &[1000, 1000, USR1]);
    assert_eq!(process.threads()[0].state, ThreadState::Runnable);
    assert_eq!(call(&mut process, nr::RT_SIGTIMEDWAIT, &timed), Ok(USR1));
}

/// A second thread, made while the first one waits.
fn add_thread_unblocked(process: &mut Process) -> samovar_vm::machine::ThreadId {
    let core = *process.machine.core(MAIN);
    let state = process.threads()[0].clone();
    let thread = add_thread(process);
    *process.machine.core_mut(MAIN) = core;
    *process.os_mut().thread_mut(MAIN) = state;
    thread
}

#[test]
fn interrupted_waits_fail_or_go_on() {
    let mut process = process();
    let thread = add_thread(&mut process);
    let word = SCRATCH + 0x100;
    handle(&mut process, USR1, HANDLER, 0);
    let blocked = Outcome::Stopped(Event::Blocked);
    assert_eq!(call_by(&mut process, MAIN, nr::FUTEX, &[word, 0, 0]), blocked);
    call_by(&mut process, thread, nr::TGKILL, &[1000, 1000, USR1]);
    assert_eq!(result(&process, MAIN), Err(Errno::EINTR));
    deliver(&mut process);
    process.os_mut().thread_mut(MAIN).blocked = crate::SignalSet::EMPTY;
    handle(&mut process, USR1, HANDLER, RESTART);
    assert_eq!(call_by(&mut process, MAIN, nr::FUTEX, &[word, 0, 0]), blocked);
    let after = process.machine.core(MAIN).pc;
    call_by(&mut process, thread, nr::TGKILL, &[1000, 1000, USR1]);
    let core = process.machine.core(MAIN);
    assert_eq!((core.pc, core[Reg::Rax]), (after - 2, nr::FUTEX));
    // A sleep never goes on; what is left is stored.
    deliver(&mut process);
    process.os_mut().thread_mut(MAIN).blocked = crate::SignalSet::EMPTY;
    process.machine.memory.write_u64(SCRATCH, 3).unwrap();
    process.machine.memory.write_u64(SCRATCH + 8, 0).unwrap();
    let sleep = call_by(&mut process, MAIN, nr::NANOSLEEP, &[SCRATCH, SCRATCH + 32]);
    assert_eq!(sleep, blocked);
    process.wake_due(process.now_ns() + 1_000_000_000);
    call_by(&mut process, thread, nr::TGKILL, &[1000, 1000, USR1]);
    assert_eq!(result(&process, MAIN), Err(Errno::EINTR));
    assert_eq!(process.machine.memory.read_u64(SCRATCH + 32), Ok(2));
}

#[test]
fn faults_go_to_the_handler_on_its_own_stack() {
    let mut process = process();
    let stack = SCRATCH + 0x4_0000;
    for (at, word) in [(0, stack), (8, 0), (16, 0x4000)] {
        process.machine.memory.write_u64(SCRATCH + 0x800 + at, word).unwrap();
    }
    assert_eq!(call(&mut process, nr::SIGALTSTACK, &[SCRATCH + 0x800, 0]), Ok(0));
    handle(&mut process, 11, HANDLER, 0x0800_0004);
    assert_eq!(process.raise_fault(MAIN, Signal::SEGV, 1, 0x1234), None);
    let core = process.machine.core(MAIN);
    assert_eq!(core.pc, HANDLER);
    assert!((stack..stack + 0x4000).contains(&core[Reg::Rsp]));
    assert_eq!(process.machine.memory.read_u64(core[Reg::Rsi] + 16), Ok(0x1234));
    // While on it, it cannot be changed; and a fault in the handler ends the process.
    assert_eq!(process.signal_stack_flags(MAIN), 1);
    let end = process.raise_fault(MAIN, Signal::SEGV, 1, 0x1234);
    assert_eq!(end, Some(Event::Killed(Signal::SEGV)));
}
