//! Changing names and what is said about files; all of it in the guest's overlay.
//!
//! Directories of the host cannot be renamed: the answer is `EXDEV`, as from other overlay file
//! systems, and programs then copy.

use super::{AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, adopt_changed, require, resolve};
use crate::errno::Errno;
use crate::files::{Body, InodeId, Name, Node, OpenKind, parent};
use crate::host::{FileTime, FileType};
use crate::syscall::call::{Call, Refusal, SysResult, done, unsupported};
use crate::syscall::names::number as nr;
use crate::syscall::time;
use std::sync::Arc;

const AT_REMOVEDIR: u64 = 0x200;
const AT_SYMLINK_FOLLOW: u64 = 0x400;
const HERE: u64 = AT_FDCWD as u64;

/// A directory must exist and be writable before a name in it changes.
pub(super) fn require_parent(call: &Call<'_>, directory: &[u8]) -> Result<(), Errno> {
    let host = Arc::clone(&call.process.host);
    let node = call.os().files.node_at(&*host, directory)?.ok_or(Errno::ENOENT)?;
    if node.stat.kind != FileType::Directory {
        return Err(Errno::ENOTDIR);
    }
    require(call, &node.stat, 3)
}

/// Takes a name away; the host's file of that name is hidden.
fn remove_name(call: &mut Call<'_>, path: &[u8]) {
    let host = Arc::clone(&call.process.host);
    let files = call.os_mut().files_mut();
    let inode = match files.overlay.name(path) {
        Some(Name::File(id)) => Some(*id),
        _ => None,
    };
    files.overlay_mut().forget_name(path);
    if !matches!(files.node_at(&*host, path), Ok(None)) {
        files.overlay_mut().set_name(path, Name::Gone);
    }
    if let Some(id) = inode {
        if let Some(inode) = files.overlay_mut().inode_mut(id) {
            inode.links = inode.links.saturating_sub(1);
            inode.origin = None;
        }
        super::open::let_go(call.process, id, path);
    }
}

pub(crate) fn unlink(call: &mut Call<'_>) -> SysResult {
    unlink_path(call, HERE, call.args[0])
}

pub(crate) fn unlinkat(call: &mut Call<'_>) -> SysResult {
    let [dir, path, flags, ..] = call.args;
    match flags & AT_REMOVEDIR {
        0 => unlink_path(call, dir, path),
        _ => remove_directory(call, dir, path),
    }
}

fn unlink_path(call: &mut Call<'_>, dir: u64, path: u64) -> SysResult {
    let node = resolve(call, dir, path, false)?.existing()?;
    match node.body {
        Body::Directory => return Err(Errno::EISDIR.into()),
        Body::Device(_) | Body::Generated(_) | Body::Descriptor(_) => {
            return Err(Errno::EPERM.into());
        }
        Body::HostFile | Body::Inode(_) | Body::Symlink(_) => {}
    }
    require_parent(call, parent(&node.path))?;
    if let Body::HostFile = node.body {
        // Other descriptors may already have the file open through another name: none has.
        call.os_mut().files_mut().overlay_mut().set_name(&node.path, Name::Gone);
    } else {
        remove_name(call, &node.path);
    }
    done(0)
}

pub(crate) fn rmdir(call: &mut Call<'_>) -> SysResult {
    remove_directory(call, HERE, call.args[0])
}

fn remove_directory(call: &mut Call<'_>, dir: u64, path: u64) -> SysResult {
    let node = resolve(call, dir, path, false)?.existing()?;
    if node.stat.kind != FileType::Directory {
        return Err(Errno::ENOTDIR.into());
    }
    if node.path == b"/" {
        return Err(Errno::EBUSY.into());
    }
    require_parent(call, parent(&node.path))?;
    require_empty(call, &node.path)?;
    remove_name(call, &node.path);
    done(0)
}

fn require_empty(call: &Call<'_>, path: &[u8]) -> Result<(), Errno> {
    let host = Arc::clone(&call.process.host);
    let entries = call.os().files.list(&*host, path)?;
    if entries.is_empty() { Ok(()) } else { Err(Errno::ENOTEMPTY) }
}

pub(crate) fn mkdir(call: &mut Call<'_>) -> SysResult {
    let [path, mode, ..] = call.args;
    make_directory(call, HERE, path, mode)
}

pub(crate) fn mkdirat(call: &mut Call<'_>) -> SysResult {
    let [dir, path, mode, ..] = call.args;
    make_directory(call, dir, path, mode)
}

