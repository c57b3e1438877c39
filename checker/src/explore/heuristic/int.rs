//! Interleaving: paths on which threads are switched often come first.

use super::Heuristic;
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct Interleaving;

impl Heuristic for Interleaving {
    fn value(&mut self, view: &View<'_>) -> i64 {
        -i64::from(view.path.switches)
    }
}
