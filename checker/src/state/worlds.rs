//! Interning the operating system's state and maps of regions: compared by meaning, shared by
//! reference count.

use ahash::{AHashMap, RandomState};
use samovar_runtime::Os;
use samovar_vm::memory::region::RegionMap;
use std::sync::Arc;

/// Operating-system states by number.
#[derive(Debug)]
pub struct Worlds {
    by_digest: AHashMap<u64, Vec<u32>>,
    all: Vec<Arc<Os>>,
    last: u32,
}

impl Default for Worlds {
    fn default() -> Worlds {
        let hasher = RandomState::with_seeds(31, 32, 33, 34);
        Worlds { by_digest: AHashMap::with_hasher(hasher), all: Vec::new(), last: 0 }
    }
}

impl Worlds {
    /// The number of this state; equal states have equal numbers.
    pub fn number(&mut self, os: &Arc<Os>) -> u32 {
        if self.all.get(self.last as usize).is_some_and(|last| Arc::ptr_eq(last, os)) {
            return self.last;
        }
        let bucket = self.by_digest.entry(os.digest()).or_default();
        let known = bucket.iter().copied().find(|&number| {
            let known = &self.all[number as usize];
            Arc::ptr_eq(known, os) || known.is_same(os)
        });
        self.last = known.unwrap_or_else(|| {
            let number = self.all.len() as u32;
            bucket.push(number);
            self.all.push(Arc::clone(os));
            number
        });
        self.last
    }

    /// A state by number.
    pub fn get(&self, number: u32) -> &Arc<Os> {
        &self.all[number as usize]
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        self.all.len() * (size_of::<Os>() + size_of::<Arc<Os>>() + size_of::<u32>())
    }
}

/// Maps of regions by number; there are few.
#[derive(Debug, Default)]
pub struct Regions {
    all: Vec<Arc<RegionMap>>,
}

impl Regions {
    /// The number of this map; equal maps have equal numbers.
    pub fn number(&mut self, map: &Arc<RegionMap>) -> u32 {
        let known = self.all.iter().rposition(|known| Arc::ptr_eq(known, map) || **known == **map);
        let number = known.unwrap_or_else(|| {
            self.all.push(Arc::clone(map));
            self.all.len() - 1
        });
        number as u32
    }

    /// A map by number.
    pub fn get(&self, number: u32) -> &Arc<RegionMap> {
        &self.all[number as usize]
    }
}
