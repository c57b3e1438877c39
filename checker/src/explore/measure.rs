//! Where memory and time of a search go, measured so that measuring costs next to nothing.

use std::time::{Duration, Instant};

/// Bytes that a search takes, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Visited states: pairs of numbers, or fingerprints.
    pub states: u64,
    /// Contents of memory and of its shadow.
    pub granules: u64,
    /// Registers of threads.
    pub registers: u64,
    /// Flags of pages, and objects.
    pub objects: u64,
    /// States of the operating system.
    pub worlds: u64,
    /// Remembered moves.
    pub moves: u64,
    /// Ways to states that are built again.
    pub ways: u64,
    /// Key states on these ways.
    pub keys: u64,
    /// The order of states and where they came from, what is on the path of the search.
    pub path: u64,
}

impl MemoryUse {
    /// Every part with its name.
    pub fn parts(&self) -> [(&'static str, u64); 9] {
        [
            ("states", self.states),
            ("granules", self.granules),
            ("registers", self.registers),
            ("objects", self.objects),
            ("worlds", self.worlds),
            ("moves", self.moves),
            ("ways", self.ways),
            ("keys", self.keys),
            ("path", self.path),
        ]
    }

    /// Everything.
    pub fn total(&self) -> u64 {
        self.parts().iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Measures one of so many occasions and takes it for all of these.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    every: u32,
    left: u32,
    spent: Duration,
}

impl Sampled {
    /// Measures one occasion out of so many.
    pub fn new(every: u32) -> Sampled {
        Sampled { every, left: every, spent: Duration::ZERO }
    }

    /// Something begins; the time if it is measured.
    #[inline]
    pub fn begin(&mut self) -> Option<Instant> {
        self.left -= 1;
        if self.left != 0 {
            return None;
        }
        self.left = self.every;
        Some(Instant::now())
    }

    /// It is over.
    #[inline]
    pub fn end(&mut self, begin: Option<Instant>) {
        if let Some(begin) = begin {
            self.spent += begin.elapsed();
        }
    }

    /// What all occasions took together, as estimated.
    pub fn seconds(&self) -> f64 {
        self.spent.as_secs_f64() * f64::from(self.every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_is_measured() {
        let mut sampled = Sampled::new(4);
        let measured: Vec<bool> = (0..8).map(|_| sampled.begin().is_some()).collect();
        assert_eq!(measured, [false, false, false, true, false, false, false, true]);
        sampled.end(None);
        assert_eq!(sampled.seconds(), 0.0);
        sampled.end(Instant::now().checked_sub(Duration::from_secs(1)));
        assert!(4.0 <= sampled.seconds());
    }

    #[test]
    fn the_parts_are_the_whole() {
        let used = MemoryUse { states: 1, keys: 2, path: 4, ..MemoryUse::default() };
        assert_eq!(used.total(), 7);
    }
}
