//! Reports of checks: for people and for programs.

pub mod json;
pub mod text;

use crate::check::Outcome;
use crate::check::setting::Setting;
use crate::cli::{CheckOptions, ModelChoice};
use crate::run::stats::peak_memory_kib;
use std::path::PathBuf;

/// Everything that a report tells.
#[derive(Debug)]
pub struct Report<'a> {
    /// What was asked for.
    pub options: &'a CheckOptions,
    /// What was executed.
    pub setting: &'a Setting,
    /// What came out.
    pub outcome: &'a Outcome,
    /// Time that it took.
    pub seconds: f64,
    /// Instructions that were executed.
    pub instructions: u64,
    /// Where the trail was saved.
    pub trail_file: Option<PathBuf>,
}

impl Report<'_> {
    /// States found in a second.
    fn states_per_second(&self) -> f64 {
        self.outcome.stats.states as f64 / self.seconds.max(1e-6)
    }

    /// What a verdict takes for granted.
    fn assumptions(&self) -> Vec<String> {
        let mut all = vec![
            "sequential consistency".to_string(),
            "standard input as given, empty if it is a terminal".to_string(),
            "files are read once and change only by the program itself".to_string(),
            "time is logical".to_string(),
        ];
        if self.options.model == ModelChoice::Full {
            all.push("malloc, locks and threads behave as their models".to_string());
        }
        all
    }
}

/// The largest amount of memory that this process had.
fn peak_memory_bytes() -> Option<u64> {
    Some(peak_memory_kib()? * 1024)
}
