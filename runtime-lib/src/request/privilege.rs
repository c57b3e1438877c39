//! Exclusive access to regions of memory: `VLOCK` and `VUNLOCK`.
//!
//! A thread that locks a region waits while a part of it is another thread's; one that holds it
//! already goes on. Locking and unlocking are announced as changes of the whole region, so they
//! conflict with what other threads do there. Giving back what one does not hold is a violation.
//! So is any access of another thread to a region that is held: a checker asks
//! [`Privileges::breach`] before an access. The regions that others hold cannot change while one
//! thread runs, so it may keep the table of the start of the step.

use super::{Reply, Request, Violation, ViolationKind};
use crate::event::Event;
use crate::process::Process;
use crate::syscall::objects;
use crate::thread::WaitFor;
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision};
use std::sync::Arc;

/// A region of memory and the thread that may access it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Privilege {
    /// First byte.
    pub start: u64,
    /// The byte behind the last.
    pub end: u64,
    /// Who may access it.
    pub holder: ThreadId,
}

/// All privileges, in ascending order. Copies are cheap. Each thread's are in its record, too: this
/// is where they are found by address.
#[derive(Clone, Debug, Default)]
pub struct Privileges {
    all: Arc<Vec<Privilege>>,
    /// No region is longer.
    longest: u64,
}

impl Privileges {
    /// Whether nobody has any.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The privileges, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = &Privilege> {
        self.all.iter()
    }

    /// The privilege of another thread that an access would break. Locking and unlocking a region
    /// (`Observer::before_reserving`) are to be left out: they access nothing.
    pub fn breach(&self, thread: ThreadId, access: &Access) -> Option<&Privilege> {
        let end = access.addr.saturating_add(u64::from(access.size));
        self.of_others(thread, access.addr, end)
    }

    fn of_others(&self, thread: ThreadId, start: u64, end: u64) -> Option<&Privilege> {
        let mut around = self.around(start, end).iter();
        around.find(|known| known.holder != thread && start < known.end)
    }

    /// All privileges to some bytes, and perhaps some shortly before.
    pub fn around(&self, start: u64, end: u64) -> &[Privilege] {
        let earliest = start.saturating_sub(self.longest);
        let first = self.all.partition_point(|known| known.start < earliest);
        let len = self.all[first..].partition_point(|known| known.start < end);
        &self.all[first..first + len]
    }

    /// Those that are not in others, which are about the same, and perhaps some more.
    pub fn beyond(&self, others: &Privileges) -> &[Privilege] {
        if Arc::ptr_eq(&self.all, &others.all) {
            return &[];
        }
        let same = |(one, other): &(&Privilege, &Privilege)| one == other;
        let first = self.all.iter().zip(others.iter()).take_while(same).count();
        let rest = self.all[first..].iter().rev().zip(others.all[first..].iter().rev());
        &self.all[first..self.all.len() - rest.take_while(same).count()]
    }

    /// These, but a thread has those regions.
    pub(crate) fn with_own(&self, holder: ThreadId, regions: &[(u64, u64)]) -> Privileges {
        let mut new = self.clone();
        let own = regions.iter().map(|&(start, end)| Privilege { start, end, holder });
        let before = self.iter().filter(|known| known.holder == holder).count();
        if before == regions.len() && { own.clone() }.all(|one| self.has(&one)) {
            return new;
        }
        Arc::make_mut(&mut new.all).retain(|known| known.holder != holder);
        own.for_each(|one| new.add(one));
        new
    }

    fn has(&self, privilege: &Privilege) -> bool {
        self.all.binary_search(privilege).is_ok()
    }

    fn add(&mut self, privilege: Privilege) {
        if let Err(place) = self.all.binary_search(&privilege) {
            Arc::make_mut(&mut self.all).insert(place, privilege);
            self.longest = self.longest.max(privilege.end - privilege.start);
        }
    }

    /// Takes out what the thread holds from this address on.
    fn remove(&mut self, thread: ThreadId, start: u64) -> Option<Privilege> {
        let found = |known: &Privilege| known.start == start && known.holder == thread;
        let place = self.all.iter().position(found)?;
        Some(Arc::make_mut(&mut self.all).remove(place))
    }
}

