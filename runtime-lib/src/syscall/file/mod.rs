//! System calls on files, by what they do: transfer bytes, open and close, tell facts, change
//! names, wait for readiness.

pub(super) mod epoll;
mod generate;
pub(super) mod io;
pub(super) mod names;
pub(super) mod open;
pub(super) mod shared;
pub(super) mod stat;
pub(super) mod wait;

use super::call::{Call, Refusal};
use crate::errno::Errno;
use crate::files::{Body, Inode, InodeId, Name, Node, OpenKind, Resolved};
use crate::host::{FileStat, FileType};
use std::sync::Arc;

/// Relative paths start at the working directory.
const AT_FDCWD: i32 = -100;
/// Do not follow a link at the end.
const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
/// The empty path means the descriptor itself.
const AT_EMPTY_PATH: u64 = 0x1000;

/// Resolves the guest's path at `addr`, relative to a directory descriptor.
fn resolve(call: &mut Call<'_>, dir: u64, addr: u64, follow: bool) -> Result<Resolved, Refusal> {
    let path = call.path(addr)?;
    resolve_path(call, dir, &path, follow)
}

fn resolve_path(
    call: &mut Call<'_>,
    dir: u64,
    path: &[u8],
    follow: bool,
) -> Result<Resolved, Refusal> {
    let host = Arc::clone(&call.process.host);
    let files = &call.os().files;
    let base = if path.starts_with(b"/") || dir as i32 == AT_FDCWD {
        files.cwd.clone()
    } else {
        let file = files.table.get(dir)?;
        match file.kind {
            OpenKind::Directory(_) => file.path.to_vec(),
            _ => return Err(Errno::ENOTDIR.into()),
        }
    };
    Ok(files.resolve_from(&*host, &base, path, follow)?)
}

/// Takes a regular file into the overlay, so that it can be opened or changed.
fn adopt(call: &mut Call<'_>, node: &Node) -> Result<InodeId, Errno> {
    match node.body {
        Body::Inode(id) => Ok(id),
        Body::HostFile if node.stat.kind == FileType::Regular => {
            let overlay = call.os_mut().files_mut().overlay_mut();
            let id = overlay.add_inode(Inode::of_host(&node.path, &node.stat));
            overlay.set_name(&node.path, Name::File(id));
            Ok(id)
        }
        Body::Directory => Err(Errno::EISDIR),
        _ => Err(Errno::EPERM),
    }
}

/// Like [`adopt`], for a change of the file: it is no longer the host's.
fn adopt_changed(call: &mut Call<'_>, node: &Node) -> Result<InodeId, Errno> {
    let id = adopt(call, node)?;
    let host = Arc::clone(&call.process.host);
    let files = call.os_mut().files_mut();
    files.fetch(&*host, id)?;
    if let Some(inode) = files.overlay_mut().inode_mut(id) {
        inode.origin = None;
    }
    Ok(id)
}

/// Permission to read (4), write (2) or execute (1) a file, by its mode bits.
fn permitted(call: &Call<'_>, stat: &FileStat, wanted: u32) -> bool {
    let (uid, gid) = (call.process.config.uid, call.process.config.gid);
    if uid == 0 {
        let executable = stat.mode & 0o111 != 0 || stat.kind == FileType::Directory;
        return wanted & 1 == 0 || executable;
    }
    let bits = if stat.uid == uid {
        stat.mode >> 6
    } else if stat.gid == gid {
        stat.mode >> 3
    } else {
        stat.mode
    };
    bits & wanted == wanted
}

fn require(call: &Call<'_>, stat: &FileStat, wanted: u32) -> Result<(), Errno> {
    if permitted(call, stat, wanted) { Ok(()) } else { Err(Errno::EACCES) }
}
