//! Whole programs: the same output and ending as natively, with and without models, in turns and
//! under random schedules; and undone to the last byte.

mod support;

use samovar_runtime::{Event, Misuse, Model, Observer, Process};
use samovar_vm::fault::{AccessKind, FaultReason};
use samovar_vm::flags::Flags;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::PAGE_SIZE;
use samovar_vm::monitor::{Checked, Monitor, Unwatched};
use samovar_vm::reg::Reg;
use std::path::Path;
use support::{Linkage, Scheduler, compile, load, run, run_natively, turn};

/// Runs a guest in every way and compares with the host.
fn check(name: &str, args: &[&str]) {
    for linkage in [Linkage::Dynamic, Linkage::Static, Linkage::Musl] {
        let Some(program) = compile(name, linkage) else { continue };
        let expected = run_natively(&program, args);
        for model in [Model::Full, Model::None] {
            for seed in [None, Some(1), Some(2)] {
                let mut process = load(&program, args, model, false);
                let found = run(&mut process, seed, &mut Unwatched);
                assert_eq!(found, expected, "{name} {linkage:?} {model:?} {seed:?}");
            }
        }
    }
}

#[test]
fn signals() {
    check("signals", &[]);
}

#[test]
fn threads() {
    check("threads", &[]);
}

#[test]
fn heap() {
    check("heap", &[]);
}

/// The guest works in a directory of the host, and the host's directory stays empty.
#[test]
fn files() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guest-files");
    std::fs::create_dir_all(&directory).unwrap();
    check("files", &[directory.to_str().unwrap()]);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 0);
}

/// Whatever is put into registers and flags that are said to be dead, between any two instructions,
/// programs do the same.
#[test]
fn dead_registers_are_not_missed() {
    for (name, linkage) in [("threads", Linkage::Static), ("heap", Linkage::Dynamic)] {
        let program = compile(name, linkage).unwrap();
        let expected = run_natively(&program, &[]);
        let mut process = load(&program, &[], Model::Full, false);
        let mut scheduler = Scheduler::new(Some(5));
        let (mut stdout, mut clobbered) = (Vec::new(), 0);
        let status = loop {
            for thread in process.runnable().collect::<Vec<_>>() {
                clobbered += clobber(&mut process, thread);
            }
            let (thread, budget) = scheduler.pick(&mut process);
            let event = process.step(thread, budget % 100 + 1, &mut Unwatched);
            stdout.extend(process.take_output().into_iter().flat_map(|piece| piece.bytes));
            if let Event::ProcessExited(status) = event {
                break status;
            }
        };
        assert_eq!(String::from_utf8(stdout).unwrap(), expected.stdout, "{name}");
        assert_eq!(status, expected.status, "{name}");
        assert!(10_000 < clobbered, "{name}: only {clobbered} registers were dead");
    }
}

/// Puts nonsense into what is dead; the number of registers.
fn clobber(process: &mut Process, thread: ThreadId) -> u32 {
    let core = *process.machine.core(thread);
    if core.uops_done > 0 || process.is_atomic(thread) {
        return 0;
    }
    let live = process.machine.live_at(core.pc);
    let dead: Vec<Reg> = Reg::GENERAL.into_iter().filter(|&reg| !live.has(reg)).collect();
    let flags = core.flags.bits() ^ !live.flags;
    let core = process.machine.core_mut(thread);
    core.flags = Flags::eager(flags);
    for &reg in &dead {
        core[reg] = !core[reg] ^ 0x5a5a_5a5a_5a5a_5a5a;
    }
    dead.len() as u32
}

/// Exact heap blocks, judged accesses, journal: everything is on.
#[test]
fn threads_under_watch() {
    let program = compile("threads", Linkage::Static).unwrap();
    let expected = run_natively(&program, &[]);
    let mut process = load(&program, &[], Model::Full, false);
    process.machine.memory.journal.set_on(true);
    assert_eq!(run(&mut process, Some(3), &mut Checked), expected);
}

/// Runs the guest that makes one mistake, with exact heap blocks and everything on.
fn mistake(number: &str) -> Event {
    let program = compile("misuse", Linkage::Dynamic).unwrap();
    let mut process = load(&program, &[number], Model::Full, true);
    process.machine.memory.journal.set_on(true);
    let mut scheduler = Scheduler::new(None);
    loop {
        if let Some(event) = turn(&mut process, &mut scheduler, &mut Checked) {
            assert!(process.ended().is_some());
            return event;
        }
    }
}

