//! Regions: what the guest mapped where, for messages, `/proc/self/maps` and finding free space.
//!
//! Regions never overlap. Page flags (see the parent module) decide about accesses; regions say
//! what a page belongs to. Adjacent regions with the same properties are kept apart only when
//! their names differ.
//!
//! Maps are kept with states, each a little different from the one before, and a program with many
//! threads has many regions. So a map is made of stretches of the address space that copies share.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Permissions of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Perms {
    /// Loads are permitted.
    pub read: bool,
    /// Stores are permitted.
    pub write: bool,
    /// Instruction fetches are permitted.
    pub exec: bool,
}

impl Perms {
    /// No access.
    pub const NONE: Perms = Perms { read: false, write: false, exec: false };
    /// Read only.
    pub const R: Perms = Perms { read: true, write: false, exec: false };
    /// Read and write.
    pub const RW: Perms = Perms { read: true, write: true, exec: false };
    /// Read and execute.
    pub const RX: Perms = Perms { read: true, write: false, exec: true };
}

/// One mapping of the guest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// First address after the region.
    pub end: u64,
    /// What the guest may do there.
    pub perms: Perms,
    /// A file's path, or a word in brackets such as `[stack]`.
    pub name: Arc<str>,
    /// Offset in the file for file mappings.
    pub file_offset: u64,
}

/// Bytes of the address space whose regions are copied together.
const STRETCH: u64 = 1 << 27;

/// All regions, by start address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionMap {
    /// By start address divided by [`STRETCH`]; none is empty.
    stretches: BTreeMap<u64, Arc<BTreeMap<u64, Region>>>,
}

impl RegionMap {
    /// The region that holds `addr`, with its start.
    pub fn at(&self, addr: u64) -> Option<(u64, &Region)> {
        let (start, region) = self.below(addr.checked_add(1)?).next()?;
        (addr < region.end).then_some((start, region))
    }

    /// How many regions there are.
    pub fn len(&self) -> usize {
        self.stretches.values().map(|stretch| stretch.len()).sum()
    }

