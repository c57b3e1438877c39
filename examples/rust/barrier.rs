//! Two threads meet at a barrier, and what each did before is done for both afterwards. Without
//! `--cfg FIX` the barrier waits for three.
//!
//! check: => error deadlock; skip reduce=none
//! check: -DFIX => verified; skip reduce=none

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

static DONE: AtomicU32 = AtomicU32::new(0);

fn work(barrier: &Barrier) {
    DONE.fetch_add(1, Ordering::SeqCst);
    barrier.wait();
    assert_eq!(DONE.load(Ordering::SeqCst), 2);
}

fn main() {
    let barrier = Arc::new(Barrier::new(if cfg!(FIX) { 2 } else { 3 }));
    let other = {
        let barrier = barrier.clone();
        thread::spawn(move || work(&barrier))
    };
    work(&barrier);
    other.join().expect("nobody panics");
}
