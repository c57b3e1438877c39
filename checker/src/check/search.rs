//! The search behind a check: the explorer, its limits, and what it came to.

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

/// Explores everything that can happen from where the process stands. The journal must be on.
pub fn explore(process: &mut Process, reduce: ReduceChoice) -> Explored {
    let visible = match reduce {
        ReduceChoice::Auto => Visible::none_yet(),
        ReduceChoice::None => Visible::All,
    };
    let mut search = Search::new(process, visible);
    let found = search.run();
    Explored { found, stats: search.stats, contended: search.contended() }
}

/// What was visible in a search.
pub fn visible(reduce: ReduceChoice, contended: impl Iterator<Item = Word>) -> Visible {
    let mut visible = match reduce {
        ReduceChoice::Auto => Visible::none_yet(),
        ReduceChoice::None => Visible::All,
    };
    for word in contended {
        visible.add(word);
    }
    visible
}
