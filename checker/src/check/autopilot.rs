//! The autopilot: what a check does if nobody asks for a search.
//!
//! Most errors are near, and most spaces are small: a depth-first search finds either out at once.
//! If it does not, cheap searches that are good at finding take turns with it: the most promising
//! states first, runs with few preemptions, random priorities. All of them together get no
//! more states than the depth-first search has had; then it goes on where it stood, up to five
//! times as far, and so on four times. After that it has the field to itself. So a proof expands
//! at most twice as many states as it would alone, and mostly as many. It also leaves out as many
//! moves as alone, because it does not hear of what others have learned (see [`Mind`]).
//!
//! Before others get their turn but the first, a few random walks estimate how many states there
//! are (see [`super::estimate`]). If the depth-first search will have seen about all of them by the
//! end of its next turn, that comes first.
//!
//! On several cores, the last turn is that of many workers (see [`crate::explore::workers`]), which
//! begin at the start.
//!
//! Only the depth-first search proves anything; what others find is an error like any other.
//! Turns are measured in states, not in time, so that a check is the same every time.

use super::estimate::{self, Estimate};
use super::search::Plan;
use super::strategy;
use crate::explore::best_first::BestFirst;
use crate::explore::choice::{Found, Stats};
use crate::explore::dfs::{DepthFirst, Round, Suspended, Watchdog};
use crate::explore::heuristic::Names;
use crate::explore::pct::Pct;
use crate::explore::preemptions::FewPreemptions;
use crate::explore::random_walk::Walks;
use crate::explore::space::{Mind, Space};
use crate::run::stats::grouped;

/// Moves of a walk.
const WALK_MOVES_MAX: u64 = 1_000;

/// A search that takes a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Depth-first, up to so many states in all.
    Proof(u64),
    /// Best-first with these heuristics, or if formulas are given with their distance.
    Directed(&'static str, u64),
    /// What needs no more preemptions than this.
    Preemptions(u32, u64),
    /// Random priorities, for errors that need so many orderings.
    Priorities(u32, u64),
}

/// All turns, with the states that each gets.
const TURNS: &[Turn] = &[
    Turn::Proof(500),
    Turn::Directed("lnb", 250),
    Turn::Preemptions(1, 150),
    Turn::Priorities(3, 100),
    Turn::Proof(2_000),
    Turn::Directed("lnb+alive", 700),
    Turn::Preemptions(1, 400),
    Turn::Priorities(3, 400),
    Turn::Proof(10_000),
    Turn::Directed("lnb", 3_000),
    Turn::Preemptions(2, 3_000),
    Turn::Priorities(3, 2_000),
    Turn::Proof(50_000),
    Turn::Directed("branch", 15_000),
    Turn::Preemptions(2, 20_000),
    Turn::Priorities(4, 5_000),
    Turn::Proof(u64::MAX),
];

/// What the autopilot has tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// In words: `best-first by lnb`.
    pub how: String,
    /// States that were expanded; for a depth-first search, in all its turns.
    pub expanded: u64,
}

/// See the module head.
#[derive(Debug, Default)]
pub struct Autopilot {
    /// The turn, by its place in [`TURNS`].
    at: usize,
    /// The depth-first search of this round, while others have their turn.
    proof: Option<Suspended>,
    /// The space is as it was when the round began.
    is_fresh: bool,
    /// What all but the depth-first search have learned: it would make that leave out less.
    aside: Mind,
    /// What was tried, the present turn last.
    pub attempts: Vec<Attempt>,
}

impl Autopilot {
    /// A round over a space that has just begun it.
    pub fn round(
        &mut self,
        space: &mut Space<'_>,
        plan: &Plan<'_>,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Round {
        self.proof = None;
        self.is_fresh = true;
        loop {
            let turn = TURNS[self.at];
            let round = match turn {
                Turn::Proof(u64::MAX) if plan.options.jobs.is_some() => {
                    Some(self.prove_on_cores(space, plan.options.jobs(), stats, watchdog))
                }
                Turn::Proof(states_max) => self.prove(space, states_max, stats, watchdog),
                _ => self.find(space, plan, turn, stats, watchdog),
            };
            match round {
                Some(round) => return round,
                None => self.at += 1,
            }
            let has_proved = matches!(turn, Turn::Proof(_)) && 1 < self.at;
            if has_proved && !self.plan_ahead(space, plan) {
                return Round::Anew;
            }
        }
    }

