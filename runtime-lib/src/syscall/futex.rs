//! Futexes: words of memory that threads wait on.
//!
//! Waiters are found by looking at what threads wait for; nothing is stored twice. The kernel
//! promises no order among threads of equal priority, so which of them a wake-up takes is a choice
//! (see [`super::subset`]); plain running takes those with the lowest numbers. Private and shared
//! futexes are the same: there is one address space.
//!
//! Modelled mutexes (see `models`) use the same words as glibc's own code, so a wake-up here also
//! reaches threads that wait in the model.

use super::call::{Call, Flow, SysResult, done, unsupported};
use super::names::number as nr;
use super::{subset, time};
use crate::errno::Errno;
use crate::models::wake_lockers;
use crate::process::Process;
use crate::thread::WaitFor;
use samovar_vm::machine::ThreadId;

/// Size of `struct robust_list_head`.
pub(super) const ROBUST_HEAD_SIZE: u64 = 24;
/// Longest list of robust mutexes that is looked at.
const ROBUST_LIST_MAX: usize = 2048;

/// Somebody waits for the futex.
const WAITERS: u32 = 0x8000_0000;
/// Its owner ended.
const OWNER_DIED: u32 = 0x4000_0000;
/// The owner's identifier.
pub(crate) const TID_MASK: u32 = 0x3fff_ffff;

const PRIVATE: u64 = 128;
const CLOCK_REALTIME: u64 = 256;

pub(super) fn futex(call: &mut Call<'_>) -> SysResult {
    let [addr, operation, value, _, addr2, value3] = call.args;
    let realtime = operation & CLOCK_REALTIME != 0;
    if !addr.is_multiple_of(4) {
        return Err(Errno::EINVAL.into());
    }
    let value = value as u32;
    match operation & !(PRIVATE | CLOCK_REALTIME) {
        0 => {
            let deadline = relative_deadline(call)?;
            wait(call, addr, value, u32::MAX, deadline)
        }
        1 => wake_call(call, addr, value, u32::MAX),
        3 => requeue(call, addr, addr2, value, None),
        4 => requeue(call, addr, addr2, value, Some(value3 as u32)),
        5 => wake_op(call, addr, addr2, value, value3 as u32),
        9 => {
            let deadline = absolute_deadline(call, realtime)?;
            wait(call, addr, value, value3 as u32, deadline)
        }
        10 => wake_call(call, addr, value, value3 as u32),
        6 => lock_pi(call, addr, true, true),
        13 => lock_pi(call, addr, realtime, true),
        8 => lock_pi(call, addr, true, false),
        7 => unlock_pi(call, addr),
        11 | 12 => unsupported("requeueing to a futex with priority inheritance"),
        _ => Err(Errno::ENOSYS.into()),
    }
}

fn relative_deadline(call: &mut Call<'_>) -> Result<Option<u64>, super::Refusal> {
    let timeout = call.args[3];
    if timeout == 0 {
        return Ok(None);
    }
    let span = time::read_timespec(call, timeout)?;
    Ok(Some(call.os().now_ns.saturating_add(span)))
}

fn absolute_deadline(call: &mut Call<'_>, realtime: bool) -> Result<Option<u64>, super::Refusal> {
    let timeout = call.args[3];
    if timeout == 0 {
        return Ok(None);
    }
    let instant = time::read_timespec(call, timeout)?;
    call.process.look_at_clock();
    Ok(Some(instant.saturating_sub(time::epoch(call.process, realtime))))
}

fn wait(
    call: &mut Call<'_>,
    addr: u64,
    value: u32,
    bitset: u32,
    deadline: Option<u64>,
) -> SysResult {
    if bitset == 0 {
        return Err(Errno::EINVAL.into());
    }
    let me = call.me();
    if me.interrupted.is_some_and(|rsp| me.atomic.is_some_and(|atomic| atomic.entry_rsp == rsp)) {
        return Err(Errno::EINTR.into());
    }
    if call.read_u32(addr)? != value {
        return Err(Errno::EAGAIN.into());
    }
    if call.is_past(deadline) {
        return Err(Errno::ETIMEDOUT.into());
    }
    Ok(Flow::Wait(WaitFor::Futex { addr, bitset, deadline }))
}

fn wake_call(call: &mut Call<'_>, addr: u64, count: u32, bitset: u32) -> SysResult {
    if bitset == 0 {
        return Err(Errno::EINVAL.into());
    }
    let chosen = choose(call, addr, count, bitset);
    done(u64::from(wake_all(call.process, &chosen)))
}

