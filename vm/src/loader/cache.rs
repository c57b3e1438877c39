//! The cache of library paths that `ldconfig` writes and glibc's dynamic linker reads
//! (`/etc/ld.so.cache`), in the format that has been current since glibc 2.2.
//!
//! A cache that makes no sense is an empty one, as for the dynamic linker itself. Only entries
//! for 64-bit x86 are given. Cost: a question is one pass over the entries.

use std::sync::Arc;

use super::elf::{c_string, slice, u32_at};

const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
const HEADER_SIZE: u64 = 48;
const ENTRY_SIZE: u64 = 24;

/// The older format may stand in front of the current one.
const OLD_MAGIC: &[u8] = b"ld.so-1.7.0\0";
const OLD_ENTRY_SIZE: u64 = 12;

/// Entries for x86-64: an ELF library for libc 6, 64-bit.
const FLAGS_X86_64: u32 = 0x0303;
/// Entries without further restriction.
const FLAGS_ANY: u32 = 1;

/// An entry that is meant for processors with a named feature level.
const HWCAP_EXTENSION: u64 = 1 << 62;
const EXTENSION_MAGIC: u32 = 0xeaa4_2174;
const EXTENSION_HWCAPS: u32 = 1;
const EXTENSION_SECTIONS_MAX: u64 = 16;

/// Longest path.
const PATH_LEN_MAX: usize = 4096;

/// A library cache.
#[derive(Debug, Clone)]
pub struct LibraryCache {
    bytes: Arc<[u8]>,
    /// Where the current format starts: all offsets count from there.
    start: u64,
    count: u64,
}

impl LibraryCache {
    /// Recognises a cache; `None` if the bytes are none.
    pub fn parse(bytes: impl Into<Arc<[u8]>>) -> Option<LibraryCache> {
        let bytes: Arc<[u8]> = bytes.into();
        let mut start = 0;
        if bytes.starts_with(OLD_MAGIC) {
            let old_count = u64::from(u32_at(&bytes, OLD_MAGIC.len() as u64)?);
            let end = OLD_MAGIC.len() as u64 + 4 + old_count * OLD_ENTRY_SIZE;
            start = end.checked_next_multiple_of(8)?;
        }
        let header = slice(&bytes, start, HEADER_SIZE)?;
        // Byte 28 says which byte order: 0 unknown, 2 little-endian.
        if !header.starts_with(MAGIC) || !matches!(header[28] & 3, 0 | 2) {
            return None;
        }
        let count = u64::from(u32_at(header, 20)?);
        slice(&bytes, start + HEADER_SIZE, count * ENTRY_SIZE)?;
        Some(LibraryCache { bytes, start, count })
    }

    /// Paths of the library `name`, best first: those for the feature levels in `levels` (highest
    /// first, such as `x86-64-v3`), then the plain one.
    pub fn lookup(&self, name: &str, levels: &[String]) -> Vec<String> {
        let data = &self.bytes[self.start as usize..];
        let mut found: Vec<(usize, String)> = Vec::new();
        for number in 0..self.count {
            let Some(entry) = slice(data, HEADER_SIZE + number * ENTRY_SIZE, ENTRY_SIZE) else {
                break;
            };
            let field = |at: u64| u32_at(entry, at).unwrap_or(0);
            if !matches!(field(0), FLAGS_X86_64 | FLAGS_ANY) || !is_string(data, field(4), name) {
                continue;
            }
            let hwcap = u64::from(field(16)) | u64::from(field(20)) << 32;
            let rank = match hwcap {
                0 => Some(levels.len()),
                _ if hwcap & HWCAP_EXTENSION != 0 => {
                    let level = feature_level(data, hwcap as u32);
                    level.and_then(|level| levels.iter().position(|l| l.as_bytes() == level))
                }
                _ => None,
            };
            let path = c_string(data, u64::from(field(8)), PATH_LEN_MAX);
            let path = path.and_then(|path| std::str::from_utf8(path).ok());
            if let (Some(rank), Some(path)) = (rank, path) {
                found.push((rank, path.to_string()));
            }
            if found.len() > levels.len() + 8 {
                break;
            }
        }
        found.sort_by_key(|&(rank, _)| rank);
        found.into_iter().map(|(_, path)| path).collect()
    }
}

