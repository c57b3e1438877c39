//! A depth-first search that was stopped and can go on later, when the engine has been elsewhere.
//!
//! Known states keep their numbers as long as the engine's round lasts; the way from the start to
//! where the search stood is made again.

use super::order::Order;
use super::{Component, DepthFirst, Frame};
use crate::explore::choice::Stats;
use crate::explore::engine::{Engine, Successor};
use crate::state::StateId;

/// See the module head.
#[derive(Debug)]
pub struct Suspended {
    depth_max: u64,
    judge_cycles: bool,
    frames: Vec<Frame>,
    pending: Vec<Successor>,
    components: Vec<Component>,
    order: Order,
    stats: Stats,
}

impl<E: Engine> DepthFirst<'_, E> {
    /// Lets go of the engine.
    pub fn suspend(self) -> Suspended {
        let DepthFirst { depth_max, judge_cycles, frames, pending, components, order, .. } = self;
        let stats = self.stats;
        Suspended { depth_max, judge_cycles, frames, pending, components, order, stats }
    }
}

impl Suspended {
    /// Takes the search up again, with the same engine in the same round, which stands where the
    /// search began.
    pub fn resume<E: Engine>(self, engine: &mut E) -> DepthFirst<'_, E> {
        for frame in self.frames.iter().skip(1) {
            engine.forward(frame.choice);
        }
        let Suspended { depth_max, judge_cycles, frames, pending, components, order, stats } = self;
        let may_forget = true;
        DepthFirst {
            engine,
            depth_max,
            judge_cycles,
            frames,
            pending,
            components,
            order,
            may_forget,
            stats,
        }
    }

    /// Whether the search has been in a state.
    pub fn has_entered(&self, state: StateId) -> bool {
        self.order.has_entered(state)
    }

    /// Numbers up to where it was stopped.
    pub fn stats(&self) -> Stats {
        Stats { expanded: self.stats.states, ..self.stats }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::choice::{Choice, Found};
    use crate::explore::dfs::Round;
    use crate::explore::engine::Effect;
    use crate::explore::graph::Graph;

    /// What a search came to: states, moves, and the path to an error.
    fn result(round: Round, stats: Stats) -> String {
        match round {
            Round::Over(Found::Error { path, error }) => format!("{path:?} {error:?} {stats:?}"),
            round => format!("{round:?} {stats:?}"),
        }
    }

    #[test]
    fn a_search_that_was_stopped_comes_to_the_same() {
        for seed in 0..500 {
            let mut graph = Graph::random(seed);
            let mut stats = Stats::default();
            let round = DepthFirst::new(&mut graph, u64::MAX, true).run(&mut stats, &mut |_| None);
            let whole = result(round, stats);

            let mut graph = Graph::random(seed);
            let mut search = DepthFirst::new(&mut graph, u64::MAX, true);
            // As if it were stopped in between: nothing but the start was entered.
            let start = Choice { thread: samovar_vm::machine::ThreadId(0), alternative: 0 };
            let mut round = search.enter(start, Effect::default());
            let mut stats = Stats::default();
            search.publish(&mut stats);
            let mut search = search.suspend();
            while round.is_none() {
                graph.jump(StateId(0));
                let mut again = search.resume(&mut graph);
                if again.frames.is_empty() {
                    round = Some(Round::Over(Found::Nothing));
                } else {
                    round = again.step();
                }
                again.publish(&mut stats);
                search = again.suspend();
            }
            assert_eq!(result(round.expect("an end"), stats), whole, "seed {seed}");
        }
    }
}
