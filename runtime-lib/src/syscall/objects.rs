//! What a system call works on, as a checker sees it: an address of the guest for futexes, a
//! pseudo-address beyond the address space for things of the operating system.
//!
//! Two calls commute unless they work on the same object and one of them changes it. Where in
//! doubt a call counts as a change of everything it may touch; calls that are not listed touch the
//! calling thread only.

use super::names::number as nr;
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::ADDRESS_LIMIT;
use samovar_vm::monitor::Access;

/// Pseudo-addresses start here.
const PSEUDO: u64 = 1 << 40;
/// Which addresses are mapped.
pub(crate) const ADDRESS_SPACE: u64 = PSEUDO;
/// Open files, directories and their contents.
pub(crate) const FILES: u64 = PSEUDO + 8;
/// The logical clock.
pub(crate) const CLOCK: u64 = PSEUDO + 16;
/// Signal actions and pending signals.
pub(crate) const SIGNALS: u64 = PSEUDO + 24;
/// The source of random numbers: the system's, and the hidden state of `rand` and `random`.
pub(crate) const RANDOM: u64 = PSEUDO + 32;
/// Operations that always count as visible: threads begin and end, and wait for one another.
pub const THREADS: u64 = PSEUDO + 40;

/// Beginnings of atomic regions: one object for each thread.
const REGIONS: u64 = PSEUDO + (1 << 36);
/// Choices: one object for each thread.
const CHOICES: u64 = PSEUDO + (2 << 36);
/// Whether a thread is to be cancelled: one object for each thread.
const CANCELLATIONS: u64 = PSEUDO + (3 << 36);
/// What threads say that they have done: one object for each thread.
const PROGRESS: u64 = PSEUDO + (4 << 36);

/// The object that the beginning of an atomic region is an operation on. No other thread's.
pub(crate) fn region_of(thread: ThreadId) -> u64 {
    REGIONS + u64::from(thread.0) * 8
}

/// The object that a choice of a thread is an operation on. No other thread's.
pub(crate) fn choice_of(thread: ThreadId) -> u64 {
    CHOICES + u64::from(thread.0) * 8
}

/// The object that the cancellation of a thread is a change of.
pub(crate) fn cancellation_of(thread: ThreadId) -> u64 {
    CANCELLATIONS + u64::from(thread.0) * 8
}

/// The object that a mark of progress is an operation on. No other thread's.
pub(crate) fn progress_of(thread: ThreadId) -> u64 {
    PROGRESS + u64::from(thread.0) * 8
}

/// What an object of the operating system is called; `None` for an address of the guest.
pub fn name(addr: u64) -> Option<&'static str> {
    (PSEUDO <= addr).then_some(match addr {
        ADDRESS_SPACE => "which memory is mapped",
        FILES => "files",
        CLOCK => "the clock",
        SIGNALS => "signals",
        RANDOM => "the source of random numbers",
        REGIONS..CHOICES => "atomic regions",
        CHOICES..CANCELLATIONS => "choices",
        CANCELLATIONS..PROGRESS => "cancellation",
        PROGRESS.. => "progress",
        _ => "threads that begin and end",
    })
}

/// Whether an operation is a choice, which always counts as visible.
pub fn is_choice(addr: u64) -> bool {
    (CHOICES..CHOICES + (1 << 36)).contains(&addr)
}

/// An operation that changes an object.
pub(crate) fn change(addr: u64, size: u32) -> Access {
    Access { addr, size, kind: AccessKind::Write, locked: true, sequel: false }
}

/// An operation that looks at an object.
pub(crate) fn look(addr: u64, size: u32) -> Access {
    Access { addr, size, kind: AccessKind::Read, locked: true, sequel: false }
}

/// What of a thread and its process decides what a system call works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    /// Where the end of the thread is written to.
    pub clear_tid: u64,
    /// The end of the `brk` heap.
    pub brk_end: u64,
}

/// Everything a system call works on: its object first, then memory that it reads or writes on
/// the guest's behalf, or takes away.
pub(crate) fn accesses(number: u64, args: &[u64; 6], about: Circumstances) -> Vec<Access> {
    let Circumstances { clear_tid, brk_end } = about;
    let memory = |addr: u64, len: u64, kind| {
        let size = len.min(1 << 20) as u32;
        (addr != 0 && size != 0).then_some(Access { addr, size, kind, locked: false, sequel: true })
    };
    let second = match number {
        nr::READ | nr::PREAD64 => memory(args[1], args[2], AccessKind::Write),
        nr::WRITE | nr::PWRITE64 => memory(args[1], args[2], AccessKind::Read),
        nr::EXIT => memory(clear_tid, 4, AccessKind::Write),
        nr::FUTEX => memory(args[4] & !7, u64::from(is_requeue(args[1])) * 8, AccessKind::Write),
        _ => None,
    };
    let second = second.map(|access| Access { locked: number != nr::READ, ..access });
    let (start, end) = taken(number, args, brk_end);
    let taken = (start..end).step_by(TAKEN_MAX).map(|addr| {
        let size = (end - addr).min(TAKEN_MAX as u64) as u32;
        Access { sequel: true, ..change(addr, size) }
    });
    object(number, args).into_iter().chain(second).chain(taken).collect()
}