/// Whether the string at `offset` is `name`.
fn is_string(data: &[u8], offset: u32, name: &str) -> bool {
    let tail = data.get(offset as usize..).unwrap_or_default();
    tail.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
}

/// The name of a feature level, from the extension at the end of the cache.
fn feature_level(data: &[u8], number: u32) -> Option<&[u8]> {
    let extension = u64::from(u32_at(data, 32)?);
    if extension == 0 || u32_at(data, extension)? != EXTENSION_MAGIC {
        return None;
    }
    let count = u64::from(u32_at(data, extension + 4)?).min(EXTENSION_SECTIONS_MAX);
    let sections = (0..count).map(|i| extension + 8 + i * 16);
    for section in sections {
        if u32_at(data, section)? == EXTENSION_HWCAPS {
            let (offset, size) = (u32_at(data, section + 8)?, u32_at(data, section + 12)?);
            let names = slice(data, u64::from(offset), u64::from(size))?;
            let name = u32_at(names, u64::from(number) * 4)?;
            return c_string(data, u64::from(name), PATH_LEN_MAX);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache with one library for each feature level and a plain one, and a 32-bit one.
    fn sample() -> Vec<u8> {
        let strings = b"libx.so\0/32/libx.so\0/v3/libx.so\0/plain/libx.so\0x86-64-v3\0";
        let at = |text: &[u8]| {
            let found = strings.windows(text.len()).position(|window| window == text);
            48 + 3 * 24 + found.expect("string") as u32
        };
        let extension = 48 + 3 * 24 + strings.len() as u32;
        let mut bytes = MAGIC.to_vec();
        let word = |bytes: &mut Vec<u8>, value: u32| bytes.extend(value.to_le_bytes());
        for value in [3, strings.len() as u32, 2, extension, 0, 0, 0] {
            word(&mut bytes, value);
        }
        let entries = [
            (0x3u32, at(b"/32"), 0u64),
            (0x303, at(b"/plain"), 0),
            (0x303, at(b"/v3"), HWCAP_EXTENSION),
        ];
        for (flags, path, hwcap) in entries {
            for value in [flags, at(b"libx.so\0"), path, 0] {
                word(&mut bytes, value);
            }
            bytes.extend(hwcap.to_le_bytes());
        }
        bytes.extend(strings);
        for value in [EXTENSION_MAGIC, 1, EXTENSION_HWCAPS, 0, extension + 24, 4, at(b"x86-64-v3")]
        {
            word(&mut bytes, value);
        }
        bytes
    }

    #[test]
    fn entries_by_feature_level() {
        let cache = LibraryCache::parse(sample()).expect("cache");
        assert_eq!(cache.lookup("libx.so", &[]), ["/plain/libx.so"]);
        let levels = ["x86-64-v4".to_string(), "x86-64-v3".to_string()];
        assert_eq!(cache.lookup("libx.so", &levels), ["/v3/libx.so", "/plain/libx.so"]);
        assert!(cache.lookup("libx.s", &[]).is_empty());
        assert!(cache.lookup("liby.so", &levels).is_empty());
    }

    #[test]
    fn current_format_behind_the_old_one() {
        let mut bytes = OLD_MAGIC.to_vec();
        bytes.extend(2u32.to_le_bytes());
        bytes.extend([0xaa; 24]);
        assert_eq!(bytes.len() % 8, 0);
        bytes.extend(sample());
        let cache = LibraryCache::parse(bytes).expect("cache");
        assert_eq!(cache.lookup("libx.so", &[]), ["/plain/libx.so"]);
    }

    #[test]
    fn every_truncation_is_survived() {
        let bytes = sample();
        for len in 0..bytes.len() {
            if let Some(cache) = LibraryCache::parse(&bytes[..len]) {
                cache.lookup("libx.so", &["x86-64-v3".to_string()]);
            }
        }
    }
}
