//! Looking for a plan to a goal: rounds of a search over the space of the program.

use super::search::{Found, Order, Search, Unit};
use super::target::Target;
use crate::check::limits::Limits;
use crate::check::progress::Progress;
use crate::cli::{PlanOptions, ReduceChoice};
use crate::explore::choice::Stats;
use crate::explore::scout;
use crate::explore::space::Space;
use crate::explore::word::Word;
use crate::trail::walk;
use samovar_runtime::Process;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// What a search came to; the process stands where it began.
#[derive(Debug)]
pub struct Explored {
    /// What was found.
    pub found: Found,
    /// Numbers about the search.
    pub stats: Stats,
    /// Words at which threads were switched.
    pub contended: Vec<Word>,
    /// What was counted.
    pub unit: Unit,
    /// The program's cost fell on some move.
    pub cost_fell: bool,
    /// There was more than one thread.
    pub has_threads: bool,
}

/// What the states of a round have shown.
#[derive(Debug, Default)]
struct Seen {
    /// More than one thread.
    threads: Cell<bool>,
    /// Actions that the program marks.
    actions: Cell<bool>,
    /// What the goal depended on, where that is not the same everywhere.
    words: RefCell<Vec<Range<u64>>>,
}

/// Searches from where the process stands. The journal must be on.
pub fn explore(
    process: &mut Process,
    options: &PlanOptions,
    target: &Target,
    mut limits: Limits,
) -> Explored {
    let reduce = match options.reduce {
        ReduceChoice::Auto => ReduceChoice::Contended,
        reduce => reduce,
    };
    let sight = walk::sight(process, reduce, std::iter::empty()).with_choices_first();
    let sight = sight.within(limits.host().clone());
    let mut progress = Progress::new(!options.quiet);
    let seen = Seen::default();
    let is_fixed = target.is_fixed();
    let start = target.appraise(process);
    let mut space = Space::new(process, sight, false, |_, _, _| false).appraising(Box::new(
        |process: &Process| {
            if 1 < process.threads().len() {
                seen.threads.set(true);
                if !is_fixed {
                    seen.words.borrow_mut().extend(target.words_now(process));
                }
            }
            target.appraise(process)
        },
    ));
    if reduce == ReduceChoice::Contended {
        scout::scout(&mut space, &mut || limits.reached().is_some());
    }
    let mut watchdog = |stats: &Stats| {
        progress.show(stats);
        limits.reached()
    };
    let mut anew = |space: &mut Space<'_>| needs_anew(space, &seen, target);
    let mut unit = if target.cost.is_some() { Unit::Formula } else { Unit::Moves };
    let mut rounds = 0;
    let (found, mut stats, cost_fell) = loop {
        rounds += 1;
        space.begin_round();
        let order = Order {
            search: options.search,
            weight: options.weight.unwrap_or(1),
            unit,
            depth_max: options.depth.unwrap_or(u64::MAX),
        };
        let mut search = Search::new(&mut space, order);
        let found = search.run(start, &mut watchdog, &mut anew);
        let (stats, cost_fell) = (search.stats, search.cost_fell);
        if !matches!(found, Found::Anew) {
            break (found, stats, cost_fell);
        }
        if unit == Unit::Moves && seen.actions.get() {
            unit = Unit::Actions;
        }
    };
    space.jump_to_start();
    let contended = space.sight().visible.contended();
    stats.rounds = rounds;
    stats.contended = contended.len() as u64;
    stats.executed = space.stats.executed;
    space.measure(&mut stats);
    // Who went to states by jumping cannot go back by undoing.
    space.begin_round();
    drop(space);
    Explored { found, stats, contended, unit, cost_fell, has_threads: seen.threads.get() }
}

/// Whether the last expansion has shown something that makes all before it void: an action where
/// only moves were counted, or threads, between whose steps the goal has to be looked at.
fn needs_anew(space: &mut Space<'_>, seen: &Seen, target: &Target) -> bool {
    let mut anew = false;
    if !seen.actions.get() {
        let moves = space.appraisals().iter();
        let ends = space.final_moves().iter().map(|(_, worth)| worth);
        if moves.chain(ends).any(|worth| 0 < worth.actions) {
            seen.actions.set(true);
            anew = target.cost.is_none();
        }
    }
    if seen.threads.get() {
        anew |= space.make_visible(&target.words());
        let words = std::mem::take(&mut *seen.words.borrow_mut());
        anew |= space.make_visible(&words);
    }
    anew
}
