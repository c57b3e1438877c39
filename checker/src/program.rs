//! From what the user typed as PROGRAM to the bytes of an executable.
//!
//! A name without a slash that is no file here is looked up on `PATH`, as a shell would. Source
//! files are compiled first. The result is held in memory, so that nothing of the compilation is
//! left on the host once this module is done.

use crate::compile;
use crate::error::CommandError;
use crate::message::Messages;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An executable, ready for the loader.
#[derive(Debug)]
pub struct Program {
    /// What the guest gets as its `argv[0]`.
    pub name: OsString,
    /// The path by which it is executed; for a compiled source file there is nothing there.
    pub path: PathBuf,
    /// The contents of the file.
    pub bytes: Arc<[u8]>,
}

impl Program {
    /// The program's name in messages.
    pub fn label(&self) -> String {
        self.path.display().to_string()
    }
}

/// Finds PROGRAM, compiles it if it is a source file, and reads it.
pub fn read(named: &Path, cflags: &[String], messages: &Messages) -> Result<Program, CommandError> {
    if let Some(language) = compile::language(named) {
        check_readable(named)?;
        let bytes = compile::compile(named, language, cflags, messages)?;
        let path = named.with_extension("");
        return Ok(Program { name: path.clone().into(), path, bytes: bytes.into() });
    }
    let file = find(named);
    check_readable(&file)?;
    let bytes = std::fs::read(&file)
        .map_err(|error| CommandError::Unreadable { file: named.to_path_buf(), error })?;
    Ok(Program { name: named.into(), path: file, bytes: bytes.into() })
}

/// The file that a shell would execute for this name; the name itself if there is none.
pub fn find(named: &Path) -> PathBuf {
    let has_slash = named.as_os_str().as_bytes().contains(&b'/');
    if has_slash || named.exists() {
        return named.to_path_buf();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(&path).map(|directory| directory.join(named));
    candidates.into_iter().find(|file| file.is_file()).unwrap_or_else(|| named.to_path_buf())
}

/// A good error now instead of a vague one later; reading a device or a pipe could block.
fn check_readable(file: &Path) -> Result<(), CommandError> {
    let file_buf = || file.to_path_buf();
    match std::fs::metadata(file) {
        Ok(metadata) if metadata.is_dir() => Err(CommandError::Directory { file: file_buf() }),
        Ok(metadata) if !metadata.is_file() => Err(CommandError::NotRegular { file: file_buf() }),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(CommandError::NoSuchProgram { file: file_buf() })
        }
        Err(error) => Err(CommandError::Unreadable { file: file_buf(), error }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(named: &str) -> String {
        read(Path::new(named), &[], &Messages::default()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_file_is_named() {
        let missing = complaint("/nonexistent/program");
        assert!(missing.starts_with("/nonexistent/program: no such program"), "{missing}");
        assert!(complaint("/").starts_with("/: a directory"), "{}", complaint("/"));
        let device = complaint("/dev/null");
        assert!(device.starts_with("/dev/null: not a regular file"), "{device}");
        let source = complaint("/nonexistent/program.c");
        assert!(source.starts_with("/nonexistent/program.c: no such program"), "{source}");
    }

    #[test]
    fn bare_names_are_looked_up() {
        let program = read(Path::new("sh"), &[], &Messages::default()).unwrap();
        assert_eq!(program.name, "sh");
        assert!(program.path.is_absolute());
        assert!(program.bytes.starts_with(b"\x7fELF"));
    }
}
