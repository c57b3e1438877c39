//! The overlay: names that the guest made, took over or removed, and the inodes behind them.
//!
//! Keys are absolute normalised paths. A removed name of the host stays as [`Name::Gone`]; a
//! directory made where the host had something is opaque: nothing of the host shows through.
//! Files of the host enter here when they are first opened, so that all descriptors and names of
//! one file see the same contents.

use super::inode::{Inode, InodeId, OVERLAY_DEVICE};
use super::path::{child, file_name, parent};
use crate::host::{FileStat, FileTime, FileType};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the overlay says about one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// The guest removed it.
    Gone,
    /// A regular file.
    File(InodeId),
    /// A directory of the guest's.
    Directory(Directory),
    /// A symbolic link.
    Symlink { target: Arc<[u8]>, number: u64, time: FileTime },
}

/// A directory in the overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Directory {
    pub stat: FileStat,
    /// The host's directory at this path does not show through.
    pub opaque: bool,
}

/// See the module head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overlay {
    names: BTreeMap<Vec<u8>, Name>,
    inodes: BTreeMap<InodeId, Arc<Inode>>,
    next: u64,
}

/// Inode numbers of files that exist only in the overlay start here.
const NUMBER_BASE: u64 = 1 << 40;

impl Overlay {
    /// What the overlay says about a path.
    pub(crate) fn name(&self, path: &[u8]) -> Option<&Name> {
        self.names.get(path)
    }

    pub(crate) fn set_name(&mut self, path: &[u8], name: Name) {
        self.names.insert(path.to_vec(), name);
    }

    pub(crate) fn forget_name(&mut self, path: &[u8]) {
        self.names.remove(path);
    }

    pub(crate) fn inode(&self, id: InodeId) -> Option<&Inode> {
        self.inodes.get(&id).map(|inode| &**inode)
    }

    pub(crate) fn inode_mut(&mut self, id: InodeId) -> Option<&mut Inode> {
        self.inodes.get_mut(&id).map(Arc::make_mut)
    }

    /// Adds an inode; one of the overlay's own gets a number.
    pub(crate) fn add_inode(&mut self, mut inode: Inode) -> InodeId {
        let id = InodeId(self.next_number());
        if inode.number == 0 {
            inode.number = id.0;
        }
        self.inodes.insert(id, Arc::new(inode));
        id
    }

    pub(crate) fn drop_inode(&mut self, id: InodeId) {
        self.inodes.remove(&id);
    }

    /// A fresh inode number.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.next += 1;
        NUMBER_BASE + self.next
    }

    /// A new directory's entry.
    pub(crate) fn new_directory(
        &mut self,
        mode: u32,
        owner: (u32, u32),
        time: FileTime,
        opaque: bool,
    ) -> Name {
        let stat = FileStat {
            kind: FileType::Directory,
            mode,
            size: 4096,
            links: 2,
            uid: owner.0,
            gid: owner.1,
            inode: self.next_number(),
            device: OVERLAY_DEVICE,
            special: 0,
            accessed: time,
            modified: time,
            changed: time,
        };
        Name::Directory(Directory { stat, opaque })
    }

    /// The names directly in a directory, with what the overlay says about each.
    pub(crate) fn children<'a>(
        &'a self,
        directory: &'a [u8],
    ) -> impl Iterator<Item = (&'a [u8], &'a Name)> {
        let start = child(directory, b"");
        self.names
            .range(start.clone()..)
            .take_while(move |(path, _)| path.starts_with(&start))
            .filter(move |(path, _)| parent(path) == directory && path.as_slice() != directory)
            .map(|(path, name)| (file_name(path), name))
    }

    /// Moves a name and everything below it.
    pub(crate) fn move_tree(&mut self, from: &[u8], to: &[u8]) {
        let below = child(from, b"");
        let moved: Vec<Vec<u8>> = self
            .names
            .keys()
            .filter(|path| path.as_slice() == from || path.starts_with(&below))
            .cloned()
            .collect();
        for path in moved {
            if let Some(name) = self.names.remove(&path) {
                let target = [to, &path[from.len()..]].concat();
                self.names.insert(target, name);
            }
        }
    }

    /// Number of names that lead to an inode.
    pub(crate) fn links(&self, id: InodeId) -> usize {
        let leads = |name: &&Name| matches!(name, Name::File(other) if *other == id);
        self.names.values().filter(leads).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_direct_ones_only() {
        let mut overlay = Overlay::default();
        for path in ["/a", "/a/b", "/a/b/c", "/a/d", "/ab"] {
            overlay.set_name(path.as_bytes(), Name::Gone);
        }
        let names: Vec<&[u8]> = overlay.children(b"/a").map(|(name, _)| name).collect();
        assert_eq!(names, [b"b", b"d"]);
        let names: Vec<&[u8]> = overlay.children(b"/").map(|(name, _)| name).collect();
        assert_eq!(names, [b"a".as_slice(), b"ab"]);
    }

    #[test]
    fn moving_takes_everything_below() {
        let mut overlay = Overlay::default();
        for path in ["/a", "/a/b", "/a/b/c", "/ab"] {
            overlay.set_name(path.as_bytes(), Name::Gone);
        }
        overlay.move_tree(b"/a", b"/z");
        let paths: Vec<&[u8]> = overlay.names.keys().map(Vec::as_slice).collect();
        assert_eq!(paths, [b"/ab".as_slice(), b"/z", b"/z/b", b"/z/b/c"]);
    }
}
