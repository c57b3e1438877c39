//! How the threads stand after a move, without trying all their moves there.
//!
//! The expansion of a state tries the next moves of all threads. After one of them is made, only
//! some can stand differently: the thread that moved, those whose next operation is about the same
//! object, and those that waited for the thread. Their moves are looked up, and executed only where
//! nothing is known about them; all others stand as before. Of many threads that want the same
//! object, some are tried, and if these all stand alike the others are taken to do so, too.
//! Successors are not stored for that, nor is the process taken there unless somebody wants to see
//! it. Locks that are held are counted once and then by what moves take and give back, as long as
//! one state is expanded after the other. This is for judging how promising states are, and nothing
//! that has to be right depends on it.

use super::{Space, Survey};
use crate::explore::choice::Choice;
use crate::explore::known::Outcome;
use crate::explore::moves::Move;
use crate::explore::touches::Touched;
use crate::explore::view::{PathFacts, Standing, ThreadStanding, View};
use crate::state::StateId;
use ahash::{AHashSet, RandomState};
use samovar_runtime::{Process, ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;

/// What the last expansion saw of the threads.
#[derive(Debug)]
pub(super) struct Vantage {
    /// Everything below is of the state that was expanded last.
    is_fresh: bool,
    standings: Vec<ThreadStanding>,
    /// Locks that are held, and by thread, how many it holds.
    held: u32,
    holds: Vec<u32>,
    /// The state in which they were counted.
    counted: Option<StateId>,
    /// Who is concerned by moves on an object, of a thread, or of those that change what others
    /// wait for; sorted.
    concerned: Vec<(Concern, ThreadId)>,
    /// How threads stood that stand differently after a move.
    stood: Vec<(usize, ThreadStanding)>,
    /// Words of all objects that were ever seen and may be mutexes.
    objects: AHashSet<u64>,
}

/// What a thread's standing may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Concern {
    /// Its next operation is about the object at this address.
    Object(u64),
    /// It waits for what this thread holds, or for its end.
    Holder(ThreadId),
    /// It waits to be woken.
    Wake,
}

/// From so many threads on, only some of those that want the same are tried.
const MANY: usize = 8;
/// So many.
const TRIED: usize = 3;

impl Default for Vantage {
    fn default() -> Vantage {
        Vantage {
            is_fresh: false,
            standings: Vec::new(),
            held: 0,
            holds: Vec::new(),
            counted: None,
            concerned: Vec::new(),
            stood: Vec::new(),
            objects: AHashSet::with_hasher(RandomState::with_seeds(41, 42, 43, 44)),
        }
    }
}

impl Vantage {
    /// Another state is expanded.
    pub(super) fn begin(&mut self) {
        self.is_fresh = false;
    }

    /// Numbers of states do not mean what they did.
    pub(super) fn begin_round(&mut self) {
        self.counted = None;
    }

    /// A move of a thread was made, after which it holds so many more locks.
    pub(super) fn pass(&mut self, way: (StateId, StateId), thread: ThreadId, more: i32) {
        if self.counted == Some(way.0) {
            let at = thread.0 as usize;
            self.holds.resize(self.holds.len().max(at + 1), 0);
            self.holds[at] = self.holds[at].saturating_add_signed(more);
            self.held = self.held.saturating_add_signed(more);
            self.counted = Some(way.1);
        }
    }

    /// Counts the locks that are held where the process stands.
    fn count(&mut self, process: &Process) {
        self.holds.clear();
        self.held = 0;
        let holders = self.objects.iter().filter_map(|&word| mutex_holder(process, word));
        let privileges = process.privileges().iter().map(|held| held.holder);
        for holder in holders.chain(privileges) {
            let at = holder.0 as usize;
            self.holds.resize(self.holds.len().max(at + 1), 0);
            self.holds[at] += 1;
            self.held += 1;
        }
    }

    /// A move was executed.
    pub(super) fn note(&mut self, made: &Move) {
        if let Some(object) = made.object.or(made.operation).filter(|access| access.locked) {
            self.objects.insert(object.addr / 8);
        }
    }

