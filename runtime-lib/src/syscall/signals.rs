//! Signals: actions, masks, sending to oneself, waiting.

use super::call::{Call, Flow, Refusal, SysResult, done};
use super::time;
use crate::errno::Errno;
use crate::os::PID;
use crate::signal::{
    Action, Payload, SI_TKILL, SI_USER, SS_DISABLE, Siginfo, Signal, SignalSet, SignalStack,
    frame_pop, siginfo_bytes,
};
use crate::thread::{Resumed, WaitFor};
use samovar_vm::machine::ThreadId;
use std::sync::Arc;

/// Size of the kernel's signal set.
const SET_SIZE: u64 = 8;
/// Smallest alternative stack.
const STACK_MIN: u64 = 2048;

fn signal(number: u64) -> Result<Signal, Errno> {
    Signal::new(u64::from(number as u32)).ok_or(Errno::EINVAL)
}

pub(super) fn rt_sigaction(call: &mut Call<'_>) -> SysResult {
    let [number, new, old, size, ..] = call.args;
    let signal = signal(number)?;
    if size != SET_SIZE {
        return Err(Errno::EINVAL.into());
    }
    let wanted = if new == 0 { None } else { Some(call.read_words::<4>(new)?) };
    if old != 0 {
        let words = call.os().action(signal).to_words();
        call.write_words(old, &words)?;
    }
    if let Some(words) = wanted {
        if SignalSet::UNBLOCKABLE.contains(signal) {
            return Err(Errno::EINVAL.into());
        }
        let action = Action::from_words(words);
        let os = call.os_mut();
        Arc::make_mut(&mut os.actions)[signal.number() as usize - 1] = action;
        if action.discards(signal) {
            forget_pending(call, signal);
        }
    }
    done(0)
}

/// A signal that is ignored from now on is dropped even where it was blocked.
fn forget_pending(call: &mut Call<'_>, signal: Signal) {
    call.process.all_threads();
    let os = call.os_mut();
    let has = |queue: &[Siginfo]| queue.iter().any(|info| info.signal == signal);
    for index in
        (0..os.threads.len()).filter(|&index| has(&os.threads[index].pending)).collect::<Vec<_>>()
    {
        let queue = &mut os.threads.get_mut(index).pending;
        Arc::make_mut(queue).retain(|info| info.signal != signal);
    }
    if has(&os.pending) {
        Arc::make_mut(&mut os.pending).retain(|info| info.signal != signal);
    }
}

pub(super) fn rt_sigprocmask(call: &mut Call<'_>) -> SysResult {
    let [how, new, old, size, ..] = call.args;
    if size != SET_SIZE {
        return Err(Errno::EINVAL.into());
    }
    let before = call.me().blocked;
    if new != 0 {
        let set = SignalSet(call.read_u64(new)?);
        let mask = match how {
            0 => before.union(set),
            1 => before.minus(set),
            2 => set,
            _ => return Err(Errno::EINVAL.into()),
        };
        if mask.blockable() != before {
            call.me_mut().blocked = mask.blockable();
        }
    }
    if old != 0 {
        call.write_words(old, &[before.0])?;
    }
    done(0)
}

pub(super) fn rt_sigpending(call: &mut Call<'_>) -> SysResult {
    let [addr, size, ..] = call.args;
    let me = call.me();
    let pending = me.pending.iter().chain(&*call.os().pending);
    let set = pending.fold(SignalSet::EMPTY, |set, info| set.with(info.signal));
    let blocked = set.0 & me.blocked.0;
    call.write(addr, &blocked.to_le_bytes()[..size.min(8) as usize])?;
    done(0)
}

pub(super) fn pause(call: &mut Call<'_>) -> SysResult {
    wait_for_handler(call)
}

/// Waits until a handler has run; the call then fails with `EINTR`.
fn wait_for_handler(call: &mut Call<'_>) -> SysResult {
    call.me_mut().resumed = Some(Resumed { deadline: None, progress: 0 });
    Ok(Flow::Retry(WaitFor::Signal { accepted: SignalSet::EMPTY, deadline: None }))
}

pub(super) fn rt_sigsuspend(call: &mut Call<'_>) -> SysResult {
    let [addr, size, ..] = call.args;
    if size != SET_SIZE {
        return Err(Errno::EINVAL.into());
    }
    let mask = SignalSet(call.read_u64(addr)?).blockable();
    let thread = call.thread;
    let me = call.me_mut();
    me.mask_to_restore = me.mask_to_restore.or(Some(me.blocked));
    me.blocked = mask;
    if call.process.has_deliverable_signal(thread) {
        // Its handler runs before the call returns.
        return Err(Errno::EINTR.into());
    }
    wait_for_handler(call)
}

