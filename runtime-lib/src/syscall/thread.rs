//! Threads: creation, end, identity, and what they may know about processors.

use super::call::{Call, Flow, SysResult, done, unsupported};
use super::futex;
use super::names::number as nr;
use super::objects;
use crate::errno::Errno;
use crate::event::Event;
use crate::os::{Ended, PID};
use crate::process::Process;
use crate::signal::SignalStack;
use crate::thread::{AtomicCall, Thread, ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;

const CLONE_VM: u64 = 0x100;
const CLONE_VFORK: u64 = 0x4000;
const CLONE_SETTLS: u64 = 0x8_0000;
const CLONE_PARENT_SETTID: u64 = 0x10_0000;
const CLONE_CHILD_CLEARTID: u64 = 0x20_0000;
const CLONE_CHILD_SETTID: u64 = 0x100_0000;
/// What a thread shares with its creator: memory, file system, files, handlers, process.
const THREAD_FLAGS: u64 = CLONE_VM | 0x200 | 0x400 | 0x800 | 0x1_0000;
/// Semaphore adjustments and the obsolete `CLONE_DETACHED` change nothing here.
const HARMLESS: u64 = 0x4_0000 | 0x40_0000;
/// Most threads that a process may ever make.
const THREADS_MAX: usize = 30_000;

pub(super) fn clone(call: &mut Call<'_>) -> SysResult {
    let [flags, stack, parent_tid, child_tid, tls, _] = call.args;
    if flags & THREAD_FLAGS != THREAD_FLAGS {
        let what = if flags & (CLONE_VFORK | CLONE_VM) != 0 { "vfork" } else { "fork" };
        return unsupported(format!("{what}: only threads can be made, not processes"));
    }
    let known = THREAD_FLAGS
        | HARMLESS
        | CLONE_SETTLS
        | CLONE_PARENT_SETTID
        | CLONE_CHILD_CLEARTID
        | CLONE_CHILD_SETTID;
    if flags & !known != 0 {
        return unsupported(format!("flags {:#x}", flags & !known));
    }
    let count = call.process.thread_count();
    if count >= THREADS_MAX {
        return Err(Errno::EAGAIN.into());
    }
    let tid = PID + count as u32;
    if flags & CLONE_PARENT_SETTID != 0 {
        call.write(parent_tid, &tid.to_le_bytes())?;
    }
    if flags & CLONE_CHILD_SETTID != 0 {
        call.write(child_tid, &tid.to_le_bytes())?;
    }
    let machine = &mut call.process.machine;
    let mut core = *machine.core(call.thread);
    core[Reg::Rax] = 0;
    core[Reg::Rcx] = core.pc;
    core[Reg::R11] = core.rflags();
    core.return_watch = u64::MAX;
    if stack != 0 {
        core[Reg::Rsp] = stack;
    }
    if flags & CLONE_SETTLS != 0 {
        core[Reg::FsBase] = tls;
    }
    let floating = machine.floating(call.thread).clone();
    machine.add_thread(core, floating);
    let parent = call.me();
    let thread = Thread {
        blocked: parent.blocked,
        clear_child_tid: if flags & CLONE_CHILD_CLEARTID != 0 { child_tid } else { 0 },
        signal_stack: SignalStack::default(),
        // A thread that a library call makes belongs to the library until its start routine.
        atomic: parent.atomic.map(|_| AtomicCall::LIBRARY),
        detached_by: parent.creates_detached.then_some(call.thread),
        ..Thread::new(tid, parent.name)
    };
    let creator = call.thread;
    let os = call.os_mut();
    os.threads.push(thread);
    if os.thread(creator).creates_detached {
        os.thread_mut(creator).creates_detached = false;
    }
    done(u64::from(tid))
}

pub(super) fn exit(call: &mut Call<'_>) -> SysResult {
    let status = call.args[0] as i32 & 0xff;
    let last = call.process.alive() == 1;
    end_thread(call.process, call.thread);
    if last {
        return Ok(Flow::Ended(end_process(call.process, status)));
    }
    Ok(Flow::Ended(Event::ThreadExited))
}

pub(super) fn exit_group(call: &mut Call<'_>) -> SysResult {
    let status = call.args[0] as i32 & 0xff;
    Ok(Flow::Ended(end_process(call.process, status)))
}

fn end_process(process: &mut Process, status: i32) -> Event {
    super::file::shared::write_back_all(process);
    process.os_mut().ended = Some(Ended::Exited(status));
    Event::ProcessExited(status)
}

/// Ends one thread: gives up its robust mutexes, clears its identifier and wakes who waits for
/// that, as the kernel does.
fn end_thread(process: &mut Process, thread: ThreadId) {
    futex::release_robust(process, thread);
    let os = process.os_mut();
    let me = os.thread_mut(thread);
    me.state = ThreadState::Exited;
    me.detached_by = None;
    me.atomic = None;
    me.region = false;
    let addr = std::mem::take(&mut me.clear_child_tid);
    if addr != 0 && process.machine.memory.write_u32(addr, 0).is_ok() {
        futex::wake(process, addr, 1, u32::MAX);
    }
    process.wake_waiters(
        objects::THREADS,
        |wait| matches!(*wait, WaitFor::Join { thread: joined, .. } if joined == thread.0),
    );
}

pub(super) fn set_tid_address(call: &mut Call<'_>) -> SysResult {
    call.me_mut().clear_child_tid = call.args[0];
    done(u64::from(call.me().tid))
}

pub(super) fn set_robust_list(call: &mut Call<'_>) -> SysResult {
    let [head, size, ..] = call.args;
    if size != futex::ROBUST_HEAD_SIZE {
        return Err(Errno::EINVAL.into());
    }
    call.me_mut().robust_list = head;
    done(0)
}

pub(super) fn get_robust_list(call: &mut Call<'_>) -> SysResult {
    let [tid, head, size, ..] = call.args;
    let thread = match tid as u32 {
        0 => call.thread,
        tid => call.process.by_tid(tid).ok_or(Errno::ESRCH)?,
    };
    let list = call.os().thread(thread).robust_list;
    call.write_words(head, &[list])?;
    call.write_words(size, &[futex::ROBUST_HEAD_SIZE])?;
    done(0)
}

pub(super) fn gettid(call: &mut Call<'_>) -> SysResult {
    done(u64::from(call.me().tid))
}

/// The bytes of a processor mask, in whole words.
fn cpu_mask(cpus: u32) -> Vec<u8> {
    let mut mask = vec![0; (cpus as usize).div_ceil(64) * 8];
    for cpu in 0..cpus as usize {
        mask[cpu / 8] |= 1 << (cpu % 8);
    }
    mask
}

pub(super) fn sched_getaffinity(call: &mut Call<'_>) -> SysResult {
    let [_, len, addr, ..] = call.args;
    let mask = cpu_mask(call.process.config.cpus);
    if len < mask.len() as u64 || !len.is_multiple_of(8) {
        return Err(Errno::EINVAL.into());
    }
    call.write(addr, &mask)?;
    done(mask.len() as u64)
}

/// Accepted and without effect: who runs is the scheduler's business.
pub(super) fn sched_setaffinity(call: &mut Call<'_>) -> SysResult {
    let [_, len, addr, ..] = call.args;
    let mut wanted = vec![0; len.min(128) as usize];
    call.memory().read(addr, &mut wanted)?;
    let present = cpu_mask(call.process.config.cpus);
    let any = wanted.iter().zip(&present).any(|(wanted, present)| wanted & present != 0);
    if any { done(0) } else { Err(Errno::EINVAL.into()) }
}

/// Only the ordinary policy is there; others need privileges.
pub(super) fn sched_setscheduler(call: &mut Call<'_>, number: u64) -> SysResult {
    let [_, policy, param, ..] = call.args;
    if number == nr::SCHED_SETPARAM {
        return done(0);
    }
    let priority = call.read_u32(param)?;
    match policy & !0x4000_0000 {
        0 | 3 | 5 if priority == 0 => done(0),
        1 | 2 => Err(Errno::EPERM.into()),
        _ => Err(Errno::EINVAL.into()),
    }
}

pub(super) fn sched_getparam(call: &mut Call<'_>) -> SysResult {
    let addr = call.args[1];
    call.write(addr, &0u32.to_le_bytes())?;
    done(0)
}

pub(super) fn priority_limit(call: &mut Call<'_>, number: u64) -> SysResult {
    match (call.args[0], number) {
        (1 | 2, nr::SCHED_GET_PRIORITY_MAX) => done(99),
        (1 | 2, _) => done(1),
        (0 | 3 | 5 | 6, _) => done(0),
        _ => Err(Errno::EINVAL.into()),
    }
}

/// Memory is sequentially consistent: every barrier is there already.
pub(super) fn membarrier(call: &mut Call<'_>) -> SysResult {
    const QUERY: u64 = 0;
    // Global, private expedited and their registrations.
    const SUPPORTED: u64 = 0x1 | 0x2 | 0x4 | 0x8 | 0x10;
    match call.args[0] {
        QUERY => done(SUPPORTED),
        command if command & SUPPORTED == command => done(0),
        _ => Err(Errno::EINVAL.into()),
    }
}

pub(super) fn getcpu(call: &mut Call<'_>) -> SysResult {
    let [cpu, node, ..] = call.args;
    for addr in [cpu, node] {
        if addr != 0 {
            call.write(addr, &0u32.to_le_bytes())?;
        }
    }
    done(0)
}
