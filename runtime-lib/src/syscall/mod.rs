//! System calls: what the guest asks of Linux, one file per group.
//!
//! A call ends in one of three ways: a value or error number in `rax`; a wait, after which it is
//! either over or executed again; or a refusal, when it asks for something that is not modelled.
//! A refusal is never turned into an error number: a guest would go on as if it knew. The few
//! calls that get `ENOSYS` are those whose callers are made for older kernels; each says why.
//!
//! A call that waits and is to be executed again leaves the program counter on the `syscall`
//! instruction and `rax` with its number.

pub(crate) mod call;
mod file;
pub(crate) mod futex;
mod info;
mod memory;
pub mod names;
pub mod objects;
mod signals;
mod subset;
mod thread;
pub(crate) mod time;

pub(crate) use file::shared::SharedMapping;

use crate::errno::Errno;
use crate::event::{Event, Unsupported, UnsupportedKind};
use crate::process::Process;
use crate::thread::ThreadState;
use crate::witness::Witness;
use call::{Call, Flow, Refusal, SysResult};
use names::number as nr;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision};
use samovar_vm::reg::Reg;

/// Length of the `syscall` instruction.
pub(crate) const SYSCALL_LEN: u64 = 2;

/// Serves the system call that a thread has just made; `None` to go on running it.
pub(crate) fn serve(
    process: &mut Process,
    thread: ThreadId,
    witness: &mut dyn Witness,
) -> Option<Event> {
    let core = process.machine.core(thread);
    let number = core[Reg::Rax];
    let args = [Reg::Rdi, Reg::Rsi, Reg::Rdx, Reg::R10, Reg::R8, Reg::R9].map(|reg| core[reg]);
    let address = core.pc.wrapping_sub(SYSCALL_LEN);
    let clear_tid = process.os.thread(thread).clear_child_tid;
    let alternatives = futex::alternatives(process, number, &args);
    if witness.wants_operations() {
        let about = objects::Circumstances { clear_tid, brk_end: process.os.brk.end };
        let mut announced = objects::accesses(number, &args, about);
        let robust = futex::robust_words(process, thread, number).into_iter();
        announced.extend(robust.map(|addr| objects::change(addr & !7, 8)));
        if alternatives > 1 {
            announced.insert(0, objects::change(objects::choice_of(thread), 8));
        }
        for (index, access) in announced.into_iter().enumerate() {
            let access = Access { sequel: index > 0, ..access };
            if witness.before_operation(access) == Decision::Stop && !access.sequel {
                process.machine.core_mut(thread).jump(address);
                return Some(Event::Access(access));
            }
        }
    }
    let pick = if alternatives > 1 { witness.choose(alternatives) } else { 0 };
    let mut call = Call { process, thread, args, pick: pick.min(alternatives.saturating_sub(1)) };
    let result = dispatch(&mut call, number);
    if !matches!(result, Ok(Flow::Retry(_))) && process.os.thread(thread).resumed.is_some() {
        process.os_mut().thread_mut(thread).resumed = None;
    }
    match result {
        Ok(Flow::Value(value)) => {
            finish(process, thread, value);
            None
        }
        Err(Refusal::Errno(errno)) => {
            finish(process, thread, errno.to_rax());
            None
        }
        Ok(Flow::Wait(wait)) => {
            process.os_mut().thread_mut(thread).state = ThreadState::Waiting(wait);
            Some(Event::Blocked)
        }
        Ok(Flow::Retry(wait)) => {
            process.machine.core_mut(thread).jump(address);
            process.os_mut().thread_mut(thread).state = ThreadState::Waiting(wait);
            Some(Event::Blocked)
        }
        Ok(Flow::RetryAtOnce) => {
            process.machine.core_mut(thread).jump(address);
            Some(Event::Yielded)
        }
        Ok(Flow::Yield) => {
            finish(process, thread, 0);
            // An atomic call gives nobody else a turn.
            process.os.thread(thread).atomic.is_none().then_some(Event::Yielded)
        }
        Ok(Flow::Resumed) => None,
        Ok(Flow::Ended(event)) => Some(event),
        Err(Refusal::Unsupported(detail)) => {
            // A refused call has not happened: whoever looks finds the thread before it.
            process.machine.core_mut(thread).jump(address);
            Some(Event::Unsupported(refusal(number, &args, address, &detail)))
        }
    }
}

