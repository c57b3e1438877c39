//! The log of a search on a disk: beginnings of rounds, and expansions in which something was
//! learned, each with a digest of that.

use crate::spill::append::{AppendedReader, Appender};
use crate::spill::place::{LOG, Mark};
use crate::spill::{Disk, Trouble};

/// What the log says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A round begins.
    Round,
    /// A state was expanded.
    Expansion {
        /// The state.
        key: Vec<u8>,
        /// Moves that need not be explored were left out.
        leave_out: bool,
        /// What was learned.
        digest: u64,
    },
}

const ROUND: u8 = 1;
const PARTIAL: u8 = 2;
const FULL: u8 = 3;
/// Bytes in front of a key: the kind of entry, the digest, the length of the key.
const HEAD: usize = 13;

/// The log while it is written.
pub struct Log(Appender);

impl Log {
    /// Goes on behind a place in it.
    pub fn open(disk: &mut dyn Disk, mark: Mark) -> Result<Log, Trouble> {
        Appender::open(disk, LOG, mark).map(Log)
    }

    /// A round begins.
    pub fn round(&mut self) -> Result<(), Trouble> {
        self.write(ROUND, 0, &[])
    }

    /// A state was expanded, and something was learned.
    pub fn expansion(&mut self, key: &[u8], leave_out: bool, digest: u64) -> Result<(), Trouble> {
        self.write(if leave_out { PARTIAL } else { FULL }, digest, key)
    }

    fn write(&mut self, kind: u8, digest: u64, key: &[u8]) -> Result<(), Trouble> {
        let mut head = [kind; HEAD];
        head[1..9].copy_from_slice(&digest.to_le_bytes());
        head[9..].copy_from_slice(&(key.len() as u32).to_le_bytes());
        self.0.write(&head)?;
        self.0.write(key)
    }

    /// Hands over what is buffered.
    pub fn flush(&mut self) -> Result<(), Trouble> {
        self.0.flush()
    }

    /// Where it is.
    pub fn mark(&self) -> Mark {
        self.0.mark()
    }
}

/// The log while it is read.
pub struct Replay {
    reader: AppendedReader,
    at: u64,
}

impl Replay {
    /// Reads the log up to a place in it.
    pub fn open(disk: &dyn Disk, mark: Mark) -> Result<Replay, Trouble> {
        Ok(Replay { reader: AppendedReader::open(disk, LOG, mark)?, at: 0 })
    }

    /// The next entry; none at the end.
    pub fn entry(&mut self) -> Result<Option<Entry>, Trouble> {
        if self.reader.length() == self.at {
            return Ok(None);
        }
        let mut head = [0; HEAD];
        self.reader.read(self.at, &mut head)?;
        self.at += HEAD as u64;
        let mut number = [0; 8];
        number.copy_from_slice(&head[1..9]);
        let digest = u64::from_le_bytes(number);
        let len = u32::from_le_bytes([head[9], head[10], head[11], head[12]]);
        if self.reader.length() - self.at < u64::from(len) {
            return Err(Trouble::damaged(LOG));
        }
        let mut key = vec![0; len as usize];
        self.reader.read(self.at, &mut key)?;
        self.at += u64::from(len);
        match head[0] {
            ROUND => Ok(Some(Entry::Round)),
            kind @ (PARTIAL | FULL) => {
                Ok(Some(Entry::Expansion { key, leave_out: kind == PARTIAL, digest }))
            }
            _ => Err(Trouble::damaged(LOG)),
        }
    }
}
