//! Models of locks, called without guest code: what they leave in the guest's memory and in the
//! operating system.

use crate::event::{Event, LockFault, Misuse};
use crate::models::{self, Passage};
use crate::process::Process;
use crate::testing::{MAIN, SCRATCH, add_thread, process};
use crate::thread::{ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Monitor, Unwatched};
use samovar_vm::reg::Reg;
use std::sync::Arc;

const OBJECT: u64 = SCRATCH + 0x400;
const MUTEX: u64 = SCRATCH + 0x500;
const STACK: u64 = SCRATCH + 0x8000;

fn call(process: &mut Process, thread: ThreadId, function: &str, args: &[u64]) -> Passage {
    call_watched(process, thread, function, args, &mut Unwatched)
}

fn call_watched(
    process: &mut Process,
    thread: ThreadId,
    function: &str,
    args: &[u64],
    witness: &mut impl crate::witness::Observer,
) -> Passage {
    let core = process.machine.core_mut(thread);
    for (reg, arg) in [Reg::Rdi, Reg::Rsi, Reg::Rdx].into_iter().zip(args) {
        core[reg] = *arg;
    }
    core[Reg::Rsp] = STACK + u64::from(thread.0) * 64;
    core[Reg::Rax] = 77;
    process.call_hook(thread, models::hook(function), witness)
}

fn returns(process: &mut Process, thread: ThreadId, function: &str, args: &[u64]) -> u64 {
    assert_eq!(call(process, thread, function, args), Passage::Go, "{function}");
    process.machine.core(thread)[Reg::Rax]
}

fn waits(process: &mut Process, thread: ThreadId, function: &str, args: &[u64]) -> WaitFor {
    assert_eq!(call(process, thread, function, args), Passage::Stop(Event::Blocked), "{function}");
    process.threads()[thread.0 as usize].waiting().expect("a wait").clone()
}

#[test]
fn what_nobody_else_wants_leaves_the_system_alone() {
    let mut process = process();
    let other = add_thread(&mut process);
    let world = Arc::clone(&process.os);
    for (init, pairs) in [
        ("pthread_mutex_init", &[("pthread_mutex_lock", "pthread_mutex_unlock")][..]),
        (
            "pthread_rwlock_init",
            &[
                ("pthread_rwlock_rdlock", "pthread_rwlock_unlock"),
                ("pthread_rwlock_wrlock", "pthread_rwlock_unlock"),
            ],
        ),
        ("sem_init", &[("sem_post", "sem_wait")]),
        ("pthread_cond_init", &[("pthread_cond_signal", "pthread_cond_broadcast")]),
        ("pthread_spin_unlock", &[("pthread_spin_lock", "pthread_spin_unlock")]),
    ] {
        assert_eq!(returns(&mut process, MAIN, init, &[OBJECT, 0, 0]), 0);
        let before = process.machine.memory.slice(OBJECT, 56).expect("memory").to_vec();
        for (lock, unlock) in pairs {
            for thread in [MAIN, other] {
                assert_eq!(returns(&mut process, thread, lock, &[OBJECT]), 0);
                assert_eq!(returns(&mut process, thread, unlock, &[OBJECT]), 0);
            }
        }
        let after = process.machine.memory.slice(OBJECT, 56).expect("memory");
        assert_eq!(before, after, "{init}: a free lock tells nothing of its past");
    }
    assert!(Arc::ptr_eq(&world, &process.os), "no model has changed the system's state");
}

