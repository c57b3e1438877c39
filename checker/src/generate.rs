//! `samovar generate`: completions and manual pages, from the definitions that `--help` shows.

use crate::cli::{Arguments, GenerateOptions, Generated};
use crate::ending::Ending;
use crate::error::CommandError;
use clap::CommandFactory;
use std::io::Write;

/// Obeys `samovar generate`.
pub fn generate(options: &GenerateOptions) -> Result<Ending, CommandError> {
    let mut definitions = Arguments::command();
    let mut text = Vec::new();
    match &options.what {
        Generated::Completions { shell } => {
            clap_complete::generate(*shell, &mut definitions, "samovar", &mut text);
        }
        Generated::Man { command } => {
            definitions.build();
            let page = match command {
                None => definitions,
                Some(name) => {
                    let command = definitions.find_subcommand(name);
                    let unknown = || CommandError::NoSuchCommand { name: name.clone() };
                    let full: &'static str = format!("samovar-{name}").leak();
                    command.ok_or_else(unknown)?.clone().name(full).bin_name(full)
                }
            };
            clap_mangen::Man::new(page.version(env!("CARGO_PKG_VERSION")))
                .render(&mut text)
                .map_err(|error| CommandError::Output { fd: 1, error })?;
        }
    }
    std::io::stdout().write_all(&text).map_err(|error| CommandError::Output { fd: 1, error })?;
    Ok(Ending::Status(0))
}
