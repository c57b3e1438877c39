//! Whether a state decides a property: an invariant does not hold, or a goal is reached.
//!
//! Properties of variables at fixed places depend on the memory around these alone, so one look at
//! the process is enough for all states that agree there. Others are looked at in every state, and
//! what they depended on becomes visible.

use super::{Space, Survey};
use crate::explore::word::Word;
use crate::formula::Properties;
use crate::state::vector::GRANULE;
use ahash::{AHashMap, RandomState};

/// Verdicts on what was seen.
#[derive(Debug)]
pub(super) struct Verdicts {
    /// Addresses of the memory that decides.
    places: Vec<u64>,
    key: Vec<u32>,
    known: AHashMap<Vec<u32>, bool>,
}

impl Verdicts {
    pub(super) fn of(properties: &Properties) -> Verdicts {
        let mut places: Vec<u64> = properties
            .words()
            .into_iter()
            .flat_map(|range| range.start / GRANULE..range.end.div_ceil(GRANULE))
            .map(|granule| granule * GRANULE)
            .collect();
        places.dedup();
        let known = AHashMap::with_hasher(RandomState::with_seeds(71, 72, 73, 74));
        Verdicts { places, key: Vec::new(), known }
    }
}

impl Space<'_> {
    /// Whether the present state decides a property.
    pub(super) fn decides(&mut self, survey: &mut Survey) -> bool {
        if self.properties.is_empty() {
            return false;
        }
        if !self.properties.is_fixed() {
            self.vector.bring(self.process);
            for range in self.properties.words_now(self.process) {
                for word in range.start / 8..range.end.div_ceil(8) {
                    survey.grown |= self.sight.visible.add(Word(word));
                }
            }
            return self.properties.check(self.process).is_some();
        }
        let Verdicts { places, key, known } = &mut self.verdicts;
        key.clear();
        key.extend(places.iter().map(|&addr| self.vector.value_around(addr)));
        if let Some(&verdict) = known.get(key.as_slice()) {
            return verdict;
        }
        self.vector.bring(self.process);
        let verdict = self.properties.check(self.process).is_some();
        self.verdicts.known.insert(self.verdicts.key.clone(), verdict);
        verdict
    }
}
