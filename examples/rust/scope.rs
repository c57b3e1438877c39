//! Threads that borrow from the stack of their creator: a lost update of an atomic variable there.
//! With `--cfg FIX` it is one operation.
//!
//! check: => error assertion; skip reduce=none model=none
//! check: -DFIX => verified; skip reduce=none model=none

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

fn main() {
    let sum = AtomicU32::new(0);
    thread::scope(|scope| {
        for amount in [1, 2] {
            let sum = &sum;
            scope.spawn(move || {
                if cfg!(FIX) {
                    sum.fetch_add(amount, Ordering::Relaxed);
                } else {
                    let seen = sum.load(Ordering::Relaxed);
                    sum.store(seen + amount, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), 3);
}
