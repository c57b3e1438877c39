//! The records of all threads, in pieces that are shared by reference count.
//!
//! States of the operating system are copied with every step of a search, and a step changes the
//! record of one thread, or of few. Records lie in chunks; copying copies references to chunks,
//! and changing a record copies its chunk's references and the record. Cost of a change: the
//! number of chunks and the size of one.

use crate::thread::Thread;
use std::ops::Index;
use std::sync::Arc;

/// Records in a chunk.
const CHUNK: usize = 32;

/// Records of threads with neighbouring numbers.
pub type Chunk = Vec<Arc<Thread>>;

/// See the module head.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    /// All but the last are full.
    chunks: Vec<Arc<Chunk>>,
}

impl Threads {
    /// Number of threads, those that ended included.
    pub fn len(&self) -> usize {
        match self.chunks.split_last() {
            Some((last, full)) => full.len() * CHUNK + last.len(),
            None => 0,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// A record by number of the thread.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&Thread> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK).map(|record| &**record)
    }

    /// All records, in the order of their threads' numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Thread> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).map(|record| &**record)
    }

    /// The chunks, for who wants to tell quickly what is the same in two of these. A chunk has the
    /// threads from a multiple of [`Threads::CHUNK`] on.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// The threads of these chunks, of which all but the last must be full.
    pub(crate) fn from_chunks(chunks: Vec<Arc<Chunk>>) -> Threads {
        debug_assert!(chunks.iter().rev().skip(1).all(|chunk| chunk.len() == CHUNK));
        Threads { chunks }
    }

    /// Records in a chunk that is full.
    pub const CHUNK: usize = CHUNK;

    /// A record, to change it.
    ///
    /// # Panics
    /// If there is no such thread.
    pub(crate) fn get_mut(&mut self, index: usize) -> &mut Thread {
        let chunk = Arc::make_mut(&mut self.chunks[index / CHUNK]);
        Arc::make_mut(&mut chunk[index % CHUNK])
    }

    /// Adds the record of a new thread.
    pub(crate) fn push(&mut self, thread: Thread) {
        match self.chunks.last_mut().filter(|last| last.len() < CHUNK) {
            Some(last) => Arc::make_mut(last).push(Arc::new(thread)),
            None => self.chunks.push(Arc::new(vec![Arc::new(thread)])),
        }
    }
}

impl PartialEq for Threads {
    fn eq(&self, other: &Threads) -> bool {
        let same = |one: &Arc<Thread>, two: &Arc<Thread>| Arc::ptr_eq(one, two) || one == two;
        let mut chunks = self.chunks.iter().zip(&other.chunks);
        self.len() == other.len()
            && chunks.all(|(one, two)| {
                Arc::ptr_eq(one, two) || one.iter().zip(two.iter()).all(|(one, two)| same(one, two))
            })
    }
}

impl Eq for Threads {}

impl Index<usize> for Threads {
    type Output = Thread;

    #[inline]
    fn index(&self, index: usize) -> &Thread {
        &self.chunks[index / CHUNK][index % CHUNK]
    }
}

impl FromIterator<Thread> for Threads {
    fn from_iter<I: IntoIterator<Item = Thread>>(records: I) -> Threads {
        let mut threads = Threads::default();
        records.into_iter().for_each(|record| threads.push(record));
        threads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::ThreadState;

    #[test]
    fn records_are_shared_until_they_change() {
        let threads: Threads = (0..100).map(|tid| Thread::new(tid, [0; 16])).collect();
        assert_eq!((threads.len(), threads.iter().count()), (100, 100));
        assert!(threads.iter().zip(0..).all(|(thread, tid)| thread.tid == tid));
        let mut changed = threads.clone();
        assert_eq!(changed, threads);
        changed.get_mut(40).state = ThreadState::Exited;
        assert_ne!(changed, threads);
        let shared = |(one, two): (&Arc<Chunk>, &Arc<Chunk>)| Arc::ptr_eq(one, two);
        let same: Vec<bool> = changed.chunks().iter().zip(threads.chunks()).map(shared).collect();
        assert_eq!(same, [true, false, true, true]);
        assert!(threads[40].is_alive(), "the original stays as it was");
        assert_eq!(Threads::from_chunks(threads.chunks().to_vec()), threads);
        changed.get_mut(40).state = ThreadState::Runnable;
        assert_eq!(changed, threads, "equal records are equal wherever they are");
        changed.push(Thread::new(100, [0; 16]));
        assert_ne!(changed, threads);
        assert_eq!(changed.get(101).map(|thread| thread.tid), None);
    }
}
