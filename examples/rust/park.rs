//! A thread that parks again although it was told to go on: the token of `unpark` was spent by a
//! first `park`, and there is no other. With `--cfg FIX` it parks only as long as it has to.
//!
//! check: => error deadlock; skip reduce=none
//! check: -DFIX => verified; skip reduce=none

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let worker = thread::spawn(|| {
        if cfg!(FIX) {
            while !READY.load(Ordering::SeqCst) {
                thread::park();
            }
        } else {
            thread::park();
            if READY.load(Ordering::SeqCst) {
                thread::park();
            }
        }
    });
    READY.store(true, Ordering::SeqCst);
    worker.thread().unpark();
    worker.join().expect("nobody panics");
}
