//! The search behind a check: rounds over the space, its limits, and what it came to.

use super::autopilot::{Attempt, Autopilot};
use super::judge;
use super::kind::ErrorKind;
use super::limits::Limits;
use super::outcomes::{ExecutionEnd, Outcomes};
use super::progress::Progress;
use super::race;
use super::strategy;
use crate::cli::{CheckOptions, ReduceChoice, SwitchChoice};
use crate::explore::choice::{Found, Stats, Wrong};
use crate::explore::dfs::Round;
use crate::explore::scout;
use crate::explore::space::Space;
use crate::explore::word::Word;
use crate::formula::Properties;
use crate::trail::Names;
use crate::trail::walk;
use samovar_runtime::Process;

/// What a search came to. The process stands where it began; earlier marks are void.
#[derive(Debug)]
pub struct Explored {
    /// What was found.
    pub found: Found,
    /// Numbers about the search.
    pub stats: Stats,
    /// Words at which threads were switched; none if they were switched everywhere.
    pub contended: Vec<Word>,
    /// What the autopilot tried, if it was at work.
    pub attempts: Vec<Attempt>,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// In which order, and where threads are switched.
    pub options: &'a CheckOptions,
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
    let reduce = plan.options.reduction();
    let sight = walk::sight(process, reduce, std::iter::empty());
    let prune = reduce == ReduceChoice::Auto;
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
    .watching(plan.properties.clone())
    .remembering(plan.options.memo == SwitchChoice::On)
    .telling_output(plan.options.outcomes);
    // Ends that a walk comes across may need more preemptions than asked for.
    let may_scout = plan.options.preemptions.is_none() || !plan.options.outcomes;
    if may_scout && matches!(reduce, ReduceChoice::Auto | ReduceChoice::Contended) {
        scout::scout(&mut space);
    }
    let mut watchdog = |stats: &Stats| {
        progress.show(stats);
        limits.reached()
    };
    let mut stats = Stats::default();
    let mut autopilot = plan.options.uses_autopilot().then(Autopilot::default);
    let found = loop {
        space.begin_round();
        let round = match &mut autopilot {
            Some(autopilot) => autopilot.round(&mut space, &plan, &mut stats, &mut watchdog),
            None => strategy::round(&mut space, &plan, &mut stats, &mut watchdog),
        };
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
    space.jump_to_start();
    let contended = space.sight().visible.contended();
    stats.contended = contended.len() as u64;
    stats.store_bytes = space.bytes() as u64;
    // Who went to states by jumping cannot go back by undoing.
    space.begin_round();
    let attempts = autopilot.map_or_else(Vec::new, |autopilot| autopilot.attempts);
    Explored { found, stats, contended, attempts }
}
