//! Futexes: waiting, waking, requeueing, time-outs.

use crate::errno::Errno;
use crate::event::Event;
use crate::process::Process;
use crate::syscall::names::number as nr;
use crate::testing::{MAIN, Outcome, SCRATCH, add_thread, call, call_by, process, result};
use crate::thread::{ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;

const WAIT: u64 = 0;
const WAKE: u64 = 1;
const REQUEUE: u64 = 3;
const CMP_REQUEUE: u64 = 4;
const WAKE_OP: u64 = 5;
const LOCK_PI: u64 = 6;
const UNLOCK_PI: u64 = 7;
const WAIT_BITSET: u64 = 9;
const WAKE_BITSET: u64 = 10;
const PRIVATE: u64 = 128;
const WORD: u64 = SCRATCH + 0x100;
const OTHER: u64 = SCRATCH + 0x200;

fn wait_on(process: &mut Process, thread: ThreadId, args: &[u64]) {
    assert_eq!(call_by(process, thread, nr::FUTEX, args), Outcome::Stopped(Event::Blocked));
}

fn runnable(process: &Process, thread: ThreadId) -> bool {
    process.threads()[thread.0 as usize].state == ThreadState::Runnable
}

#[test]
fn waiting_needs_the_expected_value() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, WAIT, 1]), Err(Errno::EAGAIN));
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD + 1, WAIT, 0]), Err(Errno::EINVAL));
    assert_eq!(call(&mut process, nr::FUTEX, &[0, WAIT, 0]), Err(Errno::EFAULT));
    let no_bits = [WORD, WAIT_BITSET, 0, 0, 0, 0];
    assert_eq!(call(&mut process, nr::FUTEX, &no_bits), Err(Errno::EINVAL));
}

#[test]
fn a_wake_up_ends_the_wait_with_zero() {
    let mut process = process();
    let threads = [add_thread(&mut process), add_thread(&mut process), add_thread(&mut process)];
    for thread in threads {
        wait_on(&mut process, thread, &[WORD, WAIT | PRIVATE, 0]);
    }
    assert_eq!(call(&mut process, nr::FUTEX, &[OTHER, WAKE, 5]), Ok(0));
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, WAKE | PRIVATE, 2]), Ok(2));
    assert_eq!(threads.map(|thread| runnable(&process, thread)), [true, true, false]);
    assert_eq!(result(&process, threads[0]), Ok(0));
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, WAKE, 5]), Ok(1));
}

#[test]
fn bits_select_who_wakes() {
    let mut process = process();
    let (one, two) = (add_thread(&mut process), add_thread(&mut process));
    wait_on(&mut process, one, &[WORD, WAIT_BITSET, 0, 0, 0, 1]);
    wait_on(&mut process, two, &[WORD, WAIT_BITSET, 0, 0, 0, 2]);
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, WAKE_BITSET, 9, 0, 0, 2]), Ok(1));
    assert!(!runnable(&process, one) && runnable(&process, two));
}

#[test]
fn time_ends_a_wait() {
    let mut process = process();
    let thread = add_thread(&mut process);
    process.machine.memory.write_u64(SCRATCH, 1).unwrap();
    process.machine.memory.write_u64(SCRATCH + 8, 500).unwrap();
    wait_on(&mut process, thread, &[WORD, WAIT, 0, SCRATCH]);
    let deadline = process.now_ns() + 1_000_000_500;
    assert_eq!(process.next_deadline(), Some(deadline));
    process.wake_due(deadline - 1);
    assert!(!runnable(&process, thread));
    process.wake_due(deadline);
    assert!(runnable(&process, thread));
    assert_eq!(result(&process, thread), Err(Errno::ETIMEDOUT));
    // An absolute time that has passed, on the monotonic clock.
    let absolute = [WORD, WAIT_BITSET, 0, SCRATCH, 0, 1];
    assert_eq!(call(&mut process, nr::FUTEX, &absolute), Err(Errno::ETIMEDOUT));
    process.machine.memory.write_u64(SCRATCH + 8, 1_000_000_000).unwrap();
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, WAIT, 0, SCRATCH]), Err(Errno::EINVAL));
}