#[test]
fn exact_blocks_show_every_mistake() {
    let fault = |number| match mistake(number) {
        Event::Fault(fault) => (fault.kind, fault.reason),
        other => panic!("mistake {number}: {other:?}"),
    };
    let misuse = |number| match mistake(number) {
        Event::Misuse { function, misuse, .. } => (function, misuse),
        other => panic!("mistake {number}: {other:?}"),
    };
    let free = "free".to_string();
    assert_eq!(mistake("0"), Event::ProcessExited(0));
    assert_eq!(misuse("1"), (free.clone(), Misuse::DoubleFree));
    assert_eq!(misuse("2"), (free.clone(), Misuse::InvalidPointer));
    assert_eq!(misuse("7"), (free, Misuse::InvalidPointer));
    assert_eq!(fault("3"), (AccessKind::Write, FaultReason::OutOfBounds));
    assert_eq!(fault("4"), (AccessKind::Write, FaultReason::UseAfterFree));
    assert_eq!(fault("5"), (AccessKind::Read, FaultReason::OutOfBounds));
    assert_eq!(fault("6"), (AccessKind::Write, FaultReason::OutOfBounds));
}

#[test]
fn plain_runs_abort_on_a_bad_free_as_glibc_does() {
    let program = compile("misuse", Linkage::Dynamic).unwrap();
    for number in ["1", "2", "7"] {
        let expected = run_natively(&program, &[number]);
        assert_eq!(expected.status, -6);
        for model in [Model::Full, Model::None] {
            let mut process = load(&program, &[number], model, false);
            assert_eq!(run(&mut process, None, &mut Unwatched), expected, "{number} {model:?}");
        }
    }
}

/// The journal, without the judgement of accesses.
struct Journalled;

impl Monitor for Journalled {
    const JOURNAL: bool = true;
    const SHADOW: bool = false;
    const ACCESSES: bool = false;
}

impl Observer for Journalled {}

/// Everything that a guest could ever notice.
fn snapshot(process: &Process) -> (Vec<(u64, Vec<u8>)>, String) {
    let memory = &process.machine.memory;
    let mut pages = Vec::new();
    for (start, region) in memory.regions().iter() {
        for page in (start..region.end).step_by(PAGE_SIZE as usize) {
            if let Ok(bytes) = memory.slice(page, PAGE_SIZE)
                && bytes.iter().any(|&byte| byte != 0)
            {
                pages.push((page, bytes.to_vec()));
            }
        }
    }
    let threads = (0..process.machine.thread_count()).map(ThreadId);
    let registers: Vec<String> = threads
        .map(|id| format!("{:?} {:?}", process.machine.core(id), process.machine.floating(id)))
        .collect();
    (pages, format!("{:?} {:?} {registers:?}", memory.regions(), process.os()))
}

#[test]
fn random_stretches_are_undone_exactly() {
    let several: fn(&Process) -> bool = |process| process.threads().len() > 2;
    let later: fn(&Process) -> bool = |process| process.machine.instructions() > 500_000;
    let cases = [
        ("threads", Model::Full, several),
        ("threads", Model::None, several),
        ("heap", Model::Full, later),
    ];
    for (name, model, interesting) in cases {
        let program = compile(name, Linkage::Dynamic).unwrap();
        let mut process = load(&program, &[], model, false);
        let mut scheduler = Scheduler::new(Some(7));
        while !interesting(&process) {
            assert_eq!(turn(&mut process, &mut scheduler, &mut Unwatched), None);
        }
        process.machine.memory.journal.set_on(true);
        let (mut stretch, mut ended) = (0, false);
        while !ended && stretch < 60 {
            stretch += 1;
            let mark = process.mark();
            let before = snapshot(&process);
            // Long stretches and short ones, on a schedule that is then abandoned.
            let turns = if stretch % 3 == 0 { 1 } else { 150 };
            let mut again = Scheduler::new(Some(7 + stretch));
            for _ in 0..turns {
                if turn(&mut process, &mut again, &mut Journalled).is_some() {
                    break;
                }
            }
            process.undo_to(&mark);
            assert_eq!(snapshot(&process), before, "{name} {model:?} after stretch {stretch}");
            for _ in 0..40 {
                ended |= turn(&mut process, &mut scheduler, &mut Journalled).is_some();
                if ended {
                    break;
                }
            }
        }
        assert!(stretch > 5, "{name} ended too early to say anything");
    }
}