    /// Decides who comes next after the depth-first search; whether the round can go on.
    fn plan_ahead(&mut self, space: &mut Space<'_>, plan: &Plan<'_>) -> bool {
        let Some(proof) = &self.proof else { return true };
        let before = space.stats;
        space.exchange(&mut self.aside);
        let estimate = estimate::estimate(space, proof, plan.options.seed);
        space.exchange(&mut self.aside);
        space.stats = Stats { executed: space.stats.executed, ..before };
        let Some(Estimate { states, probed }) = estimate else { return false };
        self.note(format!("random walks, which estimate {} states", grouped(states)), probed);
        let next = TURNS[self.at..].iter().position(|turn| matches!(turn, Turn::Proof(_)));
        if let Some(ahead) = next
            && let Turn::Proof(states_max) = TURNS[self.at + ahead]
            && states <= states_max
            && states_max != u64::MAX
        {
            self.at += ahead;
        }
        true
    }

    /// Notes how far the present turn has come.
    fn note(&mut self, how: String, expanded: u64) {
        match self.attempts.last_mut().filter(|last| last.how == how) {
            Some(last) => last.expanded = expanded,
            None => self.attempts.push(Attempt { how, expanded }),
        }
    }

    /// Goes on with the depth-first search; `None` if its turn is over.
    fn prove(
        &mut self,
        space: &mut Space<'_>,
        states_max: u64,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Option<Round> {
        if self.proof.is_some() && space.is_unsettled() {
            // Others have shown that moves were left out that matter.
            return Some(Round::Anew);
        }
        let proof = self.proof.take();
        if proof.is_none() && !self.is_fresh {
            space.begin_round();
        }
        self.is_fresh = false;
        space.jump_to_start();
        let mut search = match proof {
            Some(proof) => proof.resume(space),
            None => DepthFirst::new(space, u64::MAX, true),
        };
        let (round, ended) = within(states_max, watchdog, |watchdog| search.run(stats, watchdog));
        let proof = search.suspend();
        self.note("depth-first".to_string(), stats.expanded);
        match ended {
            Ended::TurnOver => {
                self.proof = Some(proof);
                None
            }
            Ended::Stopped | Ended::ByItself => Some(round),
        }
    }

    /// Explores everything on so many cores.
    fn prove_on_cores(
        &mut self,
        space: &mut Space<'_>,
        jobs: usize,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Round {
        if !std::mem::take(&mut self.is_fresh) {
            space.begin_round();
        }
        let round = strategy::prove(space, jobs, stats, watchdog);
        self.note("depth-first by many workers".to_string(), stats.expanded);
        round
    }

    /// Lets another search look for errors; `None` if it has found nothing.
    fn find(
        &mut self,
        space: &mut Space<'_>,
        plan: &Plan<'_>,
        turn: Turn,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Option<Round> {
        self.is_fresh = false;
        space.exchange(&mut self.aside);
        space.jump_to_start();
        let before = (*stats, space.stats);
        let (how, states_max) = describe(turn, plan);
        // Who counts preemptions or orderings must see all moves.
        let prune = space.set_pruning(false);
        space.set_pruning(prune && matches!(turn, Turn::Directed(..)));
        let walks = Walks { count: u64::MAX, moves_max: WALK_MOVES_MAX, seed: plan.options.seed };
        let (round, ended) = within(states_max, watchdog, |watchdog| match turn {
            Turn::Directed(name, _) => {
                let heuristic = heuristic(name, plan).make(plan.quarry());
                BestFirst::new(space, heuristic, false, u64::MAX).run(stats, watchdog)
            }
            Turn::Preemptions(bound, _) => FewPreemptions::new(space, bound).run(stats, watchdog),
            Turn::Priorities(orderings, _) => {
                Pct::new(space, walks, orderings).run(stats, watchdog)
            }
            Turn::Proof(_) => Round::Anew,
        });
        space.set_pruning(prune);
        space.exchange(&mut self.aside);
        self.note(how, stats.expanded);
        let is_found =
            matches!(round, Round::Over(Found::Error { .. } | Found::Unsupported { .. }));
        if is_found || matches!(round, Round::Anew) {
            return Some(round);
        }
        // What counts is what the proof has seen.
        let executed = space.stats.executed;
        (*stats, space.stats) = before;
        space.stats.executed = executed;
        (ended == Ended::Stopped).then_some(round)
    }
}

/// How a turn came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// The search was over.
    ByItself,
    /// It has had its states.
    TurnOver,
    /// The limits of the whole check were reached.
    Stopped,
}

/// Runs a search until it has expanded so many states.
fn within(
    states_max: u64,
    watchdog: &mut Watchdog<'_>,
    run: impl FnOnce(&mut Watchdog<'_>) -> Round,
) -> (Round, Ended) {
    let mut ended = Ended::ByItself;
    let round = run(&mut |stats: &Stats| {
        if let Some(reason) = watchdog(stats) {
            ended = Ended::Stopped;
            return Some(reason);
        }
        if states_max <= stats.expanded {
            ended = Ended::TurnOver;
            return Some("its turn is over".to_string());
        }
        None
    });
    (round, ended)
}

fn heuristic(name: &'static str, plan: &Plan<'_>) -> Names {
    match plan.properties.is_empty() {
        true => Names::parse(name).unwrap_or_else(|_| Names::ordinary(plan.properties)),
        false => Names::ordinary(plan.properties),
    }
}

/// A turn in words, and how many states it gets.
fn describe(turn: Turn, plan: &Plan<'_>) -> (String, u64) {
    match turn {
        Turn::Proof(states) => ("depth-first".to_string(), states),
        Turn::Directed(name, states) => {
            (format!("best-first by {}", heuristic(name, plan)), states)
        }
        Turn::Preemptions(1, states) => ("at most 1 preemption".to_string(), states),
        Turn::Preemptions(bound, states) => (format!("at most {bound} preemptions"), states),
        Turn::Priorities(orderings, states) => {
            (format!("random priorities for {orderings} orderings"), states)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finders_get_no_more_than_the_proof_has_had() {
        let (mut proof, mut finders) = (0, 0);
        for turn in TURNS {
            match *turn {
                Turn::Proof(states) => {
                    assert!(finders <= proof, "{finders} before {states}");
                    proof = states;
                }
                Turn::Directed(_, states)
                | Turn::Preemptions(_, states)
                | Turn::Priorities(_, states) => finders += states,
            }
        }
        assert_eq!(TURNS.last(), Some(&Turn::Proof(u64::MAX)), "the proof comes last");
    }

    #[test]
    fn heuristics_exist() {
        for turn in TURNS {
            if let Turn::Directed(name, _) = turn {
                assert!(Names::parse(name).is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn turns_end() {
        let mut never = |_: &Stats| None;
        let stop = |watchdog: &mut Watchdog<'_>, expanded| {
            let reason = watchdog(&Stats { expanded, ..Stats::default() });
            Round::Over(reason.map_or(Found::Nothing, |reason| Found::Stopped { reason }))
        };
        assert_eq!(within(10, &mut never, |dog| stop(dog, 9)).1, Ended::ByItself);
        assert_eq!(within(10, &mut never, |dog| stop(dog, 10)).1, Ended::TurnOver);
        let mut always = |_: &Stats| Some("time".to_string());
        assert_eq!(within(10, &mut always, |dog| stop(dog, 10)).1, Ended::Stopped);
    }
}
