//! Descriptors and open files: several descriptors may share one open file and its offset.

use super::generated::Device;
use super::inode::InodeId;
use super::pipe::PipeId;
use crate::errno::Errno;
use crate::host::DirEntry;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct OpenId(pub u32);

/// What an open file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OpenKind {
    /// A regular file.
    Inode(InodeId),
    /// A directory; its entries are read at the first question for them.
    Directory(Option<Arc<[DirEntry]>>),
    /// Standard input.
    Input,
    /// Standard output (1) or error (2).
    Output(u32),
    /// Reading end of a pipe.
    PipeReader(PipeId),
    /// Writing end of a pipe.
    PipeWriter(PipeId),
    /// An `eventfd`.
    Counter(PipeId),
    /// An `epoll` instance: descriptor, events, and the user's word.
    Epoll(Arc<BTreeMap<u32, (u32, u64)>>),
    /// A synthetic device.
    Device(Device),
}

/// An open file: what `open` makes and `dup` shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenFile {
    pub kind: OpenKind,
    pub offset: u64,
    /// `O_*` bits: access mode and status.
    pub flags: u32,
    /// Absolute path, or a description in the style of `/proc/self/fd`.
    pub path: Arc<[u8]>,
}

/// What a descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub open: OpenId,
    pub close_on_exec: bool,
}

/// `POLL*` bits.
pub(crate) struct Ready;

impl Ready {
    pub(crate) const IN: u16 = 0x1;
    pub(crate) const OUT: u16 = 0x4;
    pub(crate) const ERR: u16 = 0x8;
    pub(crate) const HUP: u16 = 0x10;
    pub(crate) const NVAL: u16 = 0x20;
}

/// `O_*` bits.
pub(crate) mod flag {
    pub(crate) const WRONLY: u32 = 1;
    pub(crate) const RDWR: u32 = 2;
    pub(crate) const ACCESS: u32 = 3;
    pub(crate) const CREAT: u32 = 0o100;
    pub(crate) const EXCL: u32 = 0o200;
    pub(crate) const TRUNC: u32 = 0o1000;
    pub(crate) const APPEND: u32 = 0o2000;
    pub(crate) const NONBLOCK: u32 = 0o4000;
    pub(crate) const DIRECTORY: u32 = 0o200_000;
    pub(crate) const NOFOLLOW: u32 = 0o400_000;
    pub(crate) const CLOEXEC: u32 = 0o2_000_000;
    pub(crate) const PATH: u32 = 0o10_000_000;
    pub(crate) const TMPFILE: u32 = 0o20_000_000;
}

impl OpenFile {
    pub(crate) fn readable(&self) -> bool {
        self.flags & flag::ACCESS != flag::WRONLY && self.flags & flag::PATH == 0
    }

    pub(crate) fn writable(&self) -> bool {
        self.flags & flag::ACCESS != 0 && self.flags & flag::PATH == 0
    }

    pub(crate) fn nonblocking(&self) -> bool {
        self.flags & flag::NONBLOCK != 0
    }
}

/// Most descriptors a process may have.
pub(crate) const DESCRIPTORS_MAX: usize = 1024;

/// All descriptors and open files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    descriptors: Vec<Option<Descriptor>>,
    open: BTreeMap<OpenId, OpenFile>,
    next: u32,
}

impl Table {
    /// The three standard descriptors.
    pub(crate) fn standard() -> Table {
        let mut table = Table { descriptors: Vec::new(), open: BTreeMap::new(), next: 0 };
        let standard = [
            (OpenKind::Input, 0, "pipe:[1]"),
            (OpenKind::Output(1), flag::WRONLY, "pipe:[2]"),
            (OpenKind::Output(2), flag::WRONLY, "pipe:[3]"),
        ];
        for (kind, flags, name) in standard {
            let open = table.next_id();
            let path = name.as_bytes().into();
            table.open.insert(open, OpenFile { kind, offset: 0, flags, path });
            table.descriptors.push(Some(Descriptor { open, close_on_exec: false }));
        }
        table
    }

    /// A fresh number for an open file, pipe or counter.
    pub(crate) fn next_id(&mut self) -> OpenId {
        self.next += 1;
        OpenId(self.next)
    }