impl Privilege {
    /// The violation that an access of another thread is.
    pub fn violation(&self, thread: ThreadId, access: &Access, address: u64) -> Violation {
        let deed = match access.kind {
            AccessKind::Write => "writes to",
            _ => "reads",
        };
        let (by, holder) = (thread.0, self.holder.0);
        let message = format!("thread {by} {deed} what thread {holder} has locked");
        let (kind, data) = (ViolationKind::Privilege, Some(access.addr));
        Violation { kind, message, source: None, data, address }
    }
}

pub(super) fn lock(request: &mut Request<'_>) -> Reply {
    let [start, len, _] = request.args;
    let len = len.max(1);
    let end = start.saturating_add(len);
    if let Some(stop) = announce(request, start, len) {
        return stop;
    }
    let holder = request.thread;
    if request.process.os.privileges.of_others(holder, start, end).is_some() {
        return Reply::Wait(WaitFor::Privilege { start, end });
    }
    let os = request.process.os_mut();
    os.privileges.add(Privilege { start, end, holder });
    let own = &mut os.thread_mut(holder).privileged;
    if let Err(place) = own.binary_search(&(start, end)) {
        own.insert(place, (start, end));
    }
    Reply::Value(1)
}

pub(super) fn unlock(request: &mut Request<'_>) -> Reply {
    let [start, len, _] = request.args;
    if let Some(stop) = announce(request, start, len.max(1)) {
        return stop;
    }
    let Some(given) = request.process.os_mut().privileges.remove(request.thread, start) else {
        return not_held(request, start);
    };
    let own = &mut request.process.os_mut().thread_mut(request.thread).privileged;
    own.retain(|region| *region != (given.start, given.end));
    wake(request.process, &given);
    Reply::Value(1)
}

/// Announces that a region changes hands; the reply if the checker wants to stop before it.
fn announce(request: &mut Request<'_>, start: u64, len: u64) -> Option<Reply> {
    request.process.machine.memory.reads.note_guards(start, len);
    let access = objects::change(start, u32::try_from(len).unwrap_or(u32::MAX));
    let decision = request.witness.before_reserving(access);
    (decision == Decision::Stop).then_some(Reply::Before(access))
}

fn not_held(request: &Request<'_>, start: u64) -> Reply {
    let thread = request.thread.0;
    let message = format!("thread {thread} unlocks what it has not locked");
    let (kind, address, data) = (ViolationKind::Privilege, request.address, Some(start));
    Reply::Tell(Event::Violated(Violation { kind, message, source: None, data, address }))
}

/// Everybody who waits for a part of the region tries again; whoever runs first gets it.
fn wake(process: &mut Process, given: &Privilege) {
    for index in 0..process.waits().len() {
        if let Some(&WaitFor::Privilege { start, end }) = process.waits()[index].waiting()
            && start < given.end
            && given.start < end
        {
            process.set_runnable(ThreadId(index as u32));
        }
    }
}

impl Process {
    /// Who has locked which memory.
    pub fn privileges(&self) -> &Privileges {
        &self.os.privileges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(addr: u64, size: u32) -> Access {
        Access { addr, size, kind: AccessKind::Read, locked: false, sequel: false }
    }

    #[test]
    fn others_break_a_privilege_by_a_single_byte() {
        let (mine, other) = (ThreadId(1), ThreadId(2));
        let mut all = Privileges::default();
        all.add(Privilege { start: 0x100, end: 0x108, holder: mine });
        for (addr, size, broken) in
            [(0xf8, 8, false), (0xf9, 8, true), (0x107, 1, true), (0x108, 4, false)]
        {
            assert_eq!(all.breach(other, &access(addr, size)).is_some(), broken, "{addr:#x}");
            assert_eq!(all.breach(mine, &access(addr, size)), None);
        }
        assert_eq!(all.remove(other, 0x100), None);
        assert_eq!(all.remove(mine, 0x104), None);
        assert!(all.remove(mine, 0x100).is_some());
        assert!(all.is_empty());
    }
}
