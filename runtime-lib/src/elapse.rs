//! Time that passes without a clock: deadlines come closer, and the clock stands still.
//!
//! A program that sleeps in a loop until something happens would have a new state with every turn
//! if the clock went on. But what it does depends on how far deadlines are from now, and on nothing
//! else, as long as nobody looks at the clock: not at a reading of it, a time stamp of a file, or a
//! deadline that is given as a time of day. Taking the span off all deadlines instead of adding it
//! to the clock leads to a state that goes on in exactly the same way, and two such states that
//! differ in the clock alone are the same one.
//!
//! Who looks at the clock is noted ([`Process::has_looked_at_clock`]). A checker that lets time
//! pass like this has to see that nobody does so afterwards, or to begin anew with a clock that
//! goes. Looks before time has passed for the first time are harmless: their results are in memory
//! like any other value.

use crate::os::Os;
use crate::process::Process;
use crate::thread::{Resumed, Thread, ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody has looked at the clock: no part of the state, and not undone.
#[derive(Debug, Default)]
pub(crate) struct ClockLook(AtomicBool);

impl Process {
    /// Lets time pass up to the next deadline by bringing all deadlines closer, and wakes the
    /// threads whose deadline has come; whether anybody waits for one.
    pub fn elapse(&mut self) -> bool {
        let Some(deadline) = self.next_deadline() else { return false };
        let now = self.now_ns();
        let span = deadline.saturating_sub(now);
        for index in 0..self.all_threads().len() {
            if span != 0 && self.os.threads[index].has_deadline() {
                self.os_mut().thread_mut(ThreadId(index as u32)).come_closer(span);
            }
        }
        self.wake_due(now);
        true
    }

    /// Somebody looks at the clock.
    pub(crate) fn look_at_clock(&self) {
        self.clock_look.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has looked at the clock since this was asked last.
    pub fn has_looked_at_clock(&mut self) -> bool {
        std::mem::take(self.clock_look.0.get_mut())
    }
}

impl Os {
    /// Whether nothing has happened between the two but that threads have begun to wait for a
    /// time, for that alone or for something else up to then, or have waited enough.
    pub fn differs_in_sleep_only(&self, other: &Os) -> bool {
        let is_sleep = |state: &ThreadState| match state {
            ThreadState::Runnable => true,
            ThreadState::Waiting(wait) => wait.deadline().is_some(),
            ThreadState::Exited => false,
        };
        let same = |(one, other): (&Thread, &Thread)| {
            let put = || (other.state.clone(), other.resumed);
            one == other
                || is_sleep(&one.state) && is_sleep(&other.state) && one.with_wait(put()) == *other
        };
        self.threads.len() == other.threads.len()
            && self.same_common(other)
            && self.threads.iter().zip(other.threads.iter()).all(same)
    }
}

/// What stands for a time that never comes stays there.
const NEVER: u64 = u64::MAX;

impl Thread {
    /// The same with another wait.
    fn with_wait(&self, (state, resumed): (ThreadState, Option<Resumed>)) -> Thread {
        Thread { state, resumed, ..self.clone() }
    }

    fn has_deadline(&self) -> bool {
        self.waiting().is_some_and(|wait| wait.deadline().is_some())
            || self.resumed.is_some_and(|resumed| resumed.deadline.is_some())
    }

    /// Takes a span off its deadlines.
    fn come_closer(&mut self, span: u64) {
        let closer = |deadline: &mut u64| {
            if *deadline != NEVER {
                *deadline = deadline.saturating_sub(span);
            }
        };
        if let Some(deadline) = self.waiting_mut().and_then(WaitFor::deadline_mut) {
            closer(deadline);
        }
        if let Some(deadline) = self.resumed.as_mut().and_then(|it| it.deadline.as_mut()) {
            closer(deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(wait: WaitFor) -> Thread {
        Thread { state: ThreadState::Waiting(wait), ..Thread::new(1000, [0; 16]) }
    }

    #[test]
    fn deadlines_come_closer() {
        let mut sleeper = waiting(WaitFor::Sleep { until: 5000, remaining: 7 });
        sleeper.come_closer(3000);
        assert_eq!(sleeper, waiting(WaitFor::Sleep { until: 2000, remaining: 7 }));
        let files = |deadline| WaitFor::Files { wanted: vec![], deadline, interruptible: true };
        let resumed = |deadline| Some(Resumed { deadline, progress: 3 });
        let mut poller = Thread { resumed: resumed(Some(9)), ..waiting(files(Some(9))) };
        poller.come_closer(4);
        assert_eq!(poller, Thread { resumed: resumed(Some(5)), ..waiting(files(Some(5))) });
    }

    #[test]
    fn never_stays_never() {
        let mut sleeper = waiting(WaitFor::Sleep { until: NEVER, remaining: 0 });
        sleeper.come_closer(3000);
        assert_eq!(sleeper, waiting(WaitFor::Sleep { until: NEVER, remaining: 0 }));
        let mut joiner = waiting(WaitFor::Join { thread: 1, deadline: None });
        assert!(!joiner.has_deadline());
        joiner.come_closer(1);
        assert_eq!(joiner, waiting(WaitFor::Join { thread: 1, deadline: None }));
    }
}
