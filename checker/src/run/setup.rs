//! From the options of `samovar run` to a process before its first instruction.

use super::input;
use super::limit::Limit;
use crate::cli::{ModelChoice, RunOptions};
use crate::error::CommandError;
use crate::host::{ReadOnlyHost, path_bytes};
use crate::libraries;
use crate::message::Messages;
use crate::program;
use samovar_runtime::{LoadOptions, Model, Process};
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, stderr, stdin, stdout};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// Reads and loads the program.
pub fn load(
    options: &RunOptions,
    limit: &Limit,
    messages: &Messages,
) -> Result<Process, CommandError> {
    let named = Path::new(options.program());
    let program = program::read(named, &options.cflags, messages)?;
    let environment = environment(options);
    libraries::check(&program, &environment)?;

    let mut arguments = vec![program.name.as_bytes().to_vec()];
    arguments.extend(options.arguments().iter().map(|word| word.as_bytes().to_vec()));
    let directory = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let load = LoadOptions {
        args: arguments,
        env: environment.into_iter().map(variable_bytes).collect(),
        cwd: path_bytes(&directory),
        stdin: input::from_host(limit.clone()),
        files: Arc::new(ReadOnlyHost),
        profile: options.cpu.profile(),
        model: match options.model {
            ModelChoice::Full => Model::Full,
            ModelChoice::None => Model::None,
        },
        user: user(),
        // Natively they are not there, and a program can see it.
        weak_names: false,
        terminals: [stdin().is_terminal(), stdout().is_terminal(), stderr().is_terminal()],
        ..LoadOptions::new(&path_bytes(&program.path), program.bytes.clone())
    };
    let process = Process::new(load)?;
    for module in process.modules() {
        messages.detail(&format_args!("{} at {:#x}", module.path, module.bias));
    }
    Ok(process)
}

/// The guest's environment: this process's own, unless that is not wanted, and what was asked for.
fn environment(options: &RunOptions) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = Vec::new();
    if !options.clear_env {
        variables.extend(std::env::vars_os());
    }
    for (key, value) in &options.env {
        let (key, value) = (OsString::from(key), OsString::from(value));
        match variables.iter_mut().find(|(name, _)| *name == key) {
            Some(variable) => variable.1 = value,
            None => variables.push((key, value)),
        }
    }
    variables
}

fn variable_bytes((key, value): (OsString, OsString)) -> Vec<u8> {
    [key.into_vec(), value.into_vec()].join(OsStr::new("=").as_bytes())
}

/// The user and group of this process; some ordinary user if the host does not tell.
fn user() -> (u32, u32) {
    let own = std::fs::metadata("/proc/self");
    own.map_or((1000, 1000), |metadata| (metadata.uid(), metadata.gid()))
}
