//! Files that make threads wait: pipes, event counters, and waiting for several at once.

use crate::errno::Errno;
use crate::files::{Counter, Files, OpenFile, OpenKind, PIPE_ATOMIC, Pipe, PipeId, Ready, flag};
use crate::process::Process;
use crate::signal::SignalSet;
use crate::syscall::call::{Call, Flow, Refusal, SysResult, done, unsupported};
use crate::syscall::objects;
use crate::syscall::time;
use crate::thread::WaitFor;
use std::sync::Arc;

pub(crate) fn pipe(call: &mut Call<'_>) -> SysResult {
    make_pipe(call, call.args[0], 0)
}

pub(crate) fn pipe2(call: &mut Call<'_>) -> SysResult {
    let [addr, flags, ..] = call.args;
    let flags = flags as u32;
    if flags & !(flag::CLOEXEC | flag::NONBLOCK) != 0 {
        return unsupported("packet mode");
    }
    make_pipe(call, addr, flags)
}

fn make_pipe(call: &mut Call<'_>, addr: u64, flags: u32) -> SysResult {
    let files = call.os_mut().files_mut();
    let id = PipeId(files.table.next_id().0);
    let path = format!("pipe:[{}]", id.0 + 3);
    let end = |kind, access| {
        let path = path.as_bytes().into();
        OpenFile { kind, offset: 0, flags: flags | access, path }
    };
    let reader = files.table.add(end(OpenKind::PipeReader(id), 0))?;
    let writer = match files.table.add(end(OpenKind::PipeWriter(id), flag::WRONLY)) {
        Ok(writer) => writer,
        Err(errno) => {
            files.table.close(reader)?;
            return Err(errno.into());
        }
    };
    files.pipes.insert(id, Pipe { readers: 1, writers: 1, ..Pipe::default() });
    let both = [(reader as u32).to_le_bytes(), (writer as u32).to_le_bytes()].concat();
    call.write(addr, &both)?;
    done(0)
}

pub(crate) fn eventfd(call: &mut Call<'_>) -> SysResult {
    make_counter(call, call.args[0], 0)
}

pub(crate) fn eventfd2(call: &mut Call<'_>) -> SysResult {
    let [value, flags, ..] = call.args;
    make_counter(call, value, flags as u32)
}

fn make_counter(call: &mut Call<'_>, value: u64, flags: u32) -> SysResult {
    let files = call.os_mut().files_mut();
    let id = PipeId(files.table.next_id().0);
    let counter = Counter { value: u64::from(value as u32), semaphore: flags & 1 != 0 };
    files.counters.insert(id, counter);
    let flags = flags & (flag::CLOEXEC | flag::NONBLOCK) | flag::RDWR;
    let path = b"anon_inode:[eventfd]".as_slice().into();
    let file = OpenFile { kind: OpenKind::Counter(id), offset: 0, flags, path };
    done(files.table.add(file)?)
}

/// Which `POLL*` conditions hold for a descriptor now.
pub(super) fn readiness(files: &Files, fd: u64) -> u16 {
    let Ok(file) = files.table.get(fd) else { return Ready::NVAL };
    match &file.kind {
        OpenKind::PipeReader(id) => files.pipes.get(id).map_or(Ready::ERR, |pipe| {
            let data = if pipe.bytes.is_empty() { 0 } else { Ready::IN };
            data | if pipe.writers == 0 { Ready::HUP } else { 0 }
        }),
        OpenKind::PipeWriter(id) => files.pipes.get(id).map_or(Ready::ERR, |pipe| {
            let room = if pipe.room() >= PIPE_ATOMIC { Ready::OUT } else { 0 };
            room | if pipe.readers == 0 { Ready::ERR } else { 0 }
        }),
        OpenKind::Counter(id) => files.counters.get(id).map_or(Ready::ERR, |counter| {
            let data = if counter.value > 0 { Ready::IN } else { 0 };
            data | if counter.value < u64::MAX - 1 { Ready::OUT } else { 0 }
        }),
        OpenKind::Epoll(interests) => {
            let ready = interests.iter().any(|(&fd, &(events, _))| {
                readiness(files, u64::from(fd)) & (events as u16 | Ready::ERR | Ready::HUP) != 0
            });
            if ready { Ready::IN } else { 0 }
        }
        OpenKind::Output(_) => Ready::OUT,
        OpenKind::Input => Ready::IN,
        _ => Ready::IN | Ready::OUT,
    }
}

/// After pipes or counters changed: threads whose wait is over can run.
pub(super) fn wake_ready(process: &mut Process) {
    let files = Arc::clone(&process.os.files);
    let always = Ready::ERR | Ready::HUP | Ready::NVAL;
    let is_ready =
        |&(fd, events): &(u32, u16)| readiness(&files, u64::from(fd)) & (events | always) != 0;
    process.wake_waiters(objects::FILES, |wait| match wait {
        WaitFor::Files { wanted, .. } => wanted.iter().any(is_ready),
        _ => false,
    });
}

