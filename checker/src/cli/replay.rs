//! Options of `samovar replay`.

use super::inspect::ReportFormat;
use super::usage;
use crate::message::Loudness;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `samovar replay`.
#[derive(Debug, Args)]
#[command(
    about = "Execute a saved trail again and show it step by step",
    after_help = usage::REPLAY_HELP,
)]
pub struct ReplayOptions {
    /// How to write the trail
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,

    /// Say what is being done
    #[arg(long, short)]
    pub verbose: bool,

    /// A trail that `samovar check` has saved
    #[arg(value_name = "TRAIL")]
    pub trail: PathBuf,
}

impl ReplayOptions {
    /// How much `samovar` itself says.
    pub fn loudness(&self) -> Loudness {
        if self.verbose { Loudness::Verbose } else { Loudness::Normal }
    }
}
