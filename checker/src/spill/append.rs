//! A file that only grows, written through a small buffer.

use super::disk::{Disk, Sink, Trouble};

/// Bytes that are written at once.
const CHUNK: usize = 1 << 16;

/// See the module head.
pub struct Appender {
    sink: Box<dyn Sink>,
    buffer: Vec<u8>,
    length: u64,
}

impl Appender {
    /// Goes on behind this many bytes of a file; what is behind them is cut off.
    pub fn open(disk: &mut dyn Disk, name: &str, length: u64) -> Result<Appender, Trouble> {
        Ok(Appender { sink: disk.append(name, length)?, buffer: Vec::new(), length })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.buffer.extend_from_slice(bytes);
        self.length += bytes.len() as u64;
        if CHUNK <= self.buffer.len() { self.flush() } else { Ok(()) }
    }

    /// Hands over what is buffered.
    pub fn flush(&mut self) -> Result<(), Trouble> {
        if !self.buffer.is_empty() {
            self.sink.write(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// The length of the file with everything that was appended.
    pub fn length(&self) -> u64 {
        self.length
    }
}
