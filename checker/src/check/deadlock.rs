//! Who waits for what when nobody can go on, and who waits for whom in a circle.

use super::kind::ErrorKind;
use super::verdict::{Finding, Wait};
use crate::explore::choice::Choice;
use crate::explore::moves::Sight;
use crate::trail::names::{Location, Names};
use crate::trail::walk;
use samovar_runtime::{Process, WaitFor};
use samovar_vm::machine::ThreadId;

/// A thread that cannot go on, as the process has it.
struct Waiter {
    thread: ThreadId,
    cause: Option<WaitFor>,
    location: Location,
}

/// Describes a process in which nobody can go on. Leaves it as it is.
pub fn describe(process: &mut Process, names: &mut Names, sight: &Sight) -> Finding {
    let waiters = waiters(process, names, sight);
    let edges: Vec<(ThreadId, Option<ThreadId>)> = waiters
        .iter()
        .map(|waiter| (waiter.thread, waiter.cause.as_ref().and_then(|wait| process.holder(wait))))
        .collect();
    let cycle = cycle(&edges);
    let message = match (waiters.len(), cycle.len()) {
        (1, _) => "the only thread left waits for something that cannot happen".to_string(),
        (count, 0) => format!("all {count} threads wait, and none can wake another"),
        (_, 1) => format!("{} waits for itself", names.thread(cycle[0])),
        (_, length) => format!("{length} threads wait for one another in a circle"),
    };
    let to_blame = cycle.first().copied().or(waiters.first().map(|waiter| waiter.thread));
    let location = waiters.iter().find(|waiter| Some(waiter.thread) == to_blame);
    Finding {
        kind: ErrorKind::Deadlock,
        detail: None,
        message,
        thread: to_blame.map(|thread| names.thread(thread)),
        location: location.map(|waiter| waiter.location.clone()),
        waits: waiters.iter().map(|waiter| wait(process, names, waiter)).collect(),
        cycle: cycle.into_iter().map(|thread| names.thread(thread)).collect(),
        accesses: Vec::new(),
    }
}

/// Describes a process in which these threads never go on, though others do. Leaves it as it is.
pub fn describe_stuck(
    process: &mut Process,
    names: &mut Names,
    sight: &Sight,
    stuck: &[ThreadId],
) -> Finding {
    let waiters: Vec<Waiter> = waiters(process, names, sight)
        .into_iter()
        .filter(|waiter| stuck.contains(&waiter.thread))
        .collect();
    let who: Vec<String> = stuck.iter().map(|&thread| names.thread(thread)).collect();
    let message = match who.as_slice() {
        [one] => format!("{one} can never go on, whatever the other threads do"),
        several => format!("{} can never go on, whatever the others do", several.join(", ")),
    };
    Finding {
        kind: ErrorKind::PartialDeadlock,
        detail: None,
        message,
        thread: who.first().cloned(),
        location: waiters.first().map(|waiter| waiter.location.clone()),
        waits: waiters.iter().map(|waiter| wait(process, names, waiter)).collect(),
        cycle: Vec::new(),
        accesses: Vec::new(),
    }
}

/// Describes a process that goes round in circles for ever and changes nothing. Leaves it as it is.
pub fn describe_livelock(process: &mut Process, names: &mut Names, sight: &Sight) -> Finding {
    // Whoever waits until some time goes on by itself.
    let hangs = |waiter: &Waiter| waiter.cause.as_ref().is_some_and(|it| it.deadline().is_none());
    let (waiting, circling): (Vec<_>, Vec<_>) =
        waiters(process, names, sight).into_iter().partition(hangs);
    let place = |waiter: &Waiter| names.standpoint(process, waiter.thread);
    let places: Vec<String> = circling
        .iter()
        .map(|waiter| format!("{} at {}", names.thread(waiter.thread), place(waiter)))
        .collect();
    let message = match (places.as_slice(), waiting.is_empty()) {
        ([one], _) => format!("{one} goes round in circles for ever"),
        (all, true) => format!("all threads go round in circles for ever: {}", all.join(", ")),
        (some, false) => format!("threads go round in circles for ever: {}", some.join(", ")),
    };
    let first = circling.first();
    Finding {
        kind: ErrorKind::Livelock,
        detail: None,
        message,
        thread: first.map(|waiter| names.thread(waiter.thread)),
        location: first.map(place),
        waits: waiting.iter().map(|waiter| wait(process, names, waiter)).collect(),
        cycle: Vec::new(),
        accesses: Vec::new(),
    }
}

