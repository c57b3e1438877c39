//! Suggestions to come: what every agent should decide next, and then, as long as agents do so.
//!
//! What a plan decides in one round goes together. Agents that can be told to wait are told so
//! until everything before their decision has been decided, and when nothing is left for them:
//! they then go the plan's way whatever the order of turns.

use super::agents::{Course, Decision, is_idle};
use samovar_runtime::Process;
use std::collections::{BTreeMap, VecDeque};

/// See the module head.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// By cell: what to decide, and in which round of the plan.
    queues: Vec<VecDeque<(u64, usize)>>,
    /// Decisions that are left, by round of the plan.
    left: BTreeMap<usize, usize>,
    /// Agents have done what was suggested so far.
    pub is_valid: bool,
    /// Decisions of the simulation that were compared.
    compared: usize,
}

impl Ahead {
    /// Decisions in the order in which they are to be made, after so many that were made before.
    pub fn new(decisions: &[Decision], cells: usize, compared: usize) -> Ahead {
        let mut queues = vec![VecDeque::new(); cells];
        let mut left = BTreeMap::new();
        for decision in decisions {
            if let Some(queue) = queues.get_mut(decision.cell) {
                queue.push_back((decision.value, decision.round));
                *left.entry(decision.round).or_default() += 1;
            }
        }
        Ahead { queues, left, is_valid: true, compared }
    }

    /// Compares what agents have decided with what was suggested.
    pub fn follow(&mut self, course: &Course) {
        for decision in &course.decisions[self.compared..] {
            let expected = self.queues.get_mut(decision.cell).and_then(VecDeque::pop_front);
            self.is_valid &= expected.is_some_and(|(value, _)| value == decision.value);
            if let Some((_, round)) = expected
                && let Some(count) = self.left.get_mut(&round)
            {
                *count -= 1;
                if *count == 0 {
                    self.left.remove(&round);
                }
            }
        }
        self.compared = course.decisions.len();
    }

    /// Writes what comes next into the cells of idle agents; `written` is told.
    pub fn suggest(&self, process: &mut Process, mut written: impl FnMut(u64, u32, u64)) {
        if self.queues.iter().all(VecDeque::is_empty) {
            // Nothing is planned, or nothing is left: agents decide by themselves.
            return;
        }
        let now = self.left.keys().next().copied();
        for (index, queue) in self.queues.iter().enumerate() {
            let Some(&cell) = process.suggestions().get(index) else { continue };
            let next = match (queue.front(), cell.wait) {
                (Some(&(_, round)), Some(wait)) if Some(round) != now => wait,
                (Some(&(value, _)), _) => value,
                (None, Some(wait)) => wait,
                (None, None) => continue,
            };
            if is_idle(process, &cell)
                && process.cell(cell.addr, cell.len) != Some(next)
                && process.set_cell(cell.addr, cell.len, next)
            {
                written(cell.addr, cell.len, next);
            }
        }
    }
}
