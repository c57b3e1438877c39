//! Threads alive: the more, the better. Meant to be added to another heuristic.

use super::Heuristic;
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct Alive;

impl Heuristic for Alive {
    fn value(&mut self, view: &View<'_>) -> i64 {
        -(view.threads.iter().filter(|thread| thread.is_alive()).count() as i64)
    }
}
