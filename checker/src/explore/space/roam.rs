//! The space for a search that keeps states as keys.

use super::Space;
use crate::explore::choice::Stats;
use crate::explore::engine::{Engine, Expansion};
use crate::explore::roaming::{Learned, Roaming};
use crate::state::StateId;
use crate::state::key::read_key;
use crate::state::lesson::Digest;
use crate::state::printed::Printed;

impl Space<'_> {
    /// Tells states by their keys: for a search that keeps them elsewhere. Remembered moves take
    /// no more than so many bytes.
    pub fn roaming(mut self, memo_bytes: u64) -> Self {
        self.known.set_limit(usize::try_from(memo_bytes).unwrap_or(usize::MAX));
        self.printing(Printed::whole())
    }
}

impl Roaming for Space<'_> {
    fn begin(&mut self) {
        self.begin_round();
    }

    fn stand(&mut self, key: &[u8]) -> bool {
        let mut values = std::mem::take(&mut self.looks);
        let is_known = read_key(key, &mut values).is_some() && self.vector.knows(&values);
        if is_known {
            self.path.clear();
            self.vector.go(&values);
            self.vector.forget();
        }
        self.looks = values;
        is_known
    }

    fn expand_freely(&mut self, leave_out: bool) -> Expansion {
        self.keep_all = !leave_out;
        let expansion = self.expand();
        self.keep_all = false;
        expansion
    }

    fn key(&self, state: StateId) -> &[u8] {
        self.vector.printed().map_or(&[], |printed| printed.key_of(state))
    }

    fn learned(&self) -> Learned {
        let (growth, things, deeds) = self.history();
        Learned {
            lesson: self.vector.lesson(),
            executed: self.stats.executed,
            others: [
                growth,
                things.into(),
                deeds.creators.len().into(),
                deeds.others.len().into(),
                self.sight.visible.added() as u64,
                self.lent.count() as u64,
                self.harmless.len() as u64,
            ],
        }
    }

    fn digest_since(&self, before: &Learned) -> u64 {
        let mut digest = Digest(self.vector.digest_since(&before.lesson));
        let now = self.learned();
        digest.number(now.executed - before.executed);
        now.others.iter().for_each(|&number| digest.number(number));
        for successor in &self.successors {
            digest.bytes(self.key(successor.state));
        }
        digest.0
    }

    fn is_unsettled(&self) -> bool {
        Space::is_unsettled(self)
    }

    fn tally(&mut self) -> &mut Stats {
        &mut self.stats
    }
}
