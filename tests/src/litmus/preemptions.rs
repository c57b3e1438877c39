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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::litmus::brute;
    use crate::litmus::generate;
    use crate::litmus::machine::Wake;
    use crate::litmus::program::{Manner, Place, Program, Region, Statement, Thread, Value};
    use std::collections::BTreeSet;

    const X: Place = Place { region: Region::Global, offset: 0, size: 4 };

    /// A program whose `main` begins threads with these bodies and waits for them.
    fn beside(bodies: &[&[Statement]]) -> Machine {
        let joins: Vec<u8> = (1..=bodies.len() as u8).collect();
        let body = joins.iter().map(|&thread| Statement::Create(thread)).collect();
        let mut threads = vec![Thread { body, joins }];
        threads.extend(bodies.iter().map(|body| Thread { body: body.to_vec(), joins: vec![] }));
        Machine::new(&Program { threads, semaphores: [0] }, Wake::Longest)
    }

    /// How many preemptions it takes to end with this in the first word.
    fn to_reach(machine: &Machine, first_word: &str) -> Option<u32> {
        let ends = fewest(machine, 10_000).unwrap();
        let begins = |end: &End| match end {
            End::Exit(text) => text.split(' ').next() == Some(first_word),
            _ => false,
        };
        ends.iter().filter(|(end, _)| begins(end)).map(|(_, &count)| count).min()
    }

    #[test]
    fn an_update_is_lost_by_one_preemption() {
        let add: &[Statement] = &[Statement::Add(X, 1)];
        for others in 2..4 {
            let machine = beside(&vec![add; others]);
            assert_eq!(to_reach(&machine, &others.to_string()), Some(0));
            // All others fit between the read and the write of the first.
            assert_eq!(to_reach(&machine, "1"), Some(1));
            assert_eq!(to_reach(&machine, "0"), None);
        }
    }

    #[test]
    fn waiting_for_one_another_takes_one_preemption() {
        let locked =
            |first, second| [Statement::Locked(first, vec![Statement::Locked(second, vec![])])];
        let (one, other) = (locked(0, 1), locked(1, 0));
        let ends = fewest(&beside(&[&one, &other]), 10_000).unwrap();
        assert_eq!(ends[&End::Deadlock], 1);
        assert_eq!(fewest(&beside(&[&one, &one]), 10_000).unwrap().get(&End::Deadlock), None);
    }

    #[test]
    fn seeing_two_values_in_between_takes_three_preemptions() {
        let store = |value| Statement::Store(X, Value::Constant(value), Manner::Plain);
        let load = |register| Statement::Load(register, X, Manner::Plain);
        let machine = beside(&[&[store(1), store(2), store(3)], &[load(0), load(1)]]);
        let ends = fewest(&machine, 10_000).unwrap();
        let count = |result: &str| {
            ends.iter().find(|(end, _)| matches!(end, End::Exit(text) if text.ends_with(result)))
        };
        assert_eq!(count(" 20001\n").map(|(_, &count)| count), Some(3));
        assert_eq!(count(" 30003\n").map(|(_, &count)| count), Some(0));
        assert_eq!(count(" 10002\n"), None);
    }

    /// The ends that so many preemptions suffice for, by a search that keeps their number apart.
    fn within(machine: &Machine, count_max: u32) -> BTreeSet<End> {
        let mut ends = BTreeSet::new();
        let start = (machine.start(), None, 0);
        let (mut seen, mut todo) = (HashSet::from([start.clone()]), vec![start]);
        while let Some((state, last, count)) = todo.pop() {
            let moves: Vec<Vec<Next>> =
                (0..machine.threads()).map(|thread| machine.steps(&state, thread)).collect();
            if moves.iter().all(Vec::is_empty) {
                ends.insert(End::Deadlock);
            }
            let forced = last.is_none_or(|last: usize| moves[last].is_empty());
            for (thread, nexts) in moves.into_iter().enumerate() {
                let count = count + u32::from(!forced && last != Some(thread));
                for next in nexts.into_iter().filter(|_| count <= count_max) {
                    match next {
                        Next::End(end) => drop(ends.insert(end)),
                        Next::State(next) => {
                            let node = (next, Some(thread), count);
                            if seen.insert(node.clone()) {
                                todo.push(node);
                            }
                        }
                    }
                }
            }
        }
        ends
    }

    #[test]
    fn random_programs_need_what_a_plain_search_says() {
        let mut judged = 0;
        for seed in 1..200 {
            let machine = Machine::new(&generate::program(seed), Wake::Longest);
            let Some(answer) = brute::explore(&machine, 500) else { continue };
            let ends = fewest(&machine, 500).unwrap();
            assert!(ends.keys().eq(&answer.ends), "seed {seed}");
            for count in 0..=3 {
                let few = ends.iter().filter(|(_, needed)| **needed <= count);
                let few: BTreeSet<End> = few.map(|(end, _)| end.clone()).collect();
                assert_eq!(within(&machine, count), few, "seed {seed}, {count} preemptions");
            }
            judged += 1;
        }
        assert!(judged > 50, "{judged} programs were small enough");
    }
}
