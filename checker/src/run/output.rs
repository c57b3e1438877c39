//! Hands the guest's output to the host's standard streams, in the order in which it was written.

use crate::error::CommandError;
use samovar_runtime::Output;
use std::io::{self, Write};

/// Writes everything and waits for none of it: nothing stays in a buffer of this process.
///
/// A reader that is gone ends this process by a signal, as it would end the guest natively.
pub fn write(pieces: &[Output]) -> Result<(), CommandError> {
    for piece in pieces {
        let result = match piece.fd {
            1 => write_all(&mut io::stdout().lock(), &piece.bytes),
            _ => write_all(&mut io::stderr().lock(), &piece.bytes),
        };
        result.map_err(|error| CommandError::Output { fd: piece.fd, error })?;
    }
    Ok(())
}

fn write_all(stream: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}
