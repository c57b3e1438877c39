//! The shared libraries of a program, found before it starts, so that a missing one is one clear
//! sentence and not a complaint of the guest's dynamic linker.

use crate::error::CommandError;
use crate::host::ReadOnlyHost;
use crate::program::Program;
use samovar_vm::loader::{Closure, Image, SearchOptions, resolve_closure};
use std::ffi::OsString;
use std::path::Path;

/// Refuses a program if something that it is linked to is not there.
pub fn check(program: &Program, variables: &[(OsString, OsString)]) -> Result<(), CommandError> {
    let image = Image::parse(program.bytes.clone(), &program.label())?;
    find(&image, &program.path, variables).map(|_| ())
}

/// The dynamic linker and the libraries that it will load.
pub fn find(
    image: &Image,
    path: &Path,
    variables: &[(OsString, OsString)],
) -> Result<Closure, CommandError> {
    let value = |name: &str| {
        let variable = variables.iter().find(|(key, _)| key == name)?;
        Some(variable.1.to_string_lossy().into_owned())
    };
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let origin = real.parent().unwrap_or(Path::new("/"));
    let options = SearchOptions {
        library_path: value("LD_LIBRARY_PATH"),
        preload: value("LD_PRELOAD"),
        origin: origin.to_string_lossy().into_owned(),
        feature_levels: Vec::new(),
    };
    Ok(resolve_closure(image, &ReadOnlyHost, &options)?)
}
