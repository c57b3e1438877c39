//! Which search the options ask for, and one round of it over a space.
//!
//! Runs without end show depth-first on one core only: other searches that have seen everything
//! and found nothing are followed by that, unless there cannot be any.

use super::search::Plan;
use crate::cli::{CheckOptions, SearchChoice};
use crate::explore::beam::Beam;
use crate::explore::best_first::BestFirst;
use crate::explore::bfs::BreadthFirst;
use crate::explore::choice::{Found, Stats};
use crate::explore::deepening::Deepening;
use crate::explore::dfs::{DepthFirst, Round, Watchdog};
use crate::explore::heuristic::{Names, Sum};
use crate::explore::ida_star::IdaStar;
use crate::explore::levels::Levels;
use crate::explore::pct::Pct;
use crate::explore::preemptions::FewPreemptions;
use crate::explore::random_walk::{self, Walks};
use crate::explore::refine::Refine;
use crate::explore::space::Space;
use crate::explore::workers::Workers;
use crate::trail::cost::Wish;

/// States that a beam keeps of each level.
const WIDTH: u32 = 1000;
/// Random walks.
const WALKS: u64 = 1000;
/// Moves of a random walk.
const WALK_MOVES_MAX: u64 = 10_000;
/// Orderings that an error needs.
const ORDERINGS: u32 = 3;

/// One round of the search that was asked for. The space has just begun it.
pub fn round(
    space: &mut Space<'_>,
    plan: &Plan<'_>,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> Round {
    let options = plan.options;
    let depth = options.depth.unwrap_or(u64::MAX);
    let walks = Walks {
        count: options.walks.unwrap_or(WALKS),
        moves_max: options.depth.unwrap_or(WALK_MOVES_MAX),
        seed: options.seed,
    };
    let round = if let Some(bound) = options.preemptions {
        FewPreemptions::new(space, bound).run(stats, watchdog)
    } else {
        match options.order() {
            SearchChoice::Auto | SearchChoice::Dfs if options.jobs.is_some() => {
                Workers::new(space, depth, options.jobs()).run(stats, watchdog)
            }
            SearchChoice::Auto | SearchChoice::Dfs => {
                return DepthFirst::new(space, depth, true).run(stats, watchdog);
            }
            SearchChoice::Bfs if space.stores() => {
                Levels::new(space, depth, options.jobs()).run(stats, watchdog)
            }
            SearchChoice::Bfs => BreadthFirst::new(space, depth).run(stats, watchdog),
            SearchChoice::Idfs => deepen(space, depth, stats, watchdog),
            SearchChoice::BestFirst | SearchChoice::Astar => {
                let count_moves = options.search == SearchChoice::Astar;
                let heuristic = heuristic(plan);
                BestFirst::new(space, heuristic, count_moves, depth).run(stats, watchdog)
            }
            SearchChoice::Novelty => {
                BestFirst::new(space, novelty(plan), false, depth).run(stats, watchdog)
            }
            SearchChoice::Idastar => deepen_directed(space, plan, depth, stats, watchdog),
            SearchChoice::Refine => Refine::new(space, options.seed, depth).run(stats, watchdog),
            SearchChoice::Beam => {
                let width = options.width.unwrap_or(WIDTH) as usize;
                Beam::new(space, heuristic(plan), width, depth).run(stats, watchdog)
            }
            SearchChoice::Random => random_walk::run(space, walks, stats, watchdog),
            SearchChoice::Pct => {
                let orderings = options.orderings.unwrap_or(ORDERINGS);
                Pct::new(space, walks, orderings).run(stats, watchdog)
            }
        }
    };
    judge_cycles(space, round, depth, stats, watchdog)
}

/// Explores everything depth-first on several cores. The space has just begun a round.
pub fn prove(
    space: &mut Space<'_>,
    jobs: usize,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> Round {
    let round = Workers::new(space, u64::MAX, jobs).run(stats, watchdog);
    judge_cycles(space, round, u64::MAX, stats, watchdog)
}

/// What a round comes to if there may be something wrong with runs without end.
fn judge_cycles(
    space: &mut Space<'_>,
    round: Round,
    depth: u64,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> Round {
    let is_over = matches!(round, Round::Over(Found::Nothing)) && !space.is_unsettled();
    if !is_over || stats.closing == 0 || stats.cut != 0 {
        return round;
    }
    let found = *stats;
    space.begin_round();
    let round = DepthFirst::new(space, depth, true).run(stats, watchdog);
    *stats = Stats { depth: found.depth, expanded: found.expanded, ..*stats };
    round
}

/// What a trail should be like: who asks for the fewest steps gets them.
pub fn wish(options: &CheckOptions) -> Wish {
    use SearchChoice::{Astar, Bfs, Idastar, Idfs};
    match options.order() {
        Bfs | Idfs | Astar | Idastar if options.preemptions.is_none() => Wish::FewMoves,
        _ => Wish::FewPreemptions,
    }
}

fn heuristic(plan: &Plan<'_>) -> Sum {
    let names = plan.options.heuristic.clone();
    names.unwrap_or_else(|| Names::ordinary(plan.properties)).make(plan.quarry())
}

/// What is new first, among that what the other heuristics say.
fn novelty(plan: &Plan<'_>) -> Sum {
    let names = plan.options.heuristic.clone().unwrap_or_else(Names::none);
    names.and_novelty().make(plan.quarry())
}

/// Passes of A* with growing bounds, until one cuts nothing off.
fn deepen_directed(
    space: &mut Space<'_>,
    plan: &Plan<'_>,
    depth_max: u64,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> Round {
    let (mut bound, mut expanded) = (0, 0);
    loop {
        let mut pass = IdaStar::new(space, heuristic(plan), bound, depth_max);
        let round = pass.run(stats, watchdog);
        let beyond = pass.beyond();
        expanded += stats.expanded;
        stats.expanded = expanded;
        match (round, beyond) {
            (Round::Over(Found::Nothing), Some(next)) => bound = next,
            (round, _) => return round,
        }
        space.begin_round();
    }
}

/// Depth-first passes with growing bounds, until one cuts nothing off.
fn deepen(
    space: &mut Space<'_>,
    depth_max: u64,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> Round {
    let depth_max = u32::try_from(depth_max).unwrap_or(u32::MAX);
    let mut bound = 1.min(depth_max);
    let mut expanded = 0;
    loop {
        let round = Deepening::new(space, bound).run(stats, watchdog);
        expanded += stats.expanded;
        stats.expanded = expanded;
        match round {
            Round::Over(Found::Nothing) if 0 < stats.cut && bound < depth_max => bound += 1,
            round => return round,
        }
        space.begin_round();
    }
}
