//! Best-first search and A*: the most promising state is expanded next.
//!
//! Best-first goes by the heuristic alone; A* adds the moves made so far, and takes a state up
//! again if it is reached by fewer of them. Of states that are as promising, the one found last
//! comes first, so that a search gets somewhere. Both visit the whole space if nothing is found;
//! runs without end are not judged here.
//!
//! The queue holds moves, not states: where a move leads is found out when its turn comes, so a
//! state with many successors of which few are ever taken up costs little. Cost: 32 bytes a move
//! in the queue, a look at how the threads stand after it, and 60 bytes a state that was reached.
//! All of that lies in arrays, which the host lets grow where they are: a hash table would be
//! copied to one of twice the size, and memory would be short before anybody could look.

use super::choice::{Choice, Found, Stats};
use super::dfs::{Round, WATCH_EVERY, Watchdog};
use super::engine::{Engine, Successor, UNSTORED};
use super::heuristic::Heuristic;
use super::origins;
use super::view::{PathFacts, View};
use crate::state::StateId;
use samovar_vm::machine::ThreadId;
use std::collections::BinaryHeap;

/// A move to be made; the greatest is the most promising.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The negated value of where it leads.
    promise: i64,
    /// When it was found.
    number: u64,
    from: StateId,
    thread: u32,
    alternative: u32,
    /// Moves made when it is made, as they were then.
    moves: u32,
}

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    parent: StateId,
    choice: Choice,
    facts: PathFacts,
}

/// How states were reached.
#[derive(Debug, Default)]
struct ReachedStates {
    /// By state: its place in the list plus one, zero if it was not reached.
    places: Vec<u32>,
    list: Vec<Reached>,
}

impl ReachedStates {
    fn get(&self, state: StateId) -> Option<&Reached> {
        let place = self.places.get(state.0 as usize).copied().unwrap_or(0);
        Some(&self.list[place.checked_sub(1)? as usize])
    }

    /// Notes how a state was reached, and forgets how it was before; whether it was not. All states
    /// are below `ids`.
    fn set(&mut self, state: StateId, ids: usize, reached: Reached) -> bool {
        let index = state.0 as usize;
        if self.places.len() <= index {
            self.places.resize(ids.max(index + 1), 0);
        }
        match self.places[index].checked_sub(1) {
            Some(place) => self.list[place as usize] = reached,
            None => {
                self.list.push(reached);
                self.places[index] = self.list.len() as u32;
                return true;
            }
        }
        false
    }

    fn bytes(&self) -> usize {
        self.places.len() * size_of::<u32>() + self.list.len() * size_of::<Reached>()
    }
}

/// A directed search from where an engine stands.
#[derive(Debug)]
pub struct BestFirst<'e, E, H> {
    engine: &'e mut E,
    heuristic: H,
    /// Moves count as well: A*.
    count_moves: bool,
    depth_max: u64,
    reached: ReachedStates,
    queue: BinaryHeap<Candidate>,
    stats: Stats,
}

impl<'e, E: Engine, H: Heuristic> BestFirst<'e, E, H> {
    /// A search that follows no path further than `depth_max` moves.
    pub fn new(engine: &'e mut E, heuristic: H, count_moves: bool, depth_max: u64) -> Self {
        BestFirst {
            engine,
            heuristic,
            count_moves,
            depth_max,
            reached: ReachedStates::default(),
            queue: BinaryHeap::new(),
            stats: Stats::default(),
        }
    }

