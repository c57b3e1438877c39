//! Two threads read, and then want to write before they stop reading: each waits for the other to
//! stop. With `--cfg FIX` they stop reading first.
//!
//! check: => error deadlock; skip reduce=none
//! check: -DFIX => verified; skip reduce=none

use std::sync::RwLock;
use std::thread;

static BALANCE: RwLock<u32> = RwLock::new(1);

fn double() {
    let seen = BALANCE.read().expect("nobody panics");
    let wanted = *seen * 2;
    if cfg!(FIX) {
        drop(seen);
        *BALANCE.write().expect("nobody panics") = wanted;
    } else {
        *BALANCE.write().expect("nobody panics") = wanted;
        drop(seen);
    }
}

fn main() {
    let other = thread::spawn(double);
    double();
    other.join().expect("nobody panics");
}
