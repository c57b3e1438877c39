//! The guest's files: descriptors, pipes, and a private overlay over a read-only view of the host.
//!
//! A path is looked up in three layers: what the guest itself made or removed, what is synthesised
//! here (`/proc`, `/sys`, `/dev`), and the host's files as [`HostFiles`] shows them. Whatever the
//! guest changes is kept in the first layer; the host never changes.
//!
//! The value is copied when changed, so large parts are behind reference counts.

mod descriptor;
mod generated;
mod inode;
mod overlay;
mod path;
mod pipe;
mod resolve;

pub(crate) use descriptor::{DESCRIPTORS_MAX, Descriptor, OpenFile, OpenKind, Ready, flag};
pub(crate) use generated::{Device, Generated, stat as plain_stat};
pub(crate) use inode::{Content, FILE_SIZE_MAX, Inode, InodeId};
pub(crate) use overlay::{Directory, Name, Overlay};
pub(crate) use path::{join, parent};
pub(crate) use pipe::{Counter, PIPE_ATOMIC, Pipe, PipeId};
pub(crate) use resolve::{Body, Node, Resolved};

use crate::errno::Errno;
use crate::host::{DirEntry, FileStat, FileType, HostFiles};
use descriptor::Table;
use std::collections::BTreeMap;
use std::sync::Arc;

/// See the module head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    pub(crate) overlay: Arc<Overlay>,
    pub(crate) table: Table,
    pub(crate) pipes: BTreeMap<PipeId, Pipe>,
    pub(crate) counters: BTreeMap<PipeId, Counter>,
    /// Absolute path of the working directory, without symbolic links.
    pub(crate) cwd: Vec<u8>,
    /// Permissions that new files do not get.
    pub(crate) umask: u32,
    /// Absolute path of the program.
    pub(crate) exe: Vec<u8>,
}

impl Files {
    /// Standard input, output and error open, and nothing changed.
    pub(crate) fn new(cwd: Vec<u8>) -> Files {
        Files {
            overlay: Arc::default(),
            table: Table::standard(),
            pipes: BTreeMap::new(),
            counters: BTreeMap::new(),
            cwd: path::normalise(&cwd),
            umask: 0o022,
            exe: Vec::new(),
        }
    }

    pub(crate) fn overlay_mut(&mut self) -> &mut Overlay {
        Arc::make_mut(&mut self.overlay)
    }

    /// Facts about an open file.
    pub(crate) fn stat_inode(&self, id: InodeId) -> Result<FileStat, Errno> {
        self.overlay.inode(id).map(Inode::stat).ok_or(Errno::EIO)
    }

    /// The contents of an open regular file, fetched from the host at first use.
    pub(crate) fn contents(&mut self, host: &dyn HostFiles, id: InodeId) -> Result<&[u8], Errno> {
        self.fetch(host, id)?;
        Ok(self.overlay.inode(id).ok_or(Errno::EIO)?.bytes())
    }

    /// Makes sure that an inode's contents are here.
    pub(crate) fn fetch(&mut self, host: &dyn HostFiles, id: InodeId) -> Result<(), Errno> {
        let inode = self.overlay.inode(id).ok_or(Errno::EIO)?;
        if let Content::Host(path) = &inode.content {
            let bytes = host.read(path::as_path(path))?;
            let inode = self.overlay_mut().inode_mut(id).ok_or(Errno::EIO)?;
            inode.size = bytes.len() as u64;
            inode.content = Content::Shared(bytes);
        }
        Ok(())
    }

    /// The whole contents of the regular file at a path.
    pub(crate) fn read_whole(
        &mut self,
        host: &dyn HostFiles,
        path: &[u8],
    ) -> Result<Arc<[u8]>, Errno> {
        let node = self.resolve(host, path, true)?.existing()?;
        match node.body {
            Body::Directory => Err(Errno::EISDIR),
            Body::HostFile => host.read(path::as_path(&node.path)),
            Body::Inode(id) => self.contents(host, id).map(Into::into),
            _ => Err(Errno::EACCES),
        }
    }
}

impl Files {
    /// The entries of a directory, as all layers together show it.
    pub(crate) fn list(&self, host: &dyn HostFiles, path: &[u8]) -> Result<Vec<DirEntry>, Errno> {
        let opaque = matches!(
            self.overlay.name(path),
            Some(Name::Directory(directory)) if directory.opaque
        );
        let mut entries = if opaque || self.hidden_by_ancestor(path) {
            Vec::new()
        } else {
            match generated::list(self, path) {
                Some(entries) => entries,
                None => host.list(path::as_path(path))?,
            }
        };
        let changed: BTreeMap<&[u8], &Name> = self.overlay.children(path).collect();
        entries.retain(|entry| !matches!(changed.get(entry.name.as_slice()), Some(Name::Gone)));
        for (name, what) in changed {
            let (inode, kind) = match what {
                Name::Gone => continue,
                Name::File(id) => (self.stat_inode(*id)?.inode, FileType::Regular),
                Name::Directory(directory) => (directory.stat.inode, FileType::Directory),
                Name::Symlink { number, .. } => (*number, FileType::Symlink),
            };
            let entry = DirEntry { name: name.to_vec(), inode, kind: kind.entry_type() };
            match entries.iter_mut().find(|old| old.name == name) {
                Some(old) => *old = entry,
                None => entries.push(entry),
            }
        }
        Ok(entries)
    }
}

/// The absolute path of the program, as `/proc/self/exe` shows it.
pub(crate) fn resolve_program(files: &mut Files, host: &dyn HostFiles, path: &[u8]) -> Vec<u8> {
    match files.resolve(host, path, true) {
        Ok(resolved) => resolved.path,
        Err(_) => join(&files.cwd, path),
    }
}
