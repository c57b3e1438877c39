//! Options of `samovar generate`, which is for those who package samovar, and not listed.

use clap::{Args, Subcommand};
use clap_complete::Shell;

/// Arguments of `samovar generate`.
#[derive(Debug, Args)]
#[command(about = "Write shell completions and manual pages to the standard output")]
pub struct GenerateOptions {
    /// What to write.
    #[command(subcommand)]
    pub what: Generated,
}

/// What can be generated.
#[derive(Clone, Debug, Subcommand)]
pub enum Generated {
    /// Completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// The manual page of samovar, or of one of its commands
    Man {
        /// The command
        command: Option<String>,
    },
}
