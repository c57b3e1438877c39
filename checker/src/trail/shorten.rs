//! Cheaper ways to the same error.
//!
//! Depth-first search finds long ways round. Here a way is shortened by trying: leave moves out,
//! the largest pieces first, and let a thread go on where another one was switched to, as long as
//! the same error is still reached. Then the cheapest way of all is looked for (see [`fewest`]).
//! Every attempt is executed. The work is bounded by a number of moves, so the result is the same
//! on every machine, unless somebody sets a limit of time.
//!
//! The result is no worse than the start by what is wished for; it is the best there is if the
//! bound was enough for [`fewest`], which is not always so.

use super::cost::{self, Cost, Wish};
use super::fewest;
use super::walk::Arrival;
use crate::explore::choice::Choice;
use crate::explore::moves::Sight;
use crate::run::limit::Limit;
use samovar_runtime::{Process, ProcessMark};

/// Moves that may be executed in attempts.
const MOVES_MAX: usize = 200_000;
/// So many threads make a move cost as much again.
const MANY_THREADS: usize = 32;

/// A path that leads to the error, with what it costs.
#[derive(Clone, Debug)]
struct Way {
    path: Vec<Choice>,
    cost: Cost,
}

/// Shortens a path from `start`, where the process goes back to; the mark is renewed. The path must
/// lead to `goal`.
pub fn shorten(
    process: &mut Process,
    start: &mut ProcessMark,
    sight: &Sight,
    path: Vec<Choice>,
    goal: &Arrival,
    (wish, limit): (Wish, &Limit),
) -> Vec<Choice> {
    let (_, cost) = cost::follow(process, sight, &path);
    process.undo_to(start);
    let first = Way { path, cost };
    // Moves that do nothing for the error stand in the way of everything else.
    let mut way = greedy(process, start, sight, first.clone(), goal, (Wish::FewMoves, limit));
    if wish != Wish::FewMoves {
        let is_worse = wish.key(cost) < wish.key(way.cost);
        let from = if is_worse { first } else { way };
        way = greedy(process, start, sight, from, goal, (wish, limit));
    }
    let found = fewest::cheapest(process, sight, goal, (wish, limit), way.cost);
    *start = process.mark();
    found.unwrap_or(way.path)
}

fn greedy(
    process: &mut Process,
    start: &ProcessMark,
    sight: &Sight,
    way: Way,
    goal: &Arrival,
    (wish, limit): (Wish, &Limit),
) -> Way {
    let moves_left = MOVES_MAX;
    let mut attempts = Attempts { process, start, sight, goal, wish, limit, moves_left };
    let mut way = way;
    loop {
        let before = wish.key(way.cost);
        way = attempts.leave_out(way);
        way = attempts.join(way);
        if attempts.moves_left == 0 || before <= wish.key(way.cost) {
            return way;
        }
    }
}

struct Attempts<'a> {
    process: &'a mut Process,
    start: &'a ProcessMark,
    sight: &'a Sight,
    goal: &'a Arrival,
    wish: Wish,
    limit: &'a Limit,
    moves_left: usize,
}

impl Attempts<'_> {
    /// The part of a path that leads to the error, if it does and costs no more than another.
    fn try_path(&mut self, path: &[Choice], most: Cost) -> Option<Way> {
        if self.moves_left == 0 {
            return None;
        }
        let (arrival, cost) = cost::follow(self.process, self.sight, path);
        // Whether a thread could have gone on is tried at every switch, and in the end for all; a
        // move takes longer where there are many threads.
        let threads = self.process.threads().len();
        let tried = (cost.moves + cost.switches + threads) * (1 + threads / MANY_THREADS);
        self.moves_left = self.moves_left.saturating_sub(tried + 1);
        if self.limit.is_over() {
            self.moves_left = 0;
        }
        self.process.undo_to(self.start);
        let is_better = self.wish.key(cost) <= self.wish.key(most);
        (is_better && arrival.is_same_error(self.goal))
            .then(|| Way { path: path[..cost.moves].to_vec(), cost })
    }

    /// Leaves out pieces of halving size.
    fn leave_out(&mut self, mut way: Way) -> Way {
        let mut piece = way.path.len() / 2;
        while 0 < piece && 0 < self.moves_left {
            let mut at = 0;
            while at < way.path.len() && 0 < self.moves_left {
                let end = (at + piece).min(way.path.len());
                let rest = [&way.path[..at], &way.path[end..]].concat();
                match self.try_path(&rest, way.cost) {
                    Some(shorter) => way = shorter,
                    None => at += piece,
                }
            }
            piece /= 2;
        }
        way
    }

    /// Moves runs of one thread to the thread's run before or after.
    fn join(&mut self, mut way: Way) -> Way {
        let mut run = 0;
        while 0 < self.moves_left {
            let path = &way.path;
            let runs = runs(path);
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
                if better.is_none() && cost::switches(&attempt) < way.cost.switches {
                    let found = self.try_path(&attempt, way.cost);
                    let key = self.wish.key(way.cost);
                    better = found.filter(|found| self.wish.key(found.cost) < key);
                }
            }
            match better {
                Some(shorter) => {
                    way = shorter;
                    run = run.saturating_sub(2);
                }
                None => run += 1,
            }
        }
        way
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
    fn runs_are_maximal() {
        assert_eq!(runs(&path(&[0, 0, 1, 0])), [(0, 2), (2, 3), (3, 4)]);
        assert!(runs(&[]).is_empty());
    }
}
