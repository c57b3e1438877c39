//! Transfer of bytes: read, write and their vector and positioned forms.

use super::shared;
use super::wait::wake_ready;
use crate::errno::Errno;
use crate::files::{Device, FILE_SIZE_MAX, OpenFile, OpenKind, PIPE_ATOMIC, Ready, flag};
use crate::signal::Signal;
use crate::syscall::call::{Call, Flow, Refusal, SysResult, done};
use crate::syscall::time;
use crate::thread::{Resumed, WaitFor};
use std::sync::Arc;

/// Most bytes that one call transfers, as on Linux.
const TRANSFER_MAX: u64 = 0x7fff_f000;
/// Most bytes that a device gives at once.
const DEVICE_READ_MAX: usize = 32 << 20;
/// Most buffers of a vector.
const VECTOR_MAX: u64 = 1024;

/// Where in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// At the open file's offset, which moves.
    Offset,
    /// At a given position; the offset stays.
    Position(u64),
}

/// A piece of the guest's memory.
type Piece = (u64, u64);

pub(crate) fn read(call: &mut Call<'_>) -> SysResult {
    let [fd, addr, len, ..] = call.args;
    read_into(call, fd, &[(addr, len)], At::Offset)
}

pub(crate) fn pread(call: &mut Call<'_>) -> SysResult {
    let [fd, addr, len, position, ..] = call.args;
    read_into(call, fd, &[(addr, len)], position_of(position)?)
}

pub(crate) fn readv(call: &mut Call<'_>) -> SysResult {
    let pieces = vector(call)?;
    read_into(call, call.args[0], &pieces, At::Offset)
}

pub(crate) fn preadv(call: &mut Call<'_>) -> SysResult {
    let pieces = vector(call)?;
    let at = position_of(call.args[3])?;
    read_into(call, call.args[0], &pieces, at)
}

pub(crate) fn write(call: &mut Call<'_>) -> SysResult {
    let [fd, addr, len, ..] = call.args;
    write_from(call, fd, &[(addr, len)], At::Offset)
}

pub(crate) fn pwrite(call: &mut Call<'_>) -> SysResult {
    let [fd, addr, len, position, ..] = call.args;
    write_from(call, fd, &[(addr, len)], position_of(position)?)
}

pub(crate) fn writev(call: &mut Call<'_>) -> SysResult {
    let pieces = vector(call)?;
    write_from(call, call.args[0], &pieces, At::Offset)
}

pub(crate) fn pwritev(call: &mut Call<'_>) -> SysResult {
    let pieces = vector(call)?;
    let at = position_of(call.args[3])?;
    write_from(call, call.args[0], &pieces, at)
}

fn position_of(position: u64) -> Result<At, Errno> {
    if (position as i64) < 0 { Err(Errno::EINVAL) } else { Ok(At::Position(position)) }
}

/// The buffers of a vector call.
fn vector(call: &mut Call<'_>) -> Result<Vec<Piece>, Refusal> {
    let [_, addr, count, ..] = call.args;
    if count > VECTOR_MAX {
        return Err(Errno::EINVAL.into());
    }
    (0..count)
        .map(|index| {
            let [base, len] = call.read_words::<2>(addr.wrapping_add(index * 16))?;
            if (len as i64) < 0 { Err(Errno::EINVAL.into()) } else { Ok((base, len)) }
        })
        .collect()
}

fn total(pieces: &[Piece]) -> u64 {
    pieces.iter().fold(0u64, |sum, piece| sum.saturating_add(piece.1)).min(TRANSFER_MAX)
}

fn read_into(call: &mut Call<'_>, fd: u64, pieces: &[Piece], at: At) -> SysResult {
    let file = call.os().files.table.get(fd)?.clone();
    if !file.readable() {
        return Err(Errno::EBADF.into());
    }
    let len = total(pieces) as usize;
    let bytes = match fetch(call, fd, &file, len, at)? {
        Fetched::Bytes(bytes) => bytes,
        Fetched::Later(flow) => return Ok(flow),
    };
    let mut rest = bytes.as_slice();
    for &(addr, len) in pieces {
        let (now, later) = rest.split_at(rest.len().min(len as usize));
        call.write(addr, now)?;
        rest = later;
    }
    done(bytes.len() as u64)
}

