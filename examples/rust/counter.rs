//! Atomics do not make a sequence of operations atomic: a load and a store lose additions. A panic
//! ends the program with another exit status than zero. With `--cfg FIX` it is one operation.
//!
//! check: => error assertion; skip O0+reduce=none
//! check: -DFIX => verified; skip O0+reduce=none

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

fn add(counter: &AtomicU32) {
    if cfg!(FIX) {
        counter.fetch_add(1, Ordering::SeqCst);
    } else {
        let seen = counter.load(Ordering::SeqCst);
        counter.store(seen + 1, Ordering::SeqCst);
    }
}

fn main() {
    let counter = Arc::new(AtomicU32::new(0));
    let other = {
        let counter = counter.clone();
        thread::spawn(move || add(&counter))
    };
    add(&counter);
    other.join().expect("nobody panics");
    assert_eq!(counter.load(Ordering::SeqCst), 2);
}
