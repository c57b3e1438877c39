//! A file that only grows, in blocks with digests.
//!
//! A block is [`BLOCK`] bytes and a digest of them. Behind the last whole block is the beginning of
//! another one, whose digest is in the [`Mark`] that the manifest has: so the file can be cut where
//! any manifest says. Nothing is read from a block before its digest was found to be right, and who
//! goes on with a file reads all of it first.
//!
//! Cost: a multiplication for eight bytes that are appended.

use super::disk::{Disk, Sink, Source, Trouble};
use super::place::Mark;
use crate::state::lesson::Digest;

/// Bytes of a block. Tests have files of many blocks that are small.
pub(super) const BLOCK: usize = if cfg!(test) { 100 } else { 1 << 15 };
/// Bytes of a digest.
const SUM: usize = size_of::<u64>();

fn digest(index: u64, block: &[u8]) -> u64 {
    let mut digest = Digest::default();
    digest.number(index);
    digest.bytes(block);
    digest.0
}

impl Mark {
    /// Bytes of the file that belong to it.
    pub fn bytes(&self) -> u64 {
        self.length + self.length / BLOCK as u64 * SUM as u64
    }
}

/// A file that is being written.
pub struct Appender {
    sink: Box<dyn Sink>,
    name: &'static str,
    /// Whole blocks of the file.
    blocks: u64,
    /// What is behind them, and how much of that was handed over.
    rest: Vec<u8>,
    handed_over: usize,
}

impl Appender {
    /// Goes on behind a place in a file; what is behind that is cut off.
    pub fn open(disk: &mut dyn Disk, name: &'static str, mark: Mark) -> Result<Appender, Trouble> {
        let rest = AppendedReader::open(disk, name, mark)?.read_all()?;
        let sink = disk.append(name, mark.bytes())?;
        let (blocks, handed_over) = (mark.length / BLOCK as u64, rest.len());
        Ok(Appender { sink, name, blocks, rest, handed_over })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        let mut bytes = bytes;
        while BLOCK <= self.rest.len() + bytes.len() {
            let (now, later) = bytes.split_at(BLOCK - self.rest.len());
            self.rest.extend_from_slice(now);
            self.end_block()?;
            bytes = later;
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), Trouble> {
        debug_assert_eq!(self.rest.len(), BLOCK);
        let sum = digest(self.blocks, &self.rest);
        self.rest.extend_from_slice(&sum.to_le_bytes());
        self.flush()?;
        self.rest.clear();
        self.handed_over = 0;
        self.blocks += 1;
        Ok(())
    }

    /// Hands over what is buffered.
    pub fn flush(&mut self) -> Result<(), Trouble> {
        let new = &self.rest[self.handed_over..];
        if !new.is_empty() {
            self.sink.write(new)?;
            self.handed_over = self.rest.len();
        }
        Ok(())
    }

    /// The length of what was appended.
    pub fn length(&self) -> u64 {
        self.blocks * BLOCK as u64 + self.rest.len() as u64
    }

    /// Where it is: what a manifest says about it.
    pub fn mark(&self) -> Mark {
        let digest = if self.rest.is_empty() { 0 } else { digest(self.blocks, &self.rest) };
        Mark { length: self.length(), digest }
    }

    /// Reads everything that was appended so far.
    pub fn reader(&mut self, disk: &dyn Disk) -> Result<AppendedReader, Trouble> {
        self.flush()?;
        AppendedReader::open(disk, self.name, self.mark())
    }
}

/// A file that is being read, up to a mark.
pub struct AppendedReader {
    /// None if there is nothing to read.
    source: Option<Box<dyn Source>>,
    name: &'static str,
    mark: Mark,
    /// A block that was read, and which one that is.
    block: Vec<u8>,
    index: Option<u64>,
}

impl AppendedReader {
    /// Reads what a mark says.
    pub fn open(
        disk: &dyn Disk,
        name: &'static str,
        mark: Mark,
    ) -> Result<AppendedReader, Trouble> {
        let source = if mark.length == 0 { None } else { Some(disk.open(name)?) };
        Ok(AppendedReader { source, name, mark, block: Vec::new(), index: None })
    }

