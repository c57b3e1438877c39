//! Arithmetic, judged by a C compiler: the same expressions over the same variables, computed by
//! the program itself and by formulas that look at it.

use crate::driver::{Subject, compile};
use crate::expressions::{Random, float, integer, program};
use samovar::formula::{Formula, Value};
use samovar_tests::scratch::Scratch;
use std::process::Command;

/// Expressions in one program.
const EXPRESSIONS: usize = 400;

fn expected(line: &str) -> Value {
    match line.split_once(' ') {
        Some(("i", number)) => Value::Integer(number.parse().expect("a number")),
        Some(("f", bits)) => {
            Value::Float(f64::from_bits(u64::from_str_radix(bits, 16).expect("bits")))
        }
        _ if line == "undefined" => Value::Undefined,
        _ => panic!("{line}"),
    }
}

fn is_same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        }
        _ => a == b,
    }
}

/// Writes, builds and runs one program, and compares every expression.
fn compare(compiler: &str, seed: u64) -> Option<[usize; 3]> {
    let mut random = Random(seed);
    let expressions: Vec<String> = (0..EXPRESSIONS)
        .map(|number| {
            let depth = 1 + random.below(4) as u32;
            let is_float = number % 4 == 3;
            if is_float { float(&mut random, depth) } else { integer(&mut random, depth, false) }
        })
        .collect();
    let scratch = Scratch::new("expressions");
    let source = scratch.join("expressions.c");
    std::fs::write(&source, program(&mut random, &expressions)).expect("a source file");
    let program = compile(compiler, &["-g", "-O0", "-fwrapv"], &source, &scratch)?;
    let native = Command::new(&program).output().expect("it runs");
    assert!(native.status.success(), "{:?}", native.status);
    let native = String::from_utf8(native.stdout).expect("text");
    let lines: Vec<&str> = native.lines().collect();
    assert_eq!(lines.len(), expressions.len());

    let mut subject = Subject::load(&program, scratch);
    subject.run_to("ready");
    let mut counts = [0; 3];
    for (expression, line) in expressions.iter().zip(lines) {
        let (ours, wanted) = (value(&subject, expression), expected(line));
        let at = format!("seed {seed}, {compiler}: {expression} is {wanted:?} natively");
        assert!(is_same(ours, wanted), "{at}, {ours:?} as a formula");
        counts[match wanted {
            Value::Integer(_) => 0,
            Value::Float(_) => 1,
            Value::Undefined => 2,
        }] += 1;
        if let Ok(watched) = Formula::parse(expression).and_then(|f| f.resolve(&subject.debug)) {
            let is_there = watched.distance(&subject.process) == 0;
            assert_eq!(is_there, ours.is_true() == Some(true), "{at}: the distance is wrong");
        }
    }
    Some(counts)
}

/// What is undefined whatever the program does is refused, which says the same.
fn value(subject: &Subject, expression: &str) -> Value {
    let formula = Formula::parse(expression).unwrap_or_else(|error| panic!("{error}"));
    match formula.resolve(&subject.debug) {
        Ok(watched) => watched.value(&subject.process),
        Err(error) if error.sentence().starts_with("this is undefined") => Value::Undefined,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn expressions_have_the_values_that_gcc_gives_them() {
    let programs = if samovar_tests::everything() { 100 } else { 4 };
    let mut total = [0; 3];
    for seed in 1..=programs {
        let counts = compare("gcc", seed * 0x9e37_79b9).expect("gcc");
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    // All kinds of values came up.
    assert!(total.iter().all(|&count| count > 10), "{total:?}");
}

#[test]
fn expressions_have_the_values_that_clang_gives_them() {
    let _ = compare("clang", 0x1234_5678_9abc);
}
