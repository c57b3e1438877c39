//! `samovar run`: one execution of a program on the virtual CPU.

pub mod random;

use crate::cli::RunOptions;
use crate::ending::Ending;
use crate::error::CommandError;
use crate::message::Messages;
use crate::program;
use std::path::Path;

/// Obeys `samovar run`.
pub fn run(options: &RunOptions) -> Result<Ending, CommandError> {
    let messages = Messages::new(options.loudness());
    program::read(Path::new(options.program()), &options.cflags, &messages)?;
    Err(CommandError::NotBuilt)
}
