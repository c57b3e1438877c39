//! A condition variable without a condition: if the notification comes first, it is lost. With
//! `--cfg FIX` the waiter waits for the flag, not for the notification.
//!
//! check: => error deadlock; tiny
//! check: -DFIX => verified; skip reduce=none

use std::sync::{Condvar, Mutex};
use std::thread;

static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn main() {
    let waiter = thread::spawn(|| {
        let ready = READY.lock().expect("nobody panics");
        if cfg!(FIX) {
            drop(CHANGED.wait_while(ready, |ready| !*ready));
        } else {
            drop(CHANGED.wait(ready));
        }
    });
    *READY.lock().expect("nobody panics") = true;
    CHANGED.notify_one();
    waiter.join().expect("nobody panics");
}
