//! Files that a command is to write, looked at before it does anything that takes long: they must
//! not be what the command reads, nor each other, and there must be a way to write them.
//!
//! Files are told by what they are, not by their names, so links are seen through. Devices and
//! pipes may be named as often as one likes. A default name is not tried out: nobody asked for it.

use crate::error::CommandError;
use crate::whole;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    option: &'static str,
    file: &'a Path,
    is_named: bool,
}

impl<'a> Output<'a> {
    /// The file of an option, if it is given.
    pub fn named(option: &'static str, file: Option<&'a PathBuf>) -> Option<Output<'a>> {
        file.map(|file| Output { option, file, is_named: true })
    }

    /// The same for an option that has a default.
    pub fn or(option: &'static str, file: Option<&'a PathBuf>, default: &'a Path) -> Output<'a> {
        let default = Output { option, file: default, is_named: false };
        Output::named(option, file).unwrap_or(default)
    }
}

/// Looks at the files of a command; `inputs` are what it reads, and what that is.
pub fn check(outputs: &[Output<'_>], inputs: &[(&'static str, &Path)]) -> Result<(), CommandError> {
    let named = || outputs.iter().filter(|output| output.is_named);
    for &Output { option, file, .. } in named() {
        if file.as_os_str() == "-" {
            return Err(CommandError::NoStream { option });
        }
        let what = inputs.iter().find(|(_, input)| is_same(file, input)).map(|(what, _)| *what);
        if let Some(what) = what {
            return Err(CommandError::Overwrites { option, file: file.to_path_buf(), what });
        }
    }
    for (at, one) in outputs.iter().enumerate() {
        if let Some(other) = outputs[at + 1..].iter().find(|other| is_same(one.file, other.file)) {
            let (first, second, file) = (one.option, other.option, one.file.to_path_buf());
            return Err(CommandError::SameFile { first, second, file });
        }
    }
    for &Output { file, .. } in named() {
        can_be_written(file)
            .map_err(|error| CommandError::Unwritable { file: file.to_path_buf(), error })?;
    }
    Ok(())
}

/// What tells a file from all others.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// Of one that is there.
    Inode(u64, u64),
    /// Of one that is not.
    Name(PathBuf),
}

fn identity(file: &Path) -> Option<Identity> {
    match fs::metadata(file) {
        Ok(metadata) if metadata.is_file() => Some(Identity::Inode(metadata.dev(), metadata.ino())),
        Ok(_) => None,
        Err(_) => {
            let directory = directory_of(file).canonicalize().ok()?;
            Some(Identity::Name(directory.join(file.file_name()?)))
        }
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a file can be written, as far as can be told without writing it.
fn can_be_written(file: &Path) -> io::Result<()> {
    match fs::metadata(file) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => Ok(()),
        _ if file.as_os_str().as_bytes().ends_with(b"/") => Err(io::ErrorKind::IsADirectory.into()),
        _ => whole::probe(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_what_they_are() {
        let directory = std::env::temp_dir().join(format!("samovar-same-{}", std::process::id()));
        fs::create_dir_all(directory.join("sub")).unwrap();
        let at = |name: &str| directory.join(name);
        fs::write(at("a"), b"").unwrap();
        fs::write(at("b"), b"").unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        std::os::unix::fs::symlink(at("a"), at("soft")).unwrap();
        for same in ["a", "hard", "soft", "sub/../a", "./a"] {
            assert!(is_same(&at("a"), &at(same)), "{same}");
        }
        assert!(!is_same(&at("a"), &at("b")));
        assert!(is_same(&at("new"), &at("sub/../new")));
        assert!(!is_same(&at("new"), &at("newer")) && !is_same(&at("new"), &at("no/new")));
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")));
        let before = fs::read_dir(&directory).unwrap().count();
        can_be_written(&at("a")).unwrap();
        can_be_written(&at("new")).unwrap();
        can_be_written(Path::new("/dev/null")).unwrap();
        for bad in ["", "new/", "no/new", "sub", "a/b"] {
            assert!(can_be_written(&at(bad)).is_err(), "{bad}");
        }
        assert_eq!(fs::read_dir(&directory).unwrap().count(), before, "nothing is left behind");
        fs::remove_dir_all(&directory).unwrap();
    }
}
