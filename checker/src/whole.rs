//! Files that are written whole or not at all: next to where they go, then moved there.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file with the contents that `fill` gives it. Devices and pipes are written as they are;
/// what a link leads to is replaced, not the link.
pub fn write(file: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if fs::metadata(file).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        let mut out = BufWriter::new(File::options().write(true).open(file)?);
        fill(&mut out)?;
        return out.flush();
    }
    let file = &fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let part = part(file)?;
    let result = File::create_new(&part).and_then(|out| {
        let mut out = BufWriter::new(out);
        fill(&mut out)?;
        let out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        out.sync_all()?;
        fs::rename(&part, file)
    });
    if result.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&part);
    }
    result
}

/// Whether a file could be written if it was small; leaves nothing behind.
pub fn probe(file: &Path) -> io::Result<()> {
    let part = part(&fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf()))?;
    File::create_new(&part)?;
    fs::remove_file(&part)
}

/// Where a file is written before it is moved.
fn part(file: &Path) -> io::Result<PathBuf> {
    let mut name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    Ok(file.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_leaves_nothing_behind() {
        let directory = std::env::temp_dir().join(format!("samovar-whole-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let file = directory.join("a");
        write(&file, |out| out.write_all(b"first")).unwrap();
        let failed = write(&file, |out| {
            out.write_all(b"second")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&file).unwrap(), b"first");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
        assert!(write(&directory, |_| Ok(())).is_err(), "a directory is no file");
        assert!(write(Path::new("/"), |_| Ok(())).is_err());
        write(Path::new("/dev/null"), |out| out.write_all(b"x")).unwrap();
        fs::remove_dir_all(&directory).unwrap();
    }
}
