//! Facts about files, the working directory and directories' entries.

use super::open::is_terminal;
use super::{AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, require, resolve_path};
use crate::errno::Errno;
use crate::files::{Body, Device, OpenFile, OpenKind};
use crate::host::{DirEntry, FileStat, FileTime, FileType};
use crate::syscall::call::{Call, Refusal, SysResult, done};
use std::sync::Arc;

pub(crate) fn stat(call: &mut Call<'_>) -> SysResult {
    let [path, addr, ..] = call.args;
    stat_path(call, AT_FDCWD as u64, path, 0, addr)
}

pub(crate) fn lstat(call: &mut Call<'_>) -> SysResult {
    let [path, addr, ..] = call.args;
    stat_path(call, AT_FDCWD as u64, path, AT_SYMLINK_NOFOLLOW, addr)
}

pub(crate) fn fstat(call: &mut Call<'_>) -> SysResult {
    let [fd, addr, ..] = call.args;
    let facts = of_descriptor(call, fd)?;
    call.write(addr, &stat_bytes(&facts))?;
    done(0)
}

pub(crate) fn newfstatat(call: &mut Call<'_>) -> SysResult {
    let [dir, path, addr, flags, ..] = call.args;
    stat_path(call, dir, path, flags, addr)
}

fn stat_path(call: &mut Call<'_>, dir: u64, path: u64, flags: u64, addr: u64) -> SysResult {
    let facts = facts(call, dir, path, flags)?;
    call.write(addr, &stat_bytes(&facts))?;
    done(0)
}

/// The facts about a path, or about a descriptor if the path is empty and that is allowed.
fn facts(call: &mut Call<'_>, dir: u64, path: u64, flags: u64) -> Result<FileStat, Refusal> {
    let path = call.path(path)?;
    if path.is_empty() && flags & AT_EMPTY_PATH != 0 {
        if dir as i32 == AT_FDCWD {
            return Ok(resolve_path(call, dir, b".", true)?.existing()?.stat);
        }
        return of_descriptor(call, dir);
    }
    let follow = flags & AT_SYMLINK_NOFOLLOW == 0;
    let node = resolve_path(call, dir, &path, follow)?.existing()?;
    match node.body {
        Body::Descriptor(fd) => of_descriptor(call, u64::from(fd)),
        _ => Ok(node.stat),
    }
}

fn of_descriptor(call: &mut Call<'_>, fd: u64) -> Result<FileStat, Refusal> {
    let file = call.os().files.table.get(fd)?.clone();
    Ok(of_open(call, &file)?)
}

fn of_open(call: &Call<'_>, file: &OpenFile) -> Result<FileStat, Errno> {
    let (uid, gid) = (call.process.config.uid, call.process.config.gid);
    let plain = |kind, mode| {
        let facts = crate::files::plain_stat(kind, mode, &file.path);
        FileStat { uid, gid, ..facts }
    };
    Ok(match &file.kind {
        OpenKind::Inode(inode) => call.os().files.stat_inode(*inode)?,
        OpenKind::Directory(_) => {
            let host = Arc::clone(&call.process.host);
            let node = call.os().files.node_at(&*host, &file.path)?;
            node.ok_or(Errno::ENOENT)?.stat
        }
        OpenKind::Device(device) => {
            let special = match device {
                Device::Null => 0x103,
                Device::Zero => 0x105,
                Device::Full => 0x107,
                Device::Random => 0x109,
                Device::Tty => 0x500,
            };
            FileStat { special, ..plain(FileType::CharDevice, 0o666) }
        }
        OpenKind::Input | OpenKind::Output(_) if is_terminal(call.process, file) => {
            FileStat { special: 0x8800, ..plain(FileType::CharDevice, 0o620) }
        }
        _ => plain(FileType::Fifo, 0o600),
    })
}

fn blocks(facts: &FileStat) -> u64 {
    match facts.kind {
        FileType::Regular | FileType::Directory => facts.size.div_ceil(4096) * 8,
        _ => 0,
    }
}

