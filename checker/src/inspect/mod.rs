//! `samovar inspect`: what the loader and the decoder see in a program, without executing it.
//!
//! [`report::Report`] is the whole content; [`text`] writes it for people and serde for programs.

pub mod report;
mod text;

use crate::cli::{InspectOptions, ReportFormat};
use crate::ending::Ending;
use crate::error::CommandError;
use crate::message::Messages;
use crate::program;
use report::Report;
use samovar_vm::loader::Image;
use std::io::Write;

/// Obeys `samovar inspect`.
pub fn inspect(options: &InspectOptions) -> Result<Ending, CommandError> {
    let messages = Messages::new(options.loudness());
    let program = program::read(&options.program, &options.cflags, &messages)?;
    let image = Image::parse(program.bytes.clone(), &program.label())?;
    let report = Report::of(&image, &program.path, options.cpu.profile());
    let text = match options.format {
        ReportFormat::Text => text::render(&report),
        ReportFormat::Json => {
            let json = serde_json::to_string_pretty(&report);
            json.expect("a report consists of strings, numbers and lists") + "\n"
        }
    };
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|error| CommandError::Output { fd: 1, error })?;
    Ok(Ending::Status(0))
}
