//! Threads of Rust that do nothing in particular; with an argument, one more runs over its stack, or
//! the main thread does.
use std::thread;

fn deep(level: u64) -> u64 {
    let block = [level; 64];
    std::hint::black_box(&block);
    if level == u64::MAX { 0 } else { deep(level + 1) + block[3] }
}

fn main() {
    let workers: Vec<_> = (0..2).map(|_| thread::spawn(|| std::env::args().count())).collect();
    for worker in workers {
        worker.join().expect("no panic");
    }
    match std::env::args().nth(1).as_deref() {
        Some("over") => assert_ne!(thread::spawn(|| deep(0)).join().expect("no panic"), 1),
        Some("main") => assert_ne!(deep(0), 1),
        _ => {}
    }
}