#[test]
fn requeueing_moves_waiters() {
    let mut process = process();
    let threads = [add_thread(&mut process), add_thread(&mut process), add_thread(&mut process)];
    for thread in threads {
        wait_on(&mut process, thread, &[WORD, WAIT, 0]);
    }
    let wrong = [WORD, CMP_REQUEUE, 1, 1, OTHER, 99];
    assert_eq!(call(&mut process, nr::FUTEX, &wrong), Err(Errno::EAGAIN));
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, CMP_REQUEUE, 1, 1, OTHER, 0]), Ok(2));
    assert_eq!(threads.map(|thread| runnable(&process, thread)), [true, false, false]);
    assert_eq!(call(&mut process, nr::FUTEX, &[OTHER, WAKE, 9]), Ok(1));
    assert!(runnable(&process, threads[1]));
    // Plain requeueing reports only who was woken.
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, REQUEUE, 0, 9, OTHER]), Ok(0));
    let moved = WaitFor::Futex { addr: OTHER, bitset: u32::MAX, deadline: None };
    assert_eq!(process.threads()[threads[2].0 as usize].waiting(), Some(&moved));
}

#[test]
fn wake_op_changes_compares_and_wakes() {
    let mut process = process();
    let (one, two) = (add_thread(&mut process), add_thread(&mut process));
    wait_on(&mut process, one, &[WORD, WAIT, 0]);
    wait_on(&mut process, two, &[OTHER, WAIT, 0]);
    // Add 5 to the second word; wake its waiter if it was 0.
    let code = 1 << 28 | 5 << 12;
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, WAKE_OP, 1, 1, OTHER, code]), Ok(2));
    assert_eq!(process.machine.memory.read_u32(OTHER), Ok(5));
    assert!(runnable(&process, one) && runnable(&process, two));
    // It is 5 now, so nobody there is woken; a shifted operand ors bit 4.
    wait_on(&mut process, two, &[OTHER, WAIT, 5]);
    let code = 10 << 28 | 4 << 12;
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, WAKE_OP, 1, 1, OTHER, code]), Ok(0));
    assert_eq!(process.machine.memory.read_u32(OTHER), Ok(5 | 1 << 4));
    assert!(!runnable(&process, two));
}

#[test]
fn ownership_is_handed_over() {
    let mut process = process();
    let (one, two) = (add_thread(&mut process), add_thread(&mut process));
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, LOCK_PI]), Ok(0));
    assert_eq!(process.machine.memory.read_u32(WORD), Ok(1000));
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, LOCK_PI]), Err(Errno::EDEADLK));
    wait_on(&mut process, one, &[WORD, LOCK_PI]);
    wait_on(&mut process, two, &[WORD, LOCK_PI]);
    assert_eq!(process.machine.memory.read_u32(WORD), Ok(1000 | 1 << 31));
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, UNLOCK_PI]), Ok(0));
    assert_eq!(process.machine.memory.read_u32(WORD), Ok(1001 | 1 << 31));
    assert!(runnable(&process, one) && !runnable(&process, two));
    assert_eq!(call(&mut process, nr::FUTEX, &[WORD, UNLOCK_PI]), Err(Errno::EPERM));
    let unlock = call_by(&mut process, one, nr::FUTEX, &[WORD, UNLOCK_PI]);
    assert_eq!(unlock, Outcome::Returned(Ok(0)));
    assert_eq!(process.machine.memory.read_u32(WORD), Ok(1002));
}

#[test]
fn the_end_of_a_thread_releases_and_wakes() {
    let mut process = process();
    let thread = add_thread(&mut process);
    let memory = &mut process.machine.memory;
    // A list of one robust mutex, whose word lies 16 bytes behind its entry.
    let (head, entry) = (SCRATCH + 0x300, SCRATCH + 0x400);
    memory.write_u64(head, entry).unwrap();
    memory.write_u64(head + 8, 16).unwrap();
    memory.write_u64(head + 16, 0).unwrap();
    memory.write_u64(entry, head).unwrap();
    memory.write_u32(entry + 16, 1001 | 1 << 31).unwrap();
    memory.write_u32(OTHER, 1001).unwrap();
    let list = call_by(&mut process, thread, nr::SET_ROBUST_LIST, &[head, 24]);
    assert_eq!(list, Outcome::Returned(Ok(0)));
    let tid = call_by(&mut process, thread, nr::SET_TID_ADDRESS, &[OTHER]);
    assert_eq!(tid, Outcome::Returned(Ok(1001)));
    wait_on(&mut process, MAIN, &[OTHER, WAIT, 1001]);
    let exit = call_by(&mut process, thread, nr::EXIT, &[0]);
    assert_eq!(exit, Outcome::Stopped(Event::ThreadExited));
    assert!(runnable(&process, MAIN));
    assert_eq!(process.machine.memory.read_u32(OTHER), Ok(0));
    assert_eq!(process.machine.memory.read_u32(entry + 16), Ok(3 << 30));
    let last = call_by(&mut process, MAIN, nr::EXIT, &[7]);
    assert_eq!(last, Outcome::Stopped(Event::ProcessExited(7)));
}
