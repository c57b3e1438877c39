//! Branch coverage: the fewer states have had the last mover stand where it stands now, the better.
//!
//! Branches are not looked at themselves: where a thread stands after a visible operation tells
//! which it took.

use super::Heuristic;
use crate::explore::view::View;
use ahash::{AHashMap, RandomState};

/// See the module head.
#[derive(Debug)]
pub struct Branch {
    seen: AHashMap<u64, i64>,
}

impl Default for Branch {
    fn default() -> Branch {
        Branch { seen: AHashMap::with_hasher(RandomState::with_seeds(71, 72, 73, 74)) }
    }
}

impl Heuristic for Branch {
    fn value(&mut self, view: &View<'_>) -> i64 {
        let Some(thread) = view.path.last else { return 0 };
        if view.threads.len() <= thread.0 as usize {
            // Time has passed.
            return 0;
        }
        let count = self.seen.entry(view.pc).or_default();
        *count += 1;
        *count - 1
    }
}
