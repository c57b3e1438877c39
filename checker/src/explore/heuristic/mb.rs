//! Most blocked: the fewer threads can move, the better.
//!
//! Threads whose next operation is about the same object count once, because one move can block
//! them all; each object takes a move of its own. So this is never more than the number of moves
//! to the nearest deadlock, and with it A* finds a shortest way into one (as long as no move is a
//! region that the program has declared atomic, which can do more than one operation).

use super::Heuristic;
use crate::explore::view::{Standing, View};

/// See the module head.
#[derive(Debug, Default)]
pub struct MostBlocked {
    objects: Vec<u64>,
}

impl Heuristic for MostBlocked {
    fn value(&mut self, view: &View<'_>) -> i64 {
        let free = view.threads.iter().filter(|thread| thread.standing == Standing::Free);
        self.objects.clear();
        // What is not known may be the same for all.
        self.objects.extend(free.map(|thread| thread.wants.unwrap_or(u64::MAX) / 8));
        self.objects.sort_unstable();
        self.objects.dedup();
        self.objects.len() as i64
    }
}
