//! Novelty: moves that do something for the first time come first.
//!
//! What counts: that the thread stands where it stands, that it works on this object, and that the
//! object has this value then.

use super::Heuristic;
use crate::explore::view::View;
use ahash::{AHashSet, RandomState};

/// Something that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Feature {
    Standpoint(u32, u64),
    Value(u64, u64),
    Object(u32, u64),
}

/// See the module head.
#[derive(Debug)]
pub struct Novelty {
    seen: AHashSet<Feature>,
}

impl Default for Novelty {
    fn default() -> Novelty {
        Novelty { seen: AHashSet::with_hasher(RandomState::with_seeds(75, 76, 77, 78)) }
    }
}

impl Heuristic for Novelty {
    fn value(&mut self, view: &View<'_>) -> i64 {
        let Some(thread) = view.path.last.filter(|thread| (thread.0 as usize) < view.threads.len())
        else {
            return 0;
        };
        let pc = view.pc;
        let mut new = i64::from(self.seen.insert(Feature::Standpoint(thread.0, pc)));
        if let Some(object) = view.path.object {
            new += i64::from(self.seen.insert(Feature::Object(thread.0, object)));
            let memory = &view.process().machine.memory;
            if let Ok(bytes) = memory.slice(object / 8 * 8, 8)
                && let Ok(bytes) = bytes.try_into()
            {
                let value = u64::from_le_bytes(bytes);
                new += i64::from(self.seen.insert(Feature::Value(object, value)));
            }
        }
        -new
    }

    fn needs_process(&self) -> bool {
        true
    }
}
