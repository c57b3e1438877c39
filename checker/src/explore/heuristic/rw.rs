//! Reading and writing: paths with many accesses to memory that several threads use come first.

use super::Heuristic;
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct ReadWrite;

impl Heuristic for ReadWrite {
    fn value(&mut self, view: &View<'_>) -> i64 {
        -i64::from(view.path.accesses)
    }
}
