//! The search behind a check: rounds over the space, its limits, and what it came to.

use super::judge;
use super::kind::ErrorKind;
use super::limits::Limits;
use super::outcomes::{ExecutionEnd, Outcomes};
use super::progress::Progress;
use super::race;
use crate::cli::{ReduceChoice, SearchChoice};
use crate::explore::bfs::BreadthFirst;
use crate::explore::choice::{Found, Stats, Wrong};
use crate::explore::dfs::{DepthFirst, Round, Watchdog};
use crate::explore::scout;
use crate::explore::space::Space;
use crate::explore::word::Word;
use crate::formula::Properties;
use crate::trail::Names;
use crate::trail::walk;
use samovar_runtime::Process;

/// What a search came to. The process stands at its start again.
#[derive(Debug)]
pub struct Explored {
    /// What was found.
    pub found: Found,
    /// Numbers about the search.
    pub stats: Stats,
    /// Words at which threads were switched; none if they were switched everywhere.
    pub contended: Vec<Word>,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// In which order.
    pub search: SearchChoice,
    /// Where threads are switched.
    pub reduce: ReduceChoice,
    /// Kinds of errors that count.
    pub asked: &'a [ErrorKind],
    /// What must hold, and what is looked for.
    pub properties: &'a Properties,
}

/// Explores everything that can happen from where the process stands, up to the first error of a
/// kind that was asked for; notes how executions end if `ends` is there to take that. The journal
/// must be on.
pub fn explore(
    process: &mut Process,
    plan: Plan<'_>,
    mut limits: Limits,
    mut progress: Progress,
    ends: &mut Outcomes,
) -> Explored {
    let sight = walk::sight(process, plan.reduce, std::iter::empty());
    let depth = limits.depth.unwrap_or(u64::MAX);
    let prune = plan.reduce == ReduceChoice::Auto;
    let names = Names::of(process);
    let mut space = Space::new(process, sight, prune, |process, sight, wrong| {
        let counts = judge::counts(wrong, plan.asked);
        match wrong {
            Wrong::Race { word } => counts && race::is_race(process, &names, sight, *word),
            Wrong::Move(_) | Wrong::Deadlock => {
                if !counts && let Some(ends) = ends.as_mut() {
                    ends.insert(ExecutionEnd::of(process, wrong));
                }
                counts
            }
            _ => counts,
        }
    })
    .watching(plan.properties.clone());
    if matches!(plan.reduce, ReduceChoice::Auto | ReduceChoice::Contended) {
        scout::scout(&mut space);
    }
    let mut watchdog = |stats: &Stats| {
        progress.show(stats);
        limits.reached()
    };
    let mut stats = Stats::default();
    let found = loop {
        space.begin_round();
        let round = one_round(&mut space, plan.search, depth, &mut stats, &mut watchdog);
        stats.rounds = space.stats.rounds;
        stats.terminal = space.stats.terminal;
        stats.executed = space.stats.executed;
        stats.reduced = space.stats.reduced;
        match round {
            Round::Over(Found::Nothing) if space.is_unsettled() => {}
            Round::Over(found) => break found,
            Round::Anew => {}
        }
    };
    let contended = space.sight().visible.contended();
    stats.contended = contended.len() as u64;
    stats.store_bytes = space.bytes() as u64;
    // Who went to states by jumping cannot go back by undoing.
    space.begin_round();
    Explored { found, stats, contended }
}

fn one_round(
    space: &mut Space<'_>,
    search: SearchChoice,
    depth: u64,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> Round {
    match search {
        SearchChoice::Auto | SearchChoice::Dfs => {
            DepthFirst::new(space, depth, true).run(stats, watchdog)
        }
        SearchChoice::Bfs => match BreadthFirst::new(space, depth).run(stats, watchdog) {
            // Runs without end show depth-first only.
            Round::Over(Found::Nothing) if 0 < stats.revisits && stats.cut == 0 => {
                let found = *stats;
                space.begin_round();
                let round = DepthFirst::new(space, depth, true).run(stats, watchdog);
                *stats = Stats { depth: found.depth, ..*stats };
                round
            }
            round => round,
        },
    }
}
