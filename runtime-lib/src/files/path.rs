//! Paths as bytes: absolute, normalised, without the file system's help.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The non-empty components that are not `.`.
pub(crate) fn components(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// A path relative to a directory, as an absolute one; `..` is resolved as text.
pub(crate) fn join(base: &[u8], path: &[u8]) -> Vec<u8> {
    if path.starts_with(b"/") {
        return normalise(path);
    }
    normalise(&[base, b"/", path].concat())
}

/// An absolute path without `.`, `..`, doubled and final slashes.
pub(crate) fn normalise(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in components(path) {
        match part {
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let mut whole = Vec::with_capacity(path.len() + 1);
    for part in &parts {
        whole.push(b'/');
        whole.extend_from_slice(part);
    }
    if whole.is_empty() {
        whole.push(b'/');
    }
    whole
}

/// The directory of a normalised path.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(0) | None => b"/",
        Some(at) => &path[..at],
    }
}

/// A directory's normalised path with one more component.
pub(crate) fn child(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = directory.to_vec();
    if path != b"/" {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// The last component of a normalised path.
pub(crate) fn file_name(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(at) => &path[at + 1..],
        None => path,
    }
}

/// For the host's functions.
pub(crate) fn as_path(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_slashes_go() {
        assert_eq!(normalise(b"/a//b/./c/../d/"), b"/a/b/d");
        assert_eq!(normalise(b"/../.."), b"/");
        assert_eq!(join(b"/x/y", b"../z"), b"/x/z");
        assert_eq!(join(b"/x", b"/z"), b"/z");
    }

    #[test]
    fn parts_of_a_path() {
        assert_eq!(parent(b"/a/b"), b"/a");
        assert_eq!(parent(b"/a"), b"/");
        assert_eq!(file_name(b"/a/b"), b"b");
        assert_eq!(child(b"/", b"a"), b"/a");
        assert_eq!(child(b"/a", b"b"), b"/a/b");
    }
}
