//! Locals and thread-local variables of threads.

use crate::driver::Subject;
use samovar::formula::Value;

fn subject(flags: &[&str]) -> Subject {
    Subject::new("gcc", flags, "locals.c", "inside == 1").expect("gcc")
}

#[test]
fn locals_are_those_of_the_innermost_frame_that_has_them() {
    let subject = subject(&["-g", "-O0"]);
    // Both threads run in step; the first is inside the innermost call.
    for (text, value) in [
        ("thread[1]::depth", 3),
        ("thread[1]::inner::i", 30),
        ("thread[1]::inner::number", 3),
        ("thread[1]::worker::number", 1),
        ("thread[1]::worker::pair.x", 100),
        ("thread[1]::pair.list[thread[1]::depth - 2]", 8),
        ("thread[1]::pair.list[1] + 1", 9),
        ("*&thread[1]::pair.x", 100),
        ("thread[1]::own", 2),
        ("thread[2]::worker::pair.x", 200),
        ("thread[0]::ratio == 2.5", 1),
        ("&thread[1]::pair != &thread[2]::pair", 1),
        ("&thread[1]::own == &thread[1]::own", 1),
    ] {
        assert_eq!(subject.value(text), Value::Integer(value), "{text}");
    }
    for text in [
        "thread[7]::depth",
        "thread[0]::inner::i",
        "thread[0]::pair.x == 0",
        "thread[1]::pair.list[thread[1]::depth]",
    ] {
        assert_eq!(subject.value(text), Value::Undefined, "{text}");
    }
    let watched = subject.watched("thread[1]::depth == 3 && inside");
    assert!(watched.uses_locals() && !watched.is_fixed());
    assert!(!watched.words().is_empty());
}

#[test]
fn locals_of_threads_that_ended_are_undefined() {
    let mut subject = subject(&["-g", "-O0"]);
    subject.run_to("inside == 2 && thread[0]::main::k == 1");
    assert_eq!(subject.value("thread[1]::depth"), Value::Undefined);
    assert_eq!(subject.value("thread[1]::own"), Value::Undefined);
}

#[test]
fn optimised_locals_are_right_or_undefined() {
    let subject = subject(&["-g", "-O2"]);
    let mut known = 0;
    for (text, value) in [
        ("thread[1]::worker::pair.x", 100),
        ("thread[1]::worker::number", 1),
        ("thread[1]::own", 2),
    ] {
        match subject.value(text) {
            Value::Undefined => {}
            other => {
                assert_eq!(other, Value::Integer(value), "{text}");
                known += 1;
            }
        }
    }
    assert!(known > 0);
}

#[test]
fn locals_that_do_not_fit_are_refused() {
    let subject = subject(&["-g", "-O0"]);
    let sentence = |text: &str| subject.complaint(text).lines().next().map(str::to_string);
    assert_eq!(
        sentence("thread[1]::i == 1").as_deref(),
        Some("'i' is long int in main and int in inner; write thread[1]::main::i")
    );
    assert_eq!(
        sentence("thread[1]::worker::unlike").as_deref(),
        Some(
            "worker has several locals called 'unlike', of types char and short int; \
             rename one of them"
        )
    );
    assert_eq!(
        sentence("thread[1]::nothing == 1").as_deref(),
        Some("no function has a local called 'nothing'")
    );
    assert_eq!(
        sentence("thread[1]::worker::nothing").as_deref(),
        Some("worker has no local called 'nothing'")
    );
    assert_eq!(
        sentence("thread[1]::done").as_deref(),
        Some("all threads share 'done'; write it without thread[1]::")
    );
    assert_eq!(
        sentence("own > 1").as_deref(),
        Some("every thread has its own 'own'; write thread[N]::own")
    );
    assert_eq!(
        sentence("depth > 1").as_deref(),
        Some("'depth' is a local of inner; write thread[N]::inner::depth")
    );
}
