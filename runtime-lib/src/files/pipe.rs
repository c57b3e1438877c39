//! Pipes and event counters: files that make threads wait.

use std::collections::VecDeque;
use std::sync::Arc;

/// Number of a pipe or counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PipeId(pub u32);

/// Bytes that fit into a pipe, as on Linux.
pub(crate) const PIPE_CAPACITY: usize = 65536;
/// A write of at most this many bytes is not split.
pub(crate) const PIPE_ATOMIC: usize = 4096;

/// Bytes in transit within the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pipe {
    pub bytes: Arc<VecDeque<u8>>,
    /// Open descriptions for reading.
    pub readers: u32,
    /// Open descriptions for writing.
    pub writers: u32,
}

impl Pipe {
    /// Room for further bytes.
    pub(crate) fn room(&self) -> usize {
        PIPE_CAPACITY.saturating_sub(self.bytes.len())
    }

    /// Takes up to `len` bytes out.
    pub(crate) fn take(&mut self, len: usize) -> Vec<u8> {
        let bytes = Arc::make_mut(&mut self.bytes);
        let len = len.min(bytes.len());
        bytes.drain(..len).collect()
    }

    /// Puts bytes in; the caller has looked at [`Pipe::room`].
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        Arc::make_mut(&mut self.bytes).extend(bytes);
    }
}

/// The counter of an `eventfd`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counter {
    pub value: u64,
    /// Reading takes one instead of all.
    pub semaphore: bool,
}

impl Counter {
    /// Reads, if the counter is not zero.
    pub(crate) fn take(&mut self) -> Option<u64> {
        let taken = if self.semaphore { self.value.min(1) } else { self.value };
        self.value -= taken;
        (taken > 0).then_some(taken)
    }

    /// Adds, unless that would overflow.
    pub(crate) fn add(&mut self, value: u64) -> bool {
        match self.value.checked_add(value) {
            Some(sum) if sum < u64::MAX => {
                self.value = sum;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_keep_the_order() {
        let mut pipe = Pipe::default();
        pipe.put(b"abc");
        pipe.put(b"de");
        assert_eq!(pipe.take(4), b"abcd");
        assert_eq!(pipe.take(4), b"e");
        assert_eq!(pipe.room(), PIPE_CAPACITY);
    }

    #[test]
    fn counters_take_all_or_one() {
        let mut counter = Counter { value: 3, semaphore: false };
        assert_eq!((counter.take(), counter.take()), (Some(3), None));
        let mut counter = Counter { value: 2, semaphore: true };
        assert_eq!((counter.take(), counter.take(), counter.take()), (Some(1), Some(1), None));
        assert!(counter.add(u64::MAX - 1) && !counter.add(1));
    }
}
