//! A value that is made once, however many threads ask for it. Without `--cfg FIX` threads look
//! whether it is there and make it otherwise, which two of them can do.
//!
//! check: => error assertion; skip reduce=none
//! check: -DFIX => verified; skip reduce=none

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static MADE: AtomicU32 = AtomicU32::new(0);
static VALUE: OnceLock<u32> = OnceLock::new();

fn make() -> u32 {
    MADE.fetch_add(1, Ordering::SeqCst) + 41
}

fn value() -> u32 {
    if cfg!(FIX) {
        return *VALUE.get_or_init(make);
    }
    match VALUE.get() {
        Some(value) => *value,
        None => {
            let value = make();
            // Somebody else may have been faster.
            let _ = VALUE.set(value);
            value
        }
    }
}

fn main() {
    let other = thread::spawn(value);
    let mine = value();
    assert_eq!(mine, other.join().expect("nobody panics"));
}