fn finish(process: &mut Process, thread: ThreadId, value: u64) {
    let core = process.machine.core_mut(thread);
    core[Reg::Rax] = value;
    core[Reg::Rcx] = core.pc;
    core[Reg::R11] = core.rflags();
}

fn refusal(number: u64, args: &[u64; 6], address: u64, detail: &str) -> Unsupported {
    let name = names::name(number).unwrap_or("unknown");
    let args: Vec<String> = args.iter().map(|arg| format!("{arg:#x}")).collect();
    let mut text = format!("number {number}, arguments {}", args.join(", "));
    if !detail.is_empty() {
        text = format!("{detail}; {text}");
    }
    let (kind, name) = (UnsupportedKind::SystemCall, name.to_string());
    Unsupported { kind, name, address, detail: text }
}

#[rustfmt::skip]
fn dispatch(call: &mut Call<'_>, number: u64) -> SysResult {
    match number {
        nr::MMAP => memory::mmap(call),
        nr::MUNMAP => memory::munmap(call),
        nr::MPROTECT => memory::mprotect(call),
        nr::MREMAP => memory::mremap(call),
        nr::MADVISE => memory::madvise(call),
        nr::BRK => memory::brk(call),
        nr::MINCORE => memory::mincore(call),
        nr::MSYNC => memory::msync(call),
        nr::MLOCK | nr::MUNLOCK | nr::MLOCK2 | nr::MLOCKALL | nr::MUNLOCKALL => Ok(Flow::Value(0)),

        nr::CLONE => thread::clone(call),
        nr::EXIT => thread::exit(call),
        nr::EXIT_GROUP => thread::exit_group(call),
        nr::SET_TID_ADDRESS => thread::set_tid_address(call),
        nr::SET_ROBUST_LIST => thread::set_robust_list(call),
        nr::GET_ROBUST_LIST => thread::get_robust_list(call),
        nr::GETTID => thread::gettid(call),
        nr::SCHED_YIELD => Ok(Flow::Yield),
        nr::SCHED_GETAFFINITY => thread::sched_getaffinity(call),
        nr::SCHED_SETAFFINITY => thread::sched_setaffinity(call),
        nr::SCHED_GETSCHEDULER => Ok(Flow::Value(0)),
        nr::SCHED_SETSCHEDULER | nr::SCHED_SETPARAM => thread::sched_setscheduler(call, number),
        nr::SCHED_GETPARAM => thread::sched_getparam(call),
        nr::SCHED_GET_PRIORITY_MAX | nr::SCHED_GET_PRIORITY_MIN
            => thread::priority_limit(call, number),
        nr::GETPRIORITY => Ok(Flow::Value(20)),
        nr::SETPRIORITY => Ok(Flow::Value(0)),
        nr::MEMBARRIER => thread::membarrier(call),
        nr::GETCPU => thread::getcpu(call),

        nr::FUTEX => futex::futex(call),

        nr::READ => file::io::read(call),
        nr::PREAD64 => file::io::pread(call),
        nr::READV => file::io::readv(call),
        nr::PREADV => file::io::preadv(call),
        nr::WRITE => file::io::write(call),
        nr::PWRITE64 => file::io::pwrite(call),
        nr::WRITEV => file::io::writev(call),
        nr::PWRITEV => file::io::pwritev(call),
        nr::LSEEK => file::io::lseek(call),
        nr::FTRUNCATE => file::io::ftruncate(call),
        nr::TRUNCATE => file::io::truncate(call),
        nr::FALLOCATE => file::io::fallocate(call),
        nr::FSYNC | nr::FDATASYNC | nr::SYNCFS => file::io::fsync(call),
        nr::SYNC => Ok(Flow::Value(0)),
        nr::FADVISE64 | nr::READAHEAD => file::io::fsync(call),
        // All callers fall back to read and write.
        nr::SENDFILE | nr::COPY_FILE_RANGE | nr::SPLICE => Err(Errno::EINVAL.into()),

        nr::OPEN => file::open::open(call),
        nr::OPENAT => file::open::openat(call),
        nr::CREAT => file::open::creat(call),
        nr::CLOSE => file::open::close(call),
        nr::CLOSE_RANGE => file::open::close_range(call),
        nr::DUP => file::open::dup(call),
        nr::DUP2 => file::open::dup2(call),
        nr::DUP3 => file::open::dup3(call),
        nr::FCNTL => file::open::fcntl(call),
        nr::IOCTL => file::open::ioctl(call),
        nr::FLOCK => file::io::fsync(call),
        nr::MEMFD_CREATE => file::open::memfd_create(call),

        nr::STAT => file::stat::stat(call),
        nr::LSTAT => file::stat::lstat(call),
        nr::FSTAT => file::stat::fstat(call),
        nr::NEWFSTATAT => file::stat::newfstatat(call),
        nr::STATX => file::stat::statx(call),
        nr::STATFS => file::stat::statfs(call),
        nr::FSTATFS => file::stat::fstatfs(call),
        nr::ACCESS => file::stat::access(call),
        nr::FACCESSAT | nr::FACCESSAT2 => file::stat::faccessat(call),
        nr::READLINK => file::stat::readlink(call),
        nr::READLINKAT => file::stat::readlinkat(call),
        nr::GETCWD => file::stat::getcwd(call),
        nr::CHDIR => file::stat::chdir(call),
        nr::FCHDIR => file::stat::fchdir(call),
        nr::GETDENTS64 => file::stat::getdents64(call),
        nr::UMASK => file::stat::umask(call),
        // No file has extended attributes.
        nr::GETXATTR | nr::LGETXATTR | nr::FGETXATTR => Err(Errno::EOPNOTSUPP.into()),
        nr::LISTXATTR | nr::LLISTXATTR | nr::FLISTXATTR => Ok(Flow::Value(0)),

        nr::UNLINK => file::names::unlink(call),
        nr::UNLINKAT => file::names::unlinkat(call),
        nr::RMDIR => file::names::rmdir(call),
        nr::MKDIR => file::names::mkdir(call),
        nr::MKDIRAT => file::names::mkdirat(call),
        nr::RENAME => file::names::rename(call),
        nr::RENAMEAT | nr::RENAMEAT2 => file::names::renameat(call, number),
        nr::LINK => file::names::link(call),
        nr::LINKAT => file::names::linkat(call),
        nr::SYMLINK => file::names::symlink(call),
        nr::SYMLINKAT => file::names::symlinkat(call),
        nr::CHMOD => file::names::chmod(call),
        nr::FCHMOD => file::names::fchmod(call),
        nr::FCHMODAT => file::names::fchmodat(call),
        nr::CHOWN | nr::LCHOWN => file::names::chown(call),
        nr::FCHOWN => file::names::fchown(call),
        nr::FCHOWNAT => file::names::fchownat(call),
        nr::UTIMENSAT => file::names::utimensat(call),
        nr::UTIME | nr::UTIMES => file::names::utimes(call, number),

        nr::PIPE => file::wait::pipe(call),
        nr::PIPE2 => file::wait::pipe2(call),
        nr::EVENTFD => file::wait::eventfd(call),
        nr::EVENTFD2 => file::wait::eventfd2(call),
        nr::POLL => file::wait::poll(call),
        nr::PPOLL => file::wait::ppoll(call),
        nr::SELECT => file::wait::select(call),
        nr::PSELECT6 => file::wait::pselect6(call),
        nr::EPOLL_CREATE | nr::EPOLL_CREATE1 => file::epoll::create(call, number),
        nr::EPOLL_CTL => file::epoll::control(call),
        nr::EPOLL_WAIT | nr::EPOLL_PWAIT => file::epoll::wait(call),

        nr::CLOCK_GETTIME => time::clock_gettime(call),
        nr::CLOCK_GETRES => time::clock_getres(call),
        nr::GETTIMEOFDAY => time::gettimeofday(call),
        nr::TIME => time::time(call),
        nr::NANOSLEEP => time::nanosleep(call),
        nr::CLOCK_NANOSLEEP => time::clock_nanosleep(call),
        nr::TIMES => time::times(call),
        nr::GETRUSAGE => time::getrusage(call),
        nr::ALARM => time::alarm(call),
        nr::SETITIMER => time::setitimer(call),
        nr::GETITIMER => time::getitimer(call),

        nr::SOCKET => info::socket(call),
        nr::UNAME => info::uname(call),
        nr::SYSINFO => info::sysinfo(call),
        nr::GETPID => info::getpid(call),
        nr::GETPPID => info::getppid(call),
        // The process leads its group and its session.
        nr::GETPGRP | nr::GETPGID | nr::GETSID => info::getpid(call),
        nr::SETPGID => Ok(Flow::Value(0)),
        nr::GETUID | nr::GETEUID => info::getuid(call),
        nr::GETGID | nr::GETEGID => info::getgid(call),
        nr::GETRESUID => info::getresuid(call),
        nr::GETRESGID => info::getresgid(call),
        nr::GETGROUPS => info::getgroups(call),
        nr::PRLIMIT64 => info::prlimit64(call),
        nr::GETRLIMIT => info::getrlimit(call),
        nr::SETRLIMIT => info::setrlimit(call),
        nr::GETRANDOM => info::getrandom(call),
        nr::ARCH_PRCTL => info::arch_prctl(call),
        nr::PRCTL => info::prctl(call),
        nr::PERSONALITY => info::personality(call),
        nr::CAPGET => Err(Errno::EPERM.into()),
        // There are no children to wait for.
        nr::WAIT4 | nr::WAITID => Err(Errno::ECHILD.into()),

        nr::RT_SIGACTION => signals::rt_sigaction(call),
        nr::RT_SIGPROCMASK => signals::rt_sigprocmask(call),
        nr::RT_SIGPENDING => signals::rt_sigpending(call),
        nr::RT_SIGSUSPEND => signals::rt_sigsuspend(call),
        nr::RT_SIGTIMEDWAIT => signals::rt_sigtimedwait(call),
        nr::RT_SIGRETURN => signals::rt_sigreturn(call),
        nr::RT_SIGQUEUEINFO => signals::rt_sigqueueinfo(call),
        nr::RT_TGSIGQUEUEINFO => signals::rt_tgsigqueueinfo(call),
        nr::SIGALTSTACK => signals::sigaltstack(call),
        nr::PAUSE => signals::pause(call),
        nr::KILL => signals::kill(call),
        nr::TKILL => signals::tkill(call),
        nr::TGKILL => signals::tgkill(call),

        // glibc and Rust fall back to clone; its arguments are easier to judge.
        nr::CLONE3 => Err(Errno::ENOSYS.into()),
        // glibc goes without restartable sequences.
        nr::RSEQ => Err(Errno::ENOSYS.into()),
        // Probes for newer kernels; all callers fall back to the older call.
        nr::OPENAT2 | nr::FUTEX_WAITV | nr::PIDFD_OPEN | nr::IO_URING_SETUP
            => Err(Errno::ENOSYS.into()),
        nr::FCHMODAT2 | nr::CACHESTAT | nr::MAP_SHADOW_STACK => Err(Errno::ENOSYS.into()),
        // Memory policies: one node, nothing to choose.
        nr::GET_MEMPOLICY | nr::SET_MEMPOLICY | nr::MBIND => Err(Errno::ENOSYS.into()),

        _ => Err(Refusal::Unsupported(String::new())),
    }
}