enum Fetched {
    Bytes(Vec<u8>),
    Later(Flow),
}

/// Takes up to `len` bytes out of an open file.
fn fetch(
    call: &mut Call<'_>,
    fd: u64,
    file: &OpenFile,
    len: usize,
    at: At,
) -> Result<Fetched, Refusal> {
    let seekable = matches!(file.kind, OpenKind::Inode(_) | OpenKind::Device(_));
    if at != At::Offset && !seekable {
        return Err(Errno::ESPIPE.into());
    }
    let position = match at {
        At::Offset => file.offset,
        At::Position(position) => position,
    };
    let bytes = match &file.kind {
        OpenKind::Inode(inode) => {
            shared::write_back(call.process, *inode);
            let host = Arc::clone(&call.process.host);
            let contents = call.os_mut().files_mut().contents(&*host, *inode)?;
            let from = (position.min(contents.len() as u64)) as usize;
            contents[from..contents.len().min(from.saturating_add(len))].to_vec()
        }
        OpenKind::Input => {
            let asks = call.process.input.would_ask(position as usize);
            if asks && len > 0 && !call.os().output.is_empty() {
                // Somebody who types the answer wants to see the question.
                return Ok(Fetched::Later(Flow::RetryAtOnce));
            }
            call.process.input.read(position as usize, len).to_vec()
        }
        OpenKind::Device(device) => read_device(call, *device, len),
        OpenKind::PipeReader(id) => {
            let id = *id;
            let pipe = call.os().files.pipes.get(&id).ok_or(Errno::EIO)?;
            if pipe.bytes.is_empty() && pipe.writers > 0 && len > 0 {
                return block(call, fd, file, Ready::IN);
            }
            let files = call.os_mut().files_mut();
            let bytes = files.pipes.get_mut(&id).ok_or(Errno::EIO)?.take(len);
            wake_ready(call.process);
            return Ok(Fetched::Bytes(bytes));
        }
        OpenKind::Counter(id) => {
            let id = *id;
            if len < 8 {
                return Err(Errno::EINVAL.into());
            }
            let files = call.os_mut().files_mut();
            let Some(value) = files.counters.get_mut(&id).ok_or(Errno::EIO)?.take() else {
                return block(call, fd, file, Ready::IN);
            };
            wake_ready(call.process);
            return Ok(Fetched::Bytes(value.to_le_bytes().to_vec()));
        }
        OpenKind::Directory(_) => return Err(Errno::EISDIR.into()),
        _ => return Err(Errno::EINVAL.into()),
    };
    if at == At::Offset && !bytes.is_empty() {
        call.os_mut().files_mut().table.get_mut(fd)?.offset += bytes.len() as u64;
    }
    Ok(Fetched::Bytes(bytes))
}

fn read_device(call: &mut Call<'_>, device: Device, len: usize) -> Vec<u8> {
    match device {
        Device::Null | Device::Tty => Vec::new(),
        Device::Zero | Device::Full => vec![0; len.min(DEVICE_READ_MAX)],
        Device::Random => {
            let mut bytes = vec![0; len.min(DEVICE_READ_MAX)];
            call.os_mut().random.fill(&mut bytes);
            bytes
        }
    }
}

fn block(call: &mut Call<'_>, fd: u64, file: &OpenFile, event: u16) -> Result<Fetched, Refusal> {
    if file.nonblocking() {
        return Err(Errno::EAGAIN.into());
    }
    let _ = call.lasting_deadline(None);
    let wanted = vec![(fd as u32, event)];
    let wait = WaitFor::Files { wanted, deadline: None, interruptible: false };
    Ok(Fetched::Later(Flow::Retry(wait)))
}

