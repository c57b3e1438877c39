//! What of the host a guest may see: a read-only view of its files, and its standard input.
//!
//! This crate does no input or output itself. Whoever runs a guest implements [`HostFiles`];
//! every change that the guest makes stays in its private overlay (see [`crate::files`]).

use crate::errno::Errno;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
    /// A pipe with a name.
    Fifo,
    /// A socket.
    Socket,
}

impl FileType {
    /// The type's bits in `st_mode`.
    pub fn mode_bits(self) -> u32 {
        match self {
            FileType::Fifo => 0o010_000,
            FileType::CharDevice => 0o020_000,
            FileType::Directory => 0o040_000,
            FileType::BlockDevice => 0o060_000,
            FileType::Regular => 0o100_000,
            FileType::Symlink => 0o120_000,
            FileType::Socket => 0o140_000,
        }
    }

    /// The type in a directory entry (`DT_*`).
    pub fn entry_type(self) -> u8 {
        (self.mode_bits() >> 12) as u8
    }
}

/// Seconds and nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileTime {
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds, below a thousand million.
    pub nanoseconds: u32,
}

/// Facts about a file, as `stat` tells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileStat {
    /// What it is.
    pub kind: FileType,
    /// Permission bits, the low twelve of `st_mode`.
    pub mode: u32,
    /// Size in bytes.
    pub size: u64,
    /// Number of names.
    pub links: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// The file's number on its device.
    pub inode: u64,
    /// The device it is on.
    pub device: u64,
    /// The device it is, for device files.
    pub special: u64,
    /// Last access.
    pub accessed: FileTime,
    /// Last change of the contents.
    pub modified: FileTime,
    /// Last change of the facts told here.
    pub changed: FileTime,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirEntry {
    /// The name, without the directory.
    pub name: Vec<u8>,
    /// The file's number on its device.
    pub inode: u64,
    /// The type in `DT_*` terms; see [`FileType::entry_type`].
    pub kind: u8,
}

/// A read-only view of the host's files. Paths are absolute and contain no symbolic links except
/// perhaps as the last component; implementations do not follow that one.
pub trait HostFiles: fmt::Debug + Send + Sync {
    /// Facts about the file itself; a symbolic link is not followed.
    fn stat(&self, path: &Path) -> Result<FileStat, Errno>;

    /// The whole contents of a regular file.
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Errno>;

    /// The entries of a directory in the order in which it lists them, without `.` and `..`.
    fn list(&self, path: &Path) -> Result<Vec<DirEntry>, Errno>;

    /// Where a symbolic link points.
    fn read_link(&self, path: &Path) -> Result<Vec<u8>, Errno>;
}

/// No files at all: every path is missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl HostFiles for NoFiles {
    fn stat(&self, _: &Path) -> Result<FileStat, Errno> {
        Err(Errno::ENOENT)
    }

    fn read(&self, _: &Path) -> Result<Arc<[u8]>, Errno> {
        Err(Errno::ENOENT)
    }

    fn list(&self, _: &Path) -> Result<Vec<DirEntry>, Errno> {
        Err(Errno::ENOENT)
    }

    fn read_link(&self, _: &Path) -> Result<Vec<u8>, Errno> {
        Err(Errno::ENOENT)
    }
}

/// Where bytes of standard input come from when they are not known beforehand. Called with the
/// number of bytes wanted; nothing means end of file.
pub type InputSource = Box<dyn FnMut(usize) -> Vec<u8> + Send>;

/// The guest's standard input.
pub enum Stdin {
    /// These bytes and then end of file.
    Bytes(Vec<u8>),
    /// Asked when the guest reads.
    Source(InputSource),
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stdin::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Stdin::Source(_) => f.write_str("Source"),
        }
    }
}

/// Standard input as read so far. It only grows, so undoing a read needs the old offset alone.
#[derive(Debug)]
pub(crate) struct Input {
    known: Vec<u8>,
    source: Option<Stdin>,
}

impl Input {
    pub(crate) fn new(stdin: Stdin) -> Input {
        match stdin {
            Stdin::Bytes(known) => Input { known, source: None },
            source => Input { known: Vec::new(), source: Some(source) },
        }
    }

    /// Whether reading at `offset` would ask the source, which may take its time.
    pub(crate) fn would_ask(&self, offset: usize) -> bool {
        offset >= self.known.len() && self.source.is_some()
    }

    /// Up to `len` bytes from `offset` on; empty at the end.
    pub(crate) fn read(&mut self, offset: usize, len: usize) -> &[u8] {
        if len > 0
            && offset >= self.known.len()
            && let Some(Stdin::Source(source)) = &mut self.source
        {
            let more = source(len);
            if more.is_empty() {
                self.source = None;
            }
            self.known.extend(more);
        }
        let from = offset.min(self.known.len());
        &self.known[from..self.known.len().min(from.saturating_add(len))]
    }
}
