//! The table of states under all interleavings of threads that fill it, with the memory model of
//! the language: the source of the table is compiled here once more, on loom's atomics.

// The source says `crate::sync` and `super::…`, so these have to be where it expects them.
mod sync {
    pub use loom::sync::Arc;
    pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
    pub const BLOCK: u32 = 2;
}

#[path = "."]
mod state {
    /// Plain lists in place of reserved memory; small, because each interleaving makes them anew.
    mod reserve {
        use loom::sync::atomic::{AtomicU32, AtomicU64};
        use std::ops::Deref;

        /// Words of every list.
        const WORDS: usize = 16;

        #[derive(Debug)]
        pub struct Reserve<T>(Vec<T>);

        pub trait Zero {
            fn zero() -> Self;
        }

        impl Zero for AtomicU32 {
            fn zero() -> AtomicU32 {
                AtomicU32::new(0)
            }
        }

        impl Zero for AtomicU64 {
            fn zero() -> AtomicU64 {
                AtomicU64::new(0)
            }
        }

        impl<T: Zero> Reserve<T> {
            pub fn at_most(len: usize) -> Reserve<T> {
                Reserve((0..len.min(WORDS)).map(|_| T::zero()).collect())
            }

            pub fn prefetch(&self, _: usize) {}
        }

        impl<T> Deref for Reserve<T> {
            type Target = [T];

            fn deref(&self) -> &[T] {
                &self.0
            }
        }
    }

    #[allow(dead_code)]
    #[path = "../checker/src/state/slots.rs"]
    pub mod slots;
    #[allow(dead_code)]
    #[path = "../checker/src/state/table.rs"]
    pub mod table;
}

use state::table::Handle;

/// What one thread adds, and the numbers that it gets.
fn fill(mut table: Handle, entries: [u64; 2]) -> [(u32, bool); 2] {
    let numbers = entries.map(|entry| table.number(entry));
    // What a thread was told is there to be read.
    for (entry, (number, _)) in entries.into_iter().zip(numbers) {
        assert_eq!(table.entry(number), entry);
    }
    assert!(!table.is_overrun());
    numbers
}

#[test]
fn threads_agree_on_numbers_in_every_interleaving() {
    loom::model(|| {
        let owner = Handle::default();
        let (one, two) = (owner.share(), owner.share());
        let first = loom::thread::spawn(move || fill(one, [7, 9]));
        let second = loom::thread::spawn(move || fill(two, [9, 7]));
        let (first, second) = (first.join().expect("one"), second.join().expect("two"));
        assert_eq!((first[0].0, first[1].0), (second[1].0, second[0].0));
        assert_ne!(first[0].0, first[1].0);
        // Exactly one of them was told that an entry is new.
        assert!(first[0].1 != second[1].1 && first[1].1 != second[0].1);
        let mut owner = owner;
        assert_eq!(owner.number(7), (first[0].0, false));
        assert_eq!(owner.number(9), (first[1].0, false));
    });
}

#[test]
fn entries_that_collide_do_not_get_lost() {
    loom::model(|| {
        let owner = Handle::default();
        let (one, two) = (owner.share(), owner.share());
        let first = loom::thread::spawn(move || fill(one, [1, 2]));
        let second = loom::thread::spawn(move || fill(two, [3, 1]));
        let (first, second) = (first.join().expect("one"), second.join().expect("two"));
        assert_eq!(first[0].0, second[1].0);
        let mut numbers = vec![first[0].0, first[1].0, second[0].0];
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 3);
    });
}
