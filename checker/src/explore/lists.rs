//! Lists that many moves have in common, kept once.
//!
//! The same code touches the same words whatever the values are, so a space has very many moves and
//! few lists of what they touch. Lists can be shared with those who work at the same time.

use crate::sync::Arc;
use ahash::{AHashSet, RandomState};
use std::hash::Hash;

/// See the module head.
#[derive(Debug)]
pub struct Lists<T> {
    known: AHashSet<Arc<[T]>>,
    items: usize,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        let known = AHashSet::with_hasher(RandomState::with_seeds(95, 96, 97, 98));
        Lists { known, items: 0 }
    }
}

impl<T: Clone + Eq + Hash> Lists<T> {
    /// The one list with these items.
    pub fn get(&mut self, items: &[T]) -> Arc<[T]> {
        if let Some(known) = self.known.get(items) {
            return Arc::clone(known);
        }
        let list: Arc<[T]> = items.into();
        self.items += items.len();
        self.known.insert(Arc::clone(&list));
        list
    }

    /// Forgets all lists; those that somebody holds stay as they are.
    pub fn clear(&mut self) {
        self.known.clear();
        self.items = 0;
    }

    /// Bytes of heap memory in use, about.
    pub fn bytes(&self) -> usize {
        self.items * size_of::<T>() + self.known.capacity() * size_of::<Arc<[T]>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_one() {
        let mut lists = Lists::default();
        let (one, other) = (lists.get(&[1, 2]), lists.get(&[1, 2]));
        assert!(Arc::ptr_eq(&one, &other));
        assert!(!Arc::ptr_eq(&one, &lists.get(&[2, 1])));
        assert_eq!(lists.items, 4);
        lists.clear();
        assert!(!Arc::ptr_eq(&one, &lists.get(&[1, 2])));
    }
}
