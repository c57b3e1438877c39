//! Threads, channels and every lock of the standard library.
//@ threads: yes
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock, mpsc};
use std::thread;

thread_local!(static LOCAL: std::cell::Cell<u32> = const { std::cell::Cell::new(7) });

fn channels() {
    let (send, receive) = mpsc::channel();
    let threads: Vec<_> = (0..4)
        .map(|id| {
            let send = send.clone();
            thread::spawn(move || (0..50).for_each(|i| send.send(id * 1000 + i).unwrap()))
        })
        .collect();
    drop(send);
    let mut all: Vec<i32> = receive.iter().collect();
    all.sort_unstable();
    threads.into_iter().for_each(|t| t.join().unwrap());
    println!("{} {} {:?}", all.len(), all.iter().sum::<i32>(), &all[..3]);
    let (send, receive) = mpsc::sync_channel(0);
    let giver = thread::spawn(move || (1..=5).for_each(|i| send.send(i * i).unwrap()));
    println!("{:?}", receive.iter().collect::<Vec<u64>>());
    giver.join().unwrap();
}

fn locks() {
    let counter = Arc::new(Mutex::new(0u64));
    let table = Arc::new(RwLock::new(BTreeMap::new()));
    let barrier = Arc::new(Barrier::new(6));
    let leaders = Arc::new(AtomicUsize::new(0));
    thread::scope(|scope| {
        for id in 0..6u64 {
            let (counter, table) = (counter.clone(), table.clone());
            let (barrier, leaders) = (barrier.clone(), leaders.clone());
            scope.spawn(move || {
                for i in 0..50 {
                    *counter.lock().unwrap() += i;
                    table.write().unwrap().insert(id * 100 + i, i);
                    let _ = table.read().unwrap().get(&i).copied();
                }
                LOCAL.set(LOCAL.get() + 1);
                for _ in 0..5 {
                    if barrier.wait().is_leader() {
                        leaders.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let rows = table.read().unwrap().len();
    println!(
        "{} {rows} {} {}",
        counter.lock().unwrap(),
        leaders.load(Ordering::SeqCst),
        LOCAL.get()
    );
}

fn turns() {
    let state = Arc::new((Mutex::new((0, String::new())), Condvar::new()));
    let threads: Vec<_> = (0..3)
        .map(|id| {
            let state = state.clone();
            thread::spawn(move || {
                for _ in 0..4 {
                    let (lock, changed) = &*state;
                    let mut now =
                        changed.wait_while(lock.lock().unwrap(), |s| s.0 % 3 != id).unwrap();
                    now.0 += 1;
                    now.1 += &format!("{id} ");
                    changed.notify_all();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
    println!("{}", state.0.lock().unwrap().1);
}

fn main() {
    channels();
    locks();
    turns();
    static ONCE: Once = Once::new();
    static CELL: OnceLock<String> = OnceLock::new();
    let runs = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                ONCE.call_once(|| _ = runs.fetch_add(1, Ordering::SeqCst));
                CELL.get_or_init(|| "once".to_string()).len()
            });
        }
    });
    println!("{} {:?}", runs.load(Ordering::SeqCst), CELL.get());
    let name = thread::Builder::new().name("named".into()).stack_size(256 << 10);
    let told = name.spawn(|| thread::current().name().map(str::to_string)).unwrap();
    println!("{:?}", told.join().unwrap());
    let parked = thread::spawn(|| thread::park());
    parked.thread().unpark();
    parked.join().unwrap();
    thread::sleep(std::time::Duration::from_millis(2));
}
