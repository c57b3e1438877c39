//! Waiting threads: deadlines and what wakes them.

use crate::errno::Errno;
use crate::event::Event;
use crate::host::{Input, Stdin};
use crate::process::Process;
use crate::syscall::names::number as nr;
use crate::testing::{MAIN, Outcome, SCRATCH, add_thread, bytes, call, call_by, process, result};
use crate::thread::ThreadState;

const BUFFER: u64 = SCRATCH + 0x1_0000;

fn pipe(process: &mut Process) -> (u64, u64) {
    assert_eq!(call(process, nr::PIPE2, &[SCRATCH, 0]), Ok(0));
    let word = process.machine.memory.read_u64(SCRATCH).unwrap();
    (word & 0xffff_ffff, word >> 32)
}

fn blocked() -> Outcome {
    Outcome::Stopped(Event::Blocked)
}

fn is_runnable(process: &Process) -> bool {
    process.threads()[0].state == ThreadState::Runnable
}

#[test]
fn a_reader_waits_for_bytes_and_is_told_the_end() {
    let mut process = process();
    let thread = add_thread(&mut process);
    let (reader, writer) = pipe(&mut process);
    let read = [reader, BUFFER, 10];
    assert_eq!(call_by(&mut process, MAIN, nr::READ, &read), blocked());
    // The call will be made again: the thread stands before it.
    process.machine.memory.write(BUFFER + 100, b"abc").unwrap();
    let write = call_by(&mut process, thread, nr::WRITE, &[writer, BUFFER + 100, 3]);
    assert_eq!(write, Outcome::Returned(Ok(3)));
    assert!(is_runnable(&process));
    assert_eq!(call(&mut process, nr::READ, &read), Ok(3));
    assert_eq!(bytes(&process, BUFFER, 3), b"abc");
    assert_eq!(call_by(&mut process, MAIN, nr::READ, &read), blocked());
    let close = call_by(&mut process, thread, nr::CLOSE, &[writer]);
    assert_eq!(close, Outcome::Returned(Ok(0)));
    assert!(is_runnable(&process));
    assert_eq!(call(&mut process, nr::READ, &read), Ok(0));
}

#[test]
fn a_large_write_goes_in_pieces() {
    let mut process = process();
    let thread = add_thread(&mut process);
    let (reader, writer) = pipe(&mut process);
    let write = [writer, SCRATCH, 100_000];
    assert_eq!(call_by(&mut process, MAIN, nr::WRITE, &write), blocked());
    let (mut total, mut written) = (0, None);
    while total < 100_000 {
        let read = call_by(&mut process, thread, nr::READ, &[reader, BUFFER, 30_000]);
        let Outcome::Returned(Ok(len @ 1..)) = read else { panic!("{read:?}") };
        total += len;
        if is_runnable(&process) && written.is_none() {
            match call_by(&mut process, MAIN, nr::WRITE, &write) {
                Outcome::Returned(result) => written = Some(result),
                outcome => assert_eq!(outcome, blocked()),
            }
        }
    }
    assert_eq!((total, written), (100_000, Some(Ok(100_000))));
    assert_eq!(call(&mut process, nr::IOCTL, &[reader, 0x541b, SCRATCH]), Ok(0));
    assert_eq!(process.machine.memory.read_u32(SCRATCH), Ok(0));
}

#[test]
fn nobody_waits_who_does_not_want_to() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::PIPE2, &[SCRATCH, 0o4000]), Ok(0));
    assert_eq!(call(&mut process, nr::READ, &[3, BUFFER, 1]), Err(Errno::EAGAIN));
    assert_eq!(call(&mut process, nr::WRITE, &[4, SCRATCH, 70_000]), Ok(65_536));
    assert_eq!(call(&mut process, nr::WRITE, &[4, SCRATCH, 1]), Err(Errno::EAGAIN));
    assert_eq!(call(&mut process, nr::READ, &[4, BUFFER, 1]), Err(Errno::EBADF));
}

#[test]
fn poll_tells_what_is_ready_or_waits() {
    let mut process = process();
    let thread = add_thread(&mut process);
    let (reader, writer) = pipe(&mut process);
    let list = SCRATCH + 0x100;
    let entry = |fd: u64, events: u64| fd | events << 32;
    process.machine.memory.write_u64(list, entry(reader, 1)).unwrap();
    process.machine.memory.write_u64(list + 8, entry(writer, 4)).unwrap();
    process.machine.memory.write_u64(list + 16, entry(77, 1)).unwrap();
    assert_eq!(call(&mut process, nr::POLL, &[list, 3, 1000]), Ok(2));
    let found = |process: &Process, index: u64| {
        process.machine.memory.read_u64(list + index * 8).unwrap() >> 48
    };
    let all = [found(&process, 0), found(&process, 1), found(&process, 2)];
    assert_eq!(all, [0, 4, 0x20]);
    // The reader alone is not ready: time passes.
    let start = process.now_ns();
    assert_eq!(call_by(&mut process, MAIN, nr::POLL, &[list, 1, 3]), blocked());
    assert_eq!(process.next_deadline(), Some(start + 3_000_000));
    process.wake_due(start + 3_000_000);
    assert_eq!(call(&mut process, nr::POLL, &[list, 1, 3]), Ok(0));
    // With a byte in the pipe it is woken in time.
    assert_eq!(call_by(&mut process, MAIN, nr::POLL, &[list, 1, u64::MAX]), blocked());
    call_by(&mut process, thread, nr::WRITE, &[writer, BUFFER, 1]);
    assert!(is_runnable(&process));
    assert_eq!(call(&mut process, nr::POLL, &[list, 1, u64::MAX]), Ok(1));
    assert_eq!(found(&process, 0), 1);
}