    /// Bytes that there are.
    pub fn length(&self) -> u64 {
        self.mark.length
    }

    /// Fills these bytes from so many behind the beginning.
    pub fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Trouble> {
        let (mut offset, mut into) = (offset, into);
        while !into.is_empty() {
            self.load(offset / BLOCK as u64)?;
            let here = self.block.get((offset % BLOCK as u64) as usize..).unwrap_or_default();
            if here.is_empty() {
                return Err(Trouble::damaged(self.name));
            }
            let count = here.len().min(into.len());
            let (now, later) = into.split_at_mut(count);
            now.copy_from_slice(&here[..count]);
            offset += count as u64;
            into = later;
        }
        Ok(())
    }

    /// Looks at every block; what is behind the last whole one.
    fn read_all(mut self) -> Result<Vec<u8>, Trouble> {
        for index in 0..self.mark.length.div_ceil(BLOCK as u64) {
            self.load(index)?;
        }
        if self.block.len() == BLOCK {
            self.block.clear();
        }
        Ok(self.block)
    }

    fn load(&mut self, index: u64) -> Result<(), Trouble> {
        if self.index == Some(index) {
            return Ok(());
        }
        self.index = None;
        let length = self.mark.length.saturating_sub(index * BLOCK as u64).min(BLOCK as u64);
        let Some(source) = self.source.as_mut().filter(|_| 0 < length) else {
            return Err(Trouble::damaged(self.name));
        };
        source.go(index * (BLOCK + SUM) as u64)?;
        self.block.resize(length as usize, 0);
        source.read(&mut self.block)?;
        let mut sum = self.mark.digest.to_le_bytes();
        if self.block.len() == BLOCK {
            source.read(&mut sum)?;
        }
        if digest(index, &self.block).to_le_bytes() != sum {
            return Err(Trouble::damaged(self.name));
        }
        self.index = Some(index);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::EDGES;
    use super::super::pretended::Pretended;
    use super::*;

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * 7 + at / 256) as u8).collect()
    }

    fn read(disk: &Pretended, mark: Mark) -> Result<Vec<u8>, Trouble> {
        let mut all = vec![0; mark.length as usize];
        AppendedReader::open(disk, EDGES, mark)?.read(0, &mut all)?;
        Ok(all)
    }

    #[test]
    fn files_grow_from_every_mark() {
        let whole = bytes(3 * BLOCK + 10);
        for first in 0..whole.len() {
            let mut disk = Pretended::default();
            let mut file = Appender::open(&mut disk, EDGES, Mark::default()).unwrap();
            file.write(&whole[..first]).unwrap();
            let mark = file.mark();
            // What is behind the mark does not count.
            file.write(&whole[..2 * BLOCK - 3]).unwrap();
            file.flush().unwrap();
            assert_eq!(read(&disk, mark).unwrap(), whole[..first]);
            let mut file = Appender::open(&mut disk, EDGES, mark).unwrap();
            whole[first..].chunks(14).for_each(|part| file.write(part).unwrap());
            assert_eq!(file.length(), whole.len() as u64);
            let mut reader = file.reader(&disk).unwrap();
            let mut part = [0; 14];
            for at in (0..whole.len() - 14).rev().step_by(9) {
                reader.read(at as u64, &mut part).unwrap();
                assert_eq!(part, whole[at..at + 14]);
            }
            assert!(reader.read(reader.length() - 13, &mut part).is_err());
        }
    }

    #[test]
    fn damage_is_noticed() {
        for length in [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 10] {
            let mut disk = Pretended::default();
            let mut file = Appender::open(&mut disk, EDGES, Mark::default()).unwrap();
            file.write(&bytes(length)).unwrap();
            file.flush().unwrap();
            let mark = file.mark();
            for at in 0..mark.bytes() as usize {
                disk.change(EDGES, |bytes| bytes[at] ^= 1);
                assert!(read(&disk, mark).is_err(), "byte {at}");
                assert!(Appender::open(&mut disk, EDGES, mark).is_err(), "byte {at}");
                disk.change(EDGES, |bytes| bytes[at] ^= 1);
            }
            assert_eq!(read(&disk, mark).unwrap(), bytes(length));
        }
    }
}
