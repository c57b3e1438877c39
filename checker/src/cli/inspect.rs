//! Options of `samovar inspect`.

use super::{CpuChoice, usage};
use crate::message::Loudness;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Arguments of `samovar inspect`.
#[derive(Debug, Args)]
#[command(
    about = "Show what the loader and the decoder see in a program",
    after_help = usage::INSPECT_HELP,
)]
pub struct InspectOptions {
    /// How to write the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,

    /// The processor that instructions are judged by
    #[arg(long, value_enum, default_value_t = CpuChoice::V1)]
    pub cpu: CpuChoice,

    /// Further options for the compiler, if PROGRAM is a source file
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// Say what is being done
    #[arg(long, short)]
    pub verbose: bool,

    /// An ELF executable, or a .c, .cc or .cpp file
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
}

impl InspectOptions {
    /// How much `samovar` itself says.
    pub fn loudness(&self) -> Loudness {
        if self.verbose { Loudness::Verbose } else { Loudness::Normal }
    }
}

/// Values of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    Text,
    /// For programs: one JSON object
    Json,
}
