//! The search behind a check: the explorer, its limits, and what it came to.

use super::judge;
use super::kind::ErrorKind;
use super::limits::Limits;
use super::outcomes::{ExecutionEnd, Outcomes};
use super::progress::Progress;
use crate::cli::ReduceChoice;
use crate::explore::dfs::{Found, Search, Stats};
use crate::explore::footprint::Word;
use crate::explore::watch::Visible;
use samovar_runtime::Process;

/// What a search came to. The process stands where it ended.
#[derive(Debug)]
pub struct Explored {
    /// What was found.
    pub found: Found,
    /// Numbers about the search.
    pub stats: Stats,
    /// Words at which threads were switched; none if they were switched everywhere.
    pub contended: Vec<Word>,
}

/// Explores everything that can happen from where the process stands, up to the first error of a
/// kind that was asked for; notes how executions end if `ends` is there to take that. The journal
/// must be on.
pub fn explore(
    process: &mut Process,
    reduce: ReduceChoice,
    asked: &[ErrorKind],
    mut limits: Limits,
    mut progress: Progress,
    ends: &mut Outcomes,
) -> Explored {
    let visible = match reduce {
        ReduceChoice::Auto => Visible::none_yet(),
        ReduceChoice::None => Visible::All,
    };
    let depth = limits.depth.unwrap_or(u64::MAX);
    let mut search = Search::new(process, visible)
        .counting(|wrong| judge::counts(wrong, asked))
        .bounded(depth)
        .telling(|process, wrong| {
            if let Some(ends) = ends.as_mut() {
                ends.insert(ExecutionEnd::of(process, wrong));
            }
        })
        .watched_by(|stats| {
            progress.show(stats);
            limits.reached()
        });
    let found = search.run();
    Explored { found, stats: search.stats, contended: search.contended() }
}
