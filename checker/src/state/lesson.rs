//! How much a vector has learned: which components there are, and which contents they had.
//!
//! Numbers of components and contents are given out in the order of first sight. Who wants to give
//! them out again, in the same order, to understand keys of states that were written down (see
//! [`super::key`]), needs to know in which steps there was something new, and whether it is the
//! same this time.

use super::contents::Component;
use super::pool::Pool;
use super::slots::fold;
use super::vector::StateVector;

/// Numbers given out so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lesson {
    slots: usize,
    granules: usize,
    pages: usize,
    objects: usize,
    cores: usize,
    floatings: usize,
    commons: usize,
    records: usize,
    regions: usize,
}

impl StateVector {
    /// What was learned so far.
    pub fn lesson(&self) -> Lesson {
        let (commons, records) = self.contents.worlds.part_counts();
        Lesson {
            slots: self.contents.slots().len(),
            granules: self.contents.granules.len(),
            pages: self.contents.pages.len(),
            objects: self.contents.objects.len(),
            cores: self.contents.cores.len(),
            floatings: self.contents.floatings.len(),
            commons,
            records,
            regions: self.contents.regions.len(),
        }
    }

    /// Whether numbers were given out for all of these values at these positions.
    pub fn knows(&self, values: &[(u32, u32)]) -> bool {
        values.iter().all(|&(position, value)| {
            let slot = self.contents.slots().get(position as usize);
            slot.is_some_and(|slot| (value as usize) <= self.numbers(slot.component))
        })
    }

    fn numbers(&self, component: Component) -> usize {
        match component {
            Component::Granule(_) | Component::Shadow(_) => self.contents.granules.len(),
            Component::Pages(_) => self.contents.pages.len(),
            Component::Object(_) => self.contents.objects.len(),
            Component::Regions => self.contents.regions.len(),
            Component::Core(_) => self.contents.cores.len(),
            Component::Floating(_) => self.contents.floatings.len(),
            Component::Common => self.contents.worlds.part_counts().0,
            Component::Record(_) => self.contents.worlds.part_counts().1,
        }
    }

    /// A digest of everything that was learned since: the same in every process that learned the
    /// same in the same order.
    pub fn digest_since(&self, before: &Lesson) -> u64 {
        let mut digest = Digest::default();
        for slot in &self.contents.slots()[before.slots..] {
            digest.bytes(format!("{slot:?}").as_bytes());
        }
        let pools: [(&Pool, usize); 5] = [
            (&self.contents.granules, before.granules),
            (&self.contents.pages, before.pages),
            (&self.contents.objects, before.objects),
            (&self.contents.cores, before.cores),
            (&self.contents.floatings, before.floatings),
        ];
        for (pool, from) in pools {
            for number in from..pool.len() {
                digest.number(number as u64);
                digest.bytes(pool.contents(number as u32));
            }
        }
        let worlds = &self.contents.worlds;
        let (commons, records) = worlds.part_counts();
        for number in before.commons..commons {
            digest.number(number as u64);
            digest.number(worlds.common_digest(number as u32));
        }
        for number in before.records..records {
            digest.number(number as u64);
            digest.number(worlds.record_digest(number as u32));
        }
        digest.number(self.contents.regions.len() as u64);
        digest.0
    }
}

/// A hash that is the same everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Digest(pub u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0x5bd1_e995_9d1b_54a5)
    }
}

impl Digest {
    /// Takes in a number.
    pub fn number(&mut self, number: u64) {
        self.0 = fold(self.0 ^ number, 0x9e37_79b9_7f4a_7c15) ^ number.rotate_left(17);
    }

    /// Takes in bytes, and how many there are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.number(u64::from_le_bytes(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_tell_contents_and_borders_apart() {
        let of = |parts: &[&[u8]]| {
            let mut digest = Digest::default();
            parts.iter().for_each(|part| digest.bytes(part));
            digest.0
        };
        assert_eq!(of(&[b"one", b"two"]), of(&[b"one", b"two"]));
        assert_ne!(of(&[b"one", b"two"]), of(&[b"onet", b"wo"]));
        assert_ne!(of(&[&[0; 8]]), of(&[&[0; 16]]));
        assert_ne!(of(&[b"12345678abc"]), of(&[b"12345678abd"]));
    }
}
