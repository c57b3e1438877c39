//! A set of threads of any size.
//!
//! The first 64 threads are bits of one word, which is all that most programs ever need; words for
//! further threads are on the heap and appear when one of them joins. A set may have words that
//! are zero, so equality looks at members, not at words.

use samovar_vm::machine::ThreadId;

/// See the module head.
#[derive(Clone, Default)]
pub struct ThreadSet {
    first: u64,
    /// Words for the threads from the 65th on.
    rest: Option<Box<[u64]>>,
}

impl ThreadSet {
    /// The set of one thread.
    pub fn one(thread: ThreadId) -> ThreadSet {
        let mut set = ThreadSet::default();
        set.insert(thread);
        set
    }

    /// Adds a thread; whether it is new.
    #[inline]
    pub fn insert(&mut self, thread: ThreadId) -> bool {
        let bit = 1 << (thread.0 % 64);
        let word = match thread.0 / 64 {
            0 => &mut self.first,
            index => self.rest_word(index as usize - 1),
        };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[cold]
    fn rest_word(&mut self, index: usize) -> &mut u64 {
        if self.rest().len() <= index {
            let mut words = vec![0; (index + 1).next_power_of_two()];
            words[..self.rest().len()].copy_from_slice(self.rest());
            self.rest = Some(words.into());
        }
        &mut self.rest.get_or_insert_default()[index]
    }

    #[inline]
    fn rest(&self) -> &[u64] {
        self.rest.as_deref().unwrap_or_default()
    }

    /// Whether a thread is in it.
    #[inline]
    pub fn contains(&self, thread: ThreadId) -> bool {
        let word = match thread.0 / 64 {
            0 => self.first,
            index => self.rest().get(index as usize - 1).copied().unwrap_or(0),
        };
        word & 1 << (thread.0 % 64) != 0
    }

    /// Adds all threads of another set.
    #[inline]
    pub fn join(&mut self, other: &ThreadSet) {
        self.first |= other.first;
        if let Some(words) = &other.rest {
            self.join_rest(words);
        }
    }

    #[cold]
    fn join_rest(&mut self, words: &[u64]) {
        self.rest_word(words.len() - 1);
        for (own, more) in self.rest.iter_mut().flatten().zip(words) {
            *own |= more;
        }
    }

    /// Takes a thread out.
    #[inline]
    pub fn remove(&mut self, thread: ThreadId) {
        if self.contains(thread) {
            let bit = 1 << (thread.0 % 64);
            match thread.0 / 64 {
                0 => self.first &= !bit,
                index => *self.rest_word(index as usize - 1) &= !bit,
            }
        }
    }

    /// Whether nobody is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.rest().iter().all(|&word| word == 0)
    }

    /// Number of threads.
    #[inline]
    pub fn len(&self) -> u32 {
        self.first.count_ones() + self.rest().iter().map(|word| word.count_ones()).sum::<u32>()
    }

    /// A thread that is in this set and not in the other one.
    #[inline]
    pub fn first_beyond(&self, other: &ThreadSet) -> Option<ThreadId> {
        let more = self.first & !other.first;
        if more != 0 {
            return Some(ThreadId(more.trailing_zeros()));
        }
        let others = other.rest().iter().copied().chain(std::iter::repeat(0));
        let mut words = self.rest().iter().zip(others).zip(1..);
        words.find_map(|((own, other), index)| {
            let more = own & !other;
            (more != 0).then(|| ThreadId(index * 64 + more.trailing_zeros()))
        })
    }
}

impl PartialEq for ThreadSet {
    fn eq(&self, other: &ThreadSet) -> bool {
        self.first_beyond(other).is_none() && other.first_beyond(self).is_none()
    }
}

impl Eq for ThreadSet {}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> ThreadSet {
        let mut set = ThreadSet::default();
        threads.into_iter().for_each(|thread| {
            set.insert(thread);
        });
        set
    }
}

impl std::fmt::Debug for ThreadSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = std::iter::once(self.first).chain(self.rest().iter().copied());
        let members = words.enumerate().flat_map(|(index, word)| {
            (0..64).filter(move |bit| word & 1 << bit != 0).map(move |bit| index * 64 + bit)
        });
        f.debug_set().entries(members).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set_of(members: &BTreeSet<u32>) -> ThreadSet {
        members.iter().map(|&thread| ThreadId(thread)).collect()
    }

    proptest! {
        /// All operations agree with those of an ordered set.
        #[test]
        fn it_is_a_set(
            one in prop::collection::btree_set(0u32..300, 0..12),
            other in prop::collection::btree_set(0u32..300, 0..12),
            thread in 0u32..300,
        ) {
            let (set, more) = (set_of(&one), set_of(&other));
            prop_assert_eq!(set.len() as usize, one.len());
            prop_assert_eq!(set.is_empty(), one.is_empty());
            prop_assert_eq!(set == more, one == other);
            prop_assert_eq!(set.contains(ThreadId(thread)), one.contains(&thread));
            let beyond = set.first_beyond(&more).map(|thread| thread.0);
            prop_assert_eq!(beyond, one.difference(&other).next().copied());
            let mut joined = set.clone();
            joined.join(&more);
            prop_assert_eq!(&joined, &set_of(&(&one | &other)));
            let mut without = set.clone();
            without.remove(ThreadId(thread));
            prop_assert_eq!(without, set_of(&(&one - &BTreeSet::from([thread]))));
            let mut with = set.clone();
            prop_assert_eq!(with.insert(ThreadId(thread)), !one.contains(&thread));
            prop_assert_eq!(format!("{set:?}"), format!("{one:?}"));
        }
    }

    #[test]
    fn words_of_zeros_do_not_count() {
        let mut set = ThreadSet::one(ThreadId(500));
        set.remove(ThreadId(500));
        assert_eq!(set, ThreadSet::default());
        assert!(set.is_empty());
    }
}
