//! Questions about the system, the process and its limits.

use super::call::{Call, Flow, SysResult, done, unsupported};
use crate::errno::Errno;
use crate::os::PID;
use samovar_vm::reg::Reg;

/// The parent's identifier.
const PARENT_PID: u32 = 999;
const UNLIMITED: u64 = u64::MAX;

pub(super) fn uname(call: &mut Call<'_>) -> SysResult {
    const FIELD: usize = 65;
    let fields = ["Linux", "samovar", "5.10.0", "#1 SMP", "x86_64", "(none)"];
    let mut bytes = vec![0; FIELD * fields.len()];
    for (field, text) in bytes.chunks_mut(FIELD).zip(fields) {
        field[..text.len()].copy_from_slice(text.as_bytes());
    }
    let addr = call.args[0];
    call.write(addr, &bytes)?;
    done(0)
}

/// No sockets. Only the question for a name service daemon is answered, which glibc asks before
/// it reads `/etc/passwd` and the like: this kernel knows no local sockets.
pub(super) fn socket(call: &mut Call<'_>) -> SysResult {
    const LOCAL: u64 = 1;
    const STREAM_NONBLOCK_CLOEXEC: u64 = 0x80801;
    match call.args[..3] {
        [LOCAL, STREAM_NONBLOCK_CLOEXEC, 0] => Err(Errno::EAFNOSUPPORT.into()),
        _ => unsupported("there is no network"),
    }
}

pub(super) fn sysinfo(call: &mut Call<'_>) -> SysResult {
    const GIB: u64 = 1 << 30;
    call.process.look_at_clock();
    let uptime = (super::time::epoch(call.process, false) + call.os().now_ns) / 1_000_000_000;
    let mut words = [0; 14];
    // Uptime, load, memory in all, free, shared, buffers, swap (two), processes, high (two), unit.
    (words[0], words[4], words[5]) = (uptime, 8 * GIB, 4 * GIB);
    words[10] = 1;
    words[13] = 1;
    let addr = call.args[0];
    call.write_words(addr, &words)?;
    done(0)
}

pub(super) fn getpid(_: &mut Call<'_>) -> SysResult {
    done(u64::from(PID))
}

/// The parent, which also leads the process group and the session.
pub(super) fn getppid(_: &mut Call<'_>) -> SysResult {
    done(u64::from(PARENT_PID))
}

pub(super) fn getuid(call: &mut Call<'_>) -> SysResult {
    done(u64::from(call.process.config.uid))
}

pub(super) fn getgid(call: &mut Call<'_>) -> SysResult {
    done(u64::from(call.process.config.gid))
}

pub(super) fn getresuid(call: &mut Call<'_>) -> SysResult {
    let uid = call.process.config.uid;
    write_thrice(call, uid)
}

pub(super) fn getresgid(call: &mut Call<'_>) -> SysResult {
    let gid = call.process.config.gid;
    write_thrice(call, gid)
}

fn write_thrice(call: &mut Call<'_>, value: u32) -> SysResult {
    for addr in [call.args[0], call.args[1], call.args[2]] {
        call.write(addr, &value.to_le_bytes())?;
    }
    done(0)
}

/// The only group is the primary one.
pub(super) fn getgroups(call: &mut Call<'_>) -> SysResult {
    let [size, addr, ..] = call.args;
    if size > 0 {
        let gid = call.process.config.gid;
        call.write(addr, &gid.to_le_bytes())?;
    }
    done(1)
}

/// The current and the largest value of a limit.
fn limit(call: &Call<'_>, resource: u64) -> Result<[u64; 2], Errno> {
    let (low, high) = call.process.config.stack;
    Ok(match resource {
        3 => [high - low, UNLIMITED],
        4 => [0, UNLIMITED],
        6 => [31_000, 31_000],
        7 => [crate::files::DESCRIPTORS_MAX as u64; 2],
        8 => [8 << 20, 8 << 20],
        11 => [31_000, 31_000],
        12 => [819_200, 819_200],
        13 | 14 => [0, 0],
        0..=15 => [UNLIMITED, UNLIMITED],
        _ => return Err(Errno::EINVAL),
    })
}

