//! Files that exist only here: `/proc`, `/sys` and `/dev` as far as libraries look at them.
//!
//! The host's own directories of these names are never shown: they would leak its processes,
//! addresses and devices. Contents that depend on the process are made when the file is opened
//! (see `syscall::file::generate`).

use super::Files;
use super::resolve::Body;
use crate::host::{DirEntry, FileStat, FileTime, FileType};
use crate::os::PID;

/// A character device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Device {
    Null,
    Zero,
    Full,
    Random,
    /// Opening it fails: the guest has no terminal of its own.
    Tty,
}

/// A file whose contents are made when it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Generated {
    Maps,
    Status,
    Stat,
    Statm,
    CommandLine,
    Environment,
    Comm,
    CpuInfo,
    MemInfo,
    SystemStat,
    Uptime,
    LoadAverage,
    Version,
    Filesystems,
    Mounts,
    CpuList,
    Text(&'static str),
}

enum Entry {
    Dir(&'static [&'static str]),
    Link(String),
    Dev(Device, u64),
    Gen(Generated),
}

/// What is at a path: `None` if it is not ours to say, `Some(None)` if it does not exist.
pub(crate) fn lookup(files: &Files, path: &[u8]) -> Option<Option<(FileStat, Body)>> {
    let ours = [b"/proc".as_slice(), b"/sys", b"/dev"].iter().any(|&root| {
        path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    });
    if !ours {
        return None;
    }
    let entry = std::str::from_utf8(path).ok().and_then(|path| entry(files, path));
    Some(entry.map(|entry| match entry {
        Entry::Dir(_) => {
            (stat(FileType::Directory, mode_of_directory(path), path), Body::Directory)
        }
        Entry::Link(target) => {
            (stat(FileType::Symlink, 0o777, path), Body::Symlink(target.into_bytes()))
        }
        Entry::Dev(device, special) => {
            let facts = FileStat { special, ..stat(FileType::CharDevice, 0o666, path) };
            (facts, Body::Device(device))
        }
        Entry::Gen(generated) => (stat(FileType::Regular, 0o444, path), Body::Generated(generated)),
    }))
}

/// Everybody may make files in the directory of shared memory, as in `/tmp`.
fn mode_of_directory(path: &[u8]) -> u32 {
    if path == b"/dev/shm" { 0o1777 } else { 0o755 }
}

fn entry(files: &Files, path: &str) -> Option<Entry> {
    let own = format!("/proc/{PID}");
    if let Some(rest) = path.strip_prefix(&own) {
        return own_entry(files, rest);
    }
    Some(match path {
        "/proc" => Entry::Dir(&[
            "cpuinfo",
            "filesystems",
            "loadavg",
            "meminfo",
            "mounts",
            "self",
            "stat",
            "sys",
            "thread-self",
            "uptime",
            "version",
        ]),
        "/proc/self" => Entry::Link(PID.to_string()),
        "/proc/thread-self" => Entry::Link(format!("{PID}/task/{PID}")),
        "/proc/cpuinfo" => Entry::Gen(Generated::CpuInfo),
        "/proc/filesystems" => Entry::Gen(Generated::Filesystems),
        "/proc/loadavg" => Entry::Gen(Generated::LoadAverage),
        "/proc/meminfo" => Entry::Gen(Generated::MemInfo),
        "/proc/mounts" => Entry::Link("self/mounts".to_string()),
        "/proc/stat" => Entry::Gen(Generated::SystemStat),
        "/proc/uptime" => Entry::Gen(Generated::Uptime),
        "/proc/version" => Entry::Gen(Generated::Version),
        "/proc/sys" => Entry::Dir(&["kernel", "vm"]),
        "/proc/sys/kernel" => Entry::Dir(&["osrelease", "ostype", "pid_max"]),
        "/proc/sys/kernel/osrelease" => Entry::Gen(Generated::Text("5.10.0\n")),
        "/proc/sys/kernel/ostype" => Entry::Gen(Generated::Text("Linux\n")),
        "/proc/sys/kernel/pid_max" => Entry::Gen(Generated::Text("32768\n")),
        "/proc/sys/vm" => Entry::Dir(&["overcommit_memory"]),
        "/proc/sys/vm/overcommit_memory" => Entry::Gen(Generated::Text("0\n")),
        "/sys" => Entry::Dir(&["devices"]),
        "/sys/devices" => Entry::Dir(&["system"]),
        "/sys/devices/system" => Entry::Dir(&["cpu"]),
        "/sys/devices/system/cpu" => Entry::Dir(&["online", "possible", "present"]),
        "/sys/devices/system/cpu/online"
        | "/sys/devices/system/cpu/possible"
        | "/sys/devices/system/cpu/present" => Entry::Gen(Generated::CpuList),
        "/dev" => Entry::Dir(&[
            "fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom",
            "zero",
        ]),
        "/dev/fd" => Entry::Link("/proc/self/fd".to_string()),
        "/dev/stdin" => Entry::Link("/proc/self/fd/0".to_string()),
        "/dev/stdout" => Entry::Link("/proc/self/fd/1".to_string()),
        "/dev/stderr" => Entry::Link("/proc/self/fd/2".to_string()),
        "/dev/shm" => Entry::Dir(&[]),
        "/dev/null" => Entry::Dev(Device::Null, 0x103),
        "/dev/zero" => Entry::Dev(Device::Zero, 0x105),
        "/dev/full" => Entry::Dev(Device::Full, 0x107),
        "/dev/random" => Entry::Dev(Device::Random, 0x108),
        "/dev/urandom" => Entry::Dev(Device::Random, 0x109),
        "/dev/tty" => Entry::Dev(Device::Tty, 0x500),
        _ => return None,
    })
}