/// The kernel's `struct stat`.
fn stat_bytes(facts: &FileStat) -> Vec<u8> {
    let mode = facts.kind.mode_bits() | facts.mode;
    let mut bytes = Vec::with_capacity(144);
    let word = |bytes: &mut Vec<u8>, value: u64| bytes.extend(value.to_le_bytes());
    for value in [facts.device, facts.inode, facts.links] {
        word(&mut bytes, value);
    }
    for value in [mode, facts.uid, facts.gid, 0] {
        bytes.extend(value.to_le_bytes());
    }
    for value in [facts.special, facts.size, 4096, blocks(facts)] {
        word(&mut bytes, value);
    }
    for time in [facts.accessed, facts.modified, facts.changed] {
        word(&mut bytes, time.seconds as u64);
        word(&mut bytes, u64::from(time.nanoseconds));
    }
    bytes.resize(144, 0);
    bytes
}

pub(crate) fn statx(call: &mut Call<'_>) -> SysResult {
    const BASIC: u32 = 0x7ff;
    let [dir, path, flags, _, addr, ..] = call.args;
    let facts = facts(call, dir, path, flags)?;
    let mode = (facts.kind.mode_bits() | facts.mode) as u16;
    let mut bytes = Vec::with_capacity(256);
    bytes.extend(BASIC.to_le_bytes());
    bytes.extend(4096u32.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    for value in [facts.links as u32, facts.uid, facts.gid, u32::from(mode)] {
        bytes.extend(value.to_le_bytes());
    }
    for value in [facts.inode, facts.size, blocks(&facts), 0] {
        bytes.extend(value.to_le_bytes());
    }
    let time = |bytes: &mut Vec<u8>, time: FileTime| {
        bytes.extend(time.seconds.to_le_bytes());
        bytes.extend(u64::from(time.nanoseconds).to_le_bytes());
    };
    time(&mut bytes, facts.accessed);
    time(&mut bytes, FileTime::default());
    time(&mut bytes, facts.changed);
    time(&mut bytes, facts.modified);
    for device in [facts.special, facts.device] {
        let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xfff00);
        bytes.extend((major as u32).to_le_bytes());
        bytes.extend((minor as u32).to_le_bytes());
    }
    bytes.resize(256, 0);
    call.write(addr, &bytes)?;
    done(0)
}

pub(crate) fn statfs(call: &mut Call<'_>) -> SysResult {
    let [path, addr, ..] = call.args;
    let path = call.path(path)?;
    resolve_path(call, AT_FDCWD as u64, &path, true)?.existing()?;
    write_statfs(call, addr)
}

pub(crate) fn fstatfs(call: &mut Call<'_>) -> SysResult {
    let [fd, addr, ..] = call.args;
    call.os().files.table.get(fd)?;
    write_statfs(call, addr)
}

/// An ordinary file system with room.
fn write_statfs(call: &mut Call<'_>, addr: u64) -> SysResult {
    let words = [0xef53, 4096, 1 << 24, 1 << 23, 1 << 23, 1 << 22, 1 << 21, 0, 255, 4096, 0x20];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
    bytes.resize(120, 0);
    call.write(addr, &bytes)?;
    done(0)
}

pub(crate) fn access(call: &mut Call<'_>) -> SysResult {
    let [path, mode, ..] = call.args;
    access_path(call, AT_FDCWD as u64, path, mode, 0)
}

pub(crate) fn faccessat(call: &mut Call<'_>) -> SysResult {
    let [dir, path, mode, flags, ..] = call.args;
    access_path(call, dir, path, mode, flags)
}

fn access_path(call: &mut Call<'_>, dir: u64, path: u64, mode: u64, flags: u64) -> SysResult {
    if mode & !7 != 0 {
        return Err(Errno::EINVAL.into());
    }
    let facts = facts(call, dir, path, flags)?;
    require(call, &facts, mode as u32)?;
    done(0)
}

pub(crate) fn readlink(call: &mut Call<'_>) -> SysResult {
    let [path, addr, size, ..] = call.args;
    read_link(call, AT_FDCWD as u64, path, addr, size)
}

pub(crate) fn readlinkat(call: &mut Call<'_>) -> SysResult {
    let [dir, path, addr, size, ..] = call.args;
    read_link(call, dir, path, addr, size)
}

