//! Reports of checks: for people and for programs.

mod excerpt;
mod explain;
pub mod html;
pub mod json;
mod junit;
pub mod native;
mod sarif;
pub mod text;
mod uri;
mod witness;
mod xml;

use crate::check::Outcome;
use crate::check::fillings::{Coverage, FILLINGS};
use crate::check::setting::Setting;
use crate::check::verdict::Verdict;
use crate::cli::{CheckFormat, CheckOptions, ModelChoice, ReduceChoice};
use crate::error::CommandError;
use crate::run::stats::peak_memory_kib;
use crate::whole;
use std::path::{Path, PathBuf};

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
    /// Writes the files that were asked for, as many as can be written; why one cannot.
    pub fn write_files(&self) -> Result<(), CommandError> {
        let mut result = Ok(());
        let mut add = |file: &Path, text: &str| {
            let saved = save(file, text);
            result = std::mem::replace(&mut result, Ok(())).and(saved);
        };
        if let Some(file) = &self.options.html {
            add(file, &html::page(self));
        }
        if let Some(file) = &self.options.junit {
            add(file, &junit::page(self));
        }
        if let (Some(file), Verdict::Error(finding)) =
            (&self.options.witness, &self.outcome.verdict)
        {
            // What cannot be read any more has no hash, which is what such a file deserves.
            let program = std::fs::read(&self.setting.program).unwrap_or_default();
            add(file, &witness::page(self, finding, &program));
        }
        if let (Some(file), Some(graph)) = (&self.options.dot, &self.outcome.graph) {
            add(file, graph);
        }
        result
    }

    /// Writes the report on the standard output.
    pub fn print(&self) -> Result<(), CommandError> {
        match self.options.format {
            CheckFormat::Text => text::print(self),
            CheckFormat::Json => json::print(self),
            CheckFormat::Sarif => json::write(&sarif::object(self)),
        }
    }

    /// What the program wrote to a stream on the way to the error.
    fn output(&self, fd: u32) -> String {
        let pieces = self.outcome.output.iter().filter(|piece| piece.fd == fd);
        pieces.map(|piece| String::from_utf8_lossy(&piece.bytes).into_owned()).collect()
    }

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
        if !self.outcome.is_heap_known {
            let why = "its allocator is not modelled, and misuse is not seen";
            all.push(format!("the heap is used rightly: {why}"));
        }
        if self.options.reduce == ReduceChoice::Lgc {
            all.push("threads share static variables and locks only".to_string());
        }
        if 0 < self.outcome.stats.counting_loops
            && let Some(rounds) = self.options.patience
        {
            all.push(format!(
                "a thread that goes round a waiting loop {rounds} times and sees nothing new goes \
                 on waiting until there is something new"
            ));
        }
        if let Some(Coverage { moves, whole }) = self.outcome.fillings {
            let fillings = FILLINGS.len();
            all.push(match (whole, moves) {
                (true, _) => {
                    format!("uninitialised memory is like one of {fillings} fillings tried")
                }
                (false, 0) => "uninitialised memory is zero".to_string(),
                (false, moves) => format!(
                    "uninitialised memory is zero, beyond {moves} moves where {fillings} fillings \
                     were tried"
                ),
            });
        }
        all
    }
}

/// The largest amount of memory that this process had.
fn peak_memory_bytes() -> Option<u64> {
    Some(peak_memory_kib()? * 1024)
}

/// Writes a file whole or not at all.
pub fn save(file: &Path, text: &str) -> Result<(), CommandError> {
    whole::write(file, |out| out.write_all(text.as_bytes()))
        .map_err(|error| CommandError::Unwritable { file: file.to_path_buf(), error })
}