    /// Whether nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// All regions by ascending address.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &Region)> {
        let all = self.stretches.values().flat_map(|stretch| stretch.iter());
        all.map(|(&start, region)| (start, region))
    }

    /// Regions that begin below an address, the highest first.
    fn below(&self, addr: u64) -> impl Iterator<Item = (u64, &Region)> {
        let stretches = self.stretches.range(..=addr / STRETCH).rev();
        let all = stretches.flat_map(move |(_, stretch)| stretch.range(..addr).rev());
        all.map(|(&start, region)| (start, region))
    }

    fn put(&mut self, start: u64, region: Region) {
        let stretch = self.stretches.entry(start / STRETCH).or_default();
        Arc::make_mut(stretch).insert(start, region);
    }

    fn take(&mut self, start: u64) -> Option<Region> {
        let stretch = self.stretches.get_mut(&(start / STRETCH))?;
        let region = Arc::make_mut(stretch).remove(&start);
        if stretch.is_empty() {
            self.stretches.remove(&(start / STRETCH));
        }
        region
    }

    /// Whether any region overlaps `[start, end)`.
    pub fn overlaps(&self, start: u64, end: u64) -> bool {
        self.below(end).next().is_some_and(|(_, region)| region.end > start)
    }

    /// Whether every byte of `[start, end)` belongs to some region.
    pub fn covers(&self, start: u64, end: u64) -> bool {
        let mut at = start;
        while at < end {
            match self.at(at) {
                Some((_, region)) => at = region.end,
                None => return false,
            }
        }
        true
    }

    /// The highest free gap of `len` bytes that ends at or below `top`.
    pub fn free_below(&self, top: u64, len: u64, lowest: u64) -> Option<u64> {
        let mut end = top;
        for (start, region) in self.below(top) {
            if region.end <= end && end - region.end >= len {
                break;
            }
            end = end.min(start);
        }
        let start = end.checked_sub(len)?;
        (start >= lowest && !self.overlaps(start, end)).then_some(start)
    }

    /// Removes `[start, end)`, splitting regions that stick out.
    pub fn remove(&mut self, start: u64, end: u64) {
        let hit: Vec<u64> = self
            .below(end)
            .take_while(|(_, region)| region.end > start)
            .map(|(at, _)| at)
            .collect();
        for at in hit {
            let Some(region) = self.take(at) else { continue };
            if at < start {
                self.put(at, Region { end: start, ..region.clone() });
            }
            if region.end > end {
                let file_offset = region.file_offset + (end - at);
                self.put(end, Region { file_offset, ..region });
            }
        }
    }

    /// Adds a region in place of whatever was there.
    pub fn insert(&mut self, start: u64, region: Region) {
        self.remove(start, region.end);
        let is_same = |prior: &Region| {
            prior.end == start
                && prior.perms == region.perms
                && prior.name == region.name
                && prior.name.starts_with('[')
        };
        let before = self.below(start).next().filter(|(_, prior)| is_same(prior));
        let start = before.map_or(start, |(before, _)| before);
        self.put(start, region);
    }

    /// Changes the permissions of `[start, end)`.
    pub fn protect(&mut self, start: u64, end: u64, perms: Perms) {
        let hit: Vec<(u64, Region)> = self
            .below(end)
            .take_while(|(_, region)| region.end > start)
            .map(|(at, region)| (at, region.clone()))
            .collect();
        for (at, region) in hit {
            let from = at.max(start);
            let file_offset = region.file_offset + (from - at);
            let part = Region { end: region.end.min(end), perms, file_offset, ..region };
            self.insert(from, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(end: u64, perms: Perms) -> Region {
        Region { end, perms, name: "x".into(), file_offset: 0 }
    }

    #[test]
    fn removal_splits_and_protect_cuts() {
        let mut map = RegionMap::default();
        map.insert(0x1000, region(0x9000, Perms::RW));
        map.remove(0x3000, 0x4000);
        map.protect(0x5000, 0x6000, Perms::R);
        let seen: Vec<_> = map.iter().map(|(s, r)| (s, r.end, r.perms, r.file_offset)).collect();
        assert_eq!(
            seen,
            [
                (0x1000, 0x3000, Perms::RW, 0),
                (0x4000, 0x5000, Perms::RW, 0x3000),
                (0x5000, 0x6000, Perms::R, 0x4000),
                (0x6000, 0x9000, Perms::RW, 0x5000),
            ]
        );
        assert!(map.covers(0x4000, 0x9000) && !map.covers(0x2000, 0x5000));
    }

    #[test]
    fn regions_are_found_across_stretches() {
        let mut map = RegionMap::default();
        map.insert(0x1000, region(2 * STRETCH + 0x1000, Perms::RW));
        map.insert(3 * STRETCH, region(3 * STRETCH + 0x1000, Perms::R));
        assert_eq!(map.at(2 * STRETCH).map(|(start, _)| start), Some(0x1000));
        assert!(map.at(2 * STRETCH + 0x1000).is_none() && map.overlaps(STRETCH, STRETCH + 1));
        assert_eq!(map.free_below(3 * STRETCH, 0x1000, 0), Some(3 * STRETCH - 0x1000));
        map.remove(STRETCH, 4 * STRETCH);
        let seen: Vec<_> = map.iter().map(|(start, region)| (start, region.end)).collect();
        assert_eq!(seen, [(0x1000, STRETCH)]);
        let mut same = RegionMap::default();
        same.insert(0x1000, region(STRETCH, Perms::RW));
        assert_eq!(map, same);
    }

    #[test]
    fn free_space_is_the_highest_gap() {
        let mut map = RegionMap::default();
        map.insert(0x8000, region(0xa000, Perms::RW));
        map.insert(0x5000, region(0x6000, Perms::RW));
        assert_eq!(map.free_below(0xb000, 0x1000, 0x1000), Some(0xa000));
        assert_eq!(map.free_below(0xa000, 0x2000, 0x1000), Some(0x6000));
        assert_eq!(map.free_below(0xa000, 0x3000, 0x1000), Some(0x2000));
        assert_eq!(map.free_below(0xa000, 0x5000, 0x1000), None);
    }
}
