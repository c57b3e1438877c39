//! Pairs blocked: long runs of neighbouring threads that are blocked come first.

use super::{Heuristic, runs};
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct PairsBlocked;

impl Heuristic for PairsBlocked {
    fn value(&mut self, view: &View<'_>) -> i64 {
        -runs::weigh(view.threads, |thread| thread.is_blocked().into())
    }
}
