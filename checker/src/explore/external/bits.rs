//! A bit for each of many states.

use crate::spill::place::SortedFile;
use crate::spill::{Disk, Trouble};
use crate::state::lesson::Digest;

/// See the module head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: u64,
}

impl Bits {
    /// All are clear.
    pub fn new(len: u64) -> Bits {
        Bits { words: vec![0; len.div_ceil(64) as usize], len }
    }

    /// Whether a bit is set.
    #[inline]
    pub fn get(&self, at: u64) -> bool {
        self.words[(at / 64) as usize] & 1 << (at % 64) != 0
    }

    /// Sets a bit; whether it was clear.
    #[inline]
    pub fn set(&mut self, at: u64) -> bool {
        debug_assert!(at < self.len);
        let word = &mut self.words[(at / 64) as usize];
        let old = *word;
        *word |= 1 << (at % 64);
        old != *word
    }

    /// Clears the bits that are set in another one.
    pub fn subtract(&mut self, other: &Bits) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    /// How many are set.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The first that is set.
    pub fn first(&self) -> Option<u64> {
        let at = self.words.iter().position(|word| *word != 0)?;
        Some(at as u64 * 64 + u64::from(self.words[at].trailing_zeros()))
    }

    /// The last that is set.
    pub fn last(&self) -> Option<u64> {
        let at = self.words.iter().rposition(|word| *word != 0)?;
        Some(at as u64 * 64 + 63 - u64::from(self.words[at].leading_zeros()))
    }

    /// The others.
    pub fn inverted(mut self) -> Bits {
        self.words.iter_mut().for_each(|word| *word = !*word);
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), self.len % 64) {
            *last &= (1 << rest) - 1;
        }
        self
    }

    /// Writes them to a new file, with a digest.
    pub fn write(&self, disk: &mut dyn Disk, name: String) -> Result<SortedFile, Trouble> {
        let mut bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend_from_slice(&digest(&bytes).to_le_bytes());
        disk.create(&name)?.write(&bytes)?;
        Ok(SortedFile { name, bytes: bytes.len() as u64, records: self.len })
    }

    /// Reads what was written.
    pub fn read(disk: &dyn Disk, file: &SortedFile) -> Result<Bits, Trouble> {
        let words = file.records.div_ceil(64) as usize;
        let mut bytes = vec![0; words * 8 + 8];
        disk.open(&file.name)?.read(&mut bytes)?;
        let (bytes, sum) = bytes.split_at(words * 8);
        if digest(bytes).to_le_bytes() != sum {
            return Err(Trouble::damaged(&file.name));
        }
        let (chunks, _) = bytes.as_chunks::<8>();
        let words = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        Ok(Bits { words, len: file.records })
    }
}

fn digest(bytes: &[u8]) -> u64 {
    let mut digest = Digest::default();
    digest.bytes(bytes);
    digest.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spill::pretended::Pretended;

    #[test]
    fn bits_are_counted_found_and_read_again() {
        for len in [1, 63, 64, 65, 200] {
            let mut bits = Bits::new(len);
            assert_eq!((bits.count(), bits.first(), bits.last()), (0, None, None));
            assert_eq!(bits.clone().inverted().count(), len);
            assert!(bits.set(len - 1) && !bits.set(len - 1));
            bits.set(len / 2);
            assert_eq!((bits.first(), bits.last()), (Some(len / 2), Some(len - 1)));
            let mut disk = Pretended::default();
            let file = bits.write(&mut disk, "again-1".to_string()).unwrap();
            assert_eq!(Bits::read(&disk, &file).unwrap(), bits);
            let all = bits.clone().inverted();
            bits.subtract(&all.clone());
            assert!(bits.get(len - 1) && !all.get(len - 1));
            disk.change("again-1", |bytes| bytes[0] ^= 1);
            assert!(Bits::read(&disk, &file).is_err());
        }
    }
}
