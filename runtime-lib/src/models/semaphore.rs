//! Semaphores, named and unnamed, in glibc's layout: value at 0, the library's own waiters at 4,
//! whether it is shared at 8. The padding at 12 marks a semaphore that was destroyed.
//!
//! A post lets every thread try that waits in a model. Calls that fail with `errno` are passed on
//! to the library, which then fails for the same reason without waiting.

use super::deadline::{self, Deadline};
use super::{Answer, ModelCall};
use crate::event::LockFault;
use crate::syscall::futex;
use crate::thread::WaitFor;
use samovar_vm::fault::Fault;

const VALUE_MAX: u32 = 0x7fff_ffff;
const SHARED: u64 = 8;
const MARK: u64 = 12;
/// What glibc notes for semaphores between processes.
const BETWEEN_PROCESSES: u32 = 128;
const DESTROYED: u32 = 0x5e3a_de57;

fn is_wait(wait: &WaitFor) -> bool {
    matches!(wait, WaitFor::Semaphore { .. })
}

/// The value, or the answer if the semaphore was destroyed.
fn value(call: &ModelCall<'_>, addr: u64) -> Result<Result<u32, Answer>, Fault> {
    if call.judges_locks() && call.word(addr.wrapping_add(MARK))? == DESTROYED {
        return Ok(Err(Answer::wrong(LockFault::Destroyed, addr)));
    }
    call.word(addr).map(Ok)
}

fn wait_until(call: &mut ModelCall<'_>, until: Deadline) -> Result<Answer, Fault> {
    let addr = call.arg(0);
    let rsp = call.process.machine.core(call.thread)[samovar_vm::reg::Reg::Rsp];
    if call.is_cancelled() {
        return Ok(Answer::Plain);
    }
    if call.process.os.thread(call.thread).interrupted == Some(rsp) {
        return Ok(Answer::Pass);
    }
    let value = match value(call, addr)? {
        Ok(value) => value,
        Err(wrong) => return Ok(wrong),
    };
    // The library looks at the time before anything else.
    let deadline = match deadline::resolve(call, until)? {
        Ok(deadline) => deadline,
        Err(_) => return Ok(Answer::Pass),
    };
    if value > 0 {
        call.set_word(addr, value - 1)?;
        return Ok(Answer::Return(0));
    }
    if deadline.is_some_and(|at| at <= call.process.now_ns()) {
        return Ok(Answer::Pass);
    }
    Ok(Answer::Wait(WaitFor::Semaphore { addr, deadline }))
}

pub(super) fn wait(call: &mut ModelCall<'_>) -> Answer {
    wait_until(call, Deadline::Never).unwrap_or_else(Answer::from)
}

pub(super) fn timedwait(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::Realtime(call.arg(1));
    wait_until(call, until).unwrap_or_else(Answer::from)
}

pub(super) fn clockwait(call: &mut ModelCall<'_>) -> Answer {
    let until = Deadline::On { clock: call.arg(1) as u32, time: call.arg(2) };
    wait_until(call, until).unwrap_or_else(Answer::from)
}

pub(super) fn trywait(call: &mut ModelCall<'_>) -> Answer {
    let addr = call.arg(0);
    match value(call, addr) {
        Ok(Ok(0)) | Err(_) => Answer::Pass,
        Ok(Ok(value)) => match call.set_word(addr, value - 1) {
            Ok(()) => Answer::Return(0),
            Err(fault) => fault.into(),
        },
        Ok(Err(wrong)) => wrong,
    }
}

pub(super) fn post(call: &mut ModelCall<'_>) -> Answer {
    let attempt = |call: &mut ModelCall<'_>| {
        let addr = call.arg(0);
        let value = match value(call, addr)? {
            Ok(VALUE_MAX) => return Ok(Answer::Pass),
            Ok(value) => value,
            Err(wrong) => return Ok(wrong),
        };
        call.set_word(addr, value.wrapping_add(1))?;
        call.process.wake_waiters(addr, is_wait);
        if call.somebody_waits(addr, |wait| matches!(wait, WaitFor::Futex { .. })) {
            futex::wake(call.process, addr, 1, u32::MAX);
        }
        Ok(Answer::Return(0))
    };
    attempt(call).unwrap_or_else(|fault: Fault| fault.into())
}

pub(super) fn getvalue(call: &mut ModelCall<'_>) -> Answer {
    let attempt = |call: &mut ModelCall<'_>| {
        let (addr, target) = (call.arg(0), call.arg(1));
        match value(call, addr)? {
            Ok(value) => call.set_word(target, value).map(|()| Answer::Return(0)),
            Err(wrong) => Ok(wrong),
        }
    };
    attempt(call).unwrap_or_else(|fault: Fault| fault.into())
}

pub(super) fn init(call: &mut ModelCall<'_>) -> Answer {
    let (addr, shared, value) = (call.arg(0), call.arg(1) as u32, call.arg(2) as u32);
    if value > VALUE_MAX {
        return Answer::Pass;
    }
    let attempt = |call: &mut ModelCall<'_>| {
        call.process.machine.memory.write_u64(addr, u64::from(value))?;
        let shared = if shared == 0 { 0 } else { BETWEEN_PROCESSES };
        call.set_word(addr.wrapping_add(SHARED), shared)?;
        call.set_word(addr.wrapping_add(MARK), 0)?;
        Ok(Answer::Return(0))
    };
    attempt(call).unwrap_or_else(|fault: Fault| fault.into())
}

pub(super) fn destroy(call: &mut ModelCall<'_>) -> Answer {
    let attempt = |call: &mut ModelCall<'_>| {
        let addr = call.arg(0);
        if let Err(wrong) = value(call, addr)? {
            return Ok(wrong);
        }
        if call.judges_locks() && call.somebody_waits(addr, is_wait) {
            return Ok(Answer::wrong(LockFault::DestroyBusy, addr));
        }
        call.set_word(addr.wrapping_add(MARK), DESTROYED)?;
        Ok(Answer::Return(0))
    };
    attempt(call).unwrap_or_else(|fault: Fault| fault.into())
}