#[test]
fn select_reads_and_writes_sets() {
    let mut process = process();
    let (reader, writer) = pipe(&mut process);
    let (reads, writes) = (SCRATCH + 0x100, SCRATCH + 0x200);
    process.machine.memory.write_u64(reads, 1 << reader).unwrap();
    process.machine.memory.write_u64(writes, 1 << writer).unwrap();
    let count = writer + 1;
    assert_eq!(call(&mut process, nr::SELECT, &[count, reads, writes, 0, 0]), Ok(1));
    assert_eq!(process.machine.memory.read_u64(reads), Ok(0));
    assert_eq!(process.machine.memory.read_u64(writes), Ok(1 << writer));
    process.machine.memory.write_u64(reads, 1 << 40).unwrap();
    assert_eq!(call(&mut process, nr::SELECT, &[41, reads, 0, 0, 0]), Err(Errno::EBADF));
}

#[test]
fn counters_wait_at_zero() {
    let mut process = process();
    let thread = add_thread(&mut process);
    let fd = call(&mut process, nr::EVENTFD2, &[0, 0]).unwrap();
    assert_eq!(call_by(&mut process, MAIN, nr::READ, &[fd, BUFFER, 8]), blocked());
    process.machine.memory.write_u64(SCRATCH, 5).unwrap();
    let add = call_by(&mut process, thread, nr::WRITE, &[fd, SCRATCH, 8]);
    assert_eq!(add, Outcome::Returned(Ok(8)));
    assert!(is_runnable(&process));
    assert_eq!(call(&mut process, nr::READ, &[fd, BUFFER, 8]), Ok(8));
    assert_eq!(process.machine.memory.read_u64(BUFFER), Ok(5));
    assert_eq!(call(&mut process, nr::READ, &[fd, BUFFER, 4]), Err(Errno::EINVAL));
}

#[test]
fn epoll_reports_the_users_word() {
    let mut process = process();
    let (reader, writer) = pipe(&mut process);
    let epoll = call(&mut process, nr::EPOLL_CREATE1, &[0]).unwrap();
    let event = SCRATCH + 0x100;
    process.machine.memory.write_u32(event, 1).unwrap();
    process.machine.memory.write_u64(event + 4, 0xabcd).unwrap();
    assert_eq!(call(&mut process, nr::EPOLL_CTL, &[epoll, 1, reader, event]), Ok(0));
    assert_eq!(call(&mut process, nr::EPOLL_CTL, &[epoll, 1, reader, event]), Err(Errno::EEXIST));
    assert_eq!(call(&mut process, nr::EPOLL_WAIT, &[epoll, BUFFER, 4, 0]), Ok(0));
    call(&mut process, nr::WRITE, &[writer, SCRATCH, 1]).unwrap();
    assert_eq!(call(&mut process, nr::EPOLL_WAIT, &[epoll, BUFFER, 4, 0]), Ok(1));
    assert_eq!(process.machine.memory.read_u64(BUFFER + 4), Ok(0xabcd));
    assert_eq!(call(&mut process, nr::EPOLL_CTL, &[epoll, 2, reader, 0]), Ok(0));
    assert_eq!(call(&mut process, nr::EPOLL_WAIT, &[epoll, BUFFER, 4, 0]), Ok(0));
}

#[test]
fn input_is_asked_for_after_output_was_seen() {
    let mut process = process();
    process.input = Input::new(Stdin::Source(Box::new(|len| b"answer"[..len.min(6)].to_vec())));
    call(&mut process, nr::WRITE, &[1, SCRATCH, 1]).unwrap();
    let early = call_by(&mut process, MAIN, nr::READ, &[0, BUFFER, 4]);
    assert_eq!(early, Outcome::Stopped(Event::Yielded));
    process.take_output();
    assert_eq!(call(&mut process, nr::READ, &[0, BUFFER, 4]), Ok(4));
    assert_eq!(bytes(&process, BUFFER, 4), b"answ");
}

#[test]
fn sleepers_wake_in_logical_time() {
    let mut process = process();
    process.machine.memory.write_u64(SCRATCH, 2).unwrap();
    process.machine.memory.write_u64(SCRATCH + 8, 7).unwrap();
    assert_eq!(call_by(&mut process, MAIN, nr::NANOSLEEP, &[SCRATCH, 0]), blocked());
    assert_eq!(process.next_deadline(), Some(2_000_000_007));
    process.wake_due(2_000_000_007);
    assert!(is_runnable(&process));
    assert_eq!(result(&process, MAIN), Ok(0));
    let clock = |process: &mut Process| {
        call(process, nr::CLOCK_GETTIME, &[1, SCRATCH]).unwrap();
        let memory = &process.machine.memory;
        (memory.read_u64(SCRATCH).unwrap(), memory.read_u64(SCRATCH + 8).unwrap())
    };
    assert_eq!(clock(&mut process), (3602, 1007));
    assert_eq!(clock(&mut process), (3602, 2007));
}
