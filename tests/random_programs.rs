//! Random concurrent programs come to the same ends under `samovar check`, reduced and not, as in
//! an interpreter that knows nothing but the programs' meaning.

use samovar_tests::everything;
use samovar_tests::litmus::judge::Way;
use samovar_tests::litmus::program::{
    Manner, Place, Program, Region, Statement, Test, Thread, Value,
};
use samovar_tests::litmus::source::Assertions;
use samovar_tests::litmus::trial::{self, Trial};

/// Programs that a change has to pass, and with everything.
const COUNT: u64 = 200;
const COUNT_ALL: u64 = 5_000;

/// Judges that many programs.
fn try_out(count: u64, way: &Way) {
    let Trial { judged, mismatches, .. } = trial::run(1, count, way, &[]);
    let told: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{} of {judged} differ:\n{}", told.len(), told.join("\n\n"));
    assert!(count < 2 * judged as u64, "only {judged} of {count} programs are small enough");
}

#[test]
fn random_programs_end_as_the_interpreter_says() {
    try_out(if everything() { COUNT_ALL } else { COUNT }, &Way::ordinary());
}

#[test]
fn random_programs_end_the_same_breadth_first() {
    let options = ["--search", "bfs"].map(str::to_string).into();
    let way = Way { options, small: Vec::new(), ..Way::ordinary() };
    try_out(if everything() { COUNT_ALL / 5 } else { COUNT / 4 }, &way);
}

/// A program that was judged wrongly once.
struct Case {
    about: &'static str,
    threads: Vec<Thread>,
    assertions: Assertions,
}

const X: Place = Place { region: Region::Global, offset: 0, size: 4 };
const ON_HEAP: Place = Place { region: Region::Heap, offset: 0, size: 4 };

fn thread(body: &[Statement], joins: &[u8]) -> Thread {
    Thread { body: body.to_vec(), joins: joins.to_vec() }
}

fn load(place: Place) -> Statement {
    Statement::Load(0, place, Manner::Plain)
}

/// Programs in which a thread's work up to its end was taken for one that suffices, though what it
/// works on is used by others further on.
fn early_ends() -> Vec<Case> {
    let store = [Statement::Store(X, Value::Constant(1), Manner::Plain)];
    let case = |about, threads: &[Thread]| Case {
        about,
        threads: threads.to_vec(),
        assertions: Assertions::Reading,
    };
    vec![
        case(
            "a choice before the read",
            &[
                thread(&[Statement::Create(1), Statement::Choose(1, 2), load(X)], &[1]),
                thread(&store, &[]),
            ],
        ),
        case(
            "a lock before the read",
            &[
                thread(&[Statement::Locked(0, vec![Statement::Create(1)])], &[1]),
                thread(&[Statement::Create(2), Statement::Locked(0, vec![]), load(X)], &[2]),
                thread(&store, &[]),
            ],
        ),
        case(
            "a thread begun before the write",
            &[
                thread(&[Statement::Create(1), Statement::Create(2)], &[1, 2]),
                thread(&[Statement::Exchange(0, X, Value::Constant(1))], &[]),
                thread(
                    &[Statement::Create(3), Statement::Store(X, Value::Constant(3), Manner::Plain)],
                    &[3],
                ),
                thread(&[], &[]),
            ],
        ),
        case(
            "a signal that comes in time",
            &[
                thread(
                    &[Statement::Create(1), Statement::Locked(0, vec![Statement::WaitOnce(0, 0)])],
                    &[1],
                ),
                thread(&[Statement::Signal(0)], &[]),
            ],
        ),
    ]
}

fn cases() -> Vec<Case> {
    let fails =
        |number, register| Statement::Assert(number, Test { register, equal: true, constant: 1 });
    let mut cases = early_ends();
    cases.push(Case {
        about: "a failure right behind a visible operation",
        threads: vec![
            thread(&[Statement::Create(1), fails(1, 0)], &[1]),
            thread(&[fails(0, 0)], &[]),
        ],
        assertions: Assertions::Bare,
    });
    let nested = |outer, inner| Statement::Locked(outer, vec![Statement::Locked(inner, vec![])]);
    let has_waited = Test { register: 0, equal: true, constant: 0 };
    let deadlocks = Statement::If(has_waited, vec![nested(0, 1)], vec![]);
    cases.push(Case {
        about: "what comes after having waited at a barrier",
        threads: vec![
            thread(&[Statement::Create(1), Statement::Create(2), nested(1, 0)], &[1, 2]),
            thread(&[Statement::Meet(0)], &[]),
            thread(&[Statement::Meet(0), deadlocks], &[]),
        ],
        assertions: Assertions::Reading,
    });
    cases.push(Case {
        about: "a read beside a call of free",
        threads: vec![
            thread(&[Statement::Create(1), Statement::Free], &[1]),
            thread(&[load(ON_HEAP)], &[]),
        ],
        assertions: Assertions::Reading,
    });
    cases
}

#[test]
fn programs_that_were_judged_wrongly() {
    for Case { about, threads, assertions } in cases() {
        let way = Way { assertions, flags: vec!["-O1".to_string()], ..Way::ordinary() };
        let program = Program { threads, semaphores: [0] };
        if let Some(mismatch) = trial::difference(&program, &way) {
            panic!("{about}: {}", mismatch.what);
        }
    }
}
