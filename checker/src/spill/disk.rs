//! What a search sees of the directory that its files are in.

use super::place::Place;
use crate::error::reason;
use std::io;
use thiserror::Error;

/// Why a file cannot be written or read.
#[derive(Debug, Error)]
#[error("{name}: {}", reason(error))]
pub struct Trouble {
    /// The file.
    pub name: String,
    /// What the host said.
    pub error: io::Error,
}

impl Trouble {
    /// A file that has other contents than were written.
    pub fn damaged(name: &str) -> Trouble {
        let error = io::Error::new(io::ErrorKind::InvalidData, "is damaged");
        Trouble { name: name.to_string(), error }
    }
}

/// A file that is being written.
pub trait Sink {
    /// Appends bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble>;
}

/// A file that is being read.
pub trait Source {
    /// Fills these bytes; less is trouble.
    fn read(&mut self, into: &mut [u8]) -> Result<(), Trouble>;

    /// Goes on at this many bytes from the beginning.
    fn go(&mut self, offset: u64) -> Result<(), Trouble>;
}

/// See the module head.
pub trait Disk {
    /// A new file.
    fn create(&mut self, name: &str) -> Result<Box<dyn Sink>, Trouble>;

    /// A file to append to, cut to this length; a new one if there is none and the length is zero.
    fn append(&mut self, name: &str, length: u64) -> Result<Box<dyn Sink>, Trouble>;

    /// A file to read from its beginning.
    fn open(&self, name: &str) -> Result<Box<dyn Source>, Trouble>;

    /// What was written to a file reaches the disk.
    fn sync(&mut self, name: &str) -> Result<(), Trouble>;

    /// Removes a file; one that cannot be removed stays.
    fn remove(&mut self, name: &str);

    /// From now on, this is where the search is after an interruption. The files that it names
    /// have reached the disk.
    fn commit(&mut self, place: &Place) -> Result<(), Trouble>;

    /// Whether so much time has gone by that the next good moment is one to commit.
    fn is_due(&self) -> bool;
}