/// In how many ways a call may pick the threads that it wakes.
pub(super) fn alternatives(process: &Process, number: u64, args: &[u64; 6]) -> u32 {
    let [addr, operation, count, _, _, bitset] = *args;
    let bitset = match operation & !(PRIVATE | CLOCK_REALTIME) {
        _ if number != nr::FUTEX => return 1,
        1 | 3 | 4 | 5 => u32::MAX,
        10 => bitset as u32,
        _ => return 1,
    };
    subset::count(waiters(process, addr, bitset).len() as u32, count as u32)
}

/// The threads that a call wakes.
fn choose(call: &Call<'_>, addr: u64, count: u32, bitset: u32) -> Vec<ThreadId> {
    let all = waiters(call.process, addr, bitset);
    let picked = subset::pick(all.len() as u32, count, call.pick);
    picked.into_iter().map(|index| all[index as usize]).collect()
}

/// Threads that wait on the word at `addr`, by number.
fn waiters(process: &Process, addr: u64, bitset: u32) -> Vec<ThreadId> {
    let waits = |wait: &WaitFor| match *wait {
        WaitFor::Futex { bitset: bits, .. } => bits & bitset != 0,
        WaitFor::Mutex { .. } | WaitFor::Once { .. } | WaitFor::Lock { .. } => true,
        _ => false,
    };
    let waiters = process.waiters(addr).filter(|(_, wait)| waits(wait));
    waiters.map(|(thread, _)| thread).collect()
}

/// Wakes up to `count` threads, those with the lowest numbers; returns how many.
pub(crate) fn wake(process: &mut Process, addr: u64, count: u32, bitset: u32) -> u32 {
    let mut chosen = waiters(process, addr, bitset);
    chosen.truncate(count as usize);
    wake_all(process, &chosen)
}

fn wake_all(process: &mut Process, chosen: &[ThreadId]) -> u32 {
    for &thread in chosen {
        match process.os.thread(thread).waiting() {
            Some(WaitFor::Mutex { .. } | WaitFor::Once { .. } | WaitFor::Lock { .. }) => {
                process.set_runnable(thread);
            }
            _ => process.finish_wait(thread, 0),
        }
    }
    chosen.len() as u32
}

fn requeue(
    call: &mut Call<'_>,
    addr: u64,
    target: u64,
    count: u32,
    expected: Option<u32>,
) -> SysResult {
    let moved_max = call.args[3] as u32;
    if !target.is_multiple_of(4) || (count as i32) < 0 || (moved_max as i32) < 0 {
        return Err(Errno::EINVAL.into());
    }
    let found = call.read_u32(addr)?;
    if expected.is_some_and(|expected| expected != found) {
        return Err(Errno::EAGAIN.into());
    }
    let chosen = choose(call, addr, count, u32::MAX);
    let woken = wake_all(call.process, &chosen);
    let mut moved = 0;
    for thread in waiters(call.process, addr, u32::MAX) {
        if moved == moved_max {
            break;
        }
        let state = &mut call.os_mut().thread_mut(thread).state;
        if let crate::thread::ThreadState::Waiting(WaitFor::Futex { addr, .. }) = state {
            *addr = target;
            moved += 1;
        }
    }
    done(u64::from(woken + if expected.is_some() { moved } else { 0 }))
}

/// Changes one word, wakes on the other, and wakes on the first if its old value fits.
fn wake_op(call: &mut Call<'_>, addr: u64, target: u64, count: u32, code: u32) -> SysResult {
    let count2 = call.args[3] as u32;
    if !target.is_multiple_of(4) {
        return Err(Errno::EINVAL.into());
    }
    let sign = |field: u32| (field << 20) as i32 >> 20;
    let (mut operand, compared) = (sign(code >> 12) as u32, sign(code) as u32);
    if code >> 28 & 8 != 0 {
        operand = 1u32.wrapping_shl(operand & 31);
    }
    let old = call.read_u32(target)?;
    let new = match code >> 28 & 7 {
        0 => operand,
        1 => old.wrapping_add(operand),
        2 => old | operand,
        3 => old & !operand,
        4 => old ^ operand,
        _ => return Err(Errno::ENOSYS.into()),
    };
    let (old_signed, compared_signed) = (old as i32, compared as i32);
    let fits = match code >> 24 & 0xf {
        0 => old == compared,
        1 => old != compared,
        2 => old_signed < compared_signed,
        3 => old_signed <= compared_signed,
        4 => old_signed > compared_signed,
        5 => old_signed >= compared_signed,
        _ => return Err(Errno::ENOSYS.into()),
    };
    call.write(target, &new.to_le_bytes())?;
    let chosen = choose(call, addr, count, u32::MAX);
    let mut woken = wake_all(call.process, &chosen);
    if fits {
        woken += wake(call.process, target, count2, u32::MAX);
    }
    done(u64::from(woken))
}

