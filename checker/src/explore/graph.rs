//! For tests: a graph written down, as the engine under a search.

use super::choice::{Choice, Wrong};
use super::engine::{Effect, Engine, Expansion, Successor};
use super::thread_set::ThreadSet;
use super::view::{PathFacts, View};
use crate::run::random::Random;
use crate::state::StateId;
use samovar_vm::machine::ThreadId;

/// What there is in a state.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Where the moves of thread 0, 1 and so on lead.
    pub next: Vec<usize>,
    /// A move ends the program.
    pub ends: bool,
    /// The state is an error.
    pub wrong: bool,
}

/// See the module head.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By state; the first is the start.
    pub nodes: Vec<Node>,
    at: usize,
    path: Vec<usize>,
    successors: Vec<Successor>,
    /// Threads 0 and 1 are stuck if they never move.
    pub waits: bool,
    /// States that were expanded, again each time.
    pub expanded: Vec<usize>,
}

impl Graph {
    /// A graph of these states.
    pub fn new(nodes: Vec<Node>) -> Graph {
        Graph { nodes, ..Graph::default() }
    }

    /// A random graph; few states are errors.
    pub fn random(seed: u64) -> Graph {
        Graph::random_of(seed, 9, 6)
    }

    /// The same with up to so many states and two, of which one in so many is an error or an end.
    pub fn random_of(seed: u64, states: u64, rarity: u64) -> Graph {
        let mut random = Random::new(seed);
        let count = 2 + random.below(states) as usize;
        let mut node = || Node {
            next: (0..random.below(4)).map(|_| random.below(count as u64) as usize).collect(),
            ends: random.below(rarity) == 0,
            wrong: random.below(rarity) == 0,
        };
        Graph::new((0..count).map(|_| node()).collect())
    }

    /// By state: the fewest moves to it.
    pub fn distances(&self) -> Vec<Option<usize>> {
        let mut found = vec![None; self.nodes.len()];
        let (mut level, mut distance) = (vec![0], 0);
        found[0] = Some(0);
        while !level.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for &to in level.iter().flat_map(|&state: &usize| &self.nodes[state].next) {
                if found[to].is_none() {
                    found[to] = Some(distance);
                    next.push(to);
                }
            }
            level = next;
        }
        found
    }
}

impl Engine for Graph {
    fn state(&self) -> StateId {
        StateId(self.at as u32)
    }

    fn expand(&mut self) -> Expansion {
        self.expanded.push(self.at);
        let effect = Effect { change: true, ..Effect::default() };
        let successor = |(thread, &state): (usize, &usize)| Successor {
            choice: Choice { thread: ThreadId(thread as u32), alternative: 0 },
            state: StateId(state as u32),
            effect,
        };
        self.successors = self.nodes[self.at].next.iter().enumerate().map(successor).collect();
        match self.nodes[self.at].wrong {
            true => Expansion::Wrong(None, Wrong::Deadlock),
            false => Expansion::Successors,
        }
    }

    fn expand_for(&mut self, _: Option<ThreadId>) -> Expansion {
        self.expand()
    }

    fn successors(&self) -> &[Successor] {
        &self.successors
    }

    fn ends(&self) -> bool {
        self.nodes[self.at].ends
    }

    fn forward(&mut self, choice: Choice) {
        self.path.push(self.at);
        self.at = self.nodes[self.at].next[choice.thread.0 as usize];
    }

    fn back(&mut self) {
        if let Some(state) = self.path.pop() {
            self.at = state;
        }
    }

    fn jump(&mut self, state: StateId) {
        self.path.clear();
        self.at = state.0 as usize;
    }

    fn on_stack(&mut self, _: StateId, _: bool) {}

    fn can_move(&self, thread: ThreadId) -> bool {
        (thread.0 as usize) < self.nodes[self.at].next.len()
    }

    fn thread_count(&self) -> u32 {
        4
    }

    fn look(
        &mut self,
        choice: Choice,
        before: PathFacts,
        _: bool,
        _: &mut dyn FnMut(&View<'_>),
    ) -> PathFacts {
        before.after(choice.thread, None, 0)
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

    fn hopeless(&mut self, moving: &ThreadSet) -> Vec<ThreadId> {
        let threads = (0..if self.waits { 2 } else { 0 }).map(ThreadId);
        threads.filter(|thread| !moving.contains(*thread)).collect()
    }

    fn counts(&mut self, _: &Wrong) -> bool {
        true
    }
}
