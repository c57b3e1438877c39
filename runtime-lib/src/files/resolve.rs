//! Path resolution through the three layers, symbolic links included.

use super::Files;
use super::generated::{self, Device, Generated};
use super::inode::InodeId;
use super::overlay::Name;
use super::path::{as_path, child, components, parent};
use crate::errno::Errno;
use crate::host::{FileStat, FileType, HostFiles};

/// Symbolic links that one path may go through.
const LINKS_MAX: usize = 40;
/// Longest path and longest component.
const PATH_MAX: usize = 4096;
const NAME_MAX: usize = 255;

/// What a path leads to.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Absolute path without symbolic links (the last component may be one).
    pub path: Vec<u8>,
    pub stat: FileStat,
    pub body: Body,
}

/// What a node is made of.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A regular file in the overlay.
    Inode(InodeId),
    /// A file of the host that is no directory and no link.
    HostFile,
    Directory,
    Symlink(Vec<u8>),
    Device(Device),
    /// Contents made up when it is opened.
    Generated(Generated),
    /// Whatever this descriptor stands for (`/proc/self/fd`).
    Descriptor(u32),
}

/// A resolved path; the last component may be missing.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub path: Vec<u8>,
    pub node: Option<Node>,
    /// The path ended with a slash, so it must be a directory.
    pub must_be_directory: bool,
}

impl Resolved {
    /// The node, or why there is none.
    pub(crate) fn existing(self) -> Result<Node, Errno> {
        let node = self.node.ok_or(Errno::ENOENT)?;
        if self.must_be_directory && node.stat.kind != FileType::Directory {
            return Err(Errno::ENOTDIR);
        }
        Ok(node)
    }
}

impl Files {
    /// Resolves a path relative to the working directory.
    pub(crate) fn resolve(
        &self,
        host: &dyn HostFiles,
        path: &[u8],
        follow: bool,
    ) -> Result<Resolved, Errno> {
        self.resolve_from(host, &self.cwd.clone(), path, follow)
    }

    /// Resolves a path relative to a directory; `follow` says what to do with a link at the end.
    pub(crate) fn resolve_from(
        &self,
        host: &dyn HostFiles,
        base: &[u8],
        path: &[u8],
        follow: bool,
    ) -> Result<Resolved, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        if path.len() >= PATH_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        let must_be_directory = path.ends_with(b"/") || path.ends_with(b"/.");
        let mut at = if path.starts_with(b"/") { b"/".to_vec() } else { base.to_vec() };
        let mut todo: Vec<Vec<u8>> = components(path).rev().map(<[u8]>::to_vec).collect();
        let mut links = 0;
        let mut node = self.node_at(host, &at)?;
        while let Some(part) = todo.pop() {
            if part.len() > NAME_MAX {
                return Err(Errno::ENAMETOOLONG);
            }
            match &node {
                None => return Err(Errno::ENOENT),
                Some(node) if node.stat.kind != FileType::Directory => return Err(Errno::ENOTDIR),
                Some(_) => {}
            }
            if part == b".." {
                at = parent(&at).to_vec();
                node = self.node_at(host, &at)?;
                continue;
            }
            let next = child(&at, &part);
            node = self.node_at(host, &next)?;
            if let Some(fd) = generated::descriptor_link(&next)
                && let Some(node) = node.as_mut().filter(|_| follow && todo.is_empty())
            {
                node.body = Body::Descriptor(fd);
            }
            let target = match &node {
                Some(Node { body: Body::Symlink(target), .. })
                    if follow || must_be_directory || !todo.is_empty() =>
                {
                    target.clone()
                }
                _ => {
                    at = next;
                    continue;
                }
            };
            links += 1;
            if links > LINKS_MAX {
                return Err(Errno::ELOOP);
            }
            todo.extend(components(&target).rev().map(<[u8]>::to_vec));
            if target.starts_with(b"/") {
                at = b"/".to_vec();
            }
            node = self.node_at(host, &at)?;
        }
        Ok(Resolved { path: at, node, must_be_directory })
    }

    /// What is at a path whose directory part has no symbolic links. `None` if nothing is.
    pub(crate) fn node_at(&self, host: &dyn HostFiles, path: &[u8]) -> Result<Option<Node>, Errno> {
        let node = |stat, body| Ok(Some(Node { path: path.to_vec(), stat, body }));
        match self.overlay.name(path) {
            Some(Name::Gone) => return Ok(None),
            Some(Name::File(id)) => return node(self.stat_inode(*id)?, Body::Inode(*id)),
            Some(Name::Directory(directory)) => return node(directory.stat, Body::Directory),
            Some(Name::Symlink { target, number, time }) => {
                let stat = generated::link_stat(target.len(), *number, *time);
                return node(stat, Body::Symlink(target.to_vec()));
            }
            None => {}
        }
        if self.hidden_by_ancestor(path) {
            return Ok(None);
        }
        if let Some(found) = generated::lookup(self, path) {
            return Ok(found.map(|(stat, body)| Node { path: path.to_vec(), stat, body }));
        }
        match host.stat(as_path(path)) {
            Ok(stat) => {
                let body = match stat.kind {
                    FileType::Directory => Body::Directory,
                    FileType::Symlink => Body::Symlink(host.read_link(as_path(path))?),
                    _ => Body::HostFile,
                };
                node(stat, body)
            }
            Err(Errno::ENOENT | Errno::ENOTDIR) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Whether the guest removed or replaced a directory above a path.
    pub(crate) fn hidden_by_ancestor(&self, path: &[u8]) -> bool {
        let mut at = path;
        while at != b"/" {
            at = parent(at);
            match self.overlay.name(at) {
                Some(Name::Directory(directory)) if directory.opaque => return true,
                Some(Name::Gone | Name::File(_) | Name::Symlink { .. }) => return true,
                _ => {}
            }
        }
        false
    }
}
