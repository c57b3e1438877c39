//! Pairs of locks: states in which neighbouring threads hold locks come first.

use super::{Heuristic, runs};
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct PairsOfLocks;

impl Heuristic for PairsOfLocks {
    fn value(&mut self, view: &View<'_>) -> i64 {
        -runs::weigh(view.threads, |thread| thread.holds.min(1).into())
    }
}
