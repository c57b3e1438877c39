//! How the `samovar` process itself ends: with an exit status, or by the signal that killed the
//! guest, so that a shell or a test harness sees what it would have seen from the program.
//!
//! What it leaves out: signals that merely stop a process, and handing signals that `samovar`
//! receives on to the guest.

use crate::kernel;
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
            Ending::Signal(signal) => {
                kernel::raise_default(signal.into());
                // Not deadly after all; what a shell would report is the best that is left.
                process::exit(128 + i32::from(signal))
            }
        }
    }
}