    /// How many of the locks that a move touches a thread holds, and privileges.
    pub(super) fn locks_of(&self, thread: ThreadId, process: &Process, touched: &[Touched]) -> i32 {
        let words = touched.iter().map(|touched| touched.word().0);
        let locks = words.filter(|word| self.objects.contains(word));
        let held = locks.filter(|&word| mutex_holder(process, word) == Some(thread)).count();
        let record = process.threads().get(thread.0 as usize);
        let privileges = record.map_or(0, |record| record.privileges());
        (held + privileges) as i32
    }

    /// Those whom something concerns.
    fn concerned_by(&self, concern: Concern) -> &[(Concern, ThreadId)] {
        let start = self.concerned.partition_point(|one| one.0 < concern);
        let len = self.concerned[start..].partition_point(|one| one.0 == concern);
        &self.concerned[start..start + len]
    }

    /// Puts back how the threads stood.
    fn restore(&mut self, count: usize) {
        while let Some((at, stood)) = self.stood.pop() {
            self.standings[at] = stood;
        }
        self.standings.truncate(count);
    }

    /// A thread stands like this now, which says nothing of what it holds.
    fn set(&mut self, thread: ThreadId, stands: ThreadStanding) {
        let at = thread.0 as usize;
        let stood = self.standings[at];
        self.stood.push((at, stood));
        self.standings[at] = ThreadStanding { holds: stood.holds, ..stands };
    }
}