fn write_from(call: &mut Call<'_>, fd: u64, pieces: &[Piece], at: At) -> SysResult {
    let file = call.os().files.table.get(fd)?.clone();
    if !file.writable() {
        return Err(Errno::EBADF.into());
    }
    let mut bytes = Vec::with_capacity(total(pieces).min(1 << 20) as usize);
    for &(addr, len) in pieces {
        let len = len.min(TRANSFER_MAX - bytes.len() as u64);
        bytes.extend_from_slice(call.memory().slice(addr, len)?);
    }
    match file.kind {
        OpenKind::Inode(_) => write_inode(call, fd, &file, &bytes, at),
        OpenKind::Device(Device::Full) => Err(Errno::ENOSPC.into()),
        OpenKind::Device(_) => done(bytes.len() as u64),
        _ if at != At::Offset => Err(Errno::ESPIPE.into()),
        OpenKind::Output(stream) => {
            call.os_mut().emit(stream, &bytes);
            if stream == 2 {
                call.process.note_message(call.thread, &bytes);
            }
            done(bytes.len() as u64)
        }
        OpenKind::PipeWriter(_) => write_pipe(call, fd, &file, &bytes),
        OpenKind::Counter(id) => {
            let value: [u8; 8] =
                bytes.get(..8).and_then(|word| word.try_into().ok()).ok_or(Errno::EINVAL)?;
            let value = u64::from_le_bytes(value);
            if value == u64::MAX {
                return Err(Errno::EINVAL.into());
            }
            let files = call.os_mut().files_mut();
            if !files.counters.get_mut(&id).ok_or(Errno::EIO)?.add(value) {
                return later(block(call, fd, &file, Ready::OUT)?);
            }
            wake_ready(call.process);
            done(8)
        }
        _ => Err(Errno::EBADF.into()),
    }
}

fn later(fetched: Fetched) -> SysResult {
    match fetched {
        Fetched::Later(flow) => Ok(flow),
        Fetched::Bytes(bytes) => done(bytes.len() as u64),
    }
}

fn write_inode(call: &mut Call<'_>, fd: u64, file: &OpenFile, bytes: &[u8], at: At) -> SysResult {
    let OpenKind::Inode(inode) = file.kind else { return Err(Errno::EIO.into()) };
    shared::write_back(call.process, inode);
    let time = time::file_time(call.process);
    let host = Arc::clone(&call.process.host);
    let files = call.os_mut().files_mut();
    files.fetch(&*host, inode)?;
    let data = files.overlay_mut().inode_mut(inode).ok_or(Errno::EIO)?;
    let position = match at {
        // On Linux appending wins even over a given position.
        _ if file.flags & flag::APPEND != 0 => data.size,
        At::Offset => file.offset,
        At::Position(position) => position,
    };
    if position.saturating_add(bytes.len() as u64) > FILE_SIZE_MAX {
        return Err(Errno::EFBIG.into());
    }
    if !bytes.is_empty() {
        data.write(position, bytes, time);
    }
    if at == At::Offset {
        files.table.get_mut(fd)?.offset = position + bytes.len() as u64;
    }
    shared::refresh(call.process, inode);
    done(bytes.len() as u64)
}

/// Small writes go into the pipe whole; larger ones as room becomes free.
fn write_pipe(call: &mut Call<'_>, fd: u64, file: &OpenFile, bytes: &[u8]) -> SysResult {
    let OpenKind::PipeWriter(id) = file.kind else { return Err(Errno::EIO.into()) };
    let written = call.me().resumed.map_or(0, |resumed| resumed.progress) as usize;
    let pipe = call.os().files.pipes.get(&id).ok_or(Errno::EIO)?;
    if pipe.readers == 0 {
        let thread = call.thread;
        call.process.send_to_thread(thread, Signal::PIPE);
        return Err(Errno::EPIPE.into());
    }
    let rest = &bytes[written.min(bytes.len())..];
    let room = pipe.room();
    let whole = bytes.len() <= PIPE_ATOMIC;
    let now = if whole && room < rest.len() { 0 } else { room.min(rest.len()) };
    if now > 0 {
        let files = call.os_mut().files_mut();
        files.pipes.get_mut(&id).ok_or(Errno::EIO)?.put(&rest[..now]);
        wake_ready(call.process);
    }
    if now == rest.len() {
        return done(bytes.len() as u64);
    }
    if file.nonblocking() {
        let sum = (written + now) as u64;
        return if sum > 0 { done(sum) } else { Err(Errno::EAGAIN.into()) };
    }
    let progress = (written + now) as u64;
    call.me_mut().resumed = Some(Resumed { deadline: None, progress });
    let wanted = vec![(fd as u32, Ready::OUT)];
    Ok(Flow::Retry(WaitFor::Files { wanted, deadline: None, interruptible: false }))
}

