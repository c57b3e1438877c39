//! The program of a trail as a file on the host, for debuggers and for the real processor.
//!
//! Usually that is the file that was checked. A program that was compiled from source was never
//! left anywhere, so it is written to a private directory, which is gone with this value.

use crate::error::CommandError;
use samovar_runtime::Process;
use std::fs::{self, DirBuilder, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// See the module head.
#[derive(Debug)]
pub struct Executable {
    path: PathBuf,
    /// The directory to be removed.
    own: Option<PathBuf>,
}

impl Executable {
    /// The file of a process that was just loaded.
    pub fn of(process: &Process) -> Result<Executable, CommandError> {
        let module = &process.modules()[0];
        let bytes = module.image.bytes();
        if fs::read(&module.path).is_ok_and(|present| present[..] == bytes[..]) {
            return Ok(Executable { path: PathBuf::from(&module.path), own: None });
        }
        let name = Path::new(&module.path).file_name().unwrap_or("program".as_ref());
        let parent = std::env::temp_dir();
        let failed = |error| CommandError::NoScratch { parent: parent.clone(), error };
        let mut attempt = 0;
        let own = loop {
            let own = parent.join(format!("samovar-replay-{}-{attempt}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&own) {
                Ok(()) => break own,
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 1000 => {
                    attempt += 1;
                }
                Err(error) => return Err(failed(error)),
            }
        };
        let path = own.join(name);
        let executable = Executable { path: path.clone(), own: Some(own) };
        fs::write(&path, &bytes[..]).map_err(failed)?;
        fs::set_permissions(&path, Permissions::from_mode(0o700)).map_err(failed)?;
        Ok(executable)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        if let Some(own) = &self.own {
            // Nothing depends on it being gone, and the system clears its temporary directory.
            let _ = fs::remove_dir_all(own);
        }
    }
}
