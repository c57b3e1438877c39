//! Statements in the program: the headers and the library natively, under `samovar run`, and with
//! an observer that answers the requests.

mod driven;
mod driver;
mod native;
mod verifier;

use samovar_tests::build::{execute, programs};
use samovar_tests::tool::need;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the project's C side lies.
fn runtime() -> PathBuf {
    samovar_tests::binary::workspace().join("runtime-lib")
}

/// A program of `programs/requests`.
fn source(name: &str) -> PathBuf {
    programs().join("requests").join(name)
}

/// The flags under which nothing of ours may cause a warning.
const STRICT: &[&str] = &["-g", "-pthread", "-Wall", "-Wextra", "-Werror", "-pedantic"];

/// Compiles with the project's headers; `None` if the compiler is not there.
fn compile(compiler: &str, flags: &[&str], sources: &[PathBuf], out: &Path) -> Option<PathBuf> {
    let compiler = need(compiler)?;
    let mut command = Command::new(compiler);
    command.args(STRICT).args(flags).arg("-I").arg(runtime().join("include"));
    execute(command.args(sources).arg("-o").arg(out));
    Some(out.to_path_buf())
}
