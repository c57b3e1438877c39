//! Source files as programs: calls the user's compiler and takes its result into memory.
//!
//! `$CC` or `$CXX` with `-g -O1 -pthread`, then the file, then the user's own flags, so that these
//! win and libraries come last. The compiler's messages go straight to the user. The directory
//! for its result is gone when this returns.

use crate::error::CommandError;
use crate::message::Messages;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where programs find the project's own headers, in a checkout.
const HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime-lib/include");

/// What a source file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
}

impl Language {
    /// The environment variable that names the compiler, and the compiler if it does not.
    fn compiler(self) -> (&'static str, &'static str) {
        match self {
            Language::C => ("CC", "cc"),
            Language::Cpp => ("CXX", "c++"),
        }
    }
}

/// The language that the file's name tells, `None` if it is no source file.
pub fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "c" => Some(Language::C),
        "cc" | "cpp" | "cxx" => Some(Language::Cpp),
        _ => None,
    }
}

/// Compiles and links one source file; the result is the executable's contents.
pub fn compile(
    source: &Path,
    language: Language,
    cflags: &[String],
    messages: &Messages,
) -> Result<Vec<u8>, CommandError> {
    let (variable, default) = language.compiler();
    let named = std::env::var(variable).unwrap_or_default();
    let words = if named.trim().is_empty() { default } else { named.as_str() };
    let mut words = words.split_whitespace();
    let compiler = words.next().unwrap_or(default).to_string();

    let scratch = Scratch::new()?;
    let executable = scratch.path.join("program");
    let mut command = Command::new(&compiler);
    command.args(words).args(["-g", "-O1", "-pthread"]);
    if Path::new(HEADERS).is_dir() {
        command.arg("-I").arg(HEADERS);
    }
    command.arg(source).args(cflags.iter().flat_map(|flags| flags.split_whitespace()));
    command.arg("-o").arg(&executable);
    messages.detail(&format_args!("compiling: {command:?}"));

    let status = command.status().map_err(|error| CommandError::NoCompiler {
        compiler: compiler.clone(),
        variable,
        error,
    })?;
    if !status.success() {
        return Err(CommandError::NotCompiled { file: source.to_path_buf(), compiler, status });
    }
    fs::read(&executable).map_err(|error| CommandError::Unreadable { file: executable, error })
}

/// A directory of our own, removed with everything in it.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new() -> Result<Scratch, CommandError> {
        let parent = std::env::temp_dir();
        let process = std::process::id();
        for attempt in 0..1000 {
            let path = parent.join(format!("samovar-{process}-{attempt}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch { path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(CommandError::NoScratch { parent, error }),
            }
        }
        Err(CommandError::NoScratch { parent, error: ErrorKind::AlreadyExists.into() })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it being gone, and the system clears its temporary directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}