fn make_directory(call: &mut Call<'_>, dir: u64, path: u64, mode: u64) -> SysResult {
    let resolved = resolve(call, dir, path, false)?;
    if resolved.node.is_some() {
        return Err(Errno::EEXIST.into());
    }
    require_parent(call, parent(&resolved.path))?;
    let owner = (call.process.config.uid, call.process.config.gid);
    let time = time::file_time(call.process);
    let files = call.os_mut().files_mut();
    let mode = mode as u32 & 0o1777 & !files.umask;
    let overlay = files.overlay_mut();
    // Nothing of the host is at this path, or the guest removed it.
    let directory = overlay.new_directory(mode, owner, time, true);
    overlay.set_name(&resolved.path, directory);
    done(0)
}

pub(crate) fn rename(call: &mut Call<'_>) -> SysResult {
    let [old, new, ..] = call.args;
    rename_path(call, (HERE, old), (HERE, new), false)
}

pub(crate) fn renameat(call: &mut Call<'_>, number: u64) -> SysResult {
    const NOREPLACE: u64 = 1;
    let [old_dir, old, new_dir, new, flags, _] = call.args;
    let flags = if number == nr::RENAMEAT2 { flags } else { 0 };
    match flags {
        0 | NOREPLACE => rename_path(call, (old_dir, old), (new_dir, new), flags == NOREPLACE),
        _ => unsupported("exchanging two names"),
    }
}

fn rename_path(
    call: &mut Call<'_>,
    (old_dir, old): (u64, u64),
    (new_dir, new): (u64, u64),
    keep: bool,
) -> SysResult {
    let source = resolve(call, old_dir, old, false)?.existing()?;
    let target = resolve(call, new_dir, new, false)?;
    require_parent(call, parent(&source.path))?;
    require_parent(call, parent(&target.path))?;
    let is_directory = source.stat.kind == FileType::Directory;
    if let Some(existing) = &target.node {
        if keep {
            return Err(Errno::EEXIST.into());
        }
        if same_file(&source, existing) {
            return done(0);
        }
        match (is_directory, existing.stat.kind == FileType::Directory) {
            (true, false) => return Err(Errno::ENOTDIR.into()),
            (false, true) => return Err(Errno::EISDIR.into()),
            (true, true) => require_empty(call, &existing.path)?,
            (false, false) => {}
        }
    }
    let below = [source.path.as_slice(), b"/"].concat();
    if is_directory && target.path.starts_with(&below) {
        return Err(Errno::EINVAL.into());
    }
    if is_directory {
        let overlay = &call.os().files.overlay;
        let own = matches!(overlay.name(&source.path), Some(Name::Directory(d)) if d.opaque);
        if !own {
            return Err(Errno::EXDEV.into());
        }
    }
    let name = moved_name(call, &source)?;
    if target.node.is_some() {
        remove_name(call, &target.path);
    }
    if is_directory {
        call.os_mut().files_mut().overlay_mut().move_tree(&source.path, &target.path);
    } else if let Some(name) = name {
        call.os_mut().files_mut().overlay_mut().set_name(&target.path, name);
    }
    take_name(call, &source.path);
    done(0)
}

fn same_file(one: &Node, other: &Node) -> bool {
    match (&one.body, &other.body) {
        (Body::Inode(one), Body::Inode(other)) => one == other,
        _ => one.path == other.path,
    }
}

/// What the overlay will say about the new name; a moved tree brings its own names.
fn moved_name(call: &mut Call<'_>, source: &Node) -> Result<Option<Name>, Errno> {
    match &source.body {
        Body::Directory => Ok(None),
        Body::Symlink(target) => Ok(Some(Name::Symlink {
            target: target.as_slice().into(),
            number: source.stat.inode,
            time: source.stat.changed,
        })),
        _ => Ok(Some(Name::File(adopt_changed(call, source)?))),
    }
}

/// Takes a name away whose file lives on under another.
fn take_name(call: &mut Call<'_>, path: &[u8]) {
    let host = Arc::clone(&call.process.host);
    let files = call.os_mut().files_mut();
    files.overlay_mut().forget_name(path);
    if !matches!(files.node_at(&*host, path), Ok(None)) {
        files.overlay_mut().set_name(path, Name::Gone);
    }
}

pub(crate) fn link(call: &mut Call<'_>) -> SysResult {
    let [old, new, ..] = call.args;
    link_path(call, (HERE, old), (HERE, new), 0)
}

pub(crate) fn linkat(call: &mut Call<'_>) -> SysResult {
    let [old_dir, old, new_dir, new, flags, _] = call.args;
    if flags & AT_EMPTY_PATH != 0 {
        return unsupported("naming a descriptor");
    }
    link_path(call, (old_dir, old), (new_dir, new), flags)
}

