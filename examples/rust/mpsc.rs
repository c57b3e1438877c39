//! A receiver ends when the last sender is gone. Here `main` keeps one while it receives, and waits
//! for ever. With `--cfg FIX` it gives it up first.
//!
//! check: => error deadlock; skip reduce=none model=none
//! check: -DFIX --patience=16 => verified; skip reduce=none model=none

use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let worker = {
        let sender = sender.clone();
        thread::spawn(move || sender.send(7).expect("main is listening"))
    };
    if cfg!(FIX) {
        drop(sender);
    }
    assert_eq!(receiver.iter().sum::<u32>(), 7);
    worker.join().expect("nobody panics");
}
