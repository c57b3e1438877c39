//! Opening, closing and duplicating descriptors, and what `fcntl` and `ioctl` do with them.

use super::{AT_FDCWD, adopt, generate, require, resolve};
use crate::errno::Errno;
use crate::files::{
    Body, Content, Descriptor, Device, Inode, InodeId, Name, Node, OpenFile, OpenKind, Resolved,
    flag, parent,
};
use crate::host::FileType;
use crate::process::Process;
use crate::syscall::call::{Call, Refusal, SysResult, done, unsupported};
use crate::syscall::time;
use std::sync::Arc;

pub(crate) fn open(call: &mut Call<'_>) -> SysResult {
    let [path, flags, mode, ..] = call.args;
    open_at(call, AT_FDCWD as u64, path, flags as u32, mode as u32)
}

pub(crate) fn creat(call: &mut Call<'_>) -> SysResult {
    let [path, mode, ..] = call.args;
    let flags = flag::CREAT | flag::TRUNC | flag::WRONLY;
    open_at(call, AT_FDCWD as u64, path, flags, mode as u32)
}

pub(crate) fn openat(call: &mut Call<'_>) -> SysResult {
    let [dir, path, flags, mode, ..] = call.args;
    open_at(call, dir, path, flags as u32, mode as u32)
}

fn open_at(call: &mut Call<'_>, dir: u64, path: u64, flags: u32, mode: u32) -> SysResult {
    if flags & flag::TMPFILE == flag::TMPFILE {
        // File systems may lack nameless files; callers make a named one.
        return Err(Errno::EOPNOTSUPP.into());
    }
    let exclusive = flags & flag::CREAT != 0 && flags & flag::EXCL != 0;
    let follow = flags & flag::NOFOLLOW == 0 && !exclusive;
    let resolved = resolve(call, dir, path, follow)?;
    let fd = match resolved.node {
        Some(_) if exclusive => return Err(Errno::EEXIST.into()),
        Some(_) => {
            let node = resolved.existing()?;
            open_existing(call, &node, flags)?
        }
        None if flags & flag::CREAT != 0 => create(call, &resolved, flags, mode)?,
        None => return Err(Errno::ENOENT.into()),
    };
    done(fd)
}

fn open_existing(call: &mut Call<'_>, node: &Node, flags: u32) -> Result<u64, Refusal> {
    let is_directory = node.stat.kind == FileType::Directory;
    if flags & flag::DIRECTORY != 0 && !is_directory {
        return Err(Errno::ENOTDIR.into());
    }
    let writes = matches!(flags & flag::ACCESS, flag::WRONLY | flag::RDWR);
    if is_directory && (writes || flags & flag::CREAT != 0) {
        return Err(Errno::EISDIR.into());
    }
    let only_path = flags & flag::PATH != 0;
    if !only_path {
        let read = if flags & flag::ACCESS == flag::WRONLY { 0 } else { 4 };
        let truncates = flags & flag::TRUNC != 0;
        let write = if writes || truncates { 2 } else { 0 };
        if !matches!(node.body, Body::Descriptor(_)) {
            require(call, &node.stat, read | write)?;
        }
    }
    let kind = match &node.body {
        Body::Symlink(_) if !only_path => return Err(Errno::ELOOP.into()),
        Body::Directory => OpenKind::Directory(None),
        Body::Device(Device::Tty) => return Err(Errno::ENXIO.into()),
        Body::Device(device) => OpenKind::Device(*device),
        Body::Descriptor(fd) => return reopen(call, u64::from(*fd), flags),
        Body::Generated(generated) => {
            let text = generate::contents(call.process, *generated);
            OpenKind::Inode(add_nameless(call, text, 0o444))
        }
        Body::HostFile if node.stat.kind != FileType::Regular => return Err(Errno::ENXIO.into()),
        _ => OpenKind::Inode(open_regular(call, node, flags)?),
    };
    let path = node.path.as_slice().into();
    Ok(call.os_mut().files_mut().table.add(OpenFile { kind, offset: 0, flags, path })?)
}

