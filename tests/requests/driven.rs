//! Requests as a checker meets them: choices, pruned paths, atomic regions, privileges, marks.

use crate::driver::{Heard, Listener, load, output, run, step};
use crate::{compile, source};
use samovar_runtime::{Event, Model, Process, UnsupportedKind, ViolationKind, WaitFor};
use samovar_tests::scratch::Scratch;
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Access;

/// Makes a process of the program in the given case.
type Loader<'a> = dyn Fn(&str) -> Process + 'a;

/// Calls `check` with the program in several builds, and both models.
fn each(name: &str, check: &dyn Fn(&Loader<'_>)) {
    let scratch = Scratch::new("driven");
    for (compiler, flags) in [
        ("gcc", &["-O0", "-static"][..]),
        ("gcc", &["-O2"]),
        ("clang", &["-O0"]),
        ("clang", &["-O2", "-static"]),
    ] {
        let out = scratch.join("program");
        let Some(program) = compile(compiler, flags, &[source(name)], &out) else { continue };
        for model in [Model::Full, Model::None] {
            check(&|what| load(&program, &[what], &[], model));
        }
    }
}

/// The same with steps of several lengths: where a budget ends must not matter.
fn for_each_budget(name: &str, check: &dyn Fn(&Loader<'_>, u64)) {
    each(name, &|start| {
        for budget in [1, 97, 10_000, u64::MAX] {
            check(start, budget);
        }
    });
}

#[test]
fn every_alternative_can_be_taken() {
    each("driven.c", &|start| {
        let mut seen = Vec::new();
        for (first, second) in (0..3).flat_map(|first| (0..3).map(move |second| (first, second))) {
            let mut process = start("choose");
            let mut listener = Listener { answers: vec![first, second], ..Listener::default() };
            assert_eq!(run(&mut process, &mut listener), Event::ProcessExited(0));
            let asked: Vec<_> = listener
                .heard
                .into_iter()
                .filter(|heard| !matches!(heard, Heard::Atomic(_)))
                .collect();
            let one = [Heard::ChoiceAnnounced, Heard::Choice(3)];
            assert_eq!(asked, [one.clone(), one].concat());
            seen.push(output(&mut process));
        }
        let expected: Vec<String> =
            (0..3).flat_map(|a| (-1..2).map(move |b| format!("{a} {b}\n"))).collect();
        assert_eq!(seen, expected);
    });
}

#[test]
fn a_choice_can_be_stopped_before_and_taken_back() {
    each("driven.c", &|start| {
        let mut process = start("choose");
        let mut listener = Listener { stop_at_choices: true, ..Listener::default() };
        assert!(matches!(run(&mut process, &mut listener), Event::Access(_)));
        assert!(!listener.heard.iter().any(|heard| matches!(heard, Heard::Choice(_))));
        for answer in [2, 0, 1] {
            let mark = process.mark();
            let mut listener = Listener { answers: vec![answer, 1], ..Listener::default() };
            assert_eq!(run(&mut process, &mut listener), Event::ProcessExited(0));
            assert_eq!(output(&mut process), format!("{answer} 0\n"));
            process.undo_to(&mark);
        }
    });
}

#[test]
fn false_assumptions_prune_the_path() {
    each("driven.c", &|start| {
        for number in 0..6 {
            let mut process = start("assume");
            let mut listener = Listener { answers: vec![number], ..Listener::default() };
            let event = run(&mut process, &mut listener);
            if number % 2 == 1 {
                assert_eq!(event, Event::ProcessExited(0));
                assert_eq!(output(&mut process), format!("{number}\n"));
            } else {
                assert_eq!(event, Event::Pruned);
                assert_eq!(output(&mut process), "");
                // A caller that goes on gets the native end.
                assert_eq!(run(&mut process, &mut listener), Event::ProcessExited(0));
                assert_eq!(output(&mut process), "");
            }
        }
        assert_eq!(run(&mut start("nothing"), &mut Listener::default()), Event::Pruned);
    });
}

#[test]
fn violated_assertions_tell_text_and_place() {
    each("endings.c", &|start| {
        let violation = |what: &str| match run(&mut start(what), &mut Listener::default()) {
            Event::Violated(violation) => violation,
            event => panic!("{what}: {event:?}"),
        };
        let failed = violation("assert");
        assert_eq!(failed.kind, ViolationKind::Assertion);
        assert_eq!(failed.message, "assertion failed: number == 1 && \"text\"");
        let (file, line) = failed.source.expect("a place");
        assert!(file.ends_with("endings.c"), "{file}");
        assert_eq!(line, 12);
        assert_eq!(violation("long").message, "assertion failed: number < 0");
        let reached = violation("unreachable");
        assert_eq!(reached.kind, ViolationKind::Assertion);
        assert_eq!(reached.source.expect("a place").1, 14);
    });
}

#[test]
fn atomic_regions_begin_and_end_once() {
    for_each_budget("driven.c", &|start, budget| {
        let mut process = start("regions");
        let mut listener = Listener::default();
        let event = loop {
            match process.step(ThreadId(0), budget, &mut listener) {
                Event::Budget | Event::Yielded => {}
                event => break event,
            }
        };
        assert_eq!(event, Event::ProcessExited(0));
        // Between the marks: what came before main, the region, its end, the rest.
        let parts: Vec<&[Heard]> = listener.heard.split(|h| *h == Heard::Progress).collect();
        let [_, inside, end, _] = parts.as_slice() else { panic!("{:?}", listener.heard) };
        // From the beginning of the region nothing ends, not even the library call in it; then
        // one end, and nothing more.
        let entered =
            !inside.is_empty() && inside.iter().all(|heard| *heard == Heard::Atomic(true));
        assert!(entered, "{:?}", listener.heard);
        assert_eq!(*end, [Heard::Atomic(false)], "{:?}", listener.heard);
        assert!(!process.is_atomic(ThreadId(0)));
    });
}

/// A budget of one instruction does not cut a region.
#[test]
fn nothing_interrupts_a_region() {
    each("driven.c", &|start| {
        let mut process = start("regions");
        let mut listener = Listener::default();
        while process.ended().is_none() {
            process.step(ThreadId(0), 1, &mut listener);
            assert!(!process.threads()[0].region, "a step ended inside of the region");
        }
        assert!(listener.heard.contains(&Heard::Atomic(true)));
    });
}

#[test]
fn privileges_exclude_others() {
    each("driven.c", &|start| {
        let mut process = start("privileges");
        // The first thread stays in its loop as long as it is told zero.
        let mut listener = Listener { answers: vec![0; 200_000], ..Listener::default() };
        while process.threads().len() < 2 {
            let event = process.step(ThreadId(0), 1000, &mut listener);
            assert!(matches!(event, Event::Budget | Event::Yielded), "{event:?}");
        }
        assert_eq!(step(&mut process, 1, &mut listener), Event::Blocked);
        let Some(&WaitFor::Privilege { start, end }) = process.threads()[1].waiting() else {
            panic!("thread 1 waits otherwise: {:?}", process.threads()[1].state)
        };
        assert_eq!(end, start + 4);
        let held: Vec<_> = process.privileges().iter().collect();
        assert_eq!(held.len(), 1, "locking again has no effect");
        assert_eq!((held[0].start, held[0].holder), (start, ThreadId(0)));
        let (kind, locked, sequel) = (AccessKind::Write, false, false);
        let access = Access { addr: start + 3, size: 1, kind, locked, sequel };
        let breach = process.privileges().breach(ThreadId(1), &access).expect("a breach");
        let violation = breach.violation(ThreadId(1), &access, 0x1234);
        assert_eq!((violation.kind, violation.data), (ViolationKind::Privilege, Some(start + 3)));
        assert!(violation.message.starts_with("T1 writes to what main has"), "{violation}");
        assert_eq!(process.privileges().breach(ThreadId(0), &access), None);

        // Told otherwise it unlocks, the other one gets it, and the second unlock is a violation.
        let mut listener = Listener::default();
        let Event::Violated(violation) = run(&mut process, &mut listener) else {
            panic!("no violation")
        };
        assert_eq!(violation.kind, ViolationKind::Privilege);
        assert!(violation.message.contains("main unlocks"), "{violation}");
        assert!(process.privileges().is_empty());
        assert_eq!(run(&mut process, &mut listener), Event::ProcessExited(0));
        assert_eq!(output(&mut process), "went on, first = 1\n");
    });
}

#[test]
fn marks_are_noted() {
    each("driven.c", &|start| {
        let mut process = start("marks");
        let mut listener = Listener::default();
        assert_eq!(run(&mut process, &mut listener), Event::ProcessExited(0));
        assert_eq!(output(&mut process), "1\n");
        let progress = listener.heard.iter().filter(|heard| **heard == Heard::Progress).count();
        assert_eq!(progress, 2);
        let [(start, end)] = process.ignored() else { panic!("{:?}", process.ignored()) };
        assert_eq!(end - start, 4);
        let label = process.threads()[0].label.as_deref();
        assert_eq!(label, Some("the main thread of this program"));
    });
}

#[test]
fn unknown_requests_are_refused_and_other_values_ignored() {
    each("driven.c", &|start| {
        let Event::Unsupported(what) = run(&mut start("unknown"), &mut Listener::default()) else {
            panic!("not refused")
        };
        assert_eq!(what.kind, UnsupportedKind::Request);
        assert!(what.to_string().starts_with("unsupported request number 4242 at 0x"), "{what}");
        let mut process = start("nop");
        assert_eq!(run(&mut process, &mut Listener::default()), Event::ProcessExited(0));
        assert_eq!(output(&mut process), "5\n");
    });
}