/// The thread that holds the mutex in a word, if it is one and somebody does.
fn mutex_holder(process: &Process, word: u64) -> Option<ThreadId> {
    process.holder(&WaitFor::Mutex { addr: word * 8, deadline: None })
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
        | WaitFor::Lock { addr }
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
    /// Takes stock of the state that was expanded, where the engine stands.
    fn take_stock(&mut self) {
        if self.vantage.is_fresh {
            return;
        }
        self.vector.bring(self.process);
        let Vantage { standings, concerned, is_fresh, .. } = &mut self.vantage;
        standings.clear();
        standings.resize(self.vector.os().threads().len(), ThreadStanding::default());
        concerned.clear();
        for mover in &self.movers {
            let one = &mut standings[mover.thread.0 as usize];
            one.standing = if mover.enabled { Standing::Free } else { Standing::Blocked };
            one.wants = mover.wait.as_ref().and_then(address);
            let holder = mover.wait.as_ref().and_then(|wait| self.process.holder(wait));
            concerned.extend(holder.map(|holder| (Concern::Holder(holder), mover.thread)));
            let state = &self.vector.os().threads()[mover.thread.0 as usize].state;
            if matches!(state, ThreadState::Waiting(_)) {
                concerned.push((Concern::Wake, mover.thread));
            }
        }
        for &(thread, which) in &self.made {
            let wants = &mut standings[thread.0 as usize].wants;
            *wants = wants.or(self.known.get(which).object);
        }
        for (one, thread) in standings.iter().zip(0..) {
            concerned.extend(one.wants.map(|wants| (Concern::Object(wants), ThreadId(thread))));
        }
        concerned.sort_unstable();
        *is_fresh = true;
        let state = self.vector.state();
        if self.vantage.counted != Some(state) || self.vector.printed().is_some() {
            self.vantage.count(self.process);
            self.vantage.counted = Some(state);
        }
        let Vantage { standings, holds, .. } = &mut self.vantage;
        for (one, &holds) in standings.iter_mut().zip(holds.iter()) {
            one.holds = holds;
        }
    }

    /// How a thread stands in the present state, which is only looked at unless it `is_stored`.
    fn try_standing(&mut self, thread: ThreadId, is_stored: &mut bool) -> ThreadStanding {
        match &self.vector.os().threads()[thread.0 as usize].state {
            ThreadState::Exited => return ThreadStanding::default(),
            ThreadState::Waiting(wait) => {
                let (standing, wants) = (Standing::Blocked, address(wait));
                return ThreadStanding { standing, wants, holds: 0 };
            }
            ThreadState::Runnable => {}
        }
        let choice = Choice { thread, alternative: 0 };
        let found = self.find_known(choice).unwrap_or_else(|| {
            if !std::mem::replace(is_stored, true) {
                self.vector.keep_world();
                self.vector.settle();
            }
            let mut survey = Survey { muted: true, ..Survey::default() };
            let found = self.made(choice, &mut survey);
            // What is visible has changed: the round has to begin anew.
            self.grown_aside |= survey.grown;
            found
        });
        let known = self.known.get(found.which);
        let is_blocked = known.outcome == Outcome::Blocked;
        let standing = if is_blocked { Standing::Blocked } else { Standing::Free };
        let waits = known.wait.as_ref().and_then(address);
        ThreadStanding { standing, wants: waits.or(known.object), holds: 0 }
    }

    /// Makes a move of the state that was expanded last, shows what is there then, and takes the
    /// move back.
    pub(super) fn show_after(
        &mut self,
        choice: Choice,
        before: PathFacts,
        with_process: bool,
        look: &mut dyn FnMut(&View<'_>),
    ) -> PathFacts {
        self.take_stock();
        let found = self.made(choice, &mut Survey::again());
        let known = self.known.get(found.which);
        let (object, accesses, holds) = (known.object, known.shares.len() as u32, known.holds);
        let is_other = |change: &(u32, u32)| self.vector.is_about_other(*change, choice.thread);
        let wakes = known.changes.iter().any(is_other);
        let path = before.after(choice.thread, object, accesses);
        let mark = self.vector.mark();
        self.known.peek(found, &mut self.vector);
        let mut is_stored = with_process;
        if with_process {
            self.vector.keep_world();
            self.vector.settle();
        }
        let count = self.vantage.standings.len();
        self.follow(choice.thread, object, wakes, &mut is_stored);
        let mover = choice.thread.0 as usize;
        if let Some(one) = self.vantage.standings.get_mut(mover).filter(|_| mover < count) {
            one.holds = one.holds.saturating_add_signed(holds);
        }
        if with_process {
            self.vector.bring(self.process);
        }
        let pc = if mover < count { self.vector.pc(choice.thread) } else { 0 };
        look(&View {
            process: with_process.then_some(&*self.process),
            pc,
            threads: &self.vantage.standings,
            held: self.vantage.held.saturating_add_signed(holds),
            path,
        });
        self.vantage.restore(count);
        self.vector.undo_to(mark);
        path
    }

    /// Finds out how threads stand differently after a move of a thread on an object; `wakes` if it
    /// changes records of other threads.
    fn follow(&mut self, mover: ThreadId, object: Option<u64>, wakes: bool, is_stored: &mut bool) {
        let count = self.vantage.standings.len();
        let threads = self.vector.os().threads().len();
        self.vantage.standings.resize(threads.max(count), ThreadStanding::default());
        let new = (count..threads).map(|thread| ThreadId(thread as u32));
        let own = Some(mover).filter(|mover| (mover.0 as usize) < count);
        for thread in own.into_iter().chain(new) {
            let stands = self.try_standing(thread, is_stored);
            self.vantage.set(thread, stands);
        }
        let wake = wakes.then_some(Concern::Wake);
        let concerns = [object.map(Concern::Object), Some(Concern::Holder(mover)), wake];
        for concern in concerns.into_iter().flatten() {
            self.follow_concerned(concern, mover, is_stored);
        }
    }

    /// The same for the threads that something concerns.
    fn follow_concerned(&mut self, concern: Concern, mover: ThreadId, is_stored: &mut bool) {
        let group = self.vantage.concerned_by(concern).len();
        let mut same: Option<Standing> = None;
        let mut is_clear = MANY <= group && matches!(concern, Concern::Object(_));
        for at in 0..group {
            let thread = self.vantage.concerned_by(concern)[at].1;
            if thread == mover {
                continue;
            }
            let stands = match same {
                Some(standing) if is_clear && TRIED < at => {
                    ThreadStanding { standing, ..self.vantage.standings[thread.0 as usize] }
                }
                _ => self.try_standing(thread, is_stored),
            };
            is_clear &= same.is_none_or(|same| same == stands.standing);
            same = Some(stands.standing);
            self.vantage.set(thread, stands);
        }
    }
}