/// Entries of the process's own directory; a thread's are the same.
fn own_entry(files: &Files, rest: &str) -> Option<Entry> {
    let mut rest = rest;
    if let Some(task) = rest.strip_prefix("/task/") {
        let digits = task.find('/').unwrap_or(task.len());
        task[..digits].parse::<u32>().ok()?;
        rest = &task[digits..];
    }
    Some(match rest {
        "" => Entry::Dir(&[
            "cmdline", "comm", "environ", "exe", "cwd", "fd", "maps", "mounts", "root", "stat",
            "statm", "status", "task",
        ]),
        "/cmdline" => Entry::Gen(Generated::CommandLine),
        "/comm" => Entry::Gen(Generated::Comm),
        "/environ" => Entry::Gen(Generated::Environment),
        "/maps" => Entry::Gen(Generated::Maps),
        "/mounts" => Entry::Gen(Generated::Mounts),
        "/stat" => Entry::Gen(Generated::Stat),
        "/statm" => Entry::Gen(Generated::Statm),
        "/status" => Entry::Gen(Generated::Status),
        "/exe" => Entry::Link(String::from_utf8_lossy(&files.exe).into_owned()),
        "/cwd" => Entry::Link(String::from_utf8_lossy(&files.cwd).into_owned()),
        "/root" => Entry::Link("/".to_string()),
        "/task" => Entry::Dir(&[]),
        "/fd" => Entry::Dir(&[]),
        _ => {
            let fd: u64 = rest.strip_prefix("/fd/")?.parse().ok()?;
            let path = &files.table.get(fd).ok()?.path;
            Entry::Link(String::from_utf8_lossy(path).into_owned())
        }
    })
}

/// The descriptor that a path below `/proc/self/fd` names.
pub(crate) fn descriptor_link(path: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(path).ok()?;
    text.strip_prefix(&format!("/proc/{PID}/fd/"))?.parse().ok()
}

/// The entries of a directory that exists only here.
pub(crate) fn list(files: &Files, path: &[u8]) -> Option<Vec<DirEntry>> {
    let text = std::str::from_utf8(path).ok()?;
    let Entry::Dir(names) = entry(files, text)? else { return None };
    let mut names: Vec<String> = names.iter().map(|name| (*name).to_string()).collect();
    if text.ends_with("/fd") {
        names = files.table.in_use().map(|fd| fd.to_string()).collect();
    }
    let entries = names.into_iter().filter_map(|name| {
        let (facts, _) = lookup(files, format!("{text}/{name}").as_bytes())??;
        let kind = facts.kind.entry_type();
        Some(DirEntry { name: name.into_bytes(), inode: facts.inode, kind })
    });
    Some(entries.collect())
}

/// Facts about a file that exists only here; the inode number follows from the path.
pub(crate) fn stat(kind: FileType, mode: u32, path: &[u8]) -> FileStat {
    let number = path.iter().fold(7u64, |hash, &byte| {
        (hash.wrapping_mul(131)).wrapping_add(u64::from(byte)) & 0xffff_ffff
    });
    FileStat {
        kind,
        mode,
        size: 0,
        links: 1,
        uid: 0,
        gid: 0,
        inode: number,
        device: 5,
        special: 0,
        accessed: FileTime::default(),
        modified: FileTime::default(),
        changed: FileTime::default(),
    }
}

/// Facts about a symbolic link of the guest's.
pub(crate) fn link_stat(len: usize, number: u64, time: FileTime) -> FileStat {
    FileStat {
        size: len as u64,
        inode: number,
        device: super::inode::OVERLAY_DEVICE,
        accessed: time,
        modified: time,
        changed: time,
        ..stat(FileType::Symlink, 0o777, b"")
    }
}
