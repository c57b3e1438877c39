//! The search behind a check: rounds over the space, its limits, and what it came to.

use super::autopilot::{Attempt, Autopilot};
use super::judge;
use super::kind::ErrorKind;
use super::limits::Limits;
use super::lossy;
use super::outcomes::{ExecutionEnd, Outcomes};
use super::progress::Progress;
use super::race::{self, Meeting};
use super::spill::Spill;
use super::statements::Statements;
use super::strategy;
use super::verdict::{Note, Notes};
use crate::cli::{CheckOptions, ReduceChoice, SwitchChoice};
use crate::explore::choice::{Found, Stats, Wrong};
use crate::explore::dfs::Round;
use crate::explore::heuristic::Quarry;
use crate::explore::heuristic::target::Target;
use crate::explore::moves::Ending;
use crate::explore::scout;
use crate::explore::space::Space;
use crate::explore::turns::Patience;
use crate::explore::word::Word;
use crate::formula::Properties;
use crate::spill::directory::DirectoryError;
use crate::store::Coverage;
use crate::trail::Names;
use crate::trail::walk;
use samovar_runtime::Process;

/// Rounds of waiting loops that are followed where nobody says how many.
pub const PATIENCE: u32 = 16;

/// What a search came to. The process stands where it began; earlier marks are void.
#[derive(Debug)]
pub struct Explored {
    /// What was found.
    pub found: Found,
    /// Numbers about the search.
    pub stats: Stats,
    /// Words at which threads were switched; none if they were switched everywhere.
    pub contended: Vec<Word>,
    /// Where threads wait in loops that count their turns.
    pub counting_loops: Vec<u64>,
    /// What may have been omitted, if the store is not exact.
    pub coverage: Option<Coverage>,
    /// What the autopilot tried, if it was at work.
    pub attempts: Vec<Attempt>,
    /// What does not count, but may interest.
    pub notes: Vec<Note>,
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
    /// A known error to go to.
    pub target: &'a Target,
}

impl<'a> Plan<'a> {
    /// What heuristics are directed to.
    pub fn quarry(&self) -> Quarry<'a> {
        Quarry { properties: self.properties, target: self.target }
    }
}

/// Explores everything that can happen from where the process stands, up to the first error of a
/// kind that was asked for; notes how executions end if `ends` is there to take that, and keeps
/// states in a directory if one was taken for that. The journal must be on.
pub fn explore(
    process: &mut Process,
    plan: Plan<'_>,
    mut limits: Limits,
    mut progress: Progress,
    ends: &mut Outcomes,
    mut spill: Option<Spill>,
) -> Result<Explored, DirectoryError> {
    let reduce = plan.options.reduction();
    // Files know nothing of loops that were found to be counting.
    let rounds = if spill.is_none() { plan.options.patience.unwrap_or(PATIENCE) } else { 0 };
    let sight = walk::sight(process, reduce, std::iter::empty())
        .within(limits.host().clone())
        .with_patience(Patience::of(rounds));
    // Nor of who looks at the clock.
    let sight = if spill.is_none() { sight.with_clock_standing() } else { sight };
    let prune = reduce.leaves_out();
    let names = Names::of(process);
    let (mut notes, mut statements) = (Notes::default(), Statements::default());
    let space = Space::new(process, sight, prune, |process, sight, wrong| {
        let counts = judge::counts(wrong, plan.asked);
        match wrong {
            Wrong::Race { .. } if !counts => false,
            Wrong::Race { word } => {
                match race::judge(process, &names, &mut statements, sight, *word) {
                    Meeting::Race => true,
                    Meeting::Notes(found) => {
                        found.into_iter().for_each(|note| notes.add(note));
                        false
                    }
                }
            }
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
    let room = limits.room(plan.options.memory);
    let mut space = match &spill {
        Some(spill) => space.roaming(spill.memo_bytes(&room)),
        None => lossy::storing(space, &plan),
    };
    // Ends that a walk comes across may need more preemptions than asked for.
    let may_scout = plan.options.preemptions.is_none() || !plan.options.outcomes;
    let mut cut = None;
    if may_scout && matches!(reduce, ReduceChoice::Auto | ReduceChoice::Contended) {
        scout::scout(&mut space, &mut || {
            cut = limits.reached();
            cut.is_some()
        });
    }
    // What is done before the search has to come to the same when the search is gone on with.
    let cut = cut.or_else(|| limits.reached_now());
    space.arranging(true);
    space.limit_memory(room.free());
    let mut spilled = match &mut spill {
        Some(spill) => Some(spill.begin(&mut space, plan.options, &room, (&mut limits, cut))?),
        None => None,
    };
    let mut watchdog = |stats: &Stats| {
        progress.show(stats);
        limits.reached()
    };
    let mut stats = Stats::default();
    let mut autopilot = plan.options.uses_autopilot().then(Autopilot::default);
    let mut coverage: Option<Coverage> = None;
    let mut runs = 0;
    let found = loop {
        if spilled.is_none() {
            space.begin_round();
        }
        let mut covered = None;
        let round = match (&mut spilled, &mut autopilot) {
            (Some(spilled), _) => spilled.round(&mut space, &mut stats, &mut watchdog)?,
            _ if plan.options.store.is_lossy() => {
                space.change_function(runs.into());
                let round = lossy::round(&mut space, &plan, room, &mut stats, &mut watchdog);
                covered = round.1;
                round.0
            }
            (None, Some(autopilot)) => {
                autopilot.round(&mut space, &plan, &mut stats, &mut watchdog)
            }
            (None, None) => strategy::round(&mut space, &plan, &mut stats, &mut watchdog),
        };
        stats.rounds = space.stats.rounds;
        stats.terminal = space.stats.terminal;
        stats.executed = space.stats.executed;
        stats.reduced = space.stats.reduced;
        match round {
            Round::Over(Found::Nothing) if space.is_unsettled() => {}
            Round::Over(found) => {
                coverage = coverage.zip(covered).map(|(all, one)| all.and(one)).or(covered);
                runs += 1;
                if !matches!(found, Found::Nothing) || plan.options.runs.unwrap_or(1) <= runs {
                    break found;
                }
            }
            Round::Anew => {}
        }
    };
    let found = match found {
        Found::Error { error: Wrong::Move(Ending::Cut(reason)), .. } => Found::Stopped { reason },
        found => found,
    };
    space.jump_to_start();
    let contended = space.sight().visible.contended();
    stats.contended = contended.len() as u64;
    let counting_loops = space.sight().patience.places();
    stats.counting_loops = counting_loops.len() as u64;
    space.measure(&mut stats);
    // Who went to states by jumping cannot go back by undoing.
    space.begin_round();
    let attempts = autopilot.map_or_else(Vec::new, |autopilot| autopilot.attempts);
    drop(space);
    let notes = notes.into_vec();
    Ok(Explored { found, stats, contended, counting_loops, coverage, attempts, notes })
}
