//! What the real process has to show at the end of the trail, and whether it does.

use super::force::{Forced, tell};
use super::process::{Happening, NativeError};
use std::time::Duration;

/// How long a deadlock has to last to be believed.
const LASTING: Duration = Duration::from_millis(20);

/// What the error looks like from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// These threads sleep for ever; all that are left, if none are named.
    Asleep(Vec<usize>),
    /// A signal ends the process; at this instruction of the program, if it is in the program.
    Signal {
        /// The signal.
        signal: i32,
        /// The thread that gets it.
        thread: usize,
        /// The instruction.
        pc: Option<u64>,
    },
    /// The process ends with this status.
    Exit(i32),
    /// Two threads stand before accesses to the same data.
    Race {
        /// The threads and their instructions.
        sides: Vec<(usize, u64)>,
        /// Where in the program's file the data is, and its size, if it is there.
        data: Option<(u64, u64)>,
    },
    /// A thread gets to the instruction that goes wrong, though a processor does not mind.
    Reached {
        /// The thread.
        thread: usize,
        /// The instruction.
        pc: u64,
        /// What goes wrong there.
        what: String,
    },
}

/// Looks for what is expected; the evidence in a sentence.
pub fn look(forced: &mut Forced<'_>, expected: &Expected) -> Result<String, NativeError> {
    match expected {
        Expected::Asleep(threads) => asleep(forced, threads),
        Expected::Signal { signal, thread, pc } => signalled(forced, *signal, *thread, *pc),
        Expected::Exit(status) => exited(forced, *status),
        Expected::Race { sides, data } => race(forced, sides, *data),
        Expected::Reached { thread, pc, what } => {
            let at = forced.process.registers(*thread)?.rip;
            if at != forced.process.address(*pc) {
                return Err(strays(&format!("it stands at {at:#x} at the end")));
            }
            Ok(format!("it gets to the instruction at {at:#x} in the same order, which {what}"))
        }
    }
}

fn asleep(forced: &mut Forced<'_>, threads: &[usize]) -> Result<String, NativeError> {
    let all: Vec<usize> = match threads {
        [] => (0..forced.process.thread_count()).collect(),
        named => named.to_vec(),
    };
    // Whoever was woken meanwhile finds that there is nothing for it, and sleeps again.
    for &thread in &all {
        if !forced.process.is_gone(thread) && !forced.process.sleeps_for_ever(thread) {
            let happening = forced.process.go(thread, &[], true)?;
            if !matches!(happening, Happening::Asleep | Happening::Gone) {
                return Err(strays(&format!("a thread is {} at the end", tell(happening))));
            }
        }
    }
    std::thread::sleep(LASTING);
    let left: Vec<usize> =
        all.into_iter().filter(|thread| !forced.process.is_gone(*thread)).collect();
    match left.iter().find(|thread| !forced.process.sleeps_for_ever(**thread)) {
        None if left.is_empty() => Err(strays("all threads have ended")),
        None if threads.is_empty() => {
            let count = left.len();
            Ok(format!("all {count} threads sleep in futexes, and nobody is left to wake them"))
        }
        None => Ok(format!("{} threads sleep in futexes for ever", left.len())),
        Some(thread) => Err(strays(&format!("thread {thread} does not sleep at the end"))),
    }
}

fn signalled(
    forced: &mut Forced<'_>,
    wanted: i32,
    thread: usize,
    pc: Option<u64>,
) -> Result<String, NativeError> {
    if forced.signal.is_none()
        && forced.process.ended().is_none()
        && let Happening::Signal(signal) = forced.process.go(thread, &[], true)?
    {
        let at = forced.process.registers(thread)?.rip;
        forced.signal = Some((thread, signal, at));
    }
    let Some((who, signal, at)) = forced.signal else {
        let end = forced.process.ended().map_or("not killed by a signal".to_string(), tell);
        return Err(strays(&format!("it is {end} at the end")));
    };
    if (who, signal) != (thread, wanted) {
        return Err(strays(&format!("it gets signal {signal} instead of {wanted}")));
    }
    if let Some(pc) = pc.map(|pc| forced.process.address(pc))
        && pc != at
    {
        return Err(strays(&format!("it gets the signal at {at:#x} instead of {pc:#x}")));
    }
    Ok(format!("the kernel kills it by signal {} at {at:#x}", name(signal)))
}

fn exited(forced: &mut Forced<'_>, wanted: i32) -> Result<String, NativeError> {
    match forced.process.end()? {
        Some(Happening::Exited(status)) if status == wanted => {
            Ok(format!("it ends with exit status {status}"))
        }
        Some(other) => Err(strays(&format!("it is {}", tell(other)))),
        None => Err(strays("it does not end")),
    }
}

fn race(
    forced: &mut Forced<'_>,
    sides: &[(usize, u64)],
    data: Option<(u64, u64)>,
) -> Result<String, NativeError> {
    for &(thread, pc) in sides {
        let at = forced.process.registers(thread)?.rip;
        if at != forced.process.address(pc) {
            return Err(strays(&format!("a thread stands at {at:#x}, not at its access")));
        }
    }
    let Some((addr, len)) = data else {
        return Ok("both threads stand before their accesses at the same time".to_string());
    };
    let addr = forced.process.address(addr);
    for &(thread, _) in sides {
        if !forced.process.touches(thread, addr, len)? {
            return Err(strays(&format!("the processor sees no access to {addr:#x}")));
        }
    }
    Ok(format!(
        "both threads stand before their accesses at the same time, and the processor's own \
         watchpoint sees both touch {addr:#x}"
    ))
}

fn strays(what: &str) -> NativeError {
    NativeError::Strays(what.to_string())
}

fn name(signal: i32) -> String {
    match signal {
        libc::SIGABRT => "SIGABRT".to_string(),
        libc::SIGSEGV => "SIGSEGV".to_string(),
        libc::SIGFPE => "SIGFPE".to_string(),
        libc::SIGILL => "SIGILL".to_string(),
        libc::SIGBUS => "SIGBUS".to_string(),
        other => other.to_string(),
    }
}
