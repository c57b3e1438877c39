//! The only place that reads the host's files for a guest, and it can do nothing but read.
//!
//! What the guest writes goes to an overlay that the runtime keeps in memory. Devices, pipes and
//! sockets of the host are listed but never opened: opening them may block or change something.

use samovar_runtime::{DirEntry, Errno, FileStat, FileTime, FileType, HostFiles};
use samovar_vm::loader::Files;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirEntryExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

/// Largest file that a guest can read; its contents are held in memory.
const SIZE_MAX: u64 = 4 << 30;

/// The files of this machine, read-only.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOnlyHost;

impl HostFiles for ReadOnlyHost {
    fn stat(&self, path: &Path) -> Result<FileStat, Errno> {
        let metadata = fs::symlink_metadata(path).map_err(errno)?;
        let time = |seconds, nanoseconds: i64| FileTime {
            seconds,
            nanoseconds: nanoseconds.try_into().unwrap_or(0),
        };
        Ok(FileStat {
            kind: file_type(metadata.file_type()),
            mode: metadata.mode() & 0o7777,
            size: metadata.size(),
            links: metadata.nlink(),
            uid: metadata.uid(),
            gid: metadata.gid(),
            inode: metadata.ino(),
            device: metadata.dev(),
            special: metadata.rdev(),
            accessed: time(metadata.atime(), metadata.atime_nsec()),
            modified: time(metadata.mtime(), metadata.mtime_nsec()),
            changed: time(metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Errno> {
        read_regular(path, libc::O_NOFOLLOW)
    }

    fn list(&self, path: &Path) -> Result<Vec<DirEntry>, Errno> {
        let entries = fs::read_dir(path).map_err(errno)?.map(|entry| {
            let entry = entry?;
            Ok(DirEntry {
                inode: entry.ino(),
                kind: file_type(entry.file_type()?).entry_type(),
                name: entry.file_name().into_vec(),
            })
        });
        entries.collect::<io::Result<_>>().map_err(errno)
    }

    fn read_link(&self, path: &Path) -> Result<Vec<u8>, Errno> {
        Ok(fs::read_link(path).map_err(errno)?.into_os_string().into_vec())
    }
}

/// The loader looks for libraries in the same view, but follows links.
impl Files for ReadOnlyHost {
    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        read_regular(Path::new(path), 0).ok()
    }
}

/// The contents of a regular file. Without blocking on what turns out to be a pipe.
fn read_regular(path: &Path, flags: i32) -> Result<Arc<[u8]>, Errno> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags | libc::O_NONBLOCK | libc::O_NOCTTY);
    let mut file: File = options.open(path).map_err(errno)?;
    let metadata = file.metadata().map_err(errno)?;
    if metadata.is_dir() {
        return Err(Errno::EISDIR);
    }
    if !metadata.is_file() {
        return Err(Errno::EACCES);
    }
    // The size of some files, those of /proc above all, is only known after reading them.
    let mut bytes = Vec::with_capacity(metadata.len().min(SIZE_MAX) as usize);
    file.by_ref().take(SIZE_MAX + 1).read_to_end(&mut bytes).map_err(errno)?;
    if SIZE_MAX < bytes.len() as u64 {
        return Err(Errno::EFBIG);
    }
    Ok(bytes.into())
}

fn file_type(kind: fs::FileType) -> FileType {
    match kind {
        kind if kind.is_dir() => FileType::Directory,
        kind if kind.is_symlink() => FileType::Symlink,
        kind if kind.is_char_device() => FileType::CharDevice,
        kind if kind.is_block_device() => FileType::BlockDevice,
        kind if kind.is_fifo() => FileType::Fifo,
        kind if kind.is_socket() => FileType::Socket,
        _ => FileType::Regular,
    }
}

/// The host's own error number; `EIO` for errors that the standard library made up.
fn errno(error: io::Error) -> Errno {
    let number = error.raw_os_error().and_then(|number| u16::try_from(number).ok());
    number.map_or(Errno::EIO, Errno)
}

/// The bytes of a path, as a guest sees it.
pub fn path_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_can_be_read() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let bytes = HostFiles::read(&ReadOnlyHost, &manifest).unwrap();
        assert_eq!(bytes[..], fs::read(&manifest).unwrap()[..]);
        let stat = ReadOnlyHost.stat(&manifest).unwrap();
        assert_eq!((stat.kind, stat.size), (FileType::Regular, bytes.len() as u64));
    }

    #[test]
    fn nothing_else_can() {
        let read = |path: &str| HostFiles::read(&ReadOnlyHost, Path::new(path)).unwrap_err();
        assert_eq!(read("/dev/zero"), Errno::EACCES);
        assert_eq!(read("/"), Errno::EISDIR);
        assert_eq!(read("/nonexistent"), Errno::ENOENT);
        // A link, and whoever calls this has to follow it.
        assert_eq!(read("/proc/self/exe"), Errno::ELOOP);
    }

    #[test]
    fn directories_are_listed_with_types() {
        let entries = ReadOnlyHost.list(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let find = |name: &str| entries.iter().find(|entry| entry.name == name.as_bytes());
        assert_eq!(find("Cargo.toml").unwrap().kind, FileType::Regular.entry_type());
        assert_eq!(find("src").unwrap().kind, FileType::Directory.entry_type());
        assert!(find(".").is_none());
    }
}
