//! Formatting, hash maps (random keys, sorted output), panics, input, files, exit status.
//@ run: -> exit 17
//@ run: panic -> exit 101
//@ run: abort -> signal 6
//@ stdin-lines: 500
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::io::{BufRead, Read, Seek, Write};
use std::panic;

fn floats() {
    let all = [0.0, -0.0, 1.0, 0.1, 1e21, 1e-7, f64::MAX, f64::MIN_POSITIVE, 5e-324, 123456.789];
    for x in all.into_iter().chain([f64::INFINITY, f64::NAN]) {
        println!("{x} {x:?} {x:e} {x:.3} {x:10.2}|");
    }
    println!("{:?} {}", 0.1f32 + 0.2f32, 16777217f32);
    let (sine, root, power) = (1.5f64.sin(), 2f64.sqrt(), 3.7f64.powf(2.5));
    println!("{sine} {root} {power} {} {}", (0.1f64 + 0.2).round(), (-2.5f64).floor());
    println!("{} {} {}", 300.7f64 as u8, -1.5f64 as u32, f64::NAN as i64);
    println!("{:?} {:?}", "3.25".parse::<f64>(), "x".parse::<f64>().is_err());
}

fn collections(text: &str) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    text.split_whitespace().for_each(|word| *counts.entry(word).or_default() += 1);
    let mut top: Vec<_> = counts.into_iter().collect();
    top.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    println!("{:?}", &top[..5]);
    let set: HashSet<u64> = (0..1000).map(|i| i * i % 97).collect();
    let ordered: BTreeSet<_> = set.iter().collect();
    println!("{} {:?}", set.len(), ordered.iter().take(5).collect::<Vec<_>>());
    let mut queue: VecDeque<u128> = (1..=30).collect();
    queue.rotate_left(7);
    println!("{}", queue.iter().fold(1u128, |a, b| a.wrapping_mul(*b)));
    println!(
        "{:#?} {:?} {:>8}|{:<8}|{:^8}|{:+}|{:#x}|{:#010b}",
        (1, "two"),
        'c',
        "r",
        "l",
        "m",
        5,
        255,
        5
    );
    println!("{:?}", "tschüß €".chars().rev().collect::<String>());
}

fn main() {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).unwrap();
    println!("{} {}", text.lines().count(), std::io::Cursor::new(&text).lines().count());
    floats();
    collections(&text);
    panic::set_hook(Box::new(|info| eprintln!("hook: {info}")));
    let caught = panic::catch_unwind(|| {
        let v: Vec<i32> = Vec::new();
        v[std::hint::black_box(3)]
    });
    println!("{}", caught.unwrap_err().downcast_ref::<String>().unwrap());
    let joined = std::thread::spawn(|| panic!("in a thread")).join();
    println!("{:?}", joined.unwrap_err().downcast_ref::<&str>());
    let path = std::env::temp_dir().join(format!("samovar-rust-{}", std::process::id()));
    let mut file =
        std::fs::File::options().read(true).write(true).create(true).open(&path).unwrap();
    writeln!(file, "a line").unwrap();
    file.rewind().unwrap();
    let mut back = String::new();
    file.read_to_string(&mut back).unwrap();
    std::fs::remove_file(&path).unwrap();
    println!("{back:?} {}", path.exists());
    match std::env::args().nth(1).as_deref() {
        Some("panic") => None::<u8>.expect("nothing there"),
        Some("abort") => std::process::abort(),
        _ => std::process::exit(17),
    };
}