    pub(crate) fn descriptor(&self, fd: u64) -> Result<Descriptor, Errno> {
        let index = usize::try_from(fd as u32).unwrap_or(usize::MAX);
        self.descriptors.get(index).copied().flatten().ok_or(Errno::EBADF)
    }

    pub(crate) fn descriptor_mut(&mut self, fd: u64) -> Result<&mut Descriptor, Errno> {
        let slot = self.descriptors.get_mut(fd as u32 as usize).ok_or(Errno::EBADF)?;
        slot.as_mut().ok_or(Errno::EBADF)
    }

    /// The open file behind a descriptor.
    pub(crate) fn get(&self, fd: u64) -> Result<&OpenFile, Errno> {
        self.open.get(&self.descriptor(fd)?.open).ok_or(Errno::EBADF)
    }

    pub(crate) fn get_mut(&mut self, fd: u64) -> Result<&mut OpenFile, Errno> {
        let id = self.descriptor(fd)?.open;
        self.open.get_mut(&id).ok_or(Errno::EBADF)
    }

    /// Descriptors in use, ascending.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = u32> + '_ {
        let slots = self.descriptors.iter().enumerate();
        slots.filter(|(_, slot)| slot.is_some()).map(|(fd, _)| fd as u32)
    }

    /// All open files.
    pub(crate) fn open_files(&self) -> impl Iterator<Item = &OpenFile> {
        self.open.values()
    }

    /// Adds an open file under the lowest free descriptor.
    pub(crate) fn add(&mut self, file: OpenFile) -> Result<u64, Errno> {
        let fd = self.lowest_free(0)?;
        let open = self.next_id();
        let close_on_exec = file.flags & flag::CLOEXEC != 0;
        let flags = file.flags & !flag::CLOEXEC;
        self.open.insert(open, OpenFile { flags, ..file });
        self.put(fd, Descriptor { open, close_on_exec });
        Ok(fd as u64)
    }

    /// The lowest free descriptor from `from` on.
    pub(crate) fn lowest_free(&self, from: usize) -> Result<usize, Errno> {
        let free = (from..self.descriptors.len()).find(|&fd| self.descriptors[fd].is_none());
        let fd = free.unwrap_or(self.descriptors.len().max(from));
        if fd < DESCRIPTORS_MAX { Ok(fd) } else { Err(Errno::EMFILE) }
    }

    /// Lets a free descriptor stand for something.
    pub(crate) fn put(&mut self, fd: usize, descriptor: Descriptor) {
        if self.descriptors.len() <= fd {
            self.descriptors.resize(fd + 1, None);
        }
        self.descriptors[fd] = Some(descriptor);
    }

    /// Closes a descriptor; returns the open file if nobody else has it.
    pub(crate) fn close(&mut self, fd: u64) -> Result<Option<OpenFile>, Errno> {
        let Descriptor { open, .. } = self.descriptor(fd)?;
        self.descriptors[fd as u32 as usize] = None;
        let shared = self.descriptors.iter().flatten().any(|other| other.open == open);
        Ok(if shared { None } else { self.open.remove(&open) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn null() -> OpenFile {
        let path = b"/dev/null".as_slice().into();
        OpenFile { kind: OpenKind::Device(Device::Null), offset: 0, flags: 2, path }
    }

    #[test]
    fn the_lowest_free_descriptor_is_used() {
        let mut table = Table::standard();
        assert_eq!(table.add(null()), Ok(3));
        assert_eq!(table.add(null()), Ok(4));
        assert!(matches!(table.close(3), Ok(Some(_))));
        assert_eq!(table.get(3).err(), Some(Errno::EBADF));
        assert_eq!(table.add(null()), Ok(3));
    }

    #[test]
    fn a_duplicate_keeps_the_open_file() {
        let mut table = Table::standard();
        let fd = table.add(null()).unwrap();
        let twin = table.descriptor(fd).unwrap();
        table.put(9, twin);
        table.get_mut(9).unwrap().offset = 7;
        assert!(matches!(table.close(fd), Ok(None)));
        assert_eq!(table.get(9).unwrap().offset, 7);
        assert!(matches!(table.close(9), Ok(Some(_))));
    }

    #[test]
    fn descriptors_are_limited() {
        let mut table = Table::standard();
        for _ in 3..DESCRIPTORS_MAX {
            table.add(null()).unwrap();
        }
        assert_eq!(table.add(null()), Err(Errno::EMFILE));
    }
}
