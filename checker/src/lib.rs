//! samovar: an assembly-level model checker for compiled concurrent programs.
//!
//! This crate is the outermost layer: the command line, the host's files, and the schedules. What
//! an instruction does is `samovar-vm`'s knowledge, what a system call does `samovar-runtime`'s.
//!
//! Only this crate does input and output, and within it only [`host`] reads files for the guest,
//! only [`compile`] and [`native`] run other programs, and only [`kernel`] and the small module
//! under [`native`] that speaks to ptrace have `unsafe` code.

pub mod check;
pub mod cli;
pub mod compile;
pub mod ending;
pub mod error;
pub mod explore;
pub mod formula;
pub mod gdb;
pub mod generate;
pub mod hash;
pub mod host;
pub mod inspect;
pub mod kernel;
pub mod libraries;
pub mod message;
pub mod native;
pub mod outputs;
pub mod page;
pub mod paint;
pub mod place;
pub mod plan;
pub mod program;
pub mod project;
pub mod replay;
pub mod report;
pub mod run;
pub mod spill;
pub mod state;
pub mod store;
pub mod sync;
pub mod trail;
mod whole;

use clap::Parser;
use ending::Ending;
use message::Messages;

/// The whole `samovar` command: parses the process's arguments, obeys, and says how to end.
pub fn main() -> Ending {
    let words = match project::complete(std::env::args_os().collect()) {
        Ok(words) => words,
        Err(error) => return give_up(&error.into()),
    };
    let arguments = match cli::Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => return cli::usage::report(&error),
    };
    let result = match arguments.command {
        cli::Command::Generate(options) => generate::generate(&options),
        cli::Command::Check(options) => check::check(&options),
        cli::Command::Plan(options) => plan::plan(&options),
        cli::Command::Replay(options) => check::replay::replay(&options),
        cli::Command::Run(options) => run::run(&options),
        cli::Command::Inspect(options) => inspect::inspect(&options),
    };
    result.unwrap_or_else(|error| give_up(&error))
}

fn give_up(error: &error::CommandError) -> Ending {
    Messages::default().error(error);
    Ending::Status(ending::UNUSABLE)
}
