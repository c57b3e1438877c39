//! The DWARF sections of a file as slices, inflated where the linker or a packager compressed them
//! (`SHF_COMPRESSED` with zlib, and the older `.zdebug_` form).
//!
//! Inflating is worth its small dependency: distributions ship their separate debug files
//! compressed. Output is bounded by what the section header promises and by a hard cap.

use std::ops::Range;
use std::sync::Arc;

use gimli::{DwarfSections, EndianSlice, LittleEndian, SectionId};
use goblin::elf::section_header::SHF_COMPRESSED;

use super::elf::{Image, Section};
use super::error::DebugError;

/// A slice of a debug section.
pub(super) type Slice<'a> = EndianSlice<'a, LittleEndian>;
/// All debug sections, borrowed.
pub(super) type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;

/// No inflated section may be larger.
const INFLATED_MAX: usize = 1 << 30;
/// Deflate cannot do better than this.
const RATIO_MAX: usize = 1032;

/// Where the bytes of one debug section are.
#[derive(Debug, Default)]
enum Part {
    #[default]
    Absent,
    File(Range<usize>),
    Inflated(Vec<u8>),
}

/// The debug sections of one file.
#[derive(Debug)]
pub(super) struct Sections {
    bytes: Arc<[u8]>,
    parts: DwarfSections<Part>,
    /// What could not be read, for the report.
    pub(super) problems: Vec<DebugError>,
    /// Total size of the inflated sections.
    pub(super) inflated_bytes: usize,
}

impl Sections {
    /// Finds (and where needed inflates) the debug sections of `image`.
    pub(super) fn load(image: &Image) -> Sections {
        let mut problems = Vec::new();
        let mut inflated_bytes = 0;
        let mut load = |id: SectionId| -> Result<Part, std::convert::Infallible> {
            Ok(match part(image, id.name()) {
                Ok(part) => {
                    if let Part::Inflated(bytes) = &part {
                        inflated_bytes += bytes.len();
                    }
                    part
                }
                Err(problem) => {
                    problems.push(problem);
                    Part::Absent
                }
            })
        };
        let parts = DwarfSections::load(&mut load).unwrap_or_default();
        if let Some(name) = supplementary(image) {
            problems.push(DebugError::Supplementary(name));
        }
        Sections { bytes: image.bytes.clone(), parts, problems, inflated_bytes }
    }

    /// The sections as gimli wants them; cheap.
    pub(super) fn dwarf(&self) -> Dwarf<'_> {
        self.parts.borrow(|part| {
            let bytes = match part {
                Part::Absent => &[],
                Part::File(range) => self.bytes.get(range.clone()).unwrap_or(&[]),
                Part::Inflated(bytes) => &bytes[..],
            };
            EndianSlice::new(bytes, LittleEndian)
        })
    }
}

fn part(image: &Image, name: &str) -> Result<Part, DebugError> {
    if let Some(section) = image.section(name) {
        if section.is_truncated {
            return Err(DebugError::Truncated(name.to_string()));
        }
        if section.flags & u64::from(SHF_COMPRESSED) != 0 {
            return inflate_section(name, image.data(section)).map(Part::Inflated);
        }
        return Ok(section.range.clone().map_or(Part::Absent, Part::File));
    }
    let old = name.replacen(".debug_", ".zdebug_", 1);
    match image.section(&old) {
        Some(section) => inflate_old(&old, image, section).map(Part::Inflated),
        None => Ok(Part::Absent),
    }
}

/// `SHF_COMPRESSED`: an `Elf64_Chdr` and the compressed bytes.
fn inflate_section(name: &str, data: &[u8]) -> Result<Vec<u8>, DebugError> {
    const ZLIB: u32 = 1;
    const HEADER_SIZE: usize = 24;
    let broken = || DebugError::Inflate(name.to_string());
    let method = u32::from_le_bytes(*data.first_chunk().ok_or_else(broken)?);
    if method != ZLIB {
        let method = if method == 2 { "zstd".to_string() } else { format!("method {method}") };
        return Err(DebugError::Compressed { section: name.to_string(), method });
    }
    let size = data.get(8..16).and_then(|size| size.first_chunk()).ok_or_else(broken)?;
    let body = data.get(HEADER_SIZE..).ok_or_else(broken)?;
    inflate(body, u64::from_le_bytes(*size)).ok_or_else(broken)
}

/// `.zdebug_*`: "ZLIB", the size in big endian, and the compressed bytes.
fn inflate_old(name: &str, image: &Image, section: &Section) -> Result<Vec<u8>, DebugError> {
    let broken = || DebugError::Inflate(name.to_string());
    let data = image.data(section).strip_prefix(b"ZLIB").ok_or_else(broken)?;
    let (size, body) = data.split_first_chunk().ok_or_else(broken)?;
    inflate(body, u64::from_be_bytes(*size)).ok_or_else(broken)
}

fn inflate(body: &[u8], size: u64) -> Option<Vec<u8>> {
    let size = usize::try_from(size).ok()?;
    if size > INFLATED_MAX || size > body.len().saturating_mul(RATIO_MAX) {
        return None;
    }
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(body, size).ok()?;
    (bytes.len() == size).then_some(bytes)
}

fn supplementary(image: &Image) -> Option<String> {
    let data = image.data(image.section(".gnu_debugaltlink")?);
    let length = data.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&data[..length]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_compression_headers_are_refused() {
        assert!(matches!(inflate_section(".debug_info", &[1, 0]), Err(DebugError::Inflate(_))));
        let mut bomb = vec![1, 0, 0, 0, 0, 0, 0, 0];
        bomb.extend_from_slice(&u64::MAX.to_le_bytes());
        bomb.extend_from_slice(&[0; 40]);
        assert!(matches!(inflate_section(".debug_info", &bomb), Err(DebugError::Inflate(_))));
        let zstd = [2u8, 0, 0, 0];
        let error = inflate_section(".debug_str", &zstd).unwrap_err();
        assert_eq!(
            error.to_string(),
            "debug section .debug_str is compressed with zstd; recompile with -gz=none"
        );
    }
}
