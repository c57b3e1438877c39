//! Inodes: regular files that the guest has opened or made.

use crate::host::{FileStat, FileTime, FileType};
use std::sync::Arc;

/// Number of an inode in the overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct InodeId(pub u64);

/// Where the bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Still with the host, at this path.
    Host(Arc<[u8]>),
    /// Fetched from the host, or generated; not changed.
    Shared(Arc<[u8]>),
    /// The guest's own.
    Own(Arc<Vec<u8>>),
}

/// A regular file. One that was never written to has the host's facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inode {
    pub content: Content,
    pub size: u64,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub links: u64,
    pub number: u64,
    pub device: u64,
    pub accessed: FileTime,
    pub modified: FileTime,
    pub changed: FileTime,
    /// The host's path, as long as nothing about the file was changed.
    pub origin: Option<Arc<[u8]>>,
}

impl Inode {
    /// A file of the host.
    pub(crate) fn of_host(path: &[u8], stat: &FileStat) -> Inode {
        Inode {
            content: Content::Host(path.into()),
            origin: Some(path.into()),
            size: stat.size,
            mode: stat.mode,
            uid: stat.uid,
            gid: stat.gid,
            links: stat.links,
            number: stat.inode,
            device: stat.device,
            accessed: stat.accessed,
            modified: stat.modified,
            changed: stat.changed,
        }
    }

    /// A file made by the guest or for it.
    pub(crate) fn new(bytes: Content, mode: u32, owner: (u32, u32), time: FileTime) -> Inode {
        let mut inode = Inode {
            content: bytes,
            size: 0,
            mode,
            uid: owner.0,
            gid: owner.1,
            links: 1,
            number: 0,
            device: OVERLAY_DEVICE,
            accessed: time,
            modified: time,
            changed: time,
            origin: None,
        };
        inode.size = inode.bytes().len() as u64;
        inode
    }

    /// The bytes; empty while they are still with the host.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Host(_) => &[],
            Content::Shared(bytes) => bytes,
            Content::Own(bytes) => bytes,
        }
    }

    /// The bytes, to be kept.
    pub(crate) fn shared_bytes(&self) -> Arc<[u8]> {
        match &self.content {
            Content::Shared(bytes) => Arc::clone(bytes),
            _ => self.bytes().into(),
        }
    }

    /// The bytes, to be changed; they must not be with the host any more.
    fn bytes_mut(&mut self) -> &mut Vec<u8> {
        if let Content::Host(_) | Content::Shared(_) = &self.content {
            self.content = Content::Own(Arc::new(self.bytes().to_vec()));
        }
        match &mut self.content {
            Content::Own(bytes) => Arc::make_mut(bytes),
            _ => unreachable!("the contents were just made the guest's own"),
        }
    }

    /// Writes at an offset; a gap is filled with zeros.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8], time: FileTime) {
        let start = offset as usize;
        let own = self.bytes_mut();
        if own.len() < start {
            own.resize(start, 0);
        }
        let overlap = bytes.len().min(own.len() - start);
        own[start..start + overlap].copy_from_slice(&bytes[..overlap]);
        own.extend_from_slice(&bytes[overlap..]);
        self.size = own.len() as u64;
        self.origin = None;
        (self.modified, self.changed) = (time, time);
    }

    /// Cuts off or fills up with zeros.
    pub(crate) fn truncate(&mut self, size: u64, time: FileTime) {
        if size == 0 {
            self.content = Content::Own(Arc::default());
        } else {
            self.bytes_mut().resize(size as usize, 0);
        }
        self.size = size;
        self.origin = None;
        (self.modified, self.changed) = (time, time);
    }

    pub(crate) fn stat(&self) -> FileStat {
        FileStat {
            kind: FileType::Regular,
            mode: self.mode,
            size: self.size,
            links: self.links,
            uid: self.uid,
            gid: self.gid,
            inode: self.number,
            device: self.device,
            special: 0,
            accessed: self.accessed,
            modified: self.modified,
            changed: self.changed,
        }
    }
}

/// Device number of files that exist only in the overlay.
pub(crate) const OVERLAY_DEVICE: u64 = 0xfe00;
/// Largest file that a guest may make.
pub(crate) const FILE_SIZE_MAX: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> Inode {
        Inode::new(Content::Shared(bytes.into()), 0o644, (1, 1), FileTime::default())
    }

    #[test]
    fn writing_overlaps_extends_and_fills_gaps() {
        let mut inode = file(b"hello");
        inode.write(3, b"XYZ", FileTime::default());
        assert_eq!(inode.bytes(), b"helXYZ");
        inode.write(8, b"!", FileTime::default());
        assert_eq!(inode.bytes(), b"helXYZ\0\0!");
        assert_eq!(inode.stat().size, 9);
    }

    #[test]
    fn copies_share_until_one_changes() {
        let mut inode = file(b"hello");
        inode.write(0, b"J", FileTime::default());
        let before = inode.clone();
        inode.truncate(2, FileTime::default());
        assert_eq!((before.bytes(), inode.bytes()), (&b"Jello"[..], &b"Je"[..]));
    }
}
