//! `samovar inspect`: what the loader and the decoder see in a program.

use crate::cli::InspectOptions;
use crate::ending::Ending;
use crate::error::CommandError;
use crate::message::Messages;
use crate::program;

/// Obeys `samovar inspect`.
pub fn inspect(options: &InspectOptions) -> Result<Ending, CommandError> {
    let messages = Messages::new(options.loudness());
    program::read(&options.program, &options.cflags, &messages)?;
    Err(CommandError::NotBuilt)
}
