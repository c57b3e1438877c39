//! Time, which is logical: it advances by a fixed amount with every question for it, and jumps
//! when the scheduler lets it pass. Timers that would interrupt a running program are refused.

use super::call::{Call, Flow, Refusal, SysResult, done, unsupported};
use crate::errno::Errno;
use crate::host::FileTime;
use crate::process::Process;
use crate::thread::WaitFor;

const SECOND: u64 = 1_000_000_000;
/// What every question for the time costs: enough for loops that wait for time to pass.
const TICK_NS: u64 = 1_000;
/// The monotonic clock when the guest starts: a machine that has been up for an hour.
const MONOTONIC_START: u64 = 3_600 * SECOND;
/// Clock ticks a second, for `times`.
const TICKS_PER_SECOND: u64 = 100;

/// The reading of a clock when logical time is zero.
pub(crate) fn epoch(process: &Process, realtime: bool) -> u64 {
    if realtime { process.config.wall_clock_ns } else { MONOTONIC_START }
}

/// Asks for the time: it advances, and is returned. Threads whose deadline comes by that wait on
/// until the scheduler wakes them: what a thread does by looking at the clock must not depend on
/// who else waits.
pub(crate) fn tick(process: &mut Process) -> u64 {
    process.look_at_clock();
    let now = process.os.now_ns.saturating_add(TICK_NS);
    process.os_mut().now_ns = now;
    now
}

/// The wall clock, for files; asking is free.
pub(crate) fn file_time(process: &Process) -> FileTime {
    process.look_at_clock();
    let now = epoch(process, true).saturating_add(process.os.now_ns);
    FileTime { seconds: (now / SECOND) as i64, nanoseconds: (now % SECOND) as u32 }
}

/// Reads a `struct timespec` in nanoseconds.
pub(crate) fn read_timespec(call: &mut Call<'_>, addr: u64) -> Result<u64, Refusal> {
    let [seconds, nanoseconds] = call.read_words::<2>(addr)?;
    timespec(seconds, nanoseconds).ok_or(Refusal::Errno(Errno::EINVAL))
}

/// A span or instant from its two words; `None` if they make no sense.
pub(crate) fn timespec(seconds: u64, nanoseconds: u64) -> Option<u64> {
    if (seconds as i64) < 0 || nanoseconds >= SECOND {
        return None;
    }
    Some(seconds.saturating_mul(SECOND).saturating_add(nanoseconds))
}

enum Clock {
    Realtime,
    Monotonic,
    /// Time used by the process or a thread: here the same as time since the start.
    Used,
}

fn clock(id: u64) -> Result<Clock, Errno> {
    match id as i32 {
        0 | 5 | 8 | 11 => Ok(Clock::Realtime),
        1 | 4 | 6 | 7 | 9 => Ok(Clock::Monotonic),
        2 | 3 => Ok(Clock::Used),
        // Clocks of other processes and threads are negative; ours is the only process.
        id if id < 0 => Ok(Clock::Used),
        _ => Err(Errno::EINVAL),
    }
}

pub(super) fn clock_gettime(call: &mut Call<'_>) -> SysResult {
    let [id, addr, ..] = call.args;
    let start = match clock(id)? {
        Clock::Realtime => epoch(call.process, true),
        Clock::Monotonic => MONOTONIC_START,
        Clock::Used => 0,
    };
    let now = start.saturating_add(tick(call.process));
    call.write_words(addr, &[now / SECOND, now % SECOND])?;
    done(0)
}

pub(super) fn clock_getres(call: &mut Call<'_>) -> SysResult {
    let [id, addr, ..] = call.args;
    clock(id)?;
    let coarse = matches!(id, 5 | 6);
    if addr != 0 {
        call.write_words(addr, &[0, if coarse { 4_000_000 } else { 1 }])?;
    }
    done(0)
}

pub(super) fn gettimeofday(call: &mut Call<'_>) -> SysResult {
    let [addr, zone, ..] = call.args;
    let now = epoch(call.process, true).saturating_add(tick(call.process));
    if addr != 0 {
        call.write_words(addr, &[now / SECOND, now % SECOND / 1000])?;
    }
    if zone != 0 {
        call.write(zone, &[0; 8])?;
    }
    done(0)
}

pub(super) fn time(call: &mut Call<'_>) -> SysResult {
    let addr = call.args[0];
    let seconds = epoch(call.process, true).saturating_add(tick(call.process)) / SECOND;
    if addr != 0 {
        call.write_words(addr, &[seconds])?;
    }
    done(seconds)
}

pub(super) fn nanosleep(call: &mut Call<'_>) -> SysResult {
    let [span, remaining, ..] = call.args;
    let span = read_timespec(call, span)?;
    sleep(call, span, remaining)
}

fn sleep(call: &mut Call<'_>, span: u64, remaining: u64) -> SysResult {
    let until = call.os().now_ns.saturating_add(span);
    if span == 0 {
        return Ok(Flow::Yield);
    }
    Ok(Flow::Wait(WaitFor::Sleep { until, remaining }))
}

pub(super) fn clock_nanosleep(call: &mut Call<'_>) -> SysResult {
    const ABSOLUTE: u64 = 1;
    let [id, flags, request, remaining, ..] = call.args;
    let start = match clock(id)? {
        Clock::Realtime => epoch(call.process, true),
        Clock::Monotonic => MONOTONIC_START,
        Clock::Used => return unsupported("sleeping on a processor-time clock"),
    };
    let span = read_timespec(call, request)?;
    if flags & ABSOLUTE == 0 {
        return sleep(call, span, remaining);
    }
    call.process.look_at_clock();
    let until = span.saturating_sub(start);
    if until <= call.os().now_ns {
        return Ok(Flow::Yield);
    }
    Ok(Flow::Wait(WaitFor::Sleep { until, remaining: 0 }))
}

pub(super) fn times(call: &mut Call<'_>) -> SysResult {
    let addr = call.args[0];
    let now = tick(call.process);
    let ticks = now / (SECOND / TICKS_PER_SECOND);
    if addr != 0 {
        call.write_words(addr, &[ticks, 0, 0, 0])?;
    }
    done((MONOTONIC_START + now) / (SECOND / TICKS_PER_SECOND))
}

pub(super) fn getrusage(call: &mut Call<'_>) -> SysResult {
    const SIZE_WORDS: usize = 18;
    let addr = call.args[1];
    let now = tick(call.process);
    let mut usage = [0; SIZE_WORDS];
    // User time; everything else stays zero.
    (usage[0], usage[1]) = (now / SECOND, now % SECOND / 1000);
    call.write_words(addr, &usage)?;
    done(0)
}

/// No alarm is ever set, so cancelling one is harmless.
pub(super) fn alarm(call: &mut Call<'_>) -> SysResult {
    match call.args[0] as u32 {
        0 => done(0),
        _ => unsupported("an alarm would interrupt the program at an arbitrary point"),
    }
}

pub(super) fn setitimer(call: &mut Call<'_>) -> SysResult {
    let [_, new, old, ..] = call.args;
    let words = if new == 0 { [0; 4] } else { call.read_words::<4>(new)? };
    if words[2] != 0 || words[3] != 0 {
        return unsupported("a timer would interrupt the program at an arbitrary point");
    }
    if old != 0 {
        call.write_words(old, &[0; 4])?;
    }
    done(0)
}

pub(super) fn getitimer(call: &mut Call<'_>) -> SysResult {
    let addr = call.args[1];
    call.write_words(addr, &[0; 4])?;
    done(0)
}
