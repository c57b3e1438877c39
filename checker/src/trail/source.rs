//! Source text for trails: the only part of this module tree that reads the host's files.

use super::names::Location;
use std::collections::HashMap;
use std::path::PathBuf;

/// Largest source file that is read.
const SIZE_MAX: u64 = 16 << 20;

/// Source files by path, read when first asked for.
#[derive(Debug, Default)]
pub struct Sources {
    files: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    /// The text of a line, without the space around it; `None` if the file is not there.
    pub fn line(&mut self, location: &Location) -> Option<String> {
        let (file, line) = (location.file.as_deref()?, location.line?);
        let text = self.lines(file)?.get(line.checked_sub(1)? as usize)?.trim();
        (!text.is_empty()).then(|| text.to_string())
    }

    /// All lines of a file; `None` if it is not there.
    pub fn lines(&mut self, file: &str) -> Option<&[String]> {
        self.files.entry(file.to_string()).or_insert_with(|| read(file)).as_deref()
    }
}

fn read(file: &str) -> Option<Vec<String>> {
    let path = PathBuf::from(file);
    let metadata = std::fs::metadata(&path).ok()?;
    if !metadata.is_file() || SIZE_MAX < metadata.len() {
        return None;
    }
    let bytes = std::fs::read(&path).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_string).collect())
}
