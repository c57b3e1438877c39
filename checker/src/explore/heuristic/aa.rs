//! Alternating access: paths on which different threads work on the same object in a row come
//! first.

use super::Heuristic;
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct AlternatingAccess;

impl Heuristic for AlternatingAccess {
    fn value(&mut self, view: &View<'_>) -> i64 {
        -i64::from(view.path.alternations)
    }
}
