//! Two locks in opposite orders. With `--cfg FIX` both threads take them in the same order.
//!
//! check: => error deadlock; skip reduce=none model=none
//! check: -DFIX => verified; skip reduce=none model=none

use std::sync::Mutex;
use std::thread;

static ONE: Mutex<i32> = Mutex::new(10);
static OTHER: Mutex<i32> = Mutex::new(10);

fn transfer(from: &Mutex<i32>, to: &Mutex<i32>) {
    let mut from = from.lock().expect("nobody panics");
    let mut to = to.lock().expect("nobody panics");
    *from -= 1;
    *to += 1;
}

fn main() {
    let forth = thread::spawn(|| transfer(&ONE, &OTHER));
    let back = thread::spawn(|| match cfg!(FIX) {
        true => transfer(&ONE, &OTHER),
        false => transfer(&OTHER, &ONE),
    });
    forth.join().expect("nobody panics");
    back.join().expect("nobody panics");
    assert_eq!(*ONE.lock().unwrap() + *OTHER.lock().unwrap(), 20);
}