pub(crate) fn lseek(call: &mut Call<'_>) -> SysResult {
    let [fd, offset, whence, ..] = call.args;
    let file = call.os().files.table.get(fd)?.clone();
    let size = match &file.kind {
        OpenKind::Inode(inode) => call.os().files.stat_inode(*inode)?.size,
        OpenKind::Directory(_) => i64::MAX as u64,
        OpenKind::Device(_) => return done(0),
        _ => return Err(Errno::ESPIPE.into()),
    };
    let offset = offset as i64;
    let target = match whence {
        0 => Some(offset),
        1 => (file.offset as i64).checked_add(offset),
        2 => (size as i64).checked_add(offset),
        // SEEK_DATA and SEEK_HOLE: the whole file is data.
        3 if offset >= 0 && (offset as u64) < size => Some(offset),
        4 if offset >= 0 && (offset as u64) < size => Some(size as i64),
        3 | 4 => return Err(Errno::ENXIO.into()),
        _ => None,
    };
    let target = target.filter(|&target| target >= 0).ok_or(Errno::EINVAL)? as u64;
    let open = call.os_mut().files_mut().table.get_mut(fd)?;
    open.offset = target;
    if let OpenKind::Directory(entries) = &mut open.kind
        && target == 0
    {
        *entries = None;
    }
    done(target)
}

pub(crate) fn ftruncate(call: &mut Call<'_>) -> SysResult {
    let [fd, size, ..] = call.args;
    let file = call.os().files.table.get(fd)?.clone();
    let OpenKind::Inode(inode) = file.kind else { return Err(Errno::EINVAL.into()) };
    if !file.writable() {
        return Err(Errno::EINVAL.into());
    }
    truncate_inode(call, inode, size)
}

pub(crate) fn truncate(call: &mut Call<'_>) -> SysResult {
    let [path, size, ..] = call.args;
    let node = super::resolve(call, -100i64 as u64, path, true)?.existing()?;
    super::require(call, &node.stat, 2)?;
    let inode = super::adopt_changed(call, &node)?;
    truncate_inode(call, inode, size)
}

fn truncate_inode(call: &mut Call<'_>, inode: crate::files::InodeId, size: u64) -> SysResult {
    if (size as i64) < 0 {
        return Err(Errno::EINVAL.into());
    }
    if size > FILE_SIZE_MAX {
        return Err(Errno::EFBIG.into());
    }
    shared::write_back(call.process, inode);
    let time = time::file_time(call.process);
    let host = Arc::clone(&call.process.host);
    let files = call.os_mut().files_mut();
    if size > 0 {
        files.fetch(&*host, inode)?;
    }
    files.overlay_mut().inode_mut(inode).ok_or(Errno::EIO)?.truncate(size, time);
    shared::clear_behind(call.process, inode, size);
    shared::refresh(call.process, inode);
    done(0)
}

pub(crate) fn fallocate(call: &mut Call<'_>) -> SysResult {
    let [fd, mode, offset, len, ..] = call.args;
    let file = call.os().files.table.get(fd)?.clone();
    let OpenKind::Inode(inode) = file.kind else { return Err(Errno::ENODEV.into()) };
    if mode != 0 {
        return Err(Errno::EOPNOTSUPP.into());
    }
    let end = offset.checked_add(len).ok_or(Errno::EFBIG)?;
    let size = call.os().files.stat_inode(inode)?.size;
    if end > size { truncate_inode(call, inode, end) } else { done(0) }
}

/// Nothing is cached, nothing can be lost, nobody else locks.
pub(crate) fn fsync(call: &mut Call<'_>) -> SysResult {
    call.os().files.table.get(call.args[0])?;
    done(0)
}
