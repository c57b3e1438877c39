//! Search with a bound on preemptions: everything that needs few of them, fewest first.
//!
//! A preemption is a switch away from a thread that could have gone on. What can come after a state
//! depends on the thread that moved last, too, so nodes are pairs of both; but a node that was
//! reached with more preemptions than its state was before leads to nothing new, because any switch
//! costs one at most. A queue with two ends, moves without a preemption in front, takes every state
//! with its smallest number first. Where the bound is reached, a thread that can go on does, and
//! moves of others are compared but do not count. The passing of time costs nothing.
//!
//! This needs all moves of every state: leaving some out does not preserve their number.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor};
use super::origins;
use crate::state::StateId;
use ahash::{AHashSet, RandomState};
use samovar_vm::machine::ThreadId;
use std::collections::VecDeque;

/// A state with the thread that moved last.
#[derive(Clone, Copy, Debug)]
struct Node {
    state: StateId,
    /// [`NOBODY`] at the start.
    last: ThreadId,
    preemptions: u32,
    /// Moves from the start.
    moves: u32,
    /// The node before; the first is its own.
    parent: usize,
    choice: Choice,
}

impl Node {
    /// Who moved last.
    fn last(&self) -> Option<ThreadId> {
        Some(self.last).filter(|last| *last != NOBODY)
    }
}

/// No thread.
const NOBODY: ThreadId = ThreadId(u32::MAX);

/// A state that was not reached yet.
const UNKNOWN: u32 = u32::MAX;

/// A search from where an engine stands.
#[derive(Debug)]
pub struct FewPreemptions<'e, E> {
    engine: &'e mut E,
    bound: u32,
    nodes: Vec<Node>,
    queue: VecDeque<usize>,
    /// By state: its smallest number of preemptions.
    smallest: Vec<u32>,
    done: AHashSet<(u32, u32)>,
    /// Switches that were not made because of the bound.
    cut: u64,
    stats: Stats,
}

impl<'e, E: Engine> FewPreemptions<'e, E> {
    /// A search of everything that needs no more than `bound` preemptions.
    pub fn new(engine: &'e mut E, bound: u32) -> FewPreemptions<'e, E> {
        FewPreemptions {
            engine,
            bound,
            nodes: Vec::new(),
            queue: VecDeque::new(),
            smallest: Vec::new(),
            done: AHashSet::with_hasher(RandomState::with_seeds(81, 82, 83, 84)),
            cut: 0,
            stats: Stats::default(),
        }
    }

    /// Searches up to the bound, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        let choice = Choice { thread: ThreadId(0), alternative: 0 };
        let (last, preemptions, moves, parent) = (NOBODY, 0, 0, 0);
        self.nodes.push(Node { state: start, last, preemptions, moves, parent, choice });
        self.queue.push_back(0);
        let (mut last_look, mut reached) = (0, 0);
        while let Some(index) = self.queue.pop_front() {
            reached = self.nodes[index].preemptions;
            if let Some(round) = self.visit(index) {
                self.publish(stats);
                return round;
            }
            if last_look + WATCH_EVERY <= self.stats.transitions {
                last_look = self.stats.transitions;
                self.publish(stats);
                if let Some(reason) = watchdog(stats) {
                    return Round::Over(Found::Stopped { reason: so_far(&reason, reached) });
                }
            }
        }
        self.publish(stats);
        Round::Over(match self.cut {
            0 => Found::Nothing,
            cut => Found::Stopped {
                reason: format!(
                    "proved up to {}, runs without end aside; {cut} further switches were not \
                     explored",
                    count(reached.max(self.bound))
                ),
            },
        })
    }

    fn publish(&self, stats: &mut Stats) {
        stats.take(&Stats { frontier: self.queue.len() as u64, ..self.stats });
    }

    /// Whether a node leads to anything that is not known yet; it does not any more afterwards.
    fn is_new(&mut self, node: Node) -> bool {
        let index = node.state.0 as usize;
        if self.smallest.len() <= index {
            self.smallest.resize(self.engine.ids().max(index + 1), UNKNOWN);
        }
        let smallest = &mut self.smallest[index];
        self.stats.states += u64::from(*smallest == UNKNOWN);
        *smallest = (*smallest).min(node.preemptions);
        *smallest == node.preemptions && self.done.insert((node.state.0, node.last.0))
    }

    fn visit(&mut self, index: usize) -> Option<Round> {
        let node = self.nodes[index];
        if !self.is_new(node) {
            self.stats.revisits += 1;
            return None;
        }
        let at_bound = node.preemptions == self.bound;
        self.engine.jump(node.state);
        self.stats.expanded += 1;
        self.stats.depth = self.stats.depth.max(node.moves.into());
        let expansion = self.engine.expand_for(node.last().filter(|_| at_bound));
        let end = origins::end(expansion, |last| self.path(index, last));
        if end.is_some() {
            return end;
        }
        let count = self.engine.thread_count();
        let going_on = node.last().filter(|last| self.engine.can_move(*last));
        if at_bound && going_on.is_some() {
            let threads = (0..count).map(ThreadId).filter(|thread| Some(*thread) != going_on);
            self.cut += threads.filter(|thread| self.engine.can_move(*thread)).count() as u64;
        }
        for at in 0..self.engine.successors().len() {
            let Successor { choice, state, .. } = self.engine.successors()[at];
            self.stats.transitions += 1;
            let is_time = choice.thread.0 == count;
            let preempts = !is_time && going_on.is_some_and(|last| last != choice.thread);
            self.nodes.push(Node {
                state,
                last: if is_time { node.last } else { choice.thread },
                preemptions: node.preemptions + u32::from(preempts),
                moves: node.moves + 1,
                parent: index,
                choice,
            });
            let number = self.nodes.len() - 1;
            if preempts { self.queue.push_back(number) } else { self.queue.push_front(number) }
        }
        None
    }

    /// The choices that lead to a node, and one more.
    fn path(&self, index: usize, last: Option<Choice>) -> Vec<Choice> {
        let mut path: Vec<Choice> = last.into_iter().collect();
        let mut at = index;
        while self.nodes[at].parent != at {
            path.push(self.nodes[at].choice);
            at = self.nodes[at].parent;
        }
        path.reverse();
        path
    }
}

/// So many preemptions.
fn count(preemptions: u32) -> String {
    format!("{preemptions} preemption{}", if preemptions == 1 { "" } else { "s" })
}

/// What was proved when a search was stopped while it looked at this many preemptions.
fn so_far(reason: &str, reached: u32) -> String {
    match reached.checked_sub(1) {
        None => reason.to_string(),
        Some(proved) => {
            format!("{reason}; proved up to {}, runs without end aside", count(proved))
        }
    }
}