/// Locks a futex that holds its owner's identifier.
fn lock_pi(call: &mut Call<'_>, addr: u64, realtime: bool, may_wait: bool) -> SysResult {
    let deadline = if may_wait { absolute_deadline(call, realtime)? } else { None };
    let word = call.read_u32(addr)?;
    let tid = call.me().tid;
    let owner = word & TID_MASK;
    if owner == tid {
        return Err(Errno::EDEADLK.into());
    }
    if owner == 0 {
        call.write(addr, &(tid | word & (OWNER_DIED | WAITERS)).to_le_bytes())?;
        return done(0);
    }
    if call.process.by_tid(owner).is_none() {
        return Err(Errno::ESRCH.into());
    }
    if !may_wait {
        return Err(Errno::EAGAIN.into());
    }
    if call.is_past(deadline) {
        return Err(Errno::ETIMEDOUT.into());
    }
    call.write(addr, &(word | WAITERS).to_le_bytes())?;
    Ok(Flow::Wait(WaitFor::FutexOwnership { addr, deadline }))
}

fn unlock_pi(call: &mut Call<'_>, addr: u64) -> SysResult {
    let word = call.read_u32(addr)?;
    if word & TID_MASK != call.me().tid {
        return Err(Errno::EPERM.into());
    }
    hand_over(call.process, addr, 0);
    done(0)
}

fn ownership_waiters(process: &Process, addr: u64) -> Vec<ThreadId> {
    let waiters = process.waiters(addr);
    let owners = waiters.filter(|(_, wait)| matches!(wait, WaitFor::FutexOwnership { .. }));
    owners.map(|(thread, _)| thread).collect()
}

/// Gives a futex to the first thread that waits for its ownership, or frees it.
fn hand_over(process: &mut Process, addr: u64, died: u32) {
    let waiting = ownership_waiters(process, addr);
    let word = match waiting.first() {
        Some(&next) => {
            process.finish_wait(next, 0);
            let more = if waiting.len() > 1 { WAITERS } else { 0 };
            process.os.thread(next).tid | more | died
        }
        None => died,
    };
    // The word was readable and writable when the caller looked at it.
    let _ = process.machine.memory.write_u32(addr, word);
}

/// After a wait for ownership timed out: nobody may be left who waits.
pub(crate) fn drop_waiters_bit(process: &mut Process, addr: u64) {
    if ownership_waiters(process, addr).is_empty()
        && let Ok(word) = process.machine.memory.read_u32(addr)
    {
        let _ = process.machine.memory.write_u32(addr, word & !WAITERS);
    }
}

/// Marks the robust mutexes of a thread that ends, and wakes who waits for them.
pub(super) fn release_robust(process: &mut Process, thread: ThreadId) {
    let tid = process.os.thread(thread).tid;
    for (addr, inherits) in robust_list(process, thread) {
        release_one(process, addr, tid, inherits);
    }
}

/// Lock words that a thread's end changes, if the system call is its end.
pub(super) fn robust_words(process: &Process, thread: ThreadId, number: u64) -> Vec<u64> {
    if number != nr::EXIT {
        return Vec::new();
    }
    robust_list(process, thread).into_iter().map(|(addr, _)| addr).collect()
}

/// The lock words of a thread's robust mutexes, and whether they inherit priorities.
fn robust_list(process: &Process, thread: ThreadId) -> Vec<(u64, bool)> {
    let head = process.os.thread(thread).robust_list;
    let memory = &process.machine.memory;
    let word = |at: u64| memory.read_u64(at).ok();
    let (Some(first), Some(offset), Some(pending)) =
        (word(head), word(head.wrapping_add(8)), word(head.wrapping_add(16)))
    else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    let mut entry = first;
    while entry & !1 != head && entries.len() < ROBUST_LIST_MAX {
        if entry & !1 != pending & !1 {
            entries.push(entry);
        }
        match word(entry & !1) {
            Some(next) => entry = next,
            None => break,
        }
    }
    if pending != 0 {
        entries.push(pending);
    }
    let addr = |entry: u64| (entry & !1).wrapping_add(offset);
    entries.into_iter().map(|entry| (addr(entry), entry & 1 != 0)).collect()
}

fn release_one(process: &mut Process, addr: u64, tid: u32, inherits: bool) {
    let Ok(word) = process.machine.memory.read_u32(addr) else { return };
    if word & TID_MASK != tid {
        return;
    }
    wake_lockers(process, addr);
    if inherits {
        hand_over(process, addr, OWNER_DIED);
        return;
    }
    if process.machine.memory.write_u32(addr, word & WAITERS | OWNER_DIED).is_ok()
        && word & WAITERS != 0
    {
        wake(process, addr, 1, u32::MAX);
    }
}
