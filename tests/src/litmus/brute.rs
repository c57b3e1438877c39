//! Every execution of a program, by brute force: full interleaving, one access at a time.

use super::machine::{End, Machine, Next, State};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// What all executions together come to.
#[derive(Clone, Debug)]
pub struct Answer {
    /// All ends.
    pub ends: BTreeSet<End>,
    /// Number of states.
    pub states: usize,
    /// Number of threads, `main` included.
    pub threads: usize,
    /// There is a state from which no end can be reached any more: somebody waits busily for ever.
    pub stuck: bool,
}

impl Answer {
    /// Whether something can go wrong.
    pub fn has_error(&self) -> bool {
        self.stuck || self.ends.iter().any(|end| !matches!(end, End::Exit(_)))
    }
}

/// Executes the program in every possible way; `None` if it has more states than that.
pub fn explore(machine: &Machine, states_max: usize) -> Option<Answer> {
    let start = machine.start();
    let mut numbers: HashMap<State, usize> = HashMap::from([(start.clone(), 0)]);
    let mut todo = vec![(start, 0)];
    // From where each state was reached, and whether it can end.
    let mut sources: Vec<Vec<usize>> = vec![Vec::new()];
    let mut ending: Vec<usize> = Vec::new();
    let mut ends = BTreeSet::new();
    while let Some((state, number)) = todo.pop() {
        let mut can_move = false;
        let nexts = (0..machine.threads()).flat_map(|thread| machine.steps(&state, thread));
        for next in nexts {
            can_move = true;
            match next {
                Next::End(end) => {
                    ends.insert(end);
                    ending.push(number);
                }
                Next::State(next) => {
                    let fresh = numbers.len();
                    match numbers.entry(next) {
                        Entry::Occupied(known) => sources[*known.get()].push(number),
                        Entry::Vacant(place) => {
                            todo.push((place.key().clone(), fresh));
                            place.insert(fresh);
                            sources.push(vec![number]);
                        }
                    }
                }
            }
        }
        if !can_move {
            ends.insert(End::Deadlock);
            ending.push(number);
        }
        if states_max < numbers.len() {
            return None;
        }
    }
    let stuck = can_be_stuck(&sources, ending);
    Some(Answer { ends, states: numbers.len(), threads: machine.threads(), stuck })
}

/// Whether there is a state from which none of these is reached.
fn can_be_stuck(sources: &[Vec<usize>], mut ending: Vec<usize>) -> bool {
    let mut ends = vec![false; sources.len()];
    while let Some(state) = ending.pop() {
        if !std::mem::replace(&mut ends[state], true) {
            ending.extend(&sources[state]);
        }
    }
    ends.contains(&false)
}
