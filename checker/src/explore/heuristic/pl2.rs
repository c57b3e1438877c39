//! Pairs of locks and blocked threads: states in which neighbouring threads hold locks and are
//! blocked come first; who waits and holds nothing keeps nobody from going on.

use super::{Heuristic, runs};
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct PairsOfLocksAndBlocked;

impl Heuristic for PairsOfLocksAndBlocked {
    fn value(&mut self, view: &View<'_>) -> i64 {
        let locks = runs::weigh(view.threads, |thread| thread.holds.min(1).into());
        let blocked =
            runs::weigh(view.threads, |thread| (thread.is_blocked() && thread.holds != 0).into());
        -locks.saturating_add(blocked)
    }
}
