//! `samovar check` sees exactly the states that a protocol has: as many as a model of it that is a
//! few lines long and knows nothing of machines. A state too many is one that was not recognised, a
//! state too few one that was never reached. Counted with `--reduce contended`, which explores all
//! moves; `auto` leaves some out and must come to the same ends in no more states.

mod buffer;
mod counter;
mod peterson;
mod philosophers;
mod space;

use buffer::Buffer;
use counter::Counter;
use peterson::Peterson;
use philosophers::Philosophers;
use samovar_tests::binary::samovar;
use samovar_tests::build::programs;
use samovar_tests::child::Job;
use samovar_tests::everything;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use space::{Size, size};

/// The size of a program's space, with errors being ends like any other: all states and moves. The
/// smaller space in which moves are left out has the same ends.
fn measured(program: &str, flags: &str, args: &[usize]) -> Size {
    let all = explored("contended", program, flags, args);
    let fewer = explored("auto", program, flags, args);
    assert_eq!(fewer.terminal, all.terminal, "{program} {args:?}: ends are left out");
    assert!(fewer.states <= all.states, "{program} {args:?}: {} states", fewer.states);
    all
}

/// What a search with this value of `--reduce` comes to.
fn explored(reduce: &str, program: &str, flags: &str, args: &[usize]) -> Size {
    let scratch = Scratch::new("counts");
    let program = programs().join("counts").join(program).display().to_string();
    let mut words = ["check", "--format", "json", "--check", "exit", "--trail", "trail.json"]
        .map(str::to_string)
        .to_vec();
    words.extend(["--reduce", reduce, "--cflags", flags, &program].map(str::to_string));
    words.extend(args.iter().map(usize::to_string));
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let report: Value = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|_| panic!("{}: {}", outcome.ending(), outcome.stderr_text()));
    assert_eq!(report["verdict"], "verified", "{report}");
    let number = |name: &str| report["stats"][name].as_u64().expect("a number");
    Size { states: number("states"), terminal: number("terminal") }
}

/// Dynamically linked ones call the library through a table, in loops that never end: nobody writes
/// there, so it makes no difference. Nor does it matter by what forks are locked.
#[test]
fn philosophers() {
    for count in 2..=if everything() { 8 } else { 5 } {
        for careful in [false, true] {
            let model = size(&Philosophers { count, careful });
            assert_eq!(model.terminal, u64::from(!careful), "one way to get stuck");
            let args = if careful { vec![count, 1] } else { vec![count] };
            for flags in ["-static", "", "-Wl,-z,now -O2", "-DREGIONS -O2"] {
                let seen = measured("philosophers.c", flags, &args);
                assert_eq!(seen, model, "{count} philosophers, careful: {careful}, {flags}");
            }
        }
    }
}

#[test]
fn counter() {
    for (count, times) in [(2, 1), (2, 2), (2, 5), (3, 1), (3, 3), (4, 2)] {
        let seen = measured("counter.c", "", &[count, times]);
        assert_eq!(seen, size(&Counter { count, times }), "{count} threads, {times} times");
    }
}

/// Registers and flags keep values that nobody needs any more, unless the program throws them away
/// itself: they make no difference.
#[test]
fn peterson() {
    for flags in ["-DTIDY", "-O1", "-O2"] {
        assert_eq!(measured("peterson.c", flags, &[]), size(&Peterson), "{flags}");
    }
}

#[test]
fn buffer() {
    for (producers, consumers) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)] {
        let seen = measured("buffer.c", "", &[producers, consumers]);
        let model = size(&Buffer { producers, consumers });
        assert_eq!(seen, model, "{producers} producers, {consumers} consumers");
    }
}