fn open_regular(call: &mut Call<'_>, node: &Node, flags: u32) -> Result<InodeId, Refusal> {
    let inode = adopt(call, node)?;
    let time = time::file_time(call.process);
    let host = Arc::clone(&call.process.host);
    let files = call.os_mut().files_mut();
    if flags & flag::TRUNC != 0 {
        files.overlay_mut().inode_mut(inode).ok_or(Errno::EIO)?.truncate(0, time);
        super::shared::clear_behind(call.process, inode, 0);
    } else if flags & flag::PATH == 0 {
        // Now, so that a file that cannot be read fails to open.
        files.fetch(&*host, inode)?;
    }
    Ok(inode)
}

/// A file without a name.
fn add_nameless(call: &mut Call<'_>, bytes: Vec<u8>, mode: u32) -> InodeId {
    let owner = (call.process.config.uid, call.process.config.gid);
    let time = time::file_time(call.process);
    let inode = Inode { links: 0, ..Inode::new(Content::Shared(bytes.into()), mode, owner, time) };
    call.os_mut().files_mut().overlay_mut().add_inode(inode)
}

/// Opens what a descriptor stands for once more.
fn reopen(call: &mut Call<'_>, fd: u64, flags: u32) -> Result<u64, Refusal> {
    let files = call.os_mut().files_mut();
    let file = files.table.get(fd)?.clone();
    match file.kind {
        OpenKind::PipeReader(id) | OpenKind::PipeWriter(id) => {
            let pipe = files.pipes.get_mut(&id).ok_or(Errno::EIO)?;
            match file.kind {
                OpenKind::PipeReader(_) => pipe.readers += 1,
                _ => pipe.writers += 1,
            }
        }
        OpenKind::Input | OpenKind::Output(_) => {
            // The same stream: its offset must be shared.
            let descriptor = files.table.descriptor(fd)?;
            let twin = files.table.lowest_free(0)?;
            let close_on_exec = flags & flag::CLOEXEC != 0;
            files.table.put(twin, Descriptor { close_on_exec, ..descriptor });
            return Ok(twin as u64);
        }
        _ => {}
    }
    Ok(files.table.add(OpenFile { offset: 0, flags, ..file })?)
}

fn create(call: &mut Call<'_>, resolved: &Resolved, flags: u32, mode: u32) -> Result<u64, Refusal> {
    if resolved.must_be_directory {
        return Err(Errno::EISDIR.into());
    }
    super::names::require_parent(call, parent(&resolved.path))?;
    let owner = (call.process.config.uid, call.process.config.gid);
    let time = time::file_time(call.process);
    let files = call.os_mut().files_mut();
    let mode = mode & 0o7777 & !files.umask;
    let overlay = files.overlay_mut();
    let inode = overlay.add_inode(Inode::new(Content::Own(Arc::default()), mode, owner, time));
    overlay.set_name(&resolved.path, Name::File(inode));
    let path = resolved.path.as_slice().into();
    let file = OpenFile { kind: OpenKind::Inode(inode), offset: 0, flags, path };
    Ok(files.table.add(file)?)
}

pub(crate) fn memfd_create(call: &mut Call<'_>) -> SysResult {
    let [name, flags, ..] = call.args;
    if flags & !0x3 != 0 {
        return unsupported("huge pages");
    }
    let name = call.path(name)?;
    let inode = add_nameless(call, Vec::new(), 0o777);
    let cloexec = if flags & 1 != 0 { flag::CLOEXEC } else { 0 };
    let path = [b"/memfd:".as_slice(), &name, b" (deleted)"].concat().into();
    let flags = flag::RDWR | cloexec;
    let file = OpenFile { kind: OpenKind::Inode(inode), offset: 0, flags, path };
    done(call.os_mut().files_mut().table.add(file)?)
}

pub(crate) fn close(call: &mut Call<'_>) -> SysResult {
    close_fd(call.process, call.args[0])?;
    done(0)
}