    /// Searches the whole space, or up to the first error. `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        self.engine.defer(true);
        let round = self.search(stats, watchdog);
        self.engine.defer(false);
        round
    }

    fn search(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = self.engine.state();
        let choice = Choice { thread: ThreadId(0), alternative: 0 };
        let facts = PathFacts::default();
        self.reached.set(start, self.engine.ids(), Reached { parent: start, choice, facts });
        self.stats.states = 1;
        let mut round = self.expand(start, facts);
        let mut last_look = 0;
        while round.is_none() {
            let Some(candidate) = self.queue.pop() else {
                round = Some(Round::Over(Found::Nothing));
                break;
            };
            round = self.take_up(candidate);
            if round.is_none() && last_look + WATCH_EVERY <= self.stats.transitions {
                last_look = self.stats.transitions;
                self.publish(stats);
                if let Some(reason) = watchdog(stats) {
                    return Round::Over(Found::Stopped { reason });
                }
            }
        }
        self.publish(stats);
        round.unwrap_or(Round::Over(Found::Nothing))
    }

    fn publish(&self, stats: &mut Stats) {
        stats.take(&Stats { frontier: self.queue.len() as u64, ..self.stats });
        let queue = self.queue.len() * size_of::<Candidate>();
        stats.order_bytes = (queue + self.reached.bytes()) as u64;
    }

    /// Makes a move whose turn it is, and expands the state that it leads to.
    fn take_up(&mut self, candidate: Candidate) -> Option<Round> {
        let Candidate { from, thread, alternative, moves, .. } = candidate;
        let before = self.reached.get(from).expect("states were reached before their moves").facts;
        if before.moves + 1 < moves {
            // Its state was reached by a shorter path since, and expanded again.
            return None;
        }
        let choice = Choice { thread: ThreadId(thread), alternative };
        self.engine.jump(from);
        self.engine.forward(choice);
        let state = self.engine.state();
        if !self.is_worth(state, moves) {
            return None;
        }
        let (object, accesses) = self.engine.passed();
        let facts = before.after(choice.thread, object, accesses);
        let reached = Reached { parent: from, choice, facts };
        let is_new = self.reached.set(state, self.engine.ids(), reached);
        self.stats.states += u64::from(is_new);
        self.stats.depth = self.stats.depth.max(moves.into());
        self.expand(state, facts)
    }

    /// Whether a state that is reached by so many moves has to be looked at.
    fn is_worth(&mut self, state: StateId, moves: u32) -> bool {
        match self.reached.get(state) {
            Some(known) => {
                let is_shorter = self.count_moves && moves < known.facts.moves;
                self.stats.revisits += u64::from(!is_shorter);
                is_shorter
            }
            None => {
                let is_cut = self.depth_max < moves.into();
                self.stats.cut += u64::from(is_cut);
                !is_cut
            }
        }
    }

    /// Looks at all moves of the state where the engine stands.
    fn expand(&mut self, state: StateId, facts: PathFacts) -> Option<Round> {
        self.stats.expanded += 1;
        let expansion = self.engine.expand();
        let end = origins::end(expansion, |last| self.path(state, last));
        if end.is_some() {
            return end;
        }
        let with_process = self.heuristic.needs_process();
        for at in 0..self.engine.successors().len() {
            let Successor { choice, state: next, .. } = self.engine.successors()[at];
            self.stats.transitions += 1;
            let moves = facts.moves + 1;
            if next != UNSTORED && !self.is_worth(next, moves) {
                continue;
            }
            let (mut value, heuristic) = (0, &mut self.heuristic);
            let look = &mut |view: &View<'_>| value = heuristic.value(view);
            self.engine.look(choice, facts, with_process, look);
            let cost = if self.count_moves { moves.into() } else { 0 };
            self.queue.push(Candidate {
                promise: value.saturating_add(cost).saturating_neg(),
                number: self.stats.transitions,
                from: state,
                thread: choice.thread.0,
                alternative: choice.alternative,
                moves,
            });
        }
        self.engine.has_grown().then_some(Round::Anew)
    }

    /// The choices that lead to a state, and one more.
    fn path(&self, state: StateId, last: Option<Choice>) -> Vec<Choice> {
        let mut path: Vec<Choice> = last.into_iter().collect();
        let mut at = state;
        while let Some(reached) = self.reached.get(at).filter(|reached| reached.parent != at) {
            path.push(reached.choice);
            at = reached.parent;
        }
        path.reverse();
        path
    }
}
