//! What a system call works on, as a checker sees it: an address of the guest for futexes, a
//! pseudo-address beyond the address space for things of the operating system.
//!
//! Two calls commute unless they work on the same object and one of them changes it. Where in
//! doubt a call counts as a change of everything it may touch; calls that are not listed touch the
//! calling thread only.

use super::names::number as nr;
use samovar_vm::fault::AccessKind;
use samovar_vm::monitor::Access;

/// Pseudo-addresses start here.
const PSEUDO: u64 = 1 << 40;
/// Which addresses are mapped.
const ADDRESS_SPACE: u64 = PSEUDO;
/// Open files, directories and their contents.
const FILES: u64 = PSEUDO + 8;
/// The logical clock.
const CLOCK: u64 = PSEUDO + 16;
/// Signal actions and pending signals.
const SIGNALS: u64 = PSEUDO + 24;
/// The source of random numbers.
const RANDOM: u64 = PSEUDO + 32;
/// Operations that always count as visible: threads begin and end, and wait for one another.
pub const THREADS: u64 = PSEUDO + 40;

/// An operation that changes an object.
pub(crate) fn change(addr: u64, size: u32) -> Access {
    Access { addr, size, kind: AccessKind::Write, locked: true, sequel: false }
}

/// The object of a system call.
#[rustfmt::skip]
pub(crate) fn object(number: u64, args: &[u64; 6]) -> Option<Access> {
    let read = |addr| Access { addr, size: 8, kind: AccessKind::Read, locked: true, sequel: false };
    Some(match number {
        nr::FUTEX => change(args[0] & !7, 8),
        nr::CLONE | nr::EXIT => change(THREADS, 8),
        nr::MMAP | nr::MUNMAP | nr::MPROTECT | nr::MREMAP | nr::MADVISE | nr::BRK => change(ADDRESS_SPACE, 8),
        nr::READ | nr::PREAD64 | nr::READV | nr::PREADV | nr::OPEN | nr::OPENAT | nr::CLOSE
        | nr::LSEEK | nr::PWRITE64 | nr::DUP | nr::DUP2 | nr::DUP3 | nr::FCNTL | nr::PIPE | nr::PIPE2
        | nr::FTRUNCATE | nr::UNLINK | nr::UNLINKAT | nr::RENAME | nr::MKDIR | nr::RMDIR | nr::POLL
        | nr::PPOLL | nr::SELECT => change(FILES, 8),
        // Output is not part of the state; to a pipe or a file it is.
        nr::WRITE | nr::WRITEV if args[0] > 2 => change(FILES, 8),
        nr::FSTAT | nr::STAT | nr::LSTAT | nr::NEWFSTATAT | nr::STATX | nr::ACCESS | nr::READLINK
        | nr::GETCWD | nr::GETDENTS64 => read(FILES),
        nr::CLOCK_GETTIME | nr::GETTIMEOFDAY | nr::TIME | nr::NANOSLEEP | nr::CLOCK_NANOSLEEP => change(CLOCK, 8),
        nr::RT_SIGACTION | nr::KILL | nr::TKILL | nr::TGKILL => change(SIGNALS, 8),
        nr::GETRANDOM => change(RANDOM, 8),
        _ => return None,
    })
}
