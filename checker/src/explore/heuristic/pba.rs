//! Pairs alive: long runs of neighbouring threads that have not ended come first.

use super::{Heuristic, runs};
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct PairsAlive;

impl Heuristic for PairsAlive {
    fn value(&mut self, view: &View<'_>) -> i64 {
        -runs::weigh(view.threads, |thread| thread.is_alive().into())
    }
}
