//! Source files as programs: calls the user's compiler and takes its result into memory.
//!
//! `$CC` or `$CXX` with `-g -O1 -pthread`, then the file, then the user's own flags, so that these
//! win and libraries come last. The compiler's messages go straight to the user. The project's own
//! headers are on the path, and its library for verification benchmarks is linked to a file that
//! mentions the names which it defines; both come out of this executable. The directory for all
//! this is gone when this returns.

use crate::error::CommandError;
use crate::message::Messages;
use samovar_runtime::request::source as runtime;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let scratch = Scratch::new()?;
    let headers = scratch.headers()?;
    let executable = scratch.path.join("program");
    let mut call = Call::new(language);
    call.command.args(["-g", "-O1", "-pthread"]).arg("-I").arg(&headers);
    // The result must not depend on where the directory is.
    call.command.arg(format!("-fdebug-prefix-map={}=samovar", headers.display()));
    call.command.arg(source).args(cflags.iter().flat_map(|flags| flags.split_whitespace()));
    let text = fs::read(source)
        .map_err(|error| CommandError::Unreadable { file: source.to_path_buf(), error })?;
    if runtime::uses_verifier(&text) {
        call.command.arg(verifier_object(&scratch, &headers, messages)?);
    }
    call.command.arg("-o").arg(&executable);
    let compiler = call.compiler.clone();
    call.make(source, messages)?;
    fs::read(&executable).map_err(|error| match error.kind() {
        ErrorKind::NotFound => CommandError::NothingMade { file: source.to_path_buf(), compiler },
        _ => CommandError::Unreadable { file: executable, error },
    })
}

/// Compiles the library for verification benchmarks, fit for every kind of executable. It has no
/// debug information: what it does happens where the program calls it.
fn verifier_object(
    scratch: &Scratch,
    headers: &Path,
    messages: &Messages,
) -> Result<PathBuf, CommandError> {
    let (name, text) = runtime::VERIFIER;
    let source = scratch.write(name, text)?;
    let object = source.with_extension("o");
    let mut call = Call::new(Language::C);
    call.command.args(["-O1", "-fPIC", "-w", "-I"]).arg(headers).arg("-c").arg(&source);
    call.command.arg("-o").arg(&object);
    call.make(&source, messages)?;
    Ok(object)
}

/// A call of the compiler.
struct Call {
    compiler: String,
    variable: &'static str,
    command: Command,
}

impl Call {
    fn new(language: Language) -> Call {
        let (variable, default) = language.compiler();
        let named = std::env::var(variable).unwrap_or_default();
        let words = if named.trim().is_empty() { default } else { named.as_str() };
        let mut words = words.split_whitespace();
        let compiler = words.next().unwrap_or(default).to_string();
        let mut command = Command::new(&compiler);
        command.args(words);
        Call { compiler, variable, command }
    }

    fn make(mut self, source: &Path, messages: &Messages) -> Result<(), CommandError> {
        messages.detail(&format_args!("compiling: {:?}", self.command));
        let (compiler, variable) = (self.compiler, self.variable);
        match self.command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => {
                let file = source.to_path_buf();
                Err(CommandError::NotCompiled { file, compiler, status })
            }
            Err(error) => Err(CommandError::NoCompiler { compiler, variable, error }),
        }
    }
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

    /// A directory with the project's headers.
    fn headers(&self) -> Result<PathBuf, CommandError> {
        for (name, text) in runtime::HEADERS {
            self.write(&format!("include/{name}"), text)?;
        }
        Ok(self.path.join("include"))
    }

    /// Writes a file of our own.
    fn write(&self, name: &str, text: &str) -> Result<PathBuf, CommandError> {
        let file = self.path.join(name);
        let directory = file.parent().unwrap_or(&self.path);
        fs::create_dir_all(directory)
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| CommandError::NoScratch { parent: directory.to_path_buf(), error })?;
        Ok(file)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it being gone, and the system clears its temporary directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}