#[test]
fn whoever_waits_can_try_again_when_a_lock_is_free() {
    for (lock, unlock, setup) in [
        ("pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_init"),
        ("pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_rwlock_init"),
        ("pthread_spin_lock", "pthread_spin_unlock", "pthread_spin_unlock"),
        ("sem_wait", "sem_post", "sem_init"),
    ] {
        let mut process = process();
        let others = [add_thread(&mut process), add_thread(&mut process)];
        // The third argument is a semaphore's value; the others have none.
        assert_eq!(returns(&mut process, MAIN, setup, &[OBJECT, 0, 1]), 0);
        assert_eq!(returns(&mut process, MAIN, lock, &[OBJECT]), 0);
        for other in others {
            let wait = waits(&mut process, other, lock, &[OBJECT]);
            assert!(wait.only_tests(), "{wait:?}");
            let holder = process.holder(&wait);
            assert!(holder == Some(MAIN) || lock == "sem_wait", "{wait:?}: {holder:?}");
        }
        assert_eq!(returns(&mut process, MAIN, unlock, &[OBJECT]), 0);
        let runnable =
            |thread: &ThreadId| process.threads()[thread.0 as usize].state == ThreadState::Runnable;
        assert!(others.iter().all(runnable), "{lock}");
        assert_eq!(returns(&mut process, others[1], lock, &[OBJECT]), 0);
        waits(&mut process, others[0], lock, &[OBJECT]);
    }
}

/// Takes the alternative that it was told to.
struct Picking(u32);

impl Monitor for Picking {
    const JOURNAL: bool = false;
    const SHADOW: bool = false;
    const ACCESSES: bool = true;
}

impl crate::witness::Observer for Picking {
    fn choose(&mut self, alternatives: u32) -> u32 {
        assert_eq!(alternatives, 3, "one for each thread that waits");
        self.0
    }
}

#[test]
fn a_signal_wakes_whom_the_checker_picks() {
    for picked in 0..3 {
        let mut process = process();
        let threads = [0, 1, 2].map(|_| add_thread(&mut process));
        // The order of arrival does not matter.
        for thread in [threads[1], threads[2], threads[0]] {
            assert_eq!(returns(&mut process, thread, "pthread_mutex_lock", &[MUTEX]), 0);
            waits(&mut process, thread, "pthread_cond_wait", &[OBJECT, MUTEX]);
        }
        let mut picking = Picking(picked);
        let args = [OBJECT];
        let passage = call_watched(&mut process, MAIN, "pthread_cond_signal", &args, &mut picking);
        assert_eq!(passage, Passage::Go);
        let left: Vec<ThreadId> = process.condition_waiters(OBJECT).collect();
        let woken = threads[picked as usize];
        assert!(left.len() == 2 && !left.contains(&woken), "{left:?}");
        assert_eq!(returns(&mut process, woken, "pthread_cond_wait", &[OBJECT, MUTEX]), 0);
    }
}

#[test]
fn the_last_at_a_barrier_lets_the_others_go() {
    let mut process = process();
    let other = add_thread(&mut process);
    process.machine.memory.write(OBJECT, &[0; 32]).expect("memory");
    process.machine.memory.write_u32(OBJECT + 8, 2).expect("memory");
    for (first, last) in [(MAIN, other), (other, MAIN)] {
        let wait = waits(&mut process, first, "pthread_barrier_wait", &[OBJECT]);
        assert_eq!(wait, WaitFor::Barrier { addr: OBJECT });
        let special = returns(&mut process, last, "pthread_barrier_wait", &[OBJECT]);
        assert_eq!(special as i32, -1);
        assert_eq!(process.machine.core(first)[Reg::Rax], 0);
        assert_eq!(process.threads()[first.0 as usize].state, ThreadState::Runnable);
    }
}

#[test]
fn misuse_is_told_only_where_it_is_judged() {
    let mut process = process();
    assert_eq!(returns(&mut process, MAIN, "pthread_mutex_unlock", &[MUTEX]), 0);
    process.config.judge_locks = true;
    let misuse = Misuse::Lock { fault: LockFault::UnlockNotOwner, object: MUTEX };
    let Passage::Stop(Event::Misuse { function, misuse: found, .. }) =
        call(&mut process, MAIN, "pthread_mutex_unlock", &[MUTEX])
    else {
        panic!("no misuse");
    };
    assert_eq!((function.as_str(), found), ("pthread_mutex_unlock", misuse));
    assert!(process.ended().is_none());
}
