//! The kernel's interface for controlling another process, and nothing else; the only module of
//! its kind with `unsafe` code.
//!
//! # Why this is sound
//! Every call passes plain numbers, or a pointer to a local of the exact type that the kernel
//! writes, which outlives the call. The kernel checks the thread's number: if it is no thread that
//! this process traces, the call fails and changes nothing. What is changed is the memory and the
//! registers of the traced process, never of this one. The closure that runs between fork and exec
//! makes two system calls and touches no memory.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Registers of a traced thread.
pub type Registers = libc::user_regs_struct;

/// What is known of a traced thread that has stopped or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A signal is about to be delivered, or a breakpoint or a single step is done.
    Signal(i32),
    /// A system call begins or ends.
    Call,
    /// The thread has made another one, with this number.
    Cloned(i32),
    /// Some other event that needs no answer.
    Event,
    /// It has ended with this status.
    Exited(i32),
    /// A signal ended it.
    Killed(i32),
}

/// How to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Up to the next system call.
    Call,
    /// One instruction.
    Step,
}

/// Starts a program that stops after `exec`, at addresses that are the same every time.
pub fn start(command: &mut Command) -> io::Result<Child> {
    let prepare = || {
        // SAFETY: plain numbers; only this new process is concerned.
        let (layout, trace) = unsafe {
            let layout = libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            (layout, libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0))
        };
        if layout < 0 || trace < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes two system calls, which are safe after fork, and allocates nothing.
    unsafe { command.pre_exec(prepare) };
    command.spawn()
}

/// Has new threads traced as well, system calls marked, and everything ended with this process.
pub fn set_options(thread: i32) -> io::Result<()> {
    let options = libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_EXITKILL;
    // SAFETY: plain numbers; see the module head.
    checked(unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, thread, 0, options) })
}

/// Lets a stopped thread go on, with a signal if it is not zero.
pub fn resume(thread: i32, how: Resume, signal: i32) -> io::Result<()> {
    let request = match how {
        Resume::Call => libc::PTRACE_SYSCALL,
        Resume::Step => libc::PTRACE_SINGLESTEP,
    };
    // SAFETY: plain numbers; see the module head.
    checked(unsafe { libc::ptrace(request, thread, 0, libc::c_long::from(signal)) })
}

/// What any traced thread has to tell, if one has.
pub fn poll() -> io::Result<Option<(i32, Status)>> {
    let mut status = 0;
    // SAFETY: `status` is a local of the type that the kernel writes.
    let thread = unsafe { libc::waitpid(-1, &mut status, libc::__WALL | libc::WNOHANG) };
    match thread {
        0 => Ok(None),
        thread if 0 < thread => Ok(Some((thread, decode(thread, status)?))),
        _ => Err(io::Error::last_os_error()),
    }
}

fn decode(thread: i32, status: i32) -> io::Result<Status> {
    const CALL: i32 = libc::SIGTRAP | 0x80;
    Ok(if libc::WIFEXITED(status) {
        Status::Exited(libc::WEXITSTATUS(status))
    } else if libc::WIFSIGNALED(status) {
        Status::Killed(libc::WTERMSIG(status))
    } else {
        match (libc::WSTOPSIG(status), status >> 16) {
            (_, libc::PTRACE_EVENT_CLONE) => Status::Cloned(event_message(thread)?),
            (CALL, _) => Status::Call,
            (signal, 0) => Status::Signal(signal),
            _ => Status::Event,
        }
    })
}

fn event_message(thread: i32) -> io::Result<i32> {
    let mut message: libc::c_ulong = 0;
    let place: *mut libc::c_ulong = &mut message;
    // SAFETY: `message` is a local of the type that the kernel writes.
    checked(unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, thread, 0, place) })?;
    Ok(message as i32)
}

/// The registers of a stopped thread.
pub fn registers(thread: i32) -> io::Result<Registers> {
    // SAFETY: all zeros are a valid value of a record of numbers.
    let mut registers: Registers = unsafe { std::mem::zeroed() };
    let place: *mut Registers = &mut registers;
    // SAFETY: `registers` is a local of the type that the kernel writes.
    checked(unsafe { libc::ptrace(libc::PTRACE_GETREGS, thread, 0, place) })?;
    Ok(registers)
}

/// Changes the registers of a stopped thread.
pub fn set_registers(thread: i32, registers: &Registers) -> io::Result<()> {
    let place: *const Registers = registers;
    // SAFETY: the kernel only reads the record, which is borrowed during the call.
    checked(unsafe { libc::ptrace(libc::PTRACE_SETREGS, thread, 0, place) })
}

/// Has the processor notice accesses of a stopped thread to up to eight aligned bytes.
pub fn watch(thread: i32, addr: u64, len: u64) -> io::Result<()> {
    let size: u64 = match len {
        1 => 0b00,
        2 => 0b01,
        8 => 0b10,
        _ => 0b11,
    };
    const READ_OR_WRITE: u64 = 0b11;
    set_debug(thread, 0, addr)?;
    set_debug(thread, 6, 0)?;
    set_debug(thread, 7, 1 | READ_OR_WRITE << 16 | size << 18)
}

/// Whether the processor has noticed one since.
pub fn has_watched(thread: i32) -> io::Result<bool> {
    let place = debug_place(6);
    // SAFETY: plain numbers; the value comes back as the result.
    let value = unsafe { libc::ptrace(libc::PTRACE_PEEKUSER, thread, place, 0) };
    Ok(value & 1 == 1)
}

fn set_debug(thread: i32, register: usize, value: u64) -> io::Result<()> {
    let place = debug_place(register);
    // SAFETY: plain numbers; the kernel checks that the place is one of a debug register.
    checked(unsafe { libc::ptrace(libc::PTRACE_POKEUSER, thread, place, value) })
}

fn debug_place(register: usize) -> usize {
    std::mem::offset_of!(libc::user, u_debugreg) + 8 * register
}

fn checked(result: libc::c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
