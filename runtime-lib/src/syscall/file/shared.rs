//! Shared mappings of files: a mapping is a copy, and so has to be made to agree with the file
//! whenever somebody can see the difference.
//!
//! A file is brought up to date before it is read, and its mappings after it is written. A file
//! has one mapping to which the guest may write or any number of others: what is stored through
//! one would have to show up in the others at once, so a second one is refused.

use crate::files::InodeId;
use crate::os::Os;
use crate::process::Process;
use std::sync::Arc;

/// A mapping whose contents belong to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedMapping {
    pub inode: InodeId,
    pub start: u64,
    pub end: u64,
    /// Offset in the file of the byte at `start`.
    pub offset: u64,
    /// The guest may write to it, or may be allowed to.
    pub is_writable: bool,
}

/// The mappings of a file, or the parts that are left of one.
fn mappings_of(os: &Os, inode: InodeId) -> Vec<SharedMapping> {
    os.shared.iter().filter(|mapping| mapping.inode == inode).copied().collect()
}

/// Whether a file has a shared mapping.
pub(crate) fn is_shared(process: &Process, inode: InodeId) -> bool {
    process.os.shared.iter().any(|mapping| mapping.inode == inode)
}

/// Whether stores through one mapping of a file would have to show up in another one, if one more
/// were made.
pub(crate) fn would_meet(process: &Process, inode: InodeId, is_writable: bool) -> bool {
    let mut others = process.os.shared.iter().filter(|mapping| mapping.inode == inode);
    others.any(|mapping| mapping.is_writable || is_writable)
}

/// Whether part of a range is shared with a file that the guest may not write to.
pub(crate) fn is_read_only(process: &Process, start: u64, end: u64) -> bool {
    let mut hit = process.os.shared.iter().filter(|one| one.start < end && start < one.end);
    hit.any(|mapping| !mapping.is_writable)
}

/// Starts to track a mapping.
pub(crate) fn note(process: &mut Process, mapping: SharedMapping) {
    Arc::make_mut(&mut process.os_mut().shared).push(mapping);
}

/// Before a range is unmapped or replaced: brings files up to date and stops tracking the part
/// that goes.
pub(crate) fn forget(process: &mut Process, start: u64, end: u64) {
    let hit: Vec<SharedMapping> = process
        .os
        .shared
        .iter()
        .filter(|mapping| mapping.start < end && start < mapping.end)
        .copied()
        .collect();
    for mapping in hit {
        write_back(process, mapping.inode);
        let shared = Arc::make_mut(&mut process.os_mut().shared);
        shared.retain(|other| *other != mapping);
        if mapping.start < start {
            shared.push(SharedMapping { end: start, ..mapping });
        }
        if end < mapping.end {
            let offset = mapping.offset + (end - mapping.start);
            shared.push(SharedMapping { start: end, offset, ..mapping });
        }
    }
}

/// Copies what was stored through mappings into the file.
pub(crate) fn write_back(process: &mut Process, inode: InodeId) {
    if process.os.shared.is_empty() {
        return;
    }
    for mapping in mappings_of(&process.os, inode) {
        if mapping.is_writable {
            write_back_one(process, &mapping);
        }
    }
}

fn write_back_one(process: &mut Process, mapping: &SharedMapping) {
    let inode = mapping.inode;
    let Some(size) = process.os.files.overlay.inode(inode).map(|inode| inode.size) else { return };
    let len = (mapping.end - mapping.start).min(size.saturating_sub(mapping.offset));
    let Ok(bytes) = process.machine.memory.slice(mapping.start, len) else { return };
    let os = Arc::clone(&process.os);
    let old = os.files.overlay.inode(inode).map(|inode| inode.bytes()).unwrap_or_default();
    let offset = mapping.offset as usize;
    if old.get(offset..offset + len as usize) == Some(bytes) {
        return;
    }
    let bytes = bytes.to_vec();
    drop(os);
    let time = super::super::time::file_time(process);
    let overlay = process.os_mut().files_mut().overlay_mut();
    if let Some(inode) = overlay.inode_mut(inode) {
        inode.write(mapping.offset, &bytes, time);
    }
}

/// The same for all files.
pub(crate) fn write_back_all(process: &mut Process) {
    for mapping in process.os.shared.clone().iter() {
        write_back(process, mapping.inode);
    }
}

/// Copies a file into its mappings, after the file was written.
pub(crate) fn refresh(process: &mut Process, inode: InodeId) {
    if process.os.shared.is_empty() {
        return;
    }
    for mapping in mappings_of(&process.os, inode) {
        let os = Arc::clone(&process.os);
        let bytes = os.files.overlay.inode(inode).map(|inode| inode.bytes()).unwrap_or_default();
        let from = (mapping.offset as usize).min(bytes.len());
        let to = bytes.len().min(from + (mapping.end - mapping.start) as usize);
        process.machine.memory.write_any(mapping.start, &bytes[from..to]);
    }
}

/// Makes what lies behind the end of a file zero in its mappings, after the file was cut.
pub(crate) fn clear_behind(process: &mut Process, inode: InodeId, size: u64) {
    for mapping in mappings_of(&process.os, inode) {
        let len = mapping.end - mapping.start;
        let kept = size.saturating_sub(mapping.offset).min(len);
        let zeros = vec![0; (len - kept) as usize];
        process.machine.memory.write_any(mapping.start + kept, &zeros);
    }
}
