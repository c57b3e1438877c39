//! Files of records in the order of their keys.
//!
//! A record is a key and a tail, both bytes. Records lie in blocks of about [`BLOCK`] bytes; within
//! a block, a key is written as what it shares with the key before and the rest. A block begins
//! with its length and its last key, so that who looks for a larger key can step over it without
//! reading it; these have a digest of their own.
//!
//! Damage of any kind is noticed when a part is read that suffers from it.

use super::disk::{Disk, Sink, Source, Trouble};
use super::place::SortedFile;
use crate::state::key::{read_number, write_number};
use crate::state::lesson::Digest;

/// Bytes of records in a block, at least.
const BLOCK: usize = 1 << 16;
/// Bytes in front of a block: the lengths of its last key and of its records, digests of the key
/// and of the records.
const HEAD: usize = 24;
/// No block has a longer part.
const PART_MAX: usize = 1 << 28;

/// A file that is being written.
pub struct SortedWriter {
    sink: Box<dyn Sink>,
    file: SortedFile,
    block: Vec<u8>,
    last: Vec<u8>,
}

impl SortedWriter {
    /// A new file.
    pub fn create(disk: &mut dyn Disk, name: String) -> Result<SortedWriter, Trouble> {
        let sink = disk.create(&name)?;
        let file = SortedFile { name, bytes: 0, records: 0 };
        Ok(SortedWriter { sink, file, block: Vec::new(), last: Vec::new() })
    }

    /// Appends a record; its key is not below that of the one before.
    pub fn push(&mut self, key: &[u8], tail: &[u8]) -> Result<(), Trouble> {
        debug_assert!(self.file.records == 0 || *self.last <= *key);
        if self.block.is_empty() {
            self.last.clear();
        }
        let shared = self.last.iter().zip(key).take_while(|(one, other)| one == other).count();
        write_number(&mut self.block, shared as u64);
        write_number(&mut self.block, (key.len() - shared) as u64);
        write_number(&mut self.block, tail.len() as u64);
        self.block.extend_from_slice(&key[shared..]);
        self.block.extend_from_slice(tail);
        self.last.truncate(shared);
        self.last.extend_from_slice(&key[shared..]);
        self.file.records += 1;
        if BLOCK <= self.block.len() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Trouble> {
        let mut head = Vec::with_capacity(HEAD + self.last.len());
        let lengths = [self.last.len() as u32, self.block.len() as u32];
        head.extend(lengths.into_iter().flat_map(u32::to_le_bytes));
        head.extend_from_slice(&digest(lengths, &self.last).to_le_bytes());
        head.extend_from_slice(&digest(lengths, &self.block).to_le_bytes());
        head.extend_from_slice(&self.last);
        self.sink.write(&head)?;
        self.sink.write(&self.block)?;
        self.file.bytes += (head.len() + self.block.len()) as u64;
        self.block.clear();
        Ok(())
    }

    /// The file is complete.
    pub fn finish(mut self) -> Result<SortedFile, Trouble> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        Ok(self.file)
    }
}

fn digest(lengths: [u32; 2], part: &[u8]) -> u64 {
    let mut digest = Digest::default();
    lengths.into_iter().for_each(|length| digest.number(length.into()));
    digest.bytes(part);
    digest.0
}

/// A file that is being read; it stands at a record, before the first or behind the last.
pub struct SortedReader {
    source: Box<dyn Source>,
    name: String,
    /// Where the next block begins.
    offset: u64,
    end: u64,
    block: Vec<u8>,
    at: usize,
    key: Vec<u8>,
    tail: std::ops::Range<usize>,
    /// There is a record here.
    is_there: bool,
}

impl SortedReader {
    /// Reads a file from its beginning.
    pub fn open(disk: &dyn Disk, file: &SortedFile) -> Result<SortedReader, Trouble> {
        Ok(SortedReader {
            source: disk.open(&file.name)?,
            name: file.name.clone(),
            offset: 0,
            end: file.bytes,
            block: Vec::new(),
            at: 0,
            key: Vec::new(),
            tail: 0..0,
            is_there: false,
        })
    }

    /// The key of the record here.
    #[inline]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The tail of the record here.
    #[inline]
    pub fn tail(&self) -> &[u8] {
        &self.block[self.tail.clone()]
    }

    /// Goes on to the next record; whether there is one.
    pub fn advance(&mut self) -> Result<bool, Trouble> {
        if self.at == self.block.len() && !self.load(None)? {
            self.is_there = false;
            return Ok(false);
        }
        self.is_there = self.parse().is_some();
        if self.is_there { Ok(true) } else { Err(Trouble::damaged(&self.name)) }
    }

