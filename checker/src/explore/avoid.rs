//! Whether an error can still be avoided from a state: a search for a run that goes well.
//!
//! A run goes well if the program ends without an error, or if it comes to where it goes round for
//! ever, nobody is stuck, and something is done: a component of the graph that no move leaves.
//! (A circle that could be left does not count: it takes an unfair scheduler to stay in it.) A
//! state from which no run goes well is *doomed*. Once found doomed it stays so, so that states of
//! a path that are looked at from its end on share all work.
//!
//! What happens in a state is told by the caller: the engine must not stop at errors, but leave out
//! the moves that lead to them.

use super::choice::Choice;
use super::engine::{Effect, Engine, Successor};
use super::thread_set::ThreadSet;
use crate::state::StateId;

/// What there is in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A move ends the program well.
    Well,
    /// The engine knows the moves that go on.
    Open,
    /// The state itself is an error: no run through it goes well.
    Wrong,
    /// Looking takes more than is allowed.
    TooMuch,
}

/// What becomes of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// These moves lead to where it ends well, or to where it goes on well for ever.
    Avoidable(Vec<Choice>),
    /// No run goes well.
    Doomed,
    /// Not found out.
    Unknown,
}

/// A state on the path.
#[derive(Debug)]
struct Frame {
    pending: usize,
    choice: Choice,
    effect: Effect,
    index: u32,
    low: u32,
    is_left: bool,
    is_cyclic: bool,
    moved: ThreadSet,
    done: Effect,
}

impl Frame {
    /// Takes in a move inside of the component.
    fn take(&mut self, choice: Choice, effect: Effect) {
        self.is_cyclic = true;
        self.moved.insert(choice.thread);
        self.done.join(effect);
    }
}

/// A state that is doomed.
const DOOMED: u32 = u32::MAX;

/// See the module head.
#[derive(Debug, Default)]
pub struct Avoidance {
    /// By state: place in the order of entering, zero if not entered.
    order: Vec<u32>,
    open: Vec<StateId>,
    frames: Vec<Frame>,
    pending: Vec<Successor>,
    entered: u32,
}

impl Avoidance {
    /// What becomes of a state.
    pub fn fate<E: Engine>(
        &mut self,
        engine: &mut E,
        state: StateId,
        look: &mut dyn FnMut(&mut E) -> Look,
    ) -> Fate {
        if self.order.get(state.0 as usize) == Some(&DOOMED) {
            return Fate::Doomed;
        }
        engine.jump(state);
        let start = Choice { thread: samovar_vm::machine::ThreadId(0), alternative: 0 };
        let mut found = self.enter(engine, start, Effect::default(), look);
        while found.is_none() && !self.frames.is_empty() {
            found = self.step(engine, look);
        }
        let fate = match found {
            None => return Fate::Doomed,
            Some(Look::Well) => Fate::Avoidable(self.path()),
            Some(_) => Fate::Unknown,
        };
        // Whatever was not found doomed is not known.
        for state in self.open.drain(..) {
            self.order[state.0 as usize] = 0;
        }
        self.frames.clear();
        self.pending.clear();
        fate
    }

    fn path(&self) -> Vec<Choice> {
        self.frames.iter().skip(1).map(|frame| frame.choice).collect()
    }

    fn step<E: Engine>(
        &mut self,
        engine: &mut E,
        look: &mut dyn FnMut(&mut E) -> Look,
    ) -> Option<Look> {
        let top = self.frames.last_mut()?;
        if self.pending.len() == top.pending {
            return self.leave(engine);
        }
        let Successor { choice, state, effect } = self.pending.pop()?;
        match self.order.get(state.0 as usize).copied().unwrap_or(0) {
            0 => {
                engine.forward(choice);
                return self.enter(engine, choice, effect, look);
            }
            DOOMED => top.is_left = true,
            index => {
                top.low = top.low.min(index);
                top.take(choice, effect);
            }
        }
        None
    }

