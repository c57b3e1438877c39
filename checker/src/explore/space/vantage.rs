//! How the threads stand after a move, without trying all their moves there.
//!
//! The expansion of a state tries the next moves of all threads. After one of them is made, only
//! some can stand differently: the thread that moved, those whose next operation is about the same
//! object, and those that waited for the thread. Their moves are tried; all others stand as before.
//! This is for judging how promising states are, and nothing that has to be right depends on it.

use super::Space;
use crate::explore::choice::Choice;
use crate::explore::moves::{self, Ending, Move};
use crate::explore::view::{PathFacts, Standing, ThreadStanding, View};
use samovar_runtime::{ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;
use std::collections::BTreeSet;

/// What the last expansion saw of the threads.
#[derive(Debug, Default)]
pub(super) struct Vantage {
    /// Everything below is of the state that was expanded last.
    is_fresh: bool,
    standings: Vec<ThreadStanding>,
    /// Whom blocked threads wait for.
    waits: Vec<(ThreadId, ThreadId)>,
    /// Mutexes that are held.
    held: Vec<(u64, ThreadId)>,
    /// All objects that were ever seen and may be mutexes.
    objects: BTreeSet<u64>,
    after: Vec<ThreadStanding>,
}

impl Vantage {
    /// Another state is expanded.
    pub(super) fn begin(&mut self) {
        self.is_fresh = false;
    }

    /// A move was executed.
    pub(super) fn note(&mut self, made: &Move) {
        if let Some(object) = made.object.or(made.operation).filter(|access| access.locked) {
            self.objects.insert(object.addr);
        }
    }
}

/// The address of what a thread waits for.
fn address(wait: &WaitFor) -> Option<u64> {
    match *wait {
        WaitFor::Mutex { addr, .. }
        | WaitFor::Condition { addr, .. }
        | WaitFor::ReaderWriter { addr, .. }
        | WaitFor::Semaphore { addr, .. }
        | WaitFor::Barrier { addr }
        | WaitFor::Spin { addr }
        | WaitFor::Once { addr }
        | WaitFor::Futex { addr, .. }
        | WaitFor::FutexOwnership { addr, .. } => Some(addr),
        WaitFor::Privilege { start, .. } => Some(start),
        WaitFor::Join { .. }
        | WaitFor::Sleep { .. }
        | WaitFor::Files { .. }
        | WaitFor::Signal { .. } => None,
    }
}

impl Space<'_> {
    /// The thread that holds a mutex, if it is one and somebody does.
    fn mutex_holder(&self, addr: u64) -> Option<ThreadId> {
        self.process.holder(&WaitFor::Mutex { addr, deadline: None })
    }

    /// Takes stock of the state that was expanded, where the engine stands.
    fn take_stock(&mut self) {
        if self.vantage.is_fresh {
            return;
        }
        let mut standings = std::mem::take(&mut self.vantage.standings);
        standings.clear();
        standings.resize(self.process.machine.thread_count() as usize, ThreadStanding::default());
        self.vantage.waits.clear();
        for mover in &self.movers {
            let one = &mut standings[mover.thread.0 as usize];
            one.standing = if mover.enabled { Standing::Free } else { Standing::Blocked };
            one.wants = mover.wait.as_ref().and_then(address);
            let holder = mover.wait.as_ref().and_then(|wait| self.process.holder(wait));
            self.vantage.waits.extend(holder.map(|holder| (mover.thread, holder)));
        }
        for &(thread, which) in &self.made {
            let wants = &mut standings[thread.0 as usize].wants;
            *wants = wants.or(self.known.get(which).object);
        }
        self.vantage.standings = standings;
        let objects = self.vantage.objects.iter();
        let held = objects.filter_map(|&addr| Some((addr, self.mutex_holder(addr)?))).collect();
        self.vantage.held = held;
        self.vantage.is_fresh = true;
    }

    /// How a thread stands in the present state.
    fn try_standing(&mut self, thread: ThreadId) -> ThreadStanding {
        let blocked = |wait: &WaitFor| ThreadStanding {
            standing: Standing::Blocked,
            wants: address(wait),
            holds: 0,
        };
        match &self.process.threads()[thread.0 as usize].state {
            ThreadState::Exited => return ThreadStanding::default(),
            ThreadState::Waiting(wait) => return blocked(wait),
            ThreadState::Runnable => {}
        }
        let mark = self.process.mark();
        let choice = Choice { thread, alternative: 0 };
        let made = moves::execute(self.process, &mark, choice, &self.sight);
        let wants = made.operation.or(made.object).map(|access| access.addr);
        let mut stands = ThreadStanding { standing: Standing::Free, wants, holds: 0 };
        if made.ending == Ending::Blocked {
            let wait = self.process.threads()[thread.0 as usize].waiting();
            stands.standing = Standing::Blocked;
            stands.wants = wait.and_then(address).or(wants);
        }
        self.process.undo_to(&mark);
        stands
    }

    /// Makes a move of the state that was expanded last, shows what is there then, and takes the
    /// move back.
    pub(super) fn show_after(
        &mut self,
        choice: Choice,
        before: PathFacts,
        look: &mut dyn FnMut(&View<'_>),
    ) -> PathFacts {
        self.vector.bring(self.process);
        self.take_stock();
        let mover = choice.thread;
        let stood = self.vantage.standings.get(mover.0 as usize);
        let object = stood.and_then(|stood| stood.wants);
        let shared = self.movers.iter().find(|one| one.thread == mover);
        let accesses = shared.map_or(0, |one| one.things.len() as u32);
        let path = before.after(mover, object, accesses);
        let mark = self.process.mark();
        moves::execute(self.process, &mark, choice, &self.sight);
        let mut after = std::mem::take(&mut self.vantage.after);
        after.clear();
        for thread in (0..self.process.machine.thread_count()).map(ThreadId) {
            let stood = self.vantage.standings.get(thread.0 as usize).copied();
            let stands = match stood {
                Some(stood) if !self.may_differ(thread, stood, mover, object) => stood,
                _ => self.try_standing(thread),
            };
            after.push(ThreadStanding { holds: 0, ..stands });
        }
        let held = self.count_locks(mover, object, &mut after);
        look(&View { process: self.process, threads: &after, held, path });
        self.vantage.after = after;
        self.process.undo_to(&mark);
        path
    }

    /// Whether a move on an object may have changed how a thread stands.
    fn may_differ(
        &self,
        thread: ThreadId,
        stood: ThreadStanding,
        mover: ThreadId,
        object: Option<u64>,
    ) -> bool {
        let waits = matches!(
            self.process.threads()[thread.0 as usize].state,
            ThreadState::Waiting(_) | ThreadState::Exited
        );
        thread == mover
            || waits
            || (object.is_some() && stood.wants == object)
            || (stood.is_blocked() && stood.wants.is_none())
            || self.vantage.waits.contains(&(thread, mover))
    }

    /// Counts the locks that are held after a move, in all and by thread.
    fn count_locks(
        &self,
        mover: ThreadId,
        object: Option<u64>,
        threads: &mut [ThreadStanding],
    ) -> u32 {
        let others = self.vantage.held.iter().filter(|(addr, _)| Some(*addr) != object);
        let others = others.filter_map(|&(addr, holder)| match holder == mover {
            true => self.mutex_holder(addr),
            false => Some(holder),
        });
        let this = object.and_then(|addr| self.mutex_holder(addr));
        let privileges = self.process.privileges().iter().map(|held| held.holder);
        let mut held = 0;
        for holder in others.chain(this).chain(privileges) {
            held += 1;
            if let Some(thread) = threads.get_mut(holder.0 as usize) {
                thread.holds += 1;
            }
        }
        held
    }
}
