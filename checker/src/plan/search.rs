//! The search for a plan: states in the order of what they cost, of what they promise, or of both.
//!
//! **Cost** of a path is a pair: what the program counts (`--minimise`), or the steps that it
//! marks as actions, or else nothing; then the moves. Moves count alone if the program marks no
//! actions. A state that is reached at less cost than before is taken up again.
//!
//! **Order.** By cost alone, the first goal that comes up is a cheapest one, if costs never fall.
//! With an estimate added (A*) the same holds if the estimate is never too high. By the estimate
//! alone (best-first), the first goal that is seen will do. States are judged to be goals when
//! their turn comes, except best-first.
//!
//! Ends of the program are states as well: what holds there counts.

use crate::cli::PlanSearch;
use crate::explore::choice::{Choice, Stats, Wrong};
use crate::explore::dfs::{WATCH_EVERY, Watchdog};
use crate::explore::engine::{Engine, Expansion, Successor};
use crate::explore::moves::Ending;
use crate::explore::origins::Origins;
use crate::explore::space::{Appraisal, Space};
use crate::state::StateId;
use samovar_runtime::Unsupported;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a search came to.
#[derive(Debug)]
pub enum Found {
    /// A way to the goal.
    Plan { path: Vec<Choice>, cost: Cost },
    /// The whole space was searched.
    Nothing,
    /// Something ended the search.
    Stopped { reason: String },
    /// A move goes on without end; the state before it.
    Endless { path: Vec<Choice> },
    /// Something is not supported.
    Unsupported { path: Vec<Choice>, what: Unsupported },
    /// Everything has to be searched anew, because more is visible or more counts.
    Anew,
}

/// What a path costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// What the program counts, or its actions.
    pub counted: i64,
    /// Moves.
    pub moves: u32,
}

/// What counts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Moves of threads.
    Moves,
    /// Steps that the program marks.
    Actions,
    /// What a formula says.
    Formula,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// By cost, by promise, or both.
    pub search: PlanSearch,
    /// How often the estimate counts.
    pub weight: u32,
    /// What counts.
    pub unit: Unit,
    /// No path is followed further.
    pub depth_max: u64,
}

/// A state to be expanded, or an end of the program; the greatest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Cost and estimate, as the order has it.
    key: Reverse<i64>,
    /// Of those, what is dearer and hence nearer by, or what is cheaper.
    second: i64,
    /// Then what was found first, or last.
    number: i64,
    state: StateId,
    cost: Cost,
    is_goal: bool,
    /// The move that ends the program.
    last: Option<Choice>,
}

/// See the module head.
pub struct Search<'s, 'a> {
    space: &'s mut Space<'a>,
    order: Order,
    origins: Origins,
    /// By state: what the cheapest known path costs.
    costs: Vec<Cost>,
    queue: BinaryHeap<Candidate>,
    /// Numbers about the search.
    pub stats: Stats,
    /// The program's cost fell on some move.
    pub cost_fell: bool,
}

impl<'s, 'a> Search<'s, 'a> {
    /// A search from where a space stands that has just begun a round.
    pub fn new(space: &'s mut Space<'a>, order: Order) -> Self {
        Search {
            space,
            order,
            origins: Origins::default(),
            costs: Vec::new(),
            queue: BinaryHeap::new(),
            stats: Stats::default(),
            cost_fell: false,
        }
    }

