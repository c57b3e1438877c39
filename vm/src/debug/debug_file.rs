//! Which separate debug files a program could have. Distributions strip their programs and ship
//! the debug information in files of its own, found by build id or by `.gnu_debuglink`.
//!
//! This only names the candidates; the caller looks whether they exist.

use super::DebugInfo;
use super::hex;

/// A place where the separate debug file of a program may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugFileCandidate {
    /// Path of the file.
    pub path: String,
    /// The checksum that its contents must have (see [`debug_link_checksum`]); None if the build
    /// id decides, which [`DebugInfo::with_debug_file`] checks.
    pub checksum: Option<u32>,
}

impl DebugInfo {
    /// The paths where the separate debug file of this program may be, best first.
    ///
    /// `program` is the program's own absolute path, `debug_root` the directory under which the
    /// system keeps such files (`/usr/lib/debug`).
    pub fn debug_file_candidates(
        &self,
        program: &str,
        debug_root: &str,
    ) -> Vec<DebugFileCandidate> {
        let root = debug_root.trim_end_matches('/');
        let mut candidates = Vec::new();
        if let Some((first, rest)) = self.image.build_id().and_then(<[u8]>::split_first) {
            let path = format!("{root}/.build-id/{first:02x}/{}.debug", hex(rest));
            candidates.push(DebugFileCandidate { path, checksum: None });
        }
        if let Some((name, checksum)) = self.image.debug_link()
            && !name.contains('/')
        {
            let directory = program.rsplit_once('/').map_or("", |(directory, _)| directory);
            for directory in
                [directory.to_string(), format!("{directory}/.debug"), format!("{root}{directory}")]
            {
                let path = format!("{directory}/{name}");
                if path != program {
                    candidates.push(DebugFileCandidate { path, checksum: Some(checksum) });
                }
            }
        }
        candidates
    }
}

/// The checksum of a file's contents that `.gnu_debuglink` records (CRC-32).
pub fn debug_link_checksum(bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|index| {
        (0..8).fold(index as u32, |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    });
    let crc = bytes
        .iter()
        .fold(u32::MAX, |crc, byte| (crc >> 8) ^ table[usize::from((crc as u8) ^ byte)]);
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_is_the_standard_one() {
        assert_eq!(debug_link_checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(debug_link_checksum(b""), 0);
    }
}
