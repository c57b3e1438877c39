//! Barriers in glibc's layout: how many have arrived at 0, how many are wanted at 8.
//!
//! The last thread to arrive lets the others go and is the one that gets the special result, as in
//! glibc; any thread may be the last. Nothing of a round that is over is left in the object. While
//! a thread waits here, signals for it wait, too.

use super::{Answer, ModelCall};
use crate::event::LockFault;
use crate::thread::WaitFor;
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;

const COUNT: u64 = 8;
/// `PTHREAD_BARRIER_SERIAL_THREAD`, an `int`.
const SERIAL: u64 = 0xffff_ffff;

pub(super) fn wait(call: &mut ModelCall<'_>) -> Answer {
    arrive(call).unwrap_or_else(Answer::from)
}

fn arrive(call: &mut ModelCall<'_>) -> Result<Answer, Fault> {
    let addr = call.arg(0);
    let (arrived, count) = (call.word(addr)?.wrapping_add(1), call.word(addr.wrapping_add(COUNT))?);
    if count == 0 {
        // No initialisation takes this; the destruction leaves it.
        return Ok(match call.judges_locks() {
            true => Answer::wrong(LockFault::Uninitialised, addr),
            false => Answer::Pass,
        });
    }
    if arrived < count {
        call.set_word(addr, arrived)?;
        return Ok(Answer::Wait(WaitFor::Barrier { addr }));
    }
    call.set_word(addr, 0)?;
    let here = WaitFor::Barrier { addr };
    let waiters = call.process.waiters(addr).filter(|(_, wait)| **wait == here);
    for thread in waiters.map(|(thread, _)| thread).collect::<Vec<ThreadId>>() {
        call.process.set_runnable(thread);
        call.process.return_from(thread, 0);
    }
    Ok(Answer::Return(SERIAL))
}

pub(super) fn destroy(call: &mut ModelCall<'_>) -> Answer {
    let attempt = |call: &mut ModelCall<'_>| {
        let addr = call.arg(0);
        let (arrived, count) = (call.word(addr)?, call.word(addr.wrapping_add(COUNT))?);
        if call.judges_locks() {
            let fault = match (count, arrived) {
                (0, _) => Some(LockFault::Uninitialised),
                (_, 0) => None,
                _ => Some(LockFault::DestroyBusy),
            };
            if let Some(fault) = fault {
                return Ok(Answer::wrong(fault, addr));
            }
        }
        if arrived != 0 {
            // The library waits for those inside, for ever.
            return Ok(Answer::Wait(WaitFor::Barrier { addr }));
        }
        call.set_word(addr.wrapping_add(COUNT), 0)?;
        Ok(Answer::Return(0))
    };
    attempt(call).unwrap_or_else(|fault: Fault| fault.into())
}