fn link_path(
    call: &mut Call<'_>,
    (old_dir, old): (u64, u64),
    (new_dir, new): (u64, u64),
    flags: u64,
) -> SysResult {
    let source = resolve(call, old_dir, old, flags & AT_SYMLINK_FOLLOW != 0)?.existing()?;
    let target = resolve(call, new_dir, new, false)?;
    if target.node.is_some() {
        return Err(Errno::EEXIST.into());
    }
    require_parent(call, parent(&target.path))?;
    if source.stat.kind != FileType::Regular {
        return Err(Errno::EPERM.into());
    }
    let inode = adopt_changed(call, &source)?;
    let overlay = call.os_mut().files_mut().overlay_mut();
    if let Some(inode) = overlay.inode_mut(inode) {
        inode.links += 1;
    }
    overlay.set_name(&target.path, Name::File(inode));
    done(0)
}

pub(crate) fn symlink(call: &mut Call<'_>) -> SysResult {
    let [target, path, ..] = call.args;
    symlink_path(call, target, HERE, path)
}

pub(crate) fn symlinkat(call: &mut Call<'_>) -> SysResult {
    let [target, dir, path, ..] = call.args;
    symlink_path(call, target, dir, path)
}

fn symlink_path(call: &mut Call<'_>, target: u64, dir: u64, path: u64) -> SysResult {
    let target = call.path(target)?;
    if target.is_empty() {
        return Err(Errno::ENOENT.into());
    }
    let resolved = resolve(call, dir, path, false)?;
    if resolved.node.is_some() {
        return Err(Errno::EEXIST.into());
    }
    require_parent(call, parent(&resolved.path))?;
    let time = time::file_time(call.process);
    let overlay = call.os_mut().files_mut().overlay_mut();
    let number = overlay.next_number();
    overlay.set_name(&resolved.path, Name::Symlink { target: target.into(), number, time });
    done(0)
}

/// What a change of facts applies to.
enum Subject {
    Inode(InodeId),
    Directory(Node),
    /// Something whose facts nobody can change, and whose change nobody can notice.
    Other,
}

fn subject_of_node(call: &mut Call<'_>, node: Node) -> Result<Subject, Refusal> {
    match node.body {
        Body::Directory => Ok(Subject::Directory(node)),
        Body::Inode(_) | Body::HostFile => Ok(Subject::Inode(adopt_changed(call, &node)?)),
        Body::Descriptor(fd) => subject_of_descriptor(call, u64::from(fd)),
        _ => Ok(Subject::Other),
    }
}

fn subject_of_descriptor(call: &mut Call<'_>, fd: u64) -> Result<Subject, Refusal> {
    let file = call.os().files.table.get(fd)?.clone();
    match file.kind {
        OpenKind::Inode(inode) => {
            let overlay = call.os_mut().files_mut().overlay_mut();
            if let Some(inode) = overlay.inode_mut(inode) {
                inode.origin = None;
            }
            Ok(Subject::Inode(inode))
        }
        OpenKind::Directory(_) => {
            let host = Arc::clone(&call.process.host);
            let node = call.os().files.node_at(&*host, &file.path)?.ok_or(Errno::ENOENT)?;
            Ok(Subject::Directory(node))
        }
        _ => Ok(Subject::Other),
    }
}

fn subject(call: &mut Call<'_>, dir: u64, path: u64, follow: bool) -> Result<Subject, Refusal> {
    let node = resolve(call, dir, path, follow)?.existing()?;
    subject_of_node(call, node)
}

/// Which facts to change.
#[derive(Default)]
struct Change {
    mode: Option<u32>,
    owner: (Option<u32>, Option<u32>),
    accessed: Option<FileTime>,
    modified: Option<FileTime>,
}

fn apply(call: &mut Call<'_>, subject: Subject, change: &Change) -> SysResult {
    let uid = call.process.config.uid;
    let now = time::file_time(call.process);
    let files = call.os_mut().files_mut();
    let owner = match &subject {
        Subject::Inode(inode) => files.stat_inode(*inode)?.uid,
        Subject::Directory(node) => node.stat.uid,
        Subject::Other => return done(0),
    };
    let foreign_owner = change.owner.0.is_some_and(|wanted| wanted != owner);
    if uid != 0 && (uid != owner || foreign_owner) {
        return Err(Errno::EPERM.into());
    }
    match subject {
        Subject::Inode(inode) => {
            let inode = files.overlay_mut().inode_mut(inode).ok_or(Errno::EIO)?;
            inode.mode = change.mode.unwrap_or(inode.mode);
            inode.uid = change.owner.0.unwrap_or(inode.uid);
            inode.gid = change.owner.1.unwrap_or(inode.gid);
            inode.accessed = change.accessed.unwrap_or(inode.accessed);
            inode.modified = change.modified.unwrap_or(inode.modified);
            inode.changed = now;
        }
        Subject::Directory(node) => {
            let overlay = files.overlay_mut();
            let mut directory = match overlay.name(&node.path) {
                Some(Name::Directory(directory)) => *directory,
                _ => crate::files::Directory { stat: node.stat, opaque: false },
            };
            let stat = &mut directory.stat;
            stat.mode = change.mode.unwrap_or(stat.mode);
            stat.uid = change.owner.0.unwrap_or(stat.uid);
            stat.gid = change.owner.1.unwrap_or(stat.gid);
            stat.accessed = change.accessed.unwrap_or(stat.accessed);
            stat.modified = change.modified.unwrap_or(stat.modified);
            stat.changed = now;
            overlay.set_name(&node.path, Name::Directory(directory));
        }
        Subject::Other => {}
    }
    done(0)
}

