//! What incremental hashing saves: `cargo bench -p samovar-tests --bench hashing`.
//!
//! A state is the registers of a thread and blocks of memory. A step changes a few registers and
//! words; the hash is then made anew of all words (full), of the registers alone (partial), or
//! brought up to date from what changed (incremental), by each of the three methods. Blocks also
//! come and go. All methods are fed the same steps, and at the end their hashes are compared with
//! hashes from scratch: a wrong hash has no speed. Targets are printed, not asserted.

use samovar::hash::PartsHash;
use samovar::hash::field::Mersenne61;
use samovar::hash::linear::Linear;
use samovar::hash::powers::Powers;
use samovar::hash::sparse::Sparse;
use samovar::hash::tree::Tree;
use std::hint::black_box;
use std::time::{Duration, Instant};

const BASE: u64 = 0x0b4d_5a3c_1e2f_7869;
/// Words of registers.
const REGISTERS: usize = 26;
/// Registers, and words of memory, that a step changes.
const CHANGED: usize = 4;
/// Words of a block.
const BLOCK: usize = 16;
/// How long each measurement takes at least.
const BUSY: Duration = Duration::from_millis(200);

/// Registers in front, then blocks.
struct State {
    words: Vec<u64>,
    random: u64,
}

impl State {
    fn new(bytes: usize) -> State {
        let mut state = State { words: Vec::new(), random: 0x2545_f491_4f6c_dd1d };
        let count = REGISTERS + bytes / 8;
        state.words = (0..count).map(|_| state.draw()).collect();
        state
    }

    fn draw(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// Changes a few words, and tells which: index, before, after.
    fn step(&mut self) -> [(usize, u64, u64); CHANGED * 2] {
        let count = self.words.len();
        std::array::from_fn(|at| {
            let drawn = self.draw();
            let index = match at {
                at if at < CHANGED => drawn as usize % REGISTERS,
                _ => REGISTERS + drawn as usize % (count - REGISTERS),
            };
            let old = std::mem::replace(&mut self.words[index], drawn);
            (index, old, drawn)
        })
    }

    fn memory(&self) -> &[u64] {
        &self.words[REGISTERS..]
    }
}

/// The part that a word is in, and its index there.
fn part(index: usize) -> (u64, usize) {
    match index.checked_sub(REGISTERS) {
        None => (0, index),
        Some(index) => ((REGISTERS + index / BLOCK * BLOCK) as u64, index % BLOCK),
    }
}

fn fill(hash: &mut dyn PartsHash, state: &State) {
    hash.add(0, &state.words[..REGISTERS]);
    for (number, block) in state.memory().chunks(BLOCK).enumerate() {
        hash.add((REGISTERS + number * BLOCK) as u64, block);
    }
}

/// Seconds that one call takes, by many.
fn measure(mut once: impl FnMut()) -> f64 {
    let (mut count, begin) = (0_u64, Instant::now());
    loop {
        for _ in 0..16 {
            once();
        }
        count += 16;
        let spent = begin.elapsed();
        if BUSY <= spent {
            return spent.as_secs_f64() / count as f64;
        }
    }
}

/// A step with its hash brought up to date.
fn incremental<H: PartsHash>(mut hash: H, bytes: usize) -> f64 {
    let mut state = State::new(bytes);
    fill(&mut hash, &state);
    let seconds = measure(|| {
        for (index, old, new) in state.step() {
            let (place, index) = part(index);
            hash.change(place, index, old, new);
        }
        black_box(hash.value());
    });
    let whole = Powers::<Mersenne61>::new(BASE).hash(&state.words);
    assert_eq!(hash.value(), whole, "a hash from scratch");
    seconds
}

/// A block that goes and comes back.
fn blocks<H: PartsHash>(mut hash: H, bytes: usize) -> f64 {
    let mut state = State::new(bytes);
    fill(&mut hash, &state);
    let before = hash.value();
    let count = state.memory().len() / BLOCK;
    let seconds = measure(|| {
        let number = state.draw() as usize % count;
        let place = REGISTERS + number * BLOCK;
        let words = &state.words[place..place + BLOCK];
        hash.remove(place as u64, words);
        hash.add(place as u64, words);
        black_box(hash.value());
    });
    assert_eq!(hash.value(), before, "it came back");
    seconds
}

/// A step with a hash from scratch, of the first words.
fn scratch(bytes: usize, words: usize) -> f64 {
    let powers = Powers::<Mersenne61>::new(BASE);
    let mut state = State::new(bytes);
    measure(|| {
        black_box(state.step());
        black_box(powers.hash(&state.words[..words.min(state.words.len())]));
    })
}

fn main() {
    println!("Nanoseconds a step; {CHANGED} registers and {CHANGED} words of memory change.\n");
    println!(
        "| state | partial | full | linear | tree | sparse | full / sparse \
         | block: linear | block: tree | block: sparse |"
    );
    println!("|{}", "---:|".repeat(10));
    for kib in [1, 64, 1024] {
        let bytes = kib << 10;
        let partial = scratch(bytes, REGISTERS);
        let full = scratch(bytes, usize::MAX);
        let sparse = incremental(Sparse::<Mersenne61>::new(BASE), bytes);
        let columns = [
            partial,
            full,
            incremental(Linear::<Mersenne61>::new(BASE), bytes),
            incremental(Tree::<Mersenne61>::new(BASE), bytes),
            sparse,
        ];
        let come_and_go = [
            blocks(Linear::<Mersenne61>::new(BASE), bytes),
            blocks(Tree::<Mersenne61>::new(BASE), bytes),
            blocks(Sparse::<Mersenne61>::new(BASE), bytes),
        ];
        let told = |all: &[f64]| {
            all.iter().map(|one| format!("{:.0}", one * 1e9)).collect::<Vec<_>>().join(" | ")
        };
        let ratio = full / sparse;
        println!("| {kib} KiB | {} | {ratio:.0}x | {} |", told(&columns), told(&come_and_go));
    }
    println!("\ntarget: full / sparse at least 50x at 64 KiB");
}
