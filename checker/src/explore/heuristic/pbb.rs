//! Pairs blocked: long runs of neighbouring threads that are blocked and hold locks come first; who
//! waits and holds nothing, for a message say, keeps nobody from going on.

use super::{Heuristic, runs};
use crate::explore::view::{ThreadStanding, View};

/// See the module head.
#[derive(Debug)]
pub struct PairsBlocked;

impl Heuristic for PairsBlocked {
    fn value(&mut self, view: &View<'_>) -> i64 {
        let is_link = |thread: &ThreadStanding| thread.is_blocked() && thread.holds != 0;
        -runs::weigh(view.threads, |thread| is_link(&thread).into())
    }
}