fn mode_change(mode: u64) -> Change {
    Change { mode: Some(mode as u32 & 0o7777), ..Change::default() }
}

pub(crate) fn chmod(call: &mut Call<'_>) -> SysResult {
    let [path, mode, ..] = call.args;
    let subject = subject(call, HERE, path, true)?;
    apply(call, subject, &mode_change(mode))
}

pub(crate) fn fchmod(call: &mut Call<'_>) -> SysResult {
    let [fd, mode, ..] = call.args;
    let subject = subject_of_descriptor(call, fd)?;
    apply(call, subject, &mode_change(mode))
}

pub(crate) fn fchmodat(call: &mut Call<'_>) -> SysResult {
    let [dir, path, mode, ..] = call.args;
    let subject = subject(call, dir, path, true)?;
    apply(call, subject, &mode_change(mode))
}

fn owner_change(uid: u64, gid: u64) -> Change {
    let id = |id: u64| (id as u32 != u32::MAX).then_some(id as u32);
    Change { owner: (id(uid), id(gid)), ..Change::default() }
}

pub(crate) fn chown(call: &mut Call<'_>) -> SysResult {
    let [path, uid, gid, ..] = call.args;
    let subject = subject(call, HERE, path, true)?;
    apply(call, subject, &owner_change(uid, gid))
}

pub(crate) fn fchown(call: &mut Call<'_>) -> SysResult {
    let [fd, uid, gid, ..] = call.args;
    let subject = subject_of_descriptor(call, fd)?;
    apply(call, subject, &owner_change(uid, gid))
}

pub(crate) fn fchownat(call: &mut Call<'_>) -> SysResult {
    let [dir, path, uid, gid, flags, _] = call.args;
    let subject = subject(call, dir, path, flags & AT_SYMLINK_NOFOLLOW == 0)?;
    apply(call, subject, &owner_change(uid, gid))
}

pub(crate) fn utimensat(call: &mut Call<'_>) -> SysResult {
    const NOW: u64 = 0x3fff_ffff;
    const OMIT: u64 = 0x3fff_fffe;
    let [dir, path, times, flags, ..] = call.args;
    let now = time::file_time(call.process);
    let (mut accessed, mut modified) = (Some(now), Some(now));
    if times != 0 {
        let [access_s, access_ns, modify_s, modify_ns] = call.read_words::<4>(times)?;
        let read = |seconds: u64, nanoseconds: u64| match nanoseconds {
            NOW => Ok(Some(now)),
            OMIT => Ok(None),
            0..1_000_000_000 => {
                Ok(Some(FileTime { seconds: seconds as i64, nanoseconds: nanoseconds as u32 }))
            }
            _ => Err(Errno::EINVAL),
        };
        (accessed, modified) = (read(access_s, access_ns)?, read(modify_s, modify_ns)?);
    }
    let subject = if path == 0 {
        subject_of_descriptor(call, dir)?
    } else {
        subject(call, dir, path, flags & AT_SYMLINK_NOFOLLOW == 0)?
    };
    apply(call, subject, &Change { accessed, modified, ..Change::default() })
}

pub(crate) fn utimes(call: &mut Call<'_>, number: u64) -> SysResult {
    let [path, times, ..] = call.args;
    let now = time::file_time(call.process);
    let (mut accessed, mut modified) = (now, now);
    let time = |seconds: u64, micros: u64| FileTime {
        seconds: seconds as i64,
        nanoseconds: (micros % 1_000_000) as u32 * 1000,
    };
    if times != 0 && number == nr::UTIME {
        let [access, modify] = call.read_words::<2>(times)?;
        (accessed, modified) = (time(access, 0), time(modify, 0));
    } else if times != 0 {
        let [access_s, access_us, modify_s, modify_us] = call.read_words::<4>(times)?;
        (accessed, modified) = (time(access_s, access_us), time(modify_s, modify_us));
    }
    let subject = subject(call, HERE, path, true)?;
    let change = Change { accessed: Some(accessed), modified: Some(modified), ..Change::default() };
    apply(call, subject, &change)
}
