//! Rust's standard threads, channels and locks, unmodified, on the virtual CPU:
//! `rustc -O examples/channels.rs -o channels && samovar run ./channels`
//! The argument is the number of workers; all schedules of one can be checked.
//!
//! check: --patience=16 1 => verified; skip reduce=none model=none O0; slow

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

fn main() {
    let workers = std::env::args().nth(1).map_or(3, |number| number.parse().expect("a number"));
    let (send, receive) = mpsc::channel::<(usize, String)>();
    let lengths = Arc::new(Mutex::new(BTreeMap::new()));
    let workers: Vec<_> = ["tea", "water", "samovar"]
        .into_iter()
        .enumerate()
        .take(workers)
        .map(|(id, word)| {
            let (send, lengths) = (send.clone(), lengths.clone());
            thread::spawn(move || {
                lengths.lock().expect("nobody panics").insert(word, word.len());
                send.send((id, word.to_uppercase())).expect("main is listening");
            })
        })
        .collect();
    drop(send);
    let mut heard: Vec<_> = receive.into_iter().collect();
    heard.sort();
    for worker in workers {
        worker.join().expect("nobody panics");
    }
    println!("{heard:?}\n{:?}", lengths.lock().expect("nobody panics"));
}
