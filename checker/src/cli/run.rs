//! Options of `samovar run`.

use super::usage;
use crate::message::Loudness;
use clap::{Args, ValueEnum};
use samovar_vm::cpuid::Profile;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

/// Arguments of `samovar run`.
#[derive(Debug, Args)]
#[command(
    about = "Execute a program on the virtual CPU",
    after_help = usage::RUN_HELP,
    override_usage = "samovar run [OPTIONS] PROGRAM [ARGS]...",
)]
pub struct RunOptions {
    /// Switch threads at random moments; the same number gives the same schedule
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// full: models of threads, locks and the heap; none: the real library on system calls
    #[arg(long, value_enum, default_value_t = ModelChoice::Full)]
    pub model: ModelChoice,

    /// The processor that the program sees: plain x86-64 (SSE2), or x86-64-v2 (SSE4.2)
    #[arg(long, value_enum, default_value_t = CpuChoice::V1)]
    pub cpu: CpuChoice,

    /// Set a variable of the program's environment
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_variable)]
    pub env: Vec<(String, String)>,

    /// Start the program with an empty environment, apart from --env
    #[arg(long)]
    pub clear_env: bool,

    /// Stop after this many seconds, with exit status 3
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<Duration>,

    /// Say at the end how much was executed, and how fast
    #[arg(long)]
    pub stats: bool,

    /// Further options for the compiler, if PROGRAM is a source file
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// Say nothing but errors
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say what is being done
    #[arg(long, short)]
    pub verbose: bool,

    /// An ELF executable or a .c, .cc or .cpp file, and its arguments
    #[arg(
        required = true,
        num_args = 1..,
        value_name = "PROGRAM [ARGS]",
        trailing_var_arg = true
    )]
    command_line: Vec<OsString>,
}

impl RunOptions {
    /// What to run, as typed.
    pub fn program(&self) -> &OsStr {
        // The parser insists on at least one word.
        self.command_line.first().map_or(OsStr::new(""), |program| program)
    }

    /// The program's own arguments.
    pub fn arguments(&self) -> &[OsString] {
        self.command_line.get(1..).unwrap_or_default()
    }

    /// How much `samovar` itself says.
    pub fn loudness(&self) -> Loudness {
        match (self.quiet, self.verbose) {
            (true, _) => Loudness::Quiet,
            (false, false) => Loudness::Normal,
            (false, true) => Loudness::Verbose,
        }
    }
}

/// Values of `--model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelChoice {
    /// Threads, locks and the heap by exact models, everything else is the real library.
    Full,
    /// The real library, down to the system calls.
    None,
}

/// Values of `--cpu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CpuChoice {
    /// Plain x86-64, up to SSE2
    V1,
    /// x86-64-v2: with SSE3, SSSE3, SSE4 and POPCNT
    V2,
}

impl CpuChoice {
    /// The profile of the virtual CPU.
    pub fn profile(self) -> Profile {
        match self {
            CpuChoice::V1 => Profile::V1,
            CpuChoice::V2 => Profile::V2,
        }
    }
}

pub(super) fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_string(), value.to_string())),
        _ => Err("write it as KEY=VALUE".to_string()),
    }
}

pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(Duration::ZERO) => {
            Err("no time to do anything in; leave it out for no limit".to_string())
        }
        Ok(time) => Ok(time),
        Err(_) => Err("not a possible number of seconds".to_string()),
    }
}