/// What a thread waits for, and who has it.
fn wait(process: &Process, names: &Names, waiter: &Waiter) -> Wait {
    let holder = waiter.cause.as_ref().and_then(|wait| process.holder(wait));
    Wait {
        thread: names.thread(waiter.thread),
        object: object(process, names, waiter),
        held_by: holder.map(|thread| names.thread(thread)),
        location: waiter.location.clone(),
    }
}

/// Every live thread, run up to where it hangs.
fn waiters(process: &mut Process, names: &mut Names, sight: &Sight) -> Vec<Waiter> {
    let mut found = Vec::new();
    for thread in (0..process.machine.thread_count()).map(ThreadId) {
        if !process.threads()[thread.0 as usize].is_alive() {
            continue;
        }
        let mark = process.mark();
        walk::make(process, sight, Choice { thread, alternative: 0 });
        names.learn_start(process, thread);
        found.push(Waiter {
            thread,
            cause: process.threads()[thread.0 as usize].waiting().cloned(),
            location: names.standpoint(process, thread),
        });
        process.undo_to(&mark);
    }
    found
}

/// What a thread waits for, by name.
fn object(process: &Process, names: &Names, waiter: &Waiter) -> String {
    let name = |addr: &u64| names.object(process, waiter.thread, *addr);
    match &waiter.cause {
        None => "something unknown".to_string(),
        Some(
            WaitFor::Mutex { addr, .. }
            | WaitFor::Spin { addr }
            | WaitFor::Lock { addr }
            | WaitFor::FutexOwnership { addr, .. },
        ) => name(addr),
        Some(WaitFor::ReaderWriter { addr, writing: true, .. }) => {
            format!("{} for writing", name(addr))
        }
        Some(WaitFor::ReaderWriter { addr, .. }) => format!("{} for reading", name(addr)),
        Some(WaitFor::Semaphore { addr, .. }) => format!("a post to {}", name(addr)),
        Some(WaitFor::Barrier { addr }) => format!("others to arrive at {}", name(addr)),
        Some(WaitFor::Once { addr }) => format!("the initialisation {}", name(addr)),
        Some(WaitFor::Futex { addr, .. }) => format!("a wake-up on the futex {}", name(addr)),
        Some(WaitFor::Condition { addr, .. }) => format!("a signal on {}", name(addr)),
        Some(WaitFor::Privilege { start, .. }) => format!("access to {}", name(start)),
        Some(WaitFor::Join { thread, .. }) => {
            format!("the end of {}", names.thread(ThreadId(*thread)))
        }
        Some(WaitFor::Signal { .. }) => "a signal".to_string(),
        Some(WaitFor::Sleep { .. }) => "time to pass".to_string(),
        Some(WaitFor::Files { wanted, .. }) => match wanted.as_slice() {
            [] => "a signal".to_string(),
            [(fd, _)] => format!("file descriptor {fd}"),
            several => {
                let numbers: Vec<String> = several.iter().map(|(fd, _)| fd.to_string()).collect();
                format!("one of the file descriptors {}", numbers.join(", "))
            }
        },
    }
}

/// Threads of which each waits for the next and the last for the first, if there are such. Each
/// thread waits for one other at most.
fn cycle(edges: &[(ThreadId, Option<ThreadId>)]) -> Vec<ThreadId> {
    let next = |from: ThreadId| edges.iter().find(|(thread, _)| *thread == from)?.1;
    for &(start, _) in edges {
        let mut path = vec![start];
        while let Some(thread) = path.last().and_then(|&last| next(last)) {
            if thread == start {
                return path;
            }
            if path.contains(&thread) {
                break;
            }
            path.push(thread);
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[(u32, Option<u32>)]) -> Vec<u32> {
        let edges: Vec<_> =
            edges.iter().map(|&(from, to)| (ThreadId(from), to.map(ThreadId))).collect();
        cycle(&edges).into_iter().map(|thread| thread.0).collect()
    }

    #[test]
    fn circles_are_found() {
        assert_eq!(found(&[(0, Some(1)), (1, Some(2)), (2, Some(1))]), [1, 2]);
        assert_eq!(found(&[(0, Some(1)), (1, None)]), [0u32; 0]);
        assert_eq!(found(&[(3, Some(3))]), [3]);
        assert_eq!(found(&[(0, Some(7)), (1, Some(0))]), [0u32; 0]);
    }
}