pub(crate) fn poll(call: &mut Call<'_>) -> SysResult {
    let timeout = call.args[2] as i32;
    let span = (timeout >= 0).then(|| timeout as u64 * 1_000_000);
    poll_for(call, span)
}

pub(crate) fn ppoll(call: &mut Call<'_>) -> SysResult {
    let [_, _, timeout, mask, ..] = call.args;
    refuse_new_mask(call, mask)?;
    let span = if timeout == 0 { None } else { Some(time::read_timespec(call, timeout)?) };
    poll_for(call, span)
}

/// Changing the signal mask for the time of a wait is left out. A mask that is the present one, as
/// line editors give it, changes nothing.
fn refuse_new_mask(call: &mut Call<'_>, mask: u64) -> Result<(), Refusal> {
    if mask == 0 || SignalSet(call.read_u64(mask)?).blockable() == call.me().blocked {
        return Ok(());
    }
    unsupported("with another signal mask")
}

fn poll_for(call: &mut Call<'_>, span: Option<u64>) -> SysResult {
    let [addr, count, ..] = call.args;
    if count > crate::files::DESCRIPTORS_MAX as u64 {
        return Err(Errno::EINVAL.into());
    }
    let mut ready = 0;
    let mut wanted = Vec::new();
    for index in 0..count {
        let at = addr.wrapping_add(index * 8);
        let word = call.read_u64(at)?;
        let (fd, events) = (word as u32, (word >> 32) as u16);
        let mut found = 0;
        if (fd as i32) >= 0 {
            let always = Ready::ERR | Ready::HUP | Ready::NVAL;
            // Normal and out-of-band data are not told apart.
            let plain = events & (Ready::IN | Ready::OUT) | events >> 6 & 1 | events >> 6 & 4;
            found = readiness(&call.os().files, u64::from(fd)) & (plain | always);
            wanted.push((fd, plain));
        }
        ready += u64::from(found != 0);
        call.write(at.wrapping_add(6), &found.to_le_bytes())?;
    }
    finish_or_wait(call, ready, wanted, span)
}

/// Ends a call that waits for files, or lets it wait.
pub(super) fn finish_or_wait(
    call: &mut Call<'_>,
    ready: u64,
    wanted: Vec<(u32, u16)>,
    span: Option<u64>,
) -> SysResult {
    if ready > 0 || span == Some(0) {
        return done(ready);
    }
    let now = call.os().now_ns;
    let deadline = call.lasting_deadline(span.map(|span| now.saturating_add(span)));
    if call.is_past(deadline) {
        return done(0);
    }
    Ok(Flow::Retry(WaitFor::Files { wanted, deadline, interruptible: true }))
}

pub(crate) fn select(call: &mut Call<'_>) -> SysResult {
    let timeout = call.args[4];
    let span = if timeout == 0 {
        None
    } else {
        let [seconds, micros] = call.read_words::<2>(timeout)?;
        let span = time::timespec(seconds, micros.saturating_mul(1000)).ok_or(Errno::EINVAL)?;
        Some(span)
    };
    select_for(call, span)
}

pub(crate) fn pselect6(call: &mut Call<'_>) -> SysResult {
    let [_, _, _, _, timeout, mask] = call.args;
    if mask != 0 {
        let mask = call.read_u64(mask)?;
        refuse_new_mask(call, mask)?;
    }
    let span = if timeout == 0 { None } else { Some(time::read_timespec(call, timeout)?) };
    select_for(call, span)
}

fn select_for(call: &mut Call<'_>, span: Option<u64>) -> SysResult {
    let [count, ..] = call.args;
    if count > crate::files::DESCRIPTORS_MAX as u64 {
        return Err(Errno::EINVAL.into());
    }
    let words = count.div_ceil(64);
    // Reading, writing, exceptional conditions; the last never occur.
    let conditions = [Ready::IN | Ready::HUP | Ready::ERR, Ready::OUT | Ready::ERR, 0];
    let mut results = [Vec::new(), Vec::new(), Vec::new()];
    let (mut ready, mut wanted) = (0, Vec::new());
    for (set, &condition) in conditions.iter().enumerate() {
        let addr = call.args[set + 1];
        if addr == 0 {
            continue;
        }
        for word in 0..words {
            let asked = call.read_u64(addr.wrapping_add(word * 8))?;
            let mut found = 0;
            for bit in (0..64).filter(|bit| asked >> bit & 1 != 0) {
                let fd = word * 64 + bit;
                if fd >= count {
                    break;
                }
                call.os().files.table.get(fd)?;
                if readiness(&call.os().files, fd) & condition != 0 {
                    found |= 1 << bit;
                    ready += 1;
                }
                wanted.push((fd as u32, condition));
            }
            results[set].push(found);
        }
    }
    let flow = finish_or_wait(call, ready, wanted, span)?;
    if let Flow::Value(_) = flow {
        for (set, words) in results.iter().enumerate() {
            call.write_words(call.args[set + 1], words)?;
        }
    }
    Ok(flow)
}