/// Closes a descriptor and lets go of what nobody else has.
pub(super) fn close_fd(process: &mut Process, fd: u64) -> Result<(), Errno> {
    let files = process.os_mut().files_mut();
    let Some(file) = files.table.close(fd)? else { return Ok(()) };
    match file.kind {
        OpenKind::PipeReader(id) => {
            if let Some(pipe) = files.pipes.get_mut(&id) {
                pipe.readers -= 1;
            }
        }
        OpenKind::PipeWriter(id) => {
            if let Some(pipe) = files.pipes.get_mut(&id) {
                pipe.writers -= 1;
            }
        }
        OpenKind::Inode(inode) => let_go(process, inode, &file.path),
        _ => return Ok(()),
    }
    let files = process.os_mut().files_mut();
    files.pipes.retain(|_, pipe| pipe.readers > 0 || pipe.writers > 0);
    super::wait::wake_ready(process);
    Ok(())
}

/// Forgets an inode that no descriptor and no name of the guest's needs any more; an unchanged
/// file of the host is read from there again if need be.
pub(super) fn let_go(process: &mut Process, inode: InodeId, path: &[u8]) {
    if super::shared::is_shared(process, inode) {
        return;
    }
    let files = process.os_mut().files_mut();
    let used = files
        .table
        .open_files()
        .any(|file| matches!(file.kind, OpenKind::Inode(other) if other == inode));
    if used {
        return;
    }
    let links = files.overlay.links(inode);
    let pristine = files.overlay.inode(inode).is_some_and(|inode| inode.origin.is_some());
    if links == 0 {
        files.overlay_mut().drop_inode(inode);
    } else if links == 1 && pristine {
        let overlay = files.overlay_mut();
        overlay.drop_inode(inode);
        overlay.forget_name(path);
    }
}

pub(crate) fn close_range(call: &mut Call<'_>) -> SysResult {
    const CLOEXEC: u64 = 4;
    let [first, last, flags, ..] = call.args;
    let range = first as u32..=last as u32;
    let open: Vec<u32> = call.os().files.table.in_use().filter(|fd| range.contains(fd)).collect();
    for fd in open {
        if flags & CLOEXEC != 0 {
            call.os_mut().files_mut().table.descriptor_mut(fd.into())?.close_on_exec = true;
        } else {
            close_fd(call.process, fd.into())?;
        }
    }
    done(0)
}

pub(crate) fn dup(call: &mut Call<'_>) -> SysResult {
    duplicate(call, call.args[0], 0, false)
}

fn duplicate(call: &mut Call<'_>, fd: u64, from: usize, close_on_exec: bool) -> SysResult {
    let table = &mut call.os_mut().files_mut().table;
    let descriptor = table.descriptor(fd)?;
    let twin = table.lowest_free(from)?;
    table.put(twin, Descriptor { close_on_exec, ..descriptor });
    done(twin as u64)
}

pub(crate) fn dup2(call: &mut Call<'_>) -> SysResult {
    let [old, new, ..] = call.args;
    if old as u32 == new as u32 {
        call.os().files.table.descriptor(old)?;
        return done(u64::from(new as u32));
    }
    replace(call, old, new, false)
}

pub(crate) fn dup3(call: &mut Call<'_>) -> SysResult {
    let [old, new, flags, ..] = call.args;
    if old as u32 == new as u32 {
        return Err(Errno::EINVAL.into());
    }
    replace(call, old, new, flags as u32 & flag::CLOEXEC != 0)
}

fn replace(call: &mut Call<'_>, old: u64, new: u64, close_on_exec: bool) -> SysResult {
    let descriptor = call.os().files.table.descriptor(old)?;
    let target = new as u32 as usize;
    if target >= crate::files::DESCRIPTORS_MAX {
        return Err(Errno::EBADF.into());
    }
    match close_fd(call.process, new) {
        Ok(()) | Err(Errno::EBADF) => {}
        Err(errno) => return Err(errno.into()),
    }
    let table = &mut call.os_mut().files_mut().table;
    table.put(target, Descriptor { close_on_exec, ..descriptor });
    done(target as u64)
}

