//! How the `samovar` process itself ends: with an exit status, or by the signal that killed the
//! guest, so that a shell or a test harness sees what it would have seen from the program.
//!
//! The only module of this crate with `unsafe` code: the three calls to the kernel that the
//! standard library does not offer. What it leaves out: signals that merely stop a process, and
//! handing signals that `samovar` receives on to the guest.

use std::io::Write;
use std::process;

/// Exit status when something was found to be wrong with the program, here a deadlock.
pub const FOUND: u8 = 1;
/// Exit status for bad usage, unreadable input, or something unsupported.
pub const UNUSABLE: u8 = 2;
/// Exit status when a limit ended the work.
pub const INCOMPLETE: u8 = 3;

/// The end of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Exit with this status.
    Status(u8),
    /// Die by this signal.
    Signal(u8),
}

impl Ending {
    /// Ends the process. Nothing is dropped after this, so callers have cleaned up before.
    pub fn end(self) -> ! {
        // Nobody is left to tell if the standard output cannot be flushed.
        let _ = std::io::stdout().flush();
        match self {
            Ending::Status(status) => process::exit(status.into()),
            Ending::Signal(signal) => die_by(signal.into()),
        }
    }
}

/// Makes writing to a closed pipe deadly, as it is for a program started by a shell. The standard
/// library ignores that signal at start-up.
pub fn prepare() {
    // SAFETY: SIG_DFL is a valid disposition for SIGPIPE, and no other thread exists yet.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Dies by `signal` and leaves no core dump: it would be one of this process, not of the guest.
fn die_by(signal: i32) -> ! {
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: all arguments are plain values or point to locals that outlive the calls. Resetting
    // the disposition and unblocking the signal affect only this process, which is about to end.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &no_core);
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::signal(signal, libc::SIG_DFL);
        let mut only_this: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut only_this);
        libc::sigaddset(&mut only_this, signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &only_this, std::ptr::null_mut());
        libc::raise(signal);
    }
    // A signal that is not deadly by default; what a shell would report is the best that is left.
    process::exit(128 + signal)
}
