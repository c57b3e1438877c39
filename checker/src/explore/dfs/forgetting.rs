//! Tests of a depth-first search that is short of memory: whatever it forgets, whenever, it comes
//! to what it would have come to.

use super::{DepthFirst, Round};
use crate::explore::choice::{Choice, Found, Stats, Wrong};
use crate::explore::engine::{Effect, Engine, Expansion, Successor};
use crate::explore::graph::Graph;
use crate::explore::thread_set::ThreadSet;
use crate::explore::view::{PathFacts, View};
use crate::run::random::Random;
use crate::state::StateId;
use samovar_vm::machine::ThreadId;

/// A graph whose states get numbers when they are first seen, and lose them when forgotten.
struct Forgetful {
    graph: Graph,
    /// By number.
    nodes: Vec<usize>,
    successors: Vec<Successor>,
    is_short: bool,
}

impl Forgetful {
    fn new(graph: Graph) -> Forgetful {
        Forgetful { graph, nodes: vec![0], successors: Vec::new(), is_short: false }
    }

    fn number(&mut self, node: usize) -> StateId {
        let known = self.nodes.iter().position(|&known| known == node);
        StateId(known.unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        }) as u32)
    }
}

impl Engine for Forgetful {
    fn state(&self) -> StateId {
        let at = self.graph.state().0 as usize;
        let number = self.nodes.iter().position(|&node| node == at);
        StateId(number.expect("the search never leaves what it keeps") as u32)
    }

    fn expand(&mut self) -> Expansion {
        let expansion = self.graph.expand();
        let mut successors = self.graph.successors().to_vec();
        for one in &mut successors {
            one.state = self.number(one.state.0 as usize);
        }
        self.successors = successors;
        expansion
    }

    fn expand_for(&mut self, _: Option<ThreadId>) -> Expansion {
        self.expand()
    }

    fn successors(&self) -> &[Successor] {
        &self.successors
    }

    fn ends(&self) -> bool {
        self.graph.ends()
    }

    fn forward(&mut self, choice: Choice) {
        self.graph.forward(choice);
    }

    fn back(&mut self) {
        self.graph.back();
    }

    fn jump(&mut self, state: StateId) {
        self.graph.jump(StateId(self.nodes[state.0 as usize] as u32));
    }

    fn on_stack(&mut self, _: StateId, _: bool) {}

    fn can_move(&self, thread: ThreadId) -> bool {
        self.graph.can_move(thread)
    }

    fn thread_count(&self) -> u32 {
        self.graph.thread_count()
    }

    fn look(
        &mut self,
        choice: Choice,
        before: PathFacts,
        with_process: bool,
        look: &mut dyn FnMut(&View<'_>),
    ) -> PathFacts {
        self.graph.look(choice, before, with_process, look)
    }

    fn defer(&mut self, _: bool) {}

    fn has_grown(&self) -> bool {
        false
    }

    fn passed(&self) -> (Option<u64>, u32) {
        (None, 0)
    }

    fn ids(&self) -> usize {
        self.nodes.len()
    }

    fn is_short(&self) -> bool {
        self.is_short
    }

    fn forget_but(&mut self, keep: &mut [StateId]) {
        let kept: Vec<usize> = keep.iter().map(|state| self.nodes[state.0 as usize]).collect();
        // Numbers from the other end, so that none stays what it was by chance.
        self.nodes.clear();
        for &node in kept.iter().rev() {
            self.number(node);
        }
        for (state, node) in keep.iter_mut().zip(kept) {
            *state = self.number(node);
        }
    }

    fn hopeless(&mut self, moving: &ThreadSet) -> Vec<ThreadId> {
        self.graph.hopeless(moving)
    }

    fn counts(&mut self, wrong: &Wrong) -> bool {
        self.graph.counts(wrong)
    }
}

/// What a search comes to that forgets before one in so many steps, how much it forgot, and which
/// states it expanded.
fn search(graph: Graph, seed: u64, one_in: Option<u64>) -> (String, u64, Vec<usize>) {
    let mut random = Random::new(seed);
    let mut engine = Forgetful::new(graph);
    let mut search = DepthFirst::new(&mut engine, u64::MAX, true);
    let start = Choice { thread: ThreadId(0), alternative: 0 };
    let mut round = search.enter(start, Effect::default());
    while round.is_none() {
        search.engine.is_short = one_in.is_some_and(|one_in| random.below(one_in) == 0);
        search.may_forget = true;
        search.save_memory();
        round = match search.frames.is_empty() {
            true => Some(Round::Over(Found::Nothing)),
            false => search.step(),
        };
    }
    let mut stats = Stats::default();
    search.publish(&mut stats);
    let mut expanded = engine.graph.expanded;
    expanded.sort_unstable();
    expanded.dedup();
    (format!("{round:?}"), stats.forgotten, expanded)
}

#[test]
fn forgetting_changes_nothing_but_the_time_it_takes() {
    let mut forgotten = 0;
    for seed in 0..3000 {
        // Errors are rare in some, so that whole graphs are searched, too.
        let mut graph = Graph::random_of(seed, 12, if seed % 2 == 0 { 6 } else { 200 });
        graph.waits = seed % 3 == 0;
        let plain = search(graph.clone(), seed, None);
        let (outcome, lost, expanded) = search(graph, seed, Some(1 + seed % 7));
        assert_eq!((outcome, expanded), (plain.0, plain.2), "seed {seed}");
        forgotten += lost;
    }
    assert!(1_000 < forgotten, "only {forgotten} states were forgotten");
}
