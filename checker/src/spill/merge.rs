//! Several sorted files read as one. Records with the same key come in the order of the files.

use super::disk::{Disk, Trouble};
use super::place::SortedFile;
use super::sorted::{SortedReader, SortedWriter};

/// See the module head. Stands at a record, or behind the last.
pub struct Merge {
    readers: Vec<SortedReader>,
    /// A heap of those that are not at their end: the next record on top.
    heap: Vec<usize>,
}

impl Merge {
    /// Opens these files and stands at the first record of all.
    pub fn open<'f>(
        disk: &dyn Disk,
        files: impl Iterator<Item = &'f SortedFile>,
    ) -> Result<Merge, Trouble> {
        let mut merge = Merge { readers: Vec::new(), heap: Vec::new() };
        for file in files {
            let mut reader = SortedReader::open(disk, file)?;
            if reader.advance()? {
                merge.heap.push(merge.readers.len());
                merge.readers.push(reader);
            }
        }
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sink(at);
        }
        Ok(merge)
    }

    /// Key and tail of the record here.
    pub fn record(&self) -> Option<(&[u8], &[u8])> {
        let reader = &self.readers[*self.heap.first()?];
        Some((reader.key(), reader.tail()))
    }

    /// Goes on to the next record.
    pub fn advance(&mut self) -> Result<(), Trouble> {
        let Some(&top) = self.heap.first() else { return Ok(()) };
        if !self.readers[top].advance()? {
            self.heap.swap_remove(0);
        }
        self.sink(0);
        Ok(())
    }

    /// Puts the entry at a place where it belongs among those below.
    fn sink(&mut self, mut at: usize) {
        let is_before = |one: usize, other: usize| {
            let key = |index: usize| self.readers[index].key();
            (key(one), one) < (key(other), other)
        };
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && is_before(self.heap[child], self.heap[least]) {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    /// Writes everything from here on to one file; `go_on` is asked now and then, and can end it.
    pub fn write(
        mut self,
        mut into: SortedWriter,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<SortedFile>, Trouble> {
        let mut count = 0u32;
        while let Some((key, tail)) = self.record() {
            into.push(key, tail)?;
            self.advance()?;
            count += 1;
            if count.is_multiple_of(1 << 14) && !go_on() {
                return Ok(None);
            }
        }
        into.finish().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::super::pretended::Pretended;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merging_is_sorting(
            mut lists in proptest::collection::vec(proptest::collection::vec(0u8..50, 0..30), 0..9)
        ) {
            let mut disk = Pretended::default();
            let mut files = Vec::new();
            for (at, list) in lists.iter_mut().enumerate() {
                list.sort_unstable();
                let mut writer = SortedWriter::create(&mut disk, at.to_string()).unwrap();
                for &key in list.iter() {
                    writer.push(&[key], &[at as u8]).unwrap();
                }
                files.push(writer.finish().unwrap());
            }
            let mut all: Vec<(u8, u8)> = Vec::new();
            for (at, list) in lists.iter().enumerate() {
                all.extend(list.iter().map(|&key| (key, at as u8)));
            }
            all.sort_unstable();
            let mut merge = Merge::open(&disk, files.iter()).unwrap();
            let mut merged = Vec::new();
            while let Some((key, tail)) = merge.record() {
                merged.push((key[0], tail[0]));
                merge.advance().unwrap();
            }
            prop_assert_eq!(merged, all);
        }
    }
}
