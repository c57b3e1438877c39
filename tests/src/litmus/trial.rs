//! Many programs in a row: generated, judged, and made smaller where opinions differ.

use super::brute::Answer;
use super::generate;
use super::judge::{Compiled, Mismatch, Way, expected};
use super::program::Program;
use super::shrink::shrink;
use super::source;
use std::fmt;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Programs that are compiled together.
const BATCH: u64 = 100;
/// Mismatches that are worth the time of making them smaller.
const SHRUNK_MAX: usize = 3;

/// What a trial came to.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Programs on which both gave an opinion.
    pub judged: usize,
    /// Programs that were too large for the interpreter.
    pub passed_over: usize,
    /// Programs on which the opinions differ.
    pub mismatches: Vec<Disagreement>,
}

/// A program on which the opinions differ.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The seed.
    pub seed: u64,
    /// The program, as small as it could be made.
    pub program: Program,
    /// The difference.
    pub mismatch: Mismatch,
    /// How it was compiled.
    pub flags: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disagreement { seed, program, mismatch, flags } = self;
        writeln!(f, "seed {seed}, compiled with {flags}, checked with {}:", mismatch.options)?;
        writeln!(f, "{}", mismatch.what)?;
        writeln!(f, "{}", source::listing(program))?;
        write!(
            f,
            "again: cargo run --release -p samovar-tests --bin random-programs -- \
             --seed {seed} --count 1 --flags '{flags}'"
        )
    }
}

/// Judges the programs of `count` seeds from `first` on. Those of known seeds are not made smaller,
/// and none is if there are many.
pub fn run(first: u64, count: u64, way: &Way, known: &[u64]) -> Trial {
    let mut trial = Trial::default();
    let mut seed = first;
    while seed < first + count {
        let end = (seed + BATCH).min(first + count);
        batch(seed..end, way, known, &mut trial);
        seed = end;
    }
    trial
}

fn batch(seeds: Range<u64>, way: &Way, known: &[u64], trial: &mut Trial) {
    let mut programs: Vec<(u64, Program, Answer)> = Vec::new();
    for seed in seeds {
        let program = generate::program(seed);
        match expected(&program, way.wake) {
            Some(answer) => programs.push((seed, program, answer)),
            None => trial.passed_over += 1,
        }
    }
    trial.judged += programs.len();
    let list: Vec<&Program> = programs.iter().map(|(_, program, _)| program).collect();
    let compiled = Compiled::new(&list, way);
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some((_, _, answer)) = programs.get(number) else { break };
                    if let Some(mismatch) = compiled.compare(number, answer, way) {
                        found.lock().expect("nobody panics").push((number, mismatch));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("nobody panics");
    found.sort_by_key(|(number, _)| *number);
    for (number, mismatch) in found {
        let (seed, program, _) = &programs[number];
        let disagreement = Disagreement {
            seed: *seed,
            program: program.clone(),
            mismatch,
            flags: way.flags.join(" "),
        };
        let is_enough = SHRUNK_MAX <= trial.mismatches.len() || known.contains(seed);
        trial.mismatches.push(if is_enough { disagreement } else { smaller(disagreement, way) });
    }
}

/// The same disagreement about a smaller program.
fn smaller(found: Disagreement, way: &Way) -> Disagreement {
    let mut mismatch = found.mismatch.clone();
    let way = Way { reductions: vec![mismatch.reduce.clone()], small: Vec::new(), ..way.clone() };
    let program = shrink(&found.program, &mut |candidate| {
        let difference = difference(candidate, &way);
        let differs = difference.is_some();
        if let Some(difference) = difference {
            mismatch = difference;
        }
        differs
    });
    Disagreement { program, mismatch, ..found }
}

/// What the opinions on one program differ in, if they do.
pub fn difference(program: &Program, way: &Way) -> Option<Mismatch> {
    let answer = expected(program, way.wake)?;
    Compiled::new(&[program], way).compare(0, &answer, way)
}
