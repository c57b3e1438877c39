//! Checks random concurrent programs with samovar and with an interpreter that shares nothing with
//! it, and complains where they come to different ends.
//!
//! `--count N` programs from `--seed N` on; `--flags '-O2'` for the compiler; `--reduce LIST` for
//! all programs, `--small LIST` for small ones; `--options '…'` for samovar; `--wake any` if a
//! signal may wake any waiting thread; `--bare` if assertions are to fail without a read before;
//! `--whole` leaves
//! programs as large as they are; `--show` prints the program of the seed.

use samovar_tests::litmus::generate;
use samovar_tests::litmus::judge::{Way, expected};
use samovar_tests::litmus::machine::Wake;
use samovar_tests::litmus::source::{self, Assertions};
use samovar_tests::litmus::trial::{self, Trial};

fn main() {
    let (mut first, mut count, mut way) = (1, 1000, Way::ordinary());
    let (mut show, mut whole) = (false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
        let number = |text: String| text.parse().unwrap_or_else(|_| panic!("{text}: no number"));
        let list = |text: String, between| {
            text.split(between).filter(|part| !part.is_empty()).map(str::to_string).collect()
        };
        match word.as_str() {
            "--seed" => first = number(value()),
            "--count" => count = number(value()),
            "--flags" => way.flags = list(value(), ' '),
            "--reduce" => way.reductions = list(value(), ','),
            "--small" => way.small = list(value(), ','),
            "--options" => way.options = list(value(), ' '),
            "--wake" => way.wake = if value() == "any" { Wake::Any } else { Wake::Longest },
            "--bare" => way.assertions = Assertions::Bare,
            "--whole" => whole = true,
            "--show" => show = true,
            _ => panic!("{word} is no option"),
        }
    }
    if show {
        let program = generate::program(first);
        println!("{}", source::listing(&program));
        println!("{:#?}", expected(&program, way.wake));
        return;
    }
    let known: Vec<u64> = if whole { (first..first + count).collect() } else { Vec::new() };
    let Trial { judged, passed_over, mismatches } = trial::run(first, count, &way, &known);
    for mismatch in &mismatches {
        println!("{mismatch}\n");
    }
    println!("{judged} programs judged, {passed_over} were too large, {} differ", mismatches.len());
    std::process::exit(i32::from(!mismatches.is_empty()));
}
