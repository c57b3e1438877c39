//! Panics that are handled, and panics that are not; the argument says which.

use std::panic::{catch_unwind, resume_unwind, set_hook};
use std::thread;

fn fail(what: &str) {
    assert!(what.is_empty(), "not empty: {what}"); // the place
}

fn scoped() {
    thread::scope(|scope| {
        scope.spawn(|| fail("scoped"));
    });
}

fn main() {
    let how = std::env::args().nth(1).expect("an argument");
    thread::spawn(|| ()).join().expect("it does nothing");
    match how.as_str() {
        "main" => fail("main"),
        "alone" => thread::spawn(|| fail("alone")).join().unwrap(),
        "joined" => assert!(thread::spawn(|| fail("joined")).join().is_err()),
        "passed" => resume_unwind(thread::spawn(|| fail("passed")).join().unwrap_err()),
        "caught" => {
            assert!(catch_unwind(|| fail("caught")).is_err());
            let other = thread::spawn(|| catch_unwind(|| fail("caught")).is_err());
            assert!(other.join().expect("it catches its panic"));
        }
        "dropped" => drop(thread::spawn(|| fail("dropped"))),
        "kept" => std::mem::forget(thread::spawn(|| fail("kept"))),
        "scoped" => scoped(),
        "scope caught" => assert!(catch_unwind(scoped).is_err()),
        "silent" => {
            set_hook(Box::new(|_| ()));
            fail("silent");
        }
        "status" => std::process::exit(101),
        "caught, status" => {
            let seen = catch_unwind(|| fail("caught")).is_err();
            std::process::exit(if seen { 101 } else { 0 });
        }
        _ => unreachable!("{how}"),
    }
}
