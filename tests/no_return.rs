//! The point of no return of examples, as their sources say: which step makes the error
//! inevitable, and what would have avoided it.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;

fn report(options: &[&str], example: &str) -> Value {
    let scratch = Scratch::new("no-return");
    let program = workspace().join("examples").join(example).display().to_string();
    let words = [&["check", "--format", "json"], options, &[&program]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{options:?} {example}: {error}, {}", outcome.stderr_text()))
}

/// Line of the step and line of what would have avoided it, with who would have moved.
type Point = Option<(u64, u64, &'static str)>;

/// Found by reading the programs.
const POINTS: &[(&str, Point)] = &[
    // Main holds the lock: whoever has read that nothing is ready will miss the signal.
    ("condition/lost_wakeup.c", Some((22, 36, "main"))),
    // Signals are lost unless somebody waits, and waiting needs the lock that main takes.
    ("condition/signal_first.c", Some((27, 14, "T1"))),
    // The second account closes the circle.
    ("deadlock/transfer.c", Some((28, 29, "T1"))),
    // The last fork does.
    ("philosophers.c", Some((31, 32, "T1"))),
    // Main waits for a thread that needs what main has locked.
    ("deadlock/join_holding.c", Some((24, 14, "T1"))),
    // The consumer has the mutex that the producer needs.
    ("semaphores/order.c", Some((28, 15, "T1"))),
    // The customer has seen the barber awake, who is about to sleep.
    ("semaphores/barber.c", Some((54, 23, "T1"))),
    // One has seen a seat; once the other has the lock, it will see the same seat.
    ("races/check_then_act.c", Some((18, 26, "T2"))),
    // The pointer was read before it was set.
    ("races/order_violation.c", Some((15, 27, "main"))),
    // Each waits for the other's result, whatever happens.
    ("cpp/futures.cpp", None),
    // Main gives the lock back only after the thread that unlocks it has ended.
    ("locks/unlock_not_owner.c", None),
];

#[test]
fn points_of_no_return_are_where_the_sources_say() {
    for (example, point) in POINTS {
        let report = report(&[], example);
        assert_eq!(report["verdict"], "error", "{example}");
        let found = &report["point_of_no_return"];
        assert_eq!(found["exact"], true, "{example}: {found}");
        let Some((line, other, thread)) = point else {
            assert_eq!((&found["step"], &found["alternative"]), (&Value::Null, &Value::Null));
            continue;
        };
        let number = found["step"].as_u64().expect("a step") as usize;
        let step = &report["trail"][number - 1];
        assert_eq!(step["location"]["line"], *line, "{example}: {step}");
        let alternative = &found["alternative"];
        assert_eq!(alternative["location"]["line"], *other, "{example}: {alternative}");
        assert_eq!(alternative["thread"], *thread, "{example}: {alternative}");
    }
}

#[test]
fn the_point_is_in_every_report() {
    let scratch = Scratch::new("no-return");
    let program = workspace().join("examples/deadlock/transfer.c").display().to_string();
    let words = ["check", "--html", "page.html", &program];
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let said = outcome.stdout_text();
    assert!(said.contains("\npoint of no return: step 4, T2 (transfer.c:28); before it"), "{said}");
    let page = std::fs::read_to_string(scratch.join("page.html")).expect("a page");
    assert!(page.contains("Point of no return: step 4, T2 (transfer.c:28)"));
}