pub(crate) fn fcntl(call: &mut Call<'_>) -> SysResult {
    const CHANGEABLE: u32 = flag::APPEND | flag::NONBLOCK | 0o40_000 | 0o1_000_000;
    let [fd, command, arg, ..] = call.args;
    call.os().files.table.get(fd)?;
    match command {
        0 | 1030 if arg >= crate::files::DESCRIPTORS_MAX as u64 => Err(Errno::EINVAL.into()),
        0 | 1030 => duplicate(call, fd, arg as usize, command == 1030),
        1 => done(u64::from(call.os().files.table.descriptor(fd)?.close_on_exec)),
        2 => {
            let table = &mut call.os_mut().files_mut().table;
            table.descriptor_mut(fd)?.close_on_exec = arg & 1 != 0;
            done(0)
        }
        // Linux adds O_LARGEFILE to what a 64-bit program opened.
        3 => done(u64::from(call.os().files.table.get(fd)?.flags | 0o100_000)),
        4 => {
            let file = call.os_mut().files_mut().table.get_mut(fd)?;
            file.flags = file.flags & !CHANGEABLE | arg as u32 & CHANGEABLE;
            done(0)
        }
        // Record locks: there is no other process to conflict with.
        5 | 36 => {
            call.write(arg, &2u16.to_le_bytes())?;
            done(0)
        }
        6 | 7 | 37 | 38 => done(0),
        1031 | 1032 => done(65536),
        1033 | 1034 => done(0),
        8..=11 | 15 | 16 => unsupported("signals on input and output"),
        _ => Err(Errno::EINVAL.into()),
    }
}

pub(crate) fn ioctl(call: &mut Call<'_>) -> SysResult {
    let [fd, request, arg, ..] = call.args;
    let file = call.os().files.table.get(fd)?.clone();
    let terminal = is_terminal(call.process, &file);
    match request as u32 {
        // FIONCLEX, FIOCLEX
        0x5450 | 0x5451 => {
            let table = &mut call.os_mut().files_mut().table;
            table.descriptor_mut(fd)?.close_on_exec = request as u32 == 0x5451;
            done(0)
        }
        // FIONBIO
        0x5421 => {
            let on = call.read_u32(arg)? != 0;
            let file = call.os_mut().files_mut().table.get_mut(fd)?;
            file.flags = file.flags & !flag::NONBLOCK | if on { flag::NONBLOCK } else { 0 };
            done(0)
        }
        // FIONREAD
        0x541b => {
            let ready = match file.kind {
                OpenKind::PipeReader(id) => {
                    call.os().files.pipes.get(&id).map_or(0, |pipe| pipe.bytes.len() as u64)
                }
                OpenKind::Inode(id) => {
                    call.os().files.stat_inode(id)?.size.saturating_sub(file.offset)
                }
                _ => return Err(Errno::ENOTTY.into()),
            };
            call.write(arg, &(ready as u32).to_le_bytes())?;
            done(0)
        }
        _ if !terminal => Err(Errno::ENOTTY.into()),
        // TCGETS
        0x5401 => {
            call.write(arg, &termios())?;
            done(0)
        }
        // TCSETS, TCSETSW, TCSETSF, TCSBRK, TCXONC, TCFLSH, TIOCSPGRP, TIOCSWINSZ: the modes, the
        // queues, the foreground and the size of the host's terminal are not ours.
        0x5402..=0x5404 | 0x5409..=0x540b | 0x5410 | 0x5414 => done(0),
        // TIOCGPGRP
        0x540f => {
            call.write(arg, &crate::os::PID.to_le_bytes())?;
            done(0)
        }
        // TIOCGWINSZ
        0x5413 => {
            let size = [24u16, 80, 0, 0].map(u16::to_le_bytes).concat();
            call.write(arg, &size)?;
            done(0)
        }
        _ => unsupported("on a terminal"),
    }
}

/// Whether an open file is one of the standard streams and a terminal.
pub(super) fn is_terminal(process: &Process, file: &OpenFile) -> bool {
    match file.kind {
        OpenKind::Input => process.config.terminals[0],
        OpenKind::Output(stream) => process.config.terminals[stream as usize & 3],
        _ => false,
    }
}

/// The kernel's `struct termios` of a terminal in its usual state.
fn termios() -> Vec<u8> {
    let flags = [0x4500u32, 0x5, 0xbf, 0x8a3b].map(u32::to_le_bytes).concat();
    let mut bytes = [flags.as_slice(), &[0]].concat();
    bytes.extend([3, 28, 127, 21, 4, 0, 1, 0, 17, 19, 26, 0, 18, 15, 23, 22, 0, 0, 0]);
    bytes
}
