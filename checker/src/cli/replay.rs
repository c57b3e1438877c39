//! Options of `samovar replay`.

use super::inspect::ReportFormat;
use super::usage;
use crate::gdb::Address;
use crate::message::Loudness;
use clap::Args;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Arguments of `samovar replay`.
#[derive(Debug, Args)]
#[command(
    about = "Execute a saved trail again and show it step by step",
    after_help = usage::REPLAY_HELP,
)]
pub struct ReplayOptions {
    /// Let gdb go through the execution, forwards and backwards; `-` means that gdb has started
    /// this command
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1)]
    gdb: Option<Option<String>>,

    /// Go through the steps one by one, as commands on standard input say (`help` lists them); in a
    /// terminal this is the default
    #[arg(long, conflicts_with_all = ["gdb", "native"])]
    pub step: bool,

    /// Show all steps at once, in a terminal, too
    #[arg(long, conflicts_with_all = ["gdb", "native", "step"])]
    pub all: bool,

    /// Write a page for the browser, with the steps to go through and the registers after each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gdb", "native", "step"])]
    pub html: Option<PathBuf>,

    /// Force the schedule onto the real program, on the real processor, and say whether it fails
    /// the same way
    #[arg(long, conflicts_with = "gdb")]
    pub native: bool,

    /// How to write the trail
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,

    /// Say what is being done
    #[arg(long, short)]
    pub verbose: bool,

    /// A trail that `samovar check` has saved
    #[arg(value_name = "TRAIL", required_unless_present = "gdb")]
    trail: Option<PathBuf>,
}

impl ReplayOptions {
    /// How much `samovar` itself says.
    pub fn loudness(&self) -> Loudness {
        if self.verbose { Loudness::Verbose } else { Loudness::Normal }
    }

    /// Whether the steps are gone through one by one.
    pub fn steps_through(&self) -> bool {
        let terminals = || std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        self.step
            || !self.all && self.html.is_none() && self.format == ReportFormat::Text && terminals()
    }

    /// The trail: `--gdb TRAIL` without an address names it, too.
    pub fn trail(&self) -> PathBuf {
        let word = self.gdb.iter().flatten().next();
        self.trail.clone().unwrap_or_else(|| word.cloned().unwrap_or_default().into())
    }

    /// Where gdb is waited for, if it is.
    pub fn gdb(&self) -> Option<Result<Address, String>> {
        let word = self.gdb.as_ref()?.as_ref().filter(|_| self.trail.is_some());
        Some(word.map_or(Ok(Address::default()), |word| word.parse()))
    }
}