pub(super) fn prlimit64(call: &mut Call<'_>) -> SysResult {
    let [pid, resource, _, old, ..] = call.args;
    if pid as u32 != 0 && pid as u32 != PID {
        return Err(Errno::ESRCH.into());
    }
    let limit = limit(call, resource)?;
    if old != 0 {
        call.write_words(old, &limit)?;
    }
    // New limits are accepted and without effect: nothing here is scarce.
    done(0)
}

pub(super) fn getrlimit(call: &mut Call<'_>) -> SysResult {
    let [resource, addr, ..] = call.args;
    let limit = limit(call, resource)?;
    call.write_words(addr, &limit)?;
    done(0)
}

pub(super) fn setrlimit(call: &mut Call<'_>) -> SysResult {
    let [resource, addr, ..] = call.args;
    limit(call, resource)?;
    call.read_words::<2>(addr)?;
    done(0)
}

pub(super) fn getrandom(call: &mut Call<'_>) -> SysResult {
    let [addr, len, flags, ..] = call.args;
    if flags & !7 != 0 {
        return Err(Errno::EINVAL.into());
    }
    // As Linux does, a large request is answered in part.
    let mut bytes = vec![0; len.min(32 << 20) as usize];
    call.os_mut().random.fill(&mut bytes);
    call.write(addr, &bytes)?;
    done(bytes.len() as u64)
}

pub(super) fn arch_prctl(call: &mut Call<'_>) -> SysResult {
    const SET_GS: u64 = 0x1001;
    const SET_FS: u64 = 0x1002;
    const GET_FS: u64 = 0x1003;
    const GET_GS: u64 = 0x1004;
    let [code, addr, ..] = call.args;
    let thread = call.thread;
    match code {
        SET_FS => call.process.machine.core_mut(thread)[Reg::FsBase] = addr,
        SET_GS => call.process.machine.core_mut(thread)[Reg::GsBase] = addr,
        GET_FS | GET_GS => {
            let reg = if code == GET_FS { Reg::FsBase } else { Reg::GsBase };
            let base = call.process.machine.core(thread)[reg];
            call.write_words(addr, &[base])?;
        }
        // Shadow stacks (0x3001 and up, 0x5001 and up) and the rest are not there.
        _ => return Err(Errno::EINVAL.into()),
    }
    done(0)
}

pub(super) fn prctl(call: &mut Call<'_>) -> SysResult {
    let [option, arg, ..] = call.args;
    match option {
        // PR_SET_NAME
        15 => {
            let text = call.memory().read_c_string(arg, 15)?;
            let mut name = [0; 16];
            name[..text.len()].copy_from_slice(&text);
            call.me_mut().name = name;
            done(0)
        }
        // PR_GET_NAME
        16 => {
            let name = call.me().name;
            call.write(arg, &name)?;
            done(0)
        }
        // PR_GET_DUMPABLE, PR_GET_KEEPCAPS, PR_GET_NO_NEW_PRIVS, PR_GET_THP_DISABLE
        3 => done(1),
        7 | 39 | 42 => done(0),
        // PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_TIMERSLACK, PR_SET_THP_DISABLE,
        // PR_SET_NO_NEW_PRIVS, PR_SET_PTRACER
        1 | 4 | 29 | 38 | 41 | 0x5961_6d61 => done(0),
        // PR_CAPBSET_READ
        23 => done(0),
        // PR_SET_VMA: naming anonymous memory; older kernels do not know it.
        0x5356_4d41 => Err(Errno::EINVAL.into()),
        _ => unsupported(format!("option {option}")),
    }
}

pub(super) fn personality(call: &mut Call<'_>) -> SysResult {
    match call.args[0] as u32 {
        0 | u32::MAX => Ok(Flow::Value(0)),
        _ => unsupported("changing the personality"),
    }
}
