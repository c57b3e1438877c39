//! The cheapest way to an error: fewest preemptions, then fewest moves, or the other way round.
//!
//! Ways are tried in the order of what they cost, so the first one that comes to the error is the
//! cheapest there is. What can come after a state depends on the thread that moved last, too, so
//! these pairs are what is remembered. The work is bounded by a number of moves; if that is not
//! enough, nothing is found.

use super::cost::{Cost, Wish};
use super::walk::{self, Arrival};
use crate::explore::choice::Choice;
use crate::explore::moves::{self, Ending, Sight};
use crate::run::limit::Limit;
use crate::state::{StateId, StateVector};
use ahash::{AHashSet, RandomState};
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Moves that may be executed.
const MOVES_MAX: usize = 50_000;
/// So many threads make a move cost as much again.
const MANY_THREADS: usize = 32;

/// A state with the thread that moved last, or the error.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// `None`: the error.
    state: Option<StateId>,
    last: Option<ThreadId>,
    cost: Cost,
    /// The node before; the first is its own.
    parent: usize,
    choice: Choice,
}

/// What a node costs, and its number; the cheapest comes first.
type Queued = Reverse<((usize, usize, usize), usize)>;

/// A path to the same error that costs less than `most`; `None` if there is none, or none was found
/// within the bounds. The process is left where it stands; marks from before are void.
pub fn cheapest(
    process: &mut Process,
    sight: &Sight,
    goal: &Arrival,
    (wish, limit): (Wish, &Limit),
    most: Cost,
) -> Option<Vec<Choice>> {
    let vector = StateVector::new(process);
    let start = vector.state();
    let mut search = Search {
        process,
        sight,
        goal,
        wish,
        most,
        vector,
        nodes: Vec::new(),
        queue: BinaryHeap::new(),
        done: AHashSet::with_hasher(RandomState::with_seeds(71, 72, 73, 74)),
        moves_left: MOVES_MAX,
        limit,
    };
    let found = search.run(start);
    search.vector.jump(start);
    search.vector.bring(search.process);
    found
}

struct Search<'a> {
    process: &'a mut Process,
    sight: &'a Sight,
    goal: &'a Arrival,
    wish: Wish,
    most: Cost,
    vector: StateVector,
    nodes: Vec<Node>,
    queue: BinaryHeap<Queued>,
    done: AHashSet<(StateId, Option<ThreadId>)>,
    moves_left: usize,
    limit: &'a Limit,
}

impl Search<'_> {
    fn run(&mut self, start: StateId) -> Option<Vec<Choice>> {
        let choice = Choice { thread: ThreadId(0), alternative: 0 };
        let cost = Cost::default();
        self.push(Node { state: Some(start), last: None, cost, parent: 0, choice });
        while let Some(Reverse((_, number))) = self.queue.pop() {
            let Node { state, last, .. } = self.nodes[number];
            let Some(state) = state else { return Some(self.path(number)) };
            if !self.done.insert((state, last)) {
                continue;
            }
            if self.moves_left == 0 || self.limit.is_over() {
                return None;
            }
            self.vector.jump(state);
            self.vector.bring(self.process);
            if self.expand(number) == 0 && *self.goal == Arrival::Deadlock {
                let is_alive = self.process.threads().iter().any(|thread| thread.is_alive());
                if is_alive {
                    return Some(self.path(number));
                }
            }
        }
        None
    }

    /// Queues a node, unless it costs too much already.
    fn push(&mut self, node: Node) {
        let key = self.wish.key(node.cost);
        if key < self.wish.key(self.most) {
            self.nodes.push(node);
            self.queue.push(Reverse((key, self.nodes.len() - 1)));
        }
    }

    /// Tries all moves from where the process stands; how many there are.
    fn expand(&mut self, number: usize) -> usize {
        let last = self.nodes[number].last;
        let mut threads: Vec<ThreadId> = walk::movers(self.process).collect();
        // Whether the thread that moved last can go on has to be known first.
        threads.sort_by_key(|thread| Some(*thread) != last);
        let (mut count, mut goes_on) = (0, false);
        for thread in threads {
            if !walk::can_try(self.process, thread) {
                continue;
            }
            let made = self.try_thread(number, thread, goes_on);
            goes_on |= made && Some(thread) == last;
            count += usize::from(made);
        }
        count
    }

    /// Tries a thread's next move with all alternatives; whether it can move.
    fn try_thread(&mut self, number: usize, thread: ThreadId, goes_on: bool) -> bool {
        let Node { last, cost, .. } = self.nodes[number];
        let is_clock = walk::is_clock(self.process, thread);
        let switches = !is_clock && last.is_some_and(|last| last != thread);
        let cost = Cost {
            preemptions: cost.preemptions + usize::from(switches && goes_on),
            moves: cost.moves + 1,
            switches: cost.switches + usize::from(switches),
        };
        let last = if is_clock { last } else { Some(thread) };
        let (mut alternative, mut alternatives, mut moves) = (0, 1, false);
        let (mark, vector_mark) = (self.process.mark(), self.vector.mark());
        let price = 1 + self.process.threads().len() / MANY_THREADS;
        // A choice may have more alternatives than may be tried.
        while alternative < alternatives && (alternative == 0 || 0 < self.moves_left) {
            let choice = Choice { thread, alternative };
            let made = moves::execute(self.process, &mark, choice, self.sight);
            self.moves_left = self.moves_left.saturating_sub(price);
            alternatives = made.alternatives;
            moves |= made.ending != Ending::Blocked;
            let node = Node { state: None, last, cost, parent: number, choice };
            match made.ending {
                Ending::Blocked => {}
                Ending::Done => {
                    let state = self.vector.update(self.process, mark.machine());
                    if !self.done.contains(&(state, last)) {
                        self.push(Node { state: Some(state), ..node });
                    }
                }
                ending => {
                    let arrival = Arrival::Ended { steps: cost.moves, thread, ending };
                    if arrival.is_same_error(self.goal) {
                        self.push(node);
                    }
                }
            }
            self.process.undo_to(&mark);
            self.vector.undo_to(vector_mark);
            alternative += 1;
        }
        moves
    }

    fn path(&self, number: usize) -> Vec<Choice> {
        let mut path = Vec::new();
        let mut at = number;
        while self.nodes[at].parent != at {
            path.push(self.nodes[at].choice);
            at = self.nodes[at].parent;
        }
        path.reverse();
        path
    }
}
