//! Why a command cannot do what was asked. Each message is one lower-case sentence that names the
//! thing and, where there is something to do, says what. All of these end with exit status 2.
//!
//! Findings about the guest are not errors and never appear here; defects of `samovar` itself are
//! panics and do not appear here either.

use samovar_vm::loader;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// See the module head.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is no such file.
    #[error("{}: no such program; give the path of an executable or of a .c file", file.display())]
    NoSuchProgram {
        /// As given by the user.
        file: PathBuf,
    },
    /// A directory where a program is wanted.
    #[error("{}: a directory, not a program; name a file in it", file.display())]
    Directory {
        /// As given by the user.
        file: PathBuf,
    },
    /// A device, a pipe or a socket where a program is wanted.
    #[error("{}: not a regular file; give the path of an executable", file.display())]
    NotRegular {
        /// As given by the user.
        file: PathBuf,
    },
    /// The file is there, but cannot be read.
    #[error("{}: cannot be read: {}", file.display(), reason(error))]
    Unreadable {
        /// As given by the user.
        file: PathBuf,
        /// What the host said.
        error: io::Error,
    },
    /// The loader refuses the file, or does not find what it needs.
    #[error(transparent)]
    Load(#[from] loader::LoadError),
    /// No process can be made of it.
    #[error(transparent)]
    Process(#[from] samovar_runtime::LoadError),
    /// An option that the search does not know.
    #[error("{option} is for --search {searches}")]
    IdleOption {
        /// The option.
        option: &'static str,
        /// Searches that know it.
        searches: &'static str,
    },
    /// An option that the store does not know.
    #[error("{option} is for --store {stores}")]
    IdleStoreOption {
        /// The option.
        option: &'static str,
        /// Stores that know it.
        stores: &'static str,
    },
    /// A heuristic that goes to a known error, without one.
    #[error("the heuristics hamming and fsm go to a known error: name its trail with --toward")]
    NoTarget,
    /// A known error that no heuristic goes to.
    #[error("--toward is for --heuristic hamming or fsm")]
    IdleTarget,
    /// The compiler could not be started.
    #[error(
        "the compiler {compiler} cannot be started: {}; install it or set {variable}",
        reason(error)
    )]
    NoCompiler {
        /// The command.
        compiler: String,
        /// `CC` or `CXX`.
        variable: &'static str,
        /// What the host said.
        error: io::Error,
    },
    /// The compiler had complaints, which it has printed itself.
    #[error("{}: not compiled, {compiler} failed with {status}", file.display())]
    NotCompiled {
        /// The source file.
        file: PathBuf,
        /// The command.
        compiler: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// The compiler is content, and there is no program.
    #[error("{}: not compiled, {compiler} has made no program", file.display())]
    NothingMade {
        /// The source file.
        file: PathBuf,
        /// The command.
        compiler: String,
    },
    /// No place for the compiler's result.
    #[error("no temporary directory in {}: {}; set TMPDIR", parent.display(), reason(error))]
    NoScratch {
        /// Where it was tried.
        parent: PathBuf,
        /// What the host said.
        error: io::Error,
    },
    /// Output of the guest or a report cannot be written.
    #[error("the standard {} cannot be written: {}", stream(*fd), reason(error))]
    Output {
        /// 1 or 2.
        fd: u32,
        /// What the host said.
        error: io::Error,
    },
    /// A formula does not fit the program.
    #[error(transparent)]
    Formula(#[from] crate::formula::FormulaError),
    /// Locals of threads change without a visible operation.
    #[error(
        "invariants and goals over locals of threads need --reduce none: locals change between \
         the points where threads are switched"
    )]
    LocalsNeedAll,
    /// The project's options make no sense.
    #[error(transparent)]
    Project(#[from] crate::project::ProjectError),
    /// A manual page of nothing.
    #[error("{name}: no command of samovar")]
    NoSuchCommand {
        /// As given by the user.
        name: String,
    },
    /// A report cannot be written.
    #[error("{}: cannot be written: {}; name another file", file.display(), reason(error))]
    Unwritable {
        /// As given by the user.
        file: PathBuf,
        /// What the host said.
        error: io::Error,
    },
    /// A report would replace what the command reads.
    #[error("{option} {} would overwrite {what}; name another file", file.display())]
    Overwrites {
        /// The option that names it.
        option: &'static str,
        /// As given by the user.
        file: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// One report would replace the other.
    #[error("{first} and {second} are both {}; name another file for one of them", file.display())]
    SameFile {
        /// The option that names it.
        first: &'static str,
        /// And the other one.
        second: &'static str,
        /// As given by the user.
        file: PathBuf,
    },
    /// A stream where a file is wanted.
    #[error("{option} -: name a file; ./- is one of that name")]
    NoStream {
        /// The option.
        option: &'static str,
    },
    /// A directory cannot hold a search.
    #[error(transparent)]
    Spill(#[from] crate::spill::directory::DirectoryError),
    /// A trail cannot be read, written or used.
    #[error(transparent)]
    Trail(#[from] crate::trail::file::TrailError),
    /// gdb cannot be served.
    #[error(transparent)]
    Gdb(#[from] crate::gdb::LinkError),
    /// The real program does not do as it is told.
    #[error(transparent)]
    Native(#[from] crate::native::NativeError),
    /// An error that the real program does not show.
    #[error("--native: a finding of kind {kind} like this one has no symptom outside of samovar")]
    NoSymptom {
        /// The kind of error.
        kind: &'static str,
    },
    /// No address to wait for gdb at.
    #[error("--gdb: {problem}")]
    BadAddress {
        /// What is wrong with it.
        problem: String,
    },
    /// A saved trail does not lead to its error.
    #[error("the trail does not lead to its error any more ({error}); check the program again")]
    NotReproduced {
        /// The message of the error.
        error: String,
    },
}

fn stream(fd: u32) -> &'static str {
    if fd == 1 { "output" } else { "error stream" }
}

/// The host's reason, without the number that the standard library appends.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => "unknown reason".to_string(),
    }
}
