//! Shared writable mappings of files: the mapping is a copy, and so has to be made to agree with
//! the file whenever somebody can see the difference.
//!
//! The file is brought up to date before it is read, and the mapping after the file is written.
//! One mapping a file is tracked; a second one is refused.

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
}

fn mapping_of(os: &Os, inode: InodeId) -> Option<SharedMapping> {
    os.shared.iter().find(|mapping| mapping.inode == inode).copied()
}

/// Whether a file has a tracked mapping.
pub(crate) fn is_shared(process: &Process, inode: InodeId) -> bool {
    mapping_of(&process.os, inode).is_some()
}

/// Starts to track a mapping.
pub(crate) fn note(process: &mut Process, inode: InodeId, start: u64, len: u64, offset: u64) {
    let mapping = SharedMapping { inode, start, end: start + len, offset };
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

/// Copies what was stored through the mapping into the file.
pub(crate) fn write_back(process: &mut Process, inode: InodeId) {
    if process.os.shared.is_empty() {
        return;
    }
    let Some(mapping) = mapping_of(&process.os, inode) else { return };
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

/// Copies a file into its mapping, after the file was written.
pub(crate) fn refresh(process: &mut Process, inode: InodeId) {
    let Some(mapping) = mapping_of(&process.os, inode) else { return };
    let os = Arc::clone(&process.os);
    let bytes = os.files.overlay.inode(inode).map(|inode| inode.bytes()).unwrap_or_default();
    let from = (mapping.offset as usize).min(bytes.len());
    let to = bytes.len().min(from + (mapping.end - mapping.start) as usize);
    process.machine.memory.write_any(mapping.start, &bytes[from..to]);
}
