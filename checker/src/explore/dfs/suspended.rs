//! A depth-first search that was stopped and can go on later, when the engine has been elsewhere.
//!
//! Known states keep their numbers as long as the engine's round lasts; the way from the start to
//! where the search stood is made again.

use super::{DepthFirst, Frame};
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
    order: Vec<u32>,
    open: Vec<StateId>,
    entered: u32,
    stats: Stats,
}

impl<E: Engine> DepthFirst<'_, E> {
    /// Lets go of the engine.
    pub fn suspend(self) -> Suspended {
        let DepthFirst { depth_max, judge_cycles, frames, pending, order, open, .. } = self;
        let (entered, stats) = (self.entered, self.stats);
        Suspended { depth_max, judge_cycles, frames, pending, order, open, entered, stats }
    }
}

impl Suspended {
    /// Takes the search up again, with the same engine in the same round, which stands where the
    /// search began.
    pub fn resume<E: Engine>(self, engine: &mut E) -> DepthFirst<'_, E> {
        for frame in self.frames.iter().skip(1) {
            engine.forward(frame.choice);
        }
        let Suspended { depth_max, judge_cycles, frames, pending, order, open, .. } = self;
        let (entered, stats) = (self.entered, self.stats);
        DepthFirst { engine, depth_max, judge_cycles, frames, pending, order, open, entered, stats }
    }

    /// Numbers up to where it was stopped.
    pub fn stats(&self) -> Stats {
        Stats { expanded: self.stats.states, ..self.stats }
    }
}
