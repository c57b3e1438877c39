//! Shorter ways to the same error.
//!
//! Depth-first search finds long ways round. Here a way is shortened by trying: leave moves out,
//! the largest pieces first, and let a thread go on where another one was switched to, as long as
//! the same error is still reached. Then a way with the fewest switches is looked for (see
//! [`fewest`]). Every attempt is executed. The work is bounded by a number of moves, not by time,
//! so the result is the same on every machine.
//!
//! The result is no worse than the start in the number of switches between threads, then in the
//! number of moves; it is not always the shortest.

use super::fewest;
use super::walk::{self, Arrival};
use crate::explore::choice::Choice;
use crate::explore::moves::Sight;
use samovar_runtime::{Process, ProcessMark};

/// Moves that may be executed in attempts.
const MOVES_MAX: usize = 200_000;

/// Shortens a path from `start`, where the process goes back to. The path must lead to `goal`.
pub fn shorten(
    process: &mut Process,
    start: &ProcessMark,
    sight: &Sight,
    path: Vec<Choice>,
    goal: &Arrival,
) -> Vec<Choice> {
    let path = greedy(process, start, sight, path, goal);
    match fewest::fewest_switches(process, start, sight, &path, goal) {
        Some(better) => greedy(process, start, sight, better, goal),
        None => path,
    }
}

fn greedy(
    process: &mut Process,
    start: &ProcessMark,
    sight: &Sight,
    path: Vec<Choice>,
    goal: &Arrival,
) -> Vec<Choice> {
    let mut attempts = Attempts { process, start, sight, goal, moves_left: MOVES_MAX };
    let mut path = path;
    loop {
        let before = cost(&path);
        path = attempts.leave_out(path);
        path = attempts.join(path);
        if attempts.moves_left == 0 || cost(&path) >= before {
            return path;
        }
    }
}

/// Switches between threads first, then moves.
pub fn cost(path: &[Choice]) -> (usize, usize) {
    (switches(path), path.len())
}

/// How often a path changes from one thread to another.
pub fn switches(path: &[Choice]) -> usize {
    path.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

struct Attempts<'a> {
    process: &'a mut Process,
    start: &'a ProcessMark,
    sight: &'a Sight,
    goal: &'a Arrival,
    moves_left: usize,
}

impl Attempts<'_> {
    /// The part of a path that leads to the error, if it does.
    fn try_path(&mut self, path: &[Choice]) -> Option<Vec<Choice>> {
        self.moves_left = self.moves_left.saturating_sub(path.len());
        if self.moves_left == 0 {
            return None;
        }
        let arrival = walk::follow(self.process, self.sight, path);
        self.process.undo_to(self.start);
        if !arrival.is_same_error(self.goal) {
            return None;
        }
        Some(match arrival {
            Arrival::Ended { steps, .. } => path[..steps].to_vec(),
            _ => path.to_vec(),
        })
    }

    /// Leaves out pieces of halving size.
    fn leave_out(&mut self, mut path: Vec<Choice>) -> Vec<Choice> {
        let mut piece = path.len() / 2;
        while 0 < piece && 0 < self.moves_left {
            let mut at = 0;
            while at < path.len() && 0 < self.moves_left {
                let end = (at + piece).min(path.len());
                let rest = [&path[..at], &path[end..]].concat();
                match self.try_path(&rest) {
                    Some(shorter) if cost(&shorter) <= cost(&path) => path = shorter,
                    _ => at += piece,
                }
            }
            piece /= 2;
        }
        path
    }

    /// Moves runs of one thread to the thread's run before or after.
    fn join(&mut self, mut path: Vec<Choice>) -> Vec<Choice> {
        let mut run = 0;
        while 0 < self.moves_left {
            let runs = runs(&path);
            let Some(&(start, end)) = runs.get(run) else { break };
            let thread = path[start].thread;
            let same = |&&(from, _): &&(usize, usize)| path[from].thread == thread;
            let before = runs[..run].iter().rev().find(same).map(|&(_, end)| end);
            let after = runs[run + 1..].iter().find(same).map(|&(start, _)| start);
            let earlier = before.map(|to| {
                [&path[..to], &path[start..end], &path[to..start], &path[end..]].concat()
            });
            let later = after.map(|to| {
                [&path[..start], &path[end..to], &path[start..end], &path[to..]].concat()
            });
            let mut better = None;
            for attempt in [earlier, later].into_iter().flatten() {
                if cost(&attempt) < cost(&path) {
                    better = better.or_else(|| {
                        self.try_path(&attempt).filter(|found| cost(found) < cost(&path))
                    });
                }
            }
            match better {
                Some(shorter) => {
                    path = shorter;
                    run = run.saturating_sub(2);
                }
                None => run += 1,
            }
        }
        path
    }
}

/// Ranges of moves of the same thread.
fn runs(path: &[Choice]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, choice) in path.iter().enumerate() {
        match found.last_mut() {
            Some((start, end)) if path[*start].thread == choice.thread => *end = index + 1,
            _ => found.push((index, index + 1)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use samovar_vm::machine::ThreadId;

    fn path(threads: &[u32]) -> Vec<Choice> {
        let choice = |&thread: &u32| Choice { thread: ThreadId(thread), alternative: 0 };
        threads.iter().map(choice).collect()
    }

    #[test]
    fn switches_cost_more_than_moves() {
        assert_eq!(cost(&path(&[0, 0, 1, 0])), (2, 4));
        assert!(cost(&path(&[0, 0, 0, 1, 1])) < cost(&path(&[0, 1, 0])));
    }

    #[test]
    fn runs_are_maximal() {
        assert_eq!(runs(&path(&[0, 0, 1, 0])), [(0, 2), (2, 3), (3, 4)]);
        assert!(runs(&[]).is_empty());
    }
}
