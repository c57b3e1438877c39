//! Until when a timed call waits: an absolute `struct timespec` on one of two clocks.

use super::ModelCall;
use crate::syscall::time;
use samovar_vm::fault::Fault;

const EINVAL: u64 = 22;

/// A deadline as the guest gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deadline {
    /// The call waits as long as it has to.
    Never,
    /// Address of a time on the wall clock.
    Realtime(u64),
    /// Address of a time on the clock with this number.
    On {
        /// 0 for the wall clock, 1 for the monotonic one.
        clock: u32,
        /// Address of the time.
        time: u64,
    },
}

/// The deadline in logical time, `None` for never; or the error number.
pub(super) fn resolve(
    call: &ModelCall<'_>,
    deadline: Deadline,
) -> Result<Result<Option<u64>, u64>, Fault> {
    let (addr, realtime) = match deadline {
        Deadline::Never => return Ok(Ok(None)),
        Deadline::Realtime(addr) => (addr, true),
        Deadline::On { clock: clock @ (0 | 1), time } => (time, clock == 0),
        Deadline::On { .. } => return Ok(Err(EINVAL)),
    };
    call.process.look_at_clock();
    let memory = &call.process.machine.memory;
    let (seconds, nanoseconds) = (memory.read_u64(addr)?, memory.read_u64(addr.wrapping_add(8))?);
    if (seconds as i64) < 0 {
        // Long past.
        return Ok(if nanoseconds < 1_000_000_000 { Ok(Some(0)) } else { Err(EINVAL) });
    }
    let Some(instant) = time::timespec(seconds, nanoseconds) else { return Ok(Err(EINVAL)) };
    Ok(Ok(Some(instant.saturating_sub(time::epoch(call.process, realtime)))))
}
