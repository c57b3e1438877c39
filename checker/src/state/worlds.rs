//! Interning the operating system's state: compared by meaning, shared by reference count.

use ahash::{AHashMap, RandomState};
use samovar_runtime::Os;
use std::sync::Arc;

/// Operating-system states by number.
#[derive(Debug)]
pub struct Worlds {
    by_digest: AHashMap<u64, Vec<(Arc<Os>, u32)>>,
    count: u32,
    last: Option<(Arc<Os>, u32)>,
    hasher: RandomState,
}

impl Default for Worlds {
    fn default() -> Worlds {
        let hasher = RandomState::with_seeds(31, 32, 33, 34);
        Worlds { by_digest: AHashMap::with_hasher(hasher.clone()), count: 0, last: None, hasher }
    }
}

impl Worlds {
    /// The number of this state; equal states have equal numbers.
    pub fn number(&mut self, os: &Arc<Os>) -> u32 {
        if let Some((last, number)) = &self.last
            && Arc::ptr_eq(last, os)
        {
            return *number;
        }
        let digest = self.hasher.hash_one(os.digest());
        let bucket = self.by_digest.entry(digest).or_default();
        let known = bucket.iter().find(|(known, _)| Arc::ptr_eq(known, os) || known.is_same(os));
        let number = match known {
            Some((_, number)) => *number,
            None => {
                let number = self.count;
                self.count += 1;
                bucket.push((Arc::clone(os), number));
                number
            }
        };
        self.last = Some((Arc::clone(os), number));
        number
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        self.count as usize * (size_of::<Os>() + 64)
    }
}