    /// Searches the whole space, or up to a goal. `anew` tells whether what the last expansion
    /// has shown makes everything so far void.
    pub fn run(
        &mut self,
        start: Appraisal,
        watchdog: &mut Watchdog<'_>,
        anew: &mut dyn FnMut(&mut Space<'a>) -> bool,
    ) -> Found {
        let state = self.space.state();
        self.origins.begin(state);
        self.stats.states = 1;
        let cost = Cost { counted: start.cost, moves: 0 };
        self.queue_up(state, cost, &start, None);
        let mut last_look = 0;
        while let Some(next) = self.queue.pop() {
            let known = self.costs[next.state.0 as usize];
            if next.last.is_none() && known < next.cost {
                continue;
            }
            if next.is_goal {
                return self.arrive(&next);
            }
            if let Some(found) = self.expand(next, anew) {
                return found;
            }
            if last_look + WATCH_EVERY <= self.stats.transitions {
                last_look = self.stats.transitions;
                self.stats.frontier = self.queue.len() as u64;
                if let Some(reason) = watchdog(&self.stats) {
                    return Found::Stopped { reason };
                }
            }
        }
        Found::Nothing
    }

    fn arrive(&self, goal: &Candidate) -> Found {
        let path = self.origins.path(goal.state, goal.last);
        Found::Plan { path, cost: goal.cost }
    }

    fn queue_up(
        &mut self,
        state: StateId,
        cost: Cost,
        worth: &Appraisal,
        last: Option<Choice>,
    ) -> Candidate {
        let index = state.0 as usize;
        if last.is_none() {
            if self.costs.len() <= index {
                self.costs.resize(index + 1, Cost::default());
            }
            self.costs[index] = cost;
        }
        self.stats.depth = self.stats.depth.max(cost.moves.into());
        let spent = match self.order.unit {
            Unit::Moves => i64::from(cost.moves),
            Unit::Actions | Unit::Formula => cost.counted,
        };
        let estimate = i64::try_from(worth.estimate).unwrap_or(i64::MAX);
        let number = self.stats.transitions as i64;
        let (key, second, number) = match self.order.search {
            PlanSearch::Auto | PlanSearch::Bfs => (spent, -i64::from(cost.moves), -number),
            PlanSearch::Astar => {
                let promise = estimate.saturating_mul(self.order.weight.into());
                (spent.saturating_add(promise), estimate.saturating_neg(), number)
            }
            PlanSearch::BestFirst => (estimate, -i64::from(cost.moves), -number),
        };
        let is_goal = worth.is_goal;
        let candidate = Candidate { key: Reverse(key), second, number, state, cost, is_goal, last };
        self.queue.push(candidate);
        candidate
    }

    fn expand(
        &mut self,
        from: Candidate,
        anew: &mut dyn FnMut(&mut Space<'a>) -> bool,
    ) -> Option<Found> {
        self.space.jump(from.state);
        self.stats.expanded += 1;
        match self.space.expand() {
            Expansion::Successors => {}
            Expansion::Anew => return Some(Found::Anew),
            Expansion::Unsupported(last, what) => {
                let path = self.origins.path(from.state, Some(last));
                return Some(Found::Unsupported { path, what });
            }
            Expansion::Wrong(_, Wrong::Move(Ending::Cut(reason))) => {
                return Some(Found::Stopped { reason });
            }
            Expansion::Wrong(last, Wrong::Move(_)) => {
                return Some(Found::Endless { path: self.origins.path(from.state, last) });
            }
            Expansion::Wrong(..) => {}
        }
        if anew(self.space) {
            return Some(Found::Anew);
        }
        for at in 0..self.space.successors().len() {
            let Successor { choice, state, .. } = self.space.successors()[at];
            let worth = self.space.appraisals()[at];
            if let Some(found) = self.reach(from, choice, state, &worth) {
                return Some(found);
            }
        }
        for at in 0..self.space.final_moves().len() {
            let (choice, worth) = self.space.final_moves()[at];
            self.stats.terminal += 1;
            if self.order.depth_max <= from.cost.moves.into() {
                self.stats.cut += 1;
            } else if worth.is_goal {
                let cost = self.cost_after(from.cost, &worth);
                let end = self.queue_up(from.state, cost, &worth, Some(choice));
                if self.order.search == PlanSearch::BestFirst {
                    return Some(self.arrive(&end));
                }
            }
        }
        None
    }

    fn cost_after(&mut self, before: Cost, worth: &Appraisal) -> Cost {
        let counted = match self.order.unit {
            Unit::Formula => worth.cost,
            _ => before.counted + i64::from(worth.actions),
        };
        self.cost_fell |= counted < before.counted;
        Cost { counted, moves: before.moves + 1 }
    }

    fn reach(
        &mut self,
        from: Candidate,
        choice: Choice,
        state: StateId,
        worth: &Appraisal,
    ) -> Option<Found> {
        self.stats.transitions += 1;
        let cost = self.cost_after(from.cost, worth);
        if self.origins.knows(state) {
            self.stats.revisits += 1;
            let counts = self.order.search != PlanSearch::BestFirst;
            if !counts || self.costs[state.0 as usize] <= cost {
                return None;
            }
        } else if self.order.depth_max <= from.cost.moves.into() {
            self.stats.cut += 1;
            return None;
        } else {
            self.stats.states += 1;
        }
        self.origins.set(state, from.state, choice);
        let reached = self.queue_up(state, cost, worth, None);
        let is_over = worth.is_goal && self.order.search == PlanSearch::BestFirst;
        is_over.then(|| self.arrive(&reached))
    }
}