fn read_link(call: &mut Call<'_>, dir: u64, path: u64, addr: u64, size: u64) -> SysResult {
    if size as i64 <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let path = call.path(path)?;
    let node = resolve_path(call, dir, &path, false)?.existing()?;
    let Body::Symlink(target) = node.body else { return Err(Errno::EINVAL.into()) };
    let len = target.len().min(size as usize);
    call.write(addr, &target[..len])?;
    done(len as u64)
}

pub(crate) fn getcwd(call: &mut Call<'_>) -> SysResult {
    let [addr, size, ..] = call.args;
    let mut path = call.os().files.cwd.clone();
    path.push(0);
    if size < path.len() as u64 {
        return Err(Errno::ERANGE.into());
    }
    call.write(addr, &path)?;
    done(path.len() as u64)
}

pub(crate) fn chdir(call: &mut Call<'_>) -> SysResult {
    let path = call.path(call.args[0])?;
    let node = resolve_path(call, AT_FDCWD as u64, &path, true)?.existing()?;
    if node.stat.kind != FileType::Directory {
        return Err(Errno::ENOTDIR.into());
    }
    require(call, &node.stat, 1)?;
    call.os_mut().files_mut().cwd = node.path;
    done(0)
}

pub(crate) fn fchdir(call: &mut Call<'_>) -> SysResult {
    let file = call.os().files.table.get(call.args[0])?.clone();
    let OpenKind::Directory(_) = file.kind else { return Err(Errno::ENOTDIR.into()) };
    call.os_mut().files_mut().cwd = file.path.to_vec();
    done(0)
}

pub(crate) fn umask(call: &mut Call<'_>) -> SysResult {
    let mask = call.args[0] as u32 & 0o777;
    let old = std::mem::replace(&mut call.os_mut().files_mut().umask, mask);
    done(u64::from(old))
}

pub(crate) fn getdents64(call: &mut Call<'_>) -> SysResult {
    let [fd, addr, size, ..] = call.args;
    let file = call.os().files.table.get(fd)?.clone();
    let OpenKind::Directory(known) = &file.kind else { return Err(Errno::ENOTDIR.into()) };
    let entries = match known {
        Some(entries) => Arc::clone(entries),
        None => list_with_dots(call, fd, &file)?,
    };
    let mut bytes = Vec::new();
    let mut next = file.offset as usize;
    while let Some(entry) = entries.get(next) {
        let record = dirent(entry, next as u64 + 1);
        if (bytes.len() + record.len()) as u64 > size {
            break;
        }
        bytes.extend(record);
        next += 1;
    }
    if bytes.is_empty() && next < entries.len() {
        return Err(Errno::EINVAL.into());
    }
    call.write(addr, &bytes)?;
    call.os_mut().files_mut().table.get_mut(fd)?.offset = next as u64;
    done(bytes.len() as u64)
}

fn list_with_dots(
    call: &mut Call<'_>,
    fd: u64,
    file: &OpenFile,
) -> Result<Arc<[DirEntry]>, Refusal> {
    let host = Arc::clone(&call.process.host);
    let files = &call.os().files;
    let node = files.node_at(&*host, &file.path)?.ok_or(Errno::ENOENT)?;
    let directory = FileType::Directory.entry_type();
    let dot =
        |name: &[u8]| DirEntry { name: name.to_vec(), inode: node.stat.inode, kind: directory };
    let mut entries = vec![dot(b"."), dot(b"..")];
    entries.extend(files.list(&*host, &file.path)?);
    let entries: Arc<[DirEntry]> = entries.into();
    let open = call.os_mut().files_mut().table.get_mut(fd)?;
    open.kind = OpenKind::Directory(Some(Arc::clone(&entries)));
    Ok(entries)
}

/// One `struct linux_dirent64`.
fn dirent(entry: &DirEntry, next: u64) -> Vec<u8> {
    let len = (19 + entry.name.len() + 1).next_multiple_of(8);
    let mut bytes = Vec::with_capacity(len);
    bytes.extend(entry.inode.to_le_bytes());
    bytes.extend(next.to_le_bytes());
    bytes.extend((len as u16).to_le_bytes());
    bytes.push(entry.kind);
    bytes.extend(&entry.name);
    bytes.resize(len, 0);
    bytes
}
