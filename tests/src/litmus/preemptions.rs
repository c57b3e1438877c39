//! How many preemptions each end of a program needs at least.
//!
//! A preemption is a switch away from a thread that could have gone on; switching away from one
//! that is blocked or has ended is free, and so is the first step. A search that goes first
//! wherever no preemption is needed (a queue with two ends) comes to every state with the smallest
//! number first. What matters for the future is the state and the thread that moved last: a node
//! that was reached with more preemptions than the state's smallest number leads to nothing that
//! the smallest does not lead to, for switching costs one at most.

use super::machine::{End, Machine, Next, State};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// The smallest number of preemptions for every end; `None` if there are more states than that.
pub fn fewest(machine: &Machine, states_max: usize) -> Option<BTreeMap<End, u32>> {
    let mut queue: VecDeque<(State, Option<usize>, u32)> = VecDeque::new();
    let mut smallest: HashMap<State, u32> = HashMap::new();
    let mut done: HashSet<(State, Option<usize>)> = HashSet::new();
    let mut ends: BTreeMap<End, u32> = BTreeMap::new();
    queue.push_back((machine.start(), None, 0));
    while let Some((state, last, count)) = queue.pop_front() {
        let known = *smallest.entry(state.clone()).or_insert(count);
        if known < count || !done.insert((state.clone(), last)) {
            continue;
        }
        if states_max < smallest.len() {
            return None;
        }
        let moves: Vec<Vec<Next>> =
            (0..machine.threads()).map(|thread| machine.steps(&state, thread)).collect();
        if moves.iter().all(Vec::is_empty) {
            note(&mut ends, End::Deadlock, count);
        }
        let could_go_on = last.is_some_and(|last| !moves[last].is_empty());
        for (thread, nexts) in moves.into_iter().enumerate() {
            let preempts = could_go_on && last != Some(thread);
            let count = count + u32::from(preempts);
            for next in nexts {
                match next {
                    Next::End(end) => note(&mut ends, end, count),
                    Next::State(next) if preempts => queue.push_back((next, Some(thread), count)),
                    Next::State(next) => queue.push_front((next, Some(thread), count)),
                }
            }
        }
    }
    Some(ends)
}

fn note(ends: &mut BTreeMap<End, u32>, end: End, count: u32) {
    let known = ends.entry(end).or_insert(count);
    *known = (*known).min(count);
}