    /// Goes on, if need be, to the first record whose key is not below this one; whether it has
    /// that key. Keys that are asked for do not go down.
    pub fn find(&mut self, key: &[u8]) -> Result<bool, Trouble> {
        while !self.is_there || *self.key < *key {
            if self.at == self.block.len() && !self.load(Some(key))? {
                self.is_there = false;
                return Ok(false);
            }
            self.advance()?;
        }
        Ok(*self.key == *key)
    }

    /// Reads the next block, or the next with a key that is not below this one.
    fn load(&mut self, from: Option<&[u8]>) -> Result<bool, Trouble> {
        self.block.clear();
        self.at = 0;
        while self.offset < self.end {
            let mut head = [0; HEAD];
            self.source.read(&mut head)?;
            let number = |at: usize| {
                u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]])
            };
            let lengths = [number(0), number(4)];
            let [last_len, len] = lengths.map(|length| length as usize);
            if PART_MAX < last_len || PART_MAX < len || len == 0 {
                return Err(Trouble::damaged(&self.name));
            }
            let mut last = vec![0; last_len];
            self.source.read(&mut last)?;
            if digest(lengths, &last).to_le_bytes() != head[8..16] {
                return Err(Trouble::damaged(&self.name));
            }
            self.offset += (HEAD + last_len + len) as u64;
            if from.is_some_and(|key| *last < *key) {
                self.source.go(self.offset)?;
                continue;
            }
            self.block.resize(len, 0);
            self.source.read(&mut self.block)?;
            if digest(lengths, &self.block).to_le_bytes() != head[16..] {
                return Err(Trouble::damaged(&self.name));
            }
            self.key.clear();
            return Ok(true);
        }
        Ok(false)
    }

    fn parse(&mut self) -> Option<()> {
        let mut rest = &self.block[self.at..];
        let mut number = || read_number(&mut rest).map(|number| number as usize);
        let (shared, own, tail) = (number()?, number()?, number()?);
        let begin = self.block.len() - rest.len();
        let middle = begin.checked_add(own)?;
        let end = middle.checked_add(tail).filter(|end| *end <= self.block.len())?;
        if self.key.len() < shared {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(&self.block[begin..middle]);
        self.tail = middle..end;
        self.at = end;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::pretended::Pretended;
    use super::*;
    use proptest::prelude::*;

    fn key(number: u32) -> Vec<u8> {
        number.to_be_bytes().repeat(1 + number as usize % 3)
    }

    fn write(disk: &mut Pretended, keys: &[u32]) -> SortedFile {
        let mut writer = SortedWriter::create(disk, "file".to_string()).unwrap();
        for &number in keys {
            writer.push(&key(number), &number.to_le_bytes()).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn records_come_back_in_many_blocks() {
        let mut disk = Pretended::default();
        let mut keys: Vec<u32> = (0..40_000).map(|number| number * 7).collect();
        keys.sort_by_key(|&number| key(number));
        let file = write(&mut disk, &keys);
        assert_eq!(file.records, keys.len() as u64);
        assert!(4 * (BLOCK as u64) < file.bytes);
        let mut reader = SortedReader::open(&disk, &file).unwrap();
        for &number in &keys {
            assert!(reader.advance().unwrap());
            assert_eq!((reader.key(), reader.tail()), (&*key(number), &number.to_le_bytes()[..]));
        }
        assert!(!reader.advance().unwrap());
    }

    #[test]
    fn damage_is_noticed() {
        let mut disk = Pretended::default();
        let file = write(&mut disk, &(0..100).collect::<Vec<_>>());
        let read = |disk: &Pretended| {
            let mut reader = SortedReader::open(disk, &file)?;
            while reader.advance()? {}
            Ok::<(), Trouble>(())
        };
        read(&disk).unwrap();
        for at in 0..file.bytes as usize {
            disk.change("file", |bytes| bytes[at] ^= 4);
            assert!(read(&disk).is_err(), "byte {at}");
            disk.change("file", |bytes| bytes[at] ^= 4);
        }
        disk.change("file", |bytes| bytes.truncate(bytes.len() - 1));
        assert!(read(&disk).is_err());
    }

    proptest! {
        #[test]
        fn finding_is_as_good_as_reading(
            numbers in proptest::collection::btree_set(0u32..60_000, 0..20_000),
            wanted in proptest::collection::btree_set(0u32..60_000, 0..50),
        ) {
            let mut disk = Pretended::default();
            let mut keys: Vec<u32> = numbers.iter().copied().collect();
            keys.sort_by_key(|&number| key(number));
            let file = write(&mut disk, &keys);
            let mut reader = SortedReader::open(&disk, &file).unwrap();
            let mut wanted: Vec<u32> = wanted.into_iter().collect();
            wanted.sort_by_key(|&number| key(number));
            for number in wanted {
                let found = reader.find(&key(number)).unwrap();
                prop_assert_eq!(found, numbers.contains(&number));
                if found {
                    prop_assert_eq!(reader.tail(), &number.to_le_bytes());
                }
            }
        }
    }
}