/// Bytes in one announcement of memory that is taken away.
const TAKEN_MAX: usize = 1 << 31;

/// Memory that a system call takes away from whoever uses it, or takes rights or contents from;
/// more of it where in doubt.
fn taken(number: u64, args: &[u64; 6], brk_end: u64) -> (u64, u64) {
    const MAP_FIXED: u64 = 0x10;
    let range = |addr: u64, len: u64| {
        let addr = addr.min(ADDRESS_LIMIT);
        (addr, addr.saturating_add(len).min(ADDRESS_LIMIT))
    };
    match number {
        nr::MUNMAP | nr::MPROTECT | nr::MREMAP | nr::MADVISE => range(args[0], args[1]),
        nr::MMAP if args[3] & MAP_FIXED != 0 => range(args[0], args[1]),
        nr::BRK if args[0] != 0 && args[0] < brk_end => range(args[0], brk_end - args[0]),
        _ => (0, 0),
    }
}

/// Whether a futex operation has a second futex.
fn is_requeue(operation: u64) -> bool {
    const REQUEUE: u64 = 3;
    const WAKE_OP: u64 = 5;
    (REQUEUE..=WAKE_OP).contains(&(operation & 0x7f))
}

/// The object of a system call.
#[rustfmt::skip]
fn object(number: u64, args: &[u64; 6]) -> Option<Access> {
    let read = |addr| look(addr, 8);
    Some(match number {
        nr::FUTEX => change(args[0] & !7, 8),
        nr::CLONE | nr::EXIT => change(THREADS, 8),
        nr::MMAP | nr::MUNMAP | nr::MPROTECT | nr::MREMAP | nr::MADVISE | nr::BRK
            => change(ADDRESS_SPACE, 8),
        nr::READ | nr::PREAD64 | nr::READV | nr::PREADV | nr::OPEN | nr::OPENAT | nr::CREAT
        | nr::CLOSE | nr::CLOSE_RANGE | nr::LSEEK | nr::PWRITE64 | nr::PWRITEV | nr::DUP | nr::DUP2
        | nr::DUP3 | nr::FCNTL | nr::IOCTL | nr::PIPE | nr::PIPE2 | nr::EVENTFD | nr::EVENTFD2
        | nr::MEMFD_CREATE | nr::FTRUNCATE | nr::TRUNCATE | nr::FALLOCATE | nr::UNLINK
        | nr::UNLINKAT | nr::RENAME | nr::RENAMEAT | nr::RENAMEAT2 | nr::MKDIR | nr::MKDIRAT
        | nr::RMDIR | nr::LINK | nr::LINKAT | nr::SYMLINK | nr::SYMLINKAT | nr::CHMOD | nr::FCHMOD
        | nr::FCHMODAT | nr::CHOWN | nr::LCHOWN | nr::FCHOWN | nr::FCHOWNAT | nr::UTIMENSAT
        | nr::UTIME | nr::UTIMES | nr::CHDIR | nr::FCHDIR | nr::UMASK | nr::POLL | nr::PPOLL
        | nr::SELECT | nr::PSELECT6 | nr::EPOLL_CREATE | nr::EPOLL_CREATE1 | nr::EPOLL_CTL
        | nr::EPOLL_WAIT | nr::EPOLL_PWAIT => change(FILES, 8),
        // Output is not part of the state; to a pipe or a file it is.
        nr::WRITE | nr::WRITEV if args[0] > 2 => change(FILES, 8),
        nr::FSTAT | nr::STAT | nr::LSTAT | nr::NEWFSTATAT | nr::STATX | nr::STATFS | nr::FSTATFS
        | nr::ACCESS | nr::FACCESSAT | nr::FACCESSAT2 | nr::READLINK | nr::READLINKAT
        | nr::GETCWD => read(FILES),
        // Directories have a position.
        nr::GETDENTS64 => change(FILES, 8),
        nr::CLOCK_GETTIME | nr::GETTIMEOFDAY | nr::TIME | nr::TIMES | nr::GETRUSAGE | nr::NANOSLEEP
        | nr::CLOCK_NANOSLEEP => change(CLOCK, 8),
        nr::RT_SIGACTION | nr::KILL | nr::TKILL | nr::TGKILL | nr::RT_SIGQUEUEINFO
        | nr::RT_TGSIGQUEUEINFO | nr::RT_SIGTIMEDWAIT | nr::RT_SIGSUSPEND | nr::PAUSE
            => change(SIGNALS, 8),
        // What is sent comes now or later.
        nr::RT_SIGPROCMASK | nr::RT_SIGPENDING => read(SIGNALS),
        nr::GETRANDOM => change(RANDOM, 8),
        _ => return None,
    })
}