pub(super) fn rt_sigtimedwait(call: &mut Call<'_>) -> SysResult {
    let [set, info, timeout, size, ..] = call.args;
    if size != SET_SIZE {
        return Err(Errno::EINVAL.into());
    }
    let accepted = SignalSet(call.read_u64(set)?).blockable();
    if let Some(found) = call.process.take_pending(call.thread, |signal| accepted.contains(signal))
    {
        if info != 0 {
            call.write(info, &siginfo_bytes(&found))?;
        }
        return done(u64::from(found.signal.number()));
    }
    let span = if timeout == 0 { None } else { Some(time::read_timespec(call, timeout)?) };
    let now = call.os().now_ns;
    let deadline = call.lasting_deadline(span.map(|span| now.saturating_add(span)));
    if call.is_past(deadline) {
        return Err(Errno::EAGAIN.into());
    }
    Ok(Flow::Retry(WaitFor::Signal { accepted, deadline }))
}

pub(super) fn rt_sigreturn(call: &mut Call<'_>) -> SysResult {
    match frame_pop(call.process, call.thread) {
        Ok(()) => Ok(Flow::Resumed),
        Err(_) => Ok(Flow::Ended(call.process.kill(Signal::SEGV))),
    }
}

pub(super) fn sigaltstack(call: &mut Call<'_>) -> SysResult {
    const ON_STACK: u32 = 1;
    let [new, old, ..] = call.args;
    let wanted = if new == 0 { None } else { Some(call.read_words::<3>(new)?) };
    let flags = call.process.signal_stack_flags(call.thread);
    if old != 0 {
        let SignalStack { base, size, .. } = call.me().signal_stack;
        call.write_words(old, &[base, u64::from(flags), size])?;
    }
    if let Some([base, flags_wanted, size]) = wanted {
        if flags & ON_STACK != 0 {
            return Err(Errno::EPERM.into());
        }
        call.me_mut().signal_stack = match flags_wanted as u32 & !(1 << 31) {
            SS_DISABLE => SignalStack::default(),
            0 | ON_STACK if size < STACK_MIN => return Err(Errno::ENOMEM.into()),
            0 | ON_STACK => SignalStack { base, size, flags: 0 },
            _ => return Err(Errno::EINVAL.into()),
        };
    }
    done(0)
}

pub(super) fn kill(call: &mut Call<'_>) -> SysResult {
    let [pid, number, ..] = call.args;
    match pid as i32 {
        // Itself, its group, or everybody: there is nobody else.
        0 | -1 => {}
        pid if pid.unsigned_abs() == PID => {}
        _ => return Err(Errno::ESRCH.into()),
    }
    if number as u32 == 0 {
        return done(0);
    }
    let info = call.process.sender_info(signal(number)?, SI_USER);
    send(call, None, info)?;
    done(0)
}

pub(super) fn tkill(call: &mut Call<'_>) -> SysResult {
    let [tid, number, ..] = call.args;
    send_to(call, tid, number)
}

pub(super) fn tgkill(call: &mut Call<'_>) -> SysResult {
    let [pid, tid, number, ..] = call.args;
    if pid as u32 != PID {
        return Err(Errno::ESRCH.into());
    }
    send_to(call, tid, number)
}

/// Sends a signal, unless nobody can say where its handler would begin.
fn send(call: &mut Call<'_>, thread: Option<ThreadId>, info: Siginfo) -> Result<(), Refusal> {
    if call.process.config.refuse_interruptions
        && call.process.interrupts_another(call.thread, thread, info.signal)
    {
        let detail = format!(
            "the handler of {} would interrupt another thread at an arbitrary point; --reduce none \
             explores that",
            info.signal
        );
        return Err(Refusal::Unsupported(detail));
    }
    call.process.send(thread, info);
    Ok(())
}

fn target(call: &Call<'_>, tid: u64) -> Result<ThreadId, Errno> {
    call.process.by_tid(tid as u32).ok_or(Errno::ESRCH)
}

fn send_to(call: &mut Call<'_>, tid: u64, number: u64) -> SysResult {
    let thread = target(call, tid)?;
    if number as u32 == 0 {
        return done(0);
    }
    let info = call.process.sender_info(signal(number)?, SI_TKILL);
    send(call, Some(thread), info)?;
    done(0)
}

/// The `siginfo` that a caller supplies.
fn supplied(call: &mut Call<'_>, number: u64, addr: u64) -> Result<Siginfo, Refusal> {
    let signal = signal(number)?;
    let [_, code, sender, value] = call.read_words::<4>(addr)?;
    let code = code as i32;
    if code >= 0 {
        return Err(Errno::EPERM.into());
    }
    let (pid, uid) = (sender as u32, (sender >> 32) as u32);
    Ok(Siginfo { signal, code, payload: Payload::Sender { pid, uid, value } })
}

pub(super) fn rt_sigqueueinfo(call: &mut Call<'_>) -> SysResult {
    let [pid, number, addr, ..] = call.args;
    if pid as u32 != PID {
        return Err(Errno::ESRCH.into());
    }
    let info = supplied(call, number, addr)?;
    send(call, None, info)?;
    done(0)
}

pub(super) fn rt_tgsigqueueinfo(call: &mut Call<'_>) -> SysResult {
    let [pid, tid, number, addr, ..] = call.args;
    if pid as u32 != PID {
        return Err(Errno::ESRCH.into());
    }
    let thread = target(call, tid)?;
    let info = supplied(call, number, addr)?;
    send(call, Some(thread), info)?;
    done(0)
}
