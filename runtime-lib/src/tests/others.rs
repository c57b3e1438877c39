//! Refusals by name, identity, limits, time and random numbers.

use crate::errno::Errno;
use crate::event::{Event, UnsupportedKind};
use crate::syscall::names::{name, number as nr};
use crate::testing::{MAIN, Outcome, SCRATCH, bytes, call, call_by, process, string};
use samovar_vm::reg::Reg;

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    for number in [nr::PTRACE, nr::EXECVE, nr::BIND, nr::MOUNT, nr::FORK, nr::VFORK, 9999] {
        let mut process = process();
        let outcome = call_by(&mut process, MAIN, number, &[1, 2]);
        let Outcome::Stopped(Event::Unsupported(refusal)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(refusal.kind, UnsupportedKind::SystemCall);
        assert_eq!(refusal.name, name(number).unwrap_or("unknown"));
        assert!(refusal.detail.contains(&format!("number {number}")), "{refusal}");
        // The thread stands before the call, as if it had not been made.
        assert_eq!(refusal.address, process.machine.core(MAIN).pc);
    }
}

#[test]
fn only_the_question_for_a_cache_daemon_gets_no_socket() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::SOCKET, &[1, 0x80801, 0]), Err(Errno::EAFNOSUPPORT));
    for args in [[2, 1, 0], [1, 1, 0], [10, 0x80801, 0]] {
        let outcome = call_by(&mut process, MAIN, nr::SOCKET, &args);
        assert!(matches!(outcome, Outcome::Stopped(Event::Unsupported(_))), "{args:?}");
    }
}

#[test]
fn processes_are_not_made() {
    let mut process = process();
    for flags in [0x11, 0x4111, 0x100_0011] {
        let outcome = call_by(&mut process, MAIN, nr::CLONE, &[flags, 0]);
        assert!(matches!(outcome, Outcome::Stopped(Event::Unsupported(_))), "{flags:#x}");
    }
    assert_eq!(call(&mut process, nr::CLONE3, &[SCRATCH, 88]), Err(Errno::ENOSYS));
    assert_eq!(process.threads().len(), 1);
}

#[test]
fn a_new_thread_differs_only_where_asked() {
    let mut process = process();
    process.machine.core_mut(MAIN)[Reg::Rbx] = 77;
    let flags = 0x3d_0f00 | 0x100_0000;
    let args = [flags, SCRATCH + 0x8000, SCRATCH, SCRATCH + 8, 0x1234];
    assert_eq!(call(&mut process, nr::CLONE, &args), Ok(1001));
    let core = process.machine.core(samovar_vm::machine::ThreadId(1));
    assert_eq!((core[Reg::Rax], core[Reg::Rbx]), (0, 77));
    assert_eq!((core[Reg::Rsp], core[Reg::FsBase]), (SCRATCH + 0x8000, 0x1234));
    assert_eq!(core.pc, process.machine.core(MAIN).pc);
    assert_eq!(process.machine.memory.read_u32(SCRATCH), Ok(1001));
    assert_eq!(process.machine.memory.read_u32(SCRATCH + 8), Ok(1001));
    assert_eq!(process.threads()[1].clear_child_tid, SCRATCH + 8);
}

#[test]
fn random_numbers_follow_from_the_seed() {
    let take = || {
        let mut process = process();
        assert_eq!(call(&mut process, nr::GETRANDOM, &[SCRATCH, 33, 0]), Ok(33));
        bytes(&process, SCRATCH, 40)
    };
    assert_eq!(take(), take());
    assert_eq!(take()[33..], [0; 7]);
    assert_ne!(take()[..8], [0; 8]);
}

#[test]
fn the_processors_are_those_told() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::SCHED_GETAFFINITY, &[0, 128, SCRATCH]), Ok(8));
    assert_eq!(process.machine.memory.read_u64(SCRATCH), Ok(0b1111));
    assert_eq!(call(&mut process, nr::SCHED_GETAFFINITY, &[0, 7, SCRATCH]), Err(Errno::EINVAL));
    process.machine.memory.write_u64(SCRATCH, 1 << 9).unwrap();
    assert_eq!(call(&mut process, nr::SCHED_SETAFFINITY, &[0, 8, SCRATCH]), Err(Errno::EINVAL));
}

#[test]
fn threads_have_names_and_pointers() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::PRCTL, &[16, SCRATCH]), Ok(0));
    assert_eq!(bytes(&process, SCRATCH, 8), b"program\0");
    string(&mut process, SCRATCH, "a name that is too long");
    assert_eq!(call(&mut process, nr::PRCTL, &[15, SCRATCH]), Ok(0));
    assert_eq!(process.threads()[0].name, *b"a name that is \0");
    assert_eq!(call(&mut process, nr::ARCH_PRCTL, &[0x1002, 0xabc]), Ok(0));
    assert_eq!(process.machine.core(MAIN)[Reg::FsBase], 0xabc);
    assert_eq!(call(&mut process, nr::ARCH_PRCTL, &[0x1003, SCRATCH]), Ok(0));
    assert_eq!(process.machine.memory.read_u64(SCRATCH), Ok(0xabc));
}
