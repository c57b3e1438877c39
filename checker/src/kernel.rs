//! The few requests to the host's kernel that the standard library does not offer, and the only
//! module of this crate with `unsafe` code.
//!
//! Nothing here serves a guest: these calls are about this process and its standard streams.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Makes writing to a closed pipe deadly, as it is for a program started by a shell. The standard
/// library ignores that signal at start-up. To be called before there are other threads.
pub fn die_by_broken_pipe() {
    // SAFETY: SIG_DFL is a valid disposition for SIGPIPE, and there is no handler to replace.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Sends a signal to this process, with its default effect. Leaves no core dump: it would be one of
/// this process and not of the guest. Returns if the default effect is not deadly.
pub fn raise_default(signal: i32) {
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
}

/// Waits until the file can be read without blocking, or has ended; false if the time was over
/// before.
pub fn wait_readable(file: &File, time: Duration) -> bool {
    let mut wanted = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // Rounded up, and a limit of more than 24 days is as good as none.
    let milliseconds = time.as_millis().saturating_add(1).min(i32::MAX as u128) as i32;
    // SAFETY: `wanted` is one valid entry and outlives the call; its descriptor is open as long as
    // `file` is borrowed.
    let ready = unsafe { libc::poll(&mut wanted, 1, milliseconds) };
    ready != 0
}