    fn enter<E: Engine>(
        &mut self,
        engine: &mut E,
        choice: Choice,
        effect: Effect,
        look: &mut dyn FnMut(&mut E) -> Look,
    ) -> Option<Look> {
        let state = engine.state();
        self.entered += 1;
        let index = self.entered;
        if self.order.len() <= state.0 as usize {
            self.order.resize(engine.ids().max(state.0 as usize + 1), 0);
        }
        self.order[state.0 as usize] = index;
        self.open.push(state);
        let pending = self.pending.len();
        let mut frame = Frame {
            pending,
            choice,
            effect,
            index,
            low: index,
            is_left: false,
            is_cyclic: false,
            moved: ThreadSet::default(),
            done: Effect::default(),
        };
        let seen = look(engine);
        if seen == Look::Open {
            self.pending.extend(engine.successors().iter().rev());
            frame.is_left = engine.ends() || self.pending.len() == pending;
        } else {
            frame.is_left = true;
        }
        self.frames.push(frame);
        matches!(seen, Look::Well | Look::TooMuch).then_some(seen)
    }

    /// All successors of the state on top were looked at.
    fn leave<E: Engine>(&mut self, engine: &mut E) -> Option<Look> {
        let frame = self.frames.last()?;
        let is_root = frame.low == frame.index;
        if is_root && !frame.is_left && frame.is_cyclic {
            let is_busy = !frame.done.is_idle();
            if is_busy && engine.hopeless(&frame.moved).is_empty() {
                return Some(Look::Well);
            }
        }
        let frame = self.frames.pop()?;
        engine.back();
        if is_root {
            while let Some(&state) = self.open.last() {
                if self.order[state.0 as usize] < frame.index {
                    break;
                }
                self.order[state.0 as usize] = DOOMED;
                self.open.pop();
            }
        }
        if let Some(below) = self.frames.last_mut() {
            if is_root {
                below.is_left = true;
            } else {
                below.low = below.low.min(frame.low);
                below.is_left |= frame.is_left;
                below.moved.join(&frame.moved);
                below.done.join(frame.done);
                below.take(frame.choice, frame.effect);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::graph::Graph;

    fn look(graph: &mut Graph) -> Look {
        graph.expand();
        let node = &graph.nodes[graph.state().0 as usize];
        match (node.wrong, node.ends) {
            (true, _) => Look::Wrong,
            (false, true) => Look::Well,
            (false, false) => Look::Open,
        }
    }

    /// By state: which states can be reached, through no error.
    fn reachable(graph: &Graph) -> Vec<Vec<bool>> {
        let count = graph.nodes.len();
        let mut reach = vec![vec![false; count]; count];
        for (state, node) in graph.nodes.iter().enumerate().filter(|(_, node)| !node.wrong) {
            node.next.iter().for_each(|&to| reach[state][to] = true);
        }
        for via in (0..count).filter(|&via| !graph.nodes[via].wrong) {
            for from in 0..count {
                for to in 0..count {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        reach
    }

    /// Whether a run from a state goes well, straight from the definition.
    fn goes_well(graph: &Graph, reach: &[Vec<bool>], state: usize) -> bool {
        let count = graph.nodes.len();
        let is_for_ever = |one: usize| {
            let mut others = (0..count).filter(|&other| reach[one][other]);
            reach[one][one] && others.all(|other| !graph.nodes[other].wrong && reach[other][one])
        };
        let good =
            |one: usize| !graph.nodes[one].wrong && (graph.nodes[one].ends || is_for_ever(one));
        good(state) || (0..count).any(|other| reach[state][other] && good(other))
    }

    #[test]
    fn fates_are_those_of_the_definition() {
        let mut seen = [0; 2];
        for seed in 0..3000 {
            let mut graph = Graph::random(seed);
            let reach = reachable(&graph);
            let mut avoidance = Avoidance::default();
            // All with the same memory, in any order.
            for state in 0..graph.nodes.len() {
                let well = goes_well(&graph, &reach, state);
                let fate = avoidance.fate(&mut graph, StateId(state as u32), &mut look);
                assert_eq!(fate != Fate::Doomed, well, "seed {seed}, state {state}: {graph:?}");
                seen[usize::from(well)] += 1;
                if let Fate::Avoidable(path) = fate {
                    let mut at = state;
                    for choice in path {
                        assert!(!graph.nodes[at].wrong, "seed {seed}");
                        at = graph.nodes[at].next[choice.thread.0 as usize];
                    }
                    assert!(goes_well(&graph, &reach, at), "seed {seed}");
                }
            }
        }
        assert!(seen.iter().all(|&count| 1000 < count), "{seen:?}");
    }

    #[test]
    fn too_much_is_not_known() {
        let mut graph = Graph::random(1);
        let mut avoidance = Avoidance::default();
        let fate = avoidance.fate(&mut graph, StateId(0), &mut |_| Look::TooMuch);
        assert_eq!(fate, Fate::Unknown);
    }
}
