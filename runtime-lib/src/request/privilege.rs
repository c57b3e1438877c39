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
use std::borrow::Cow;
use std::collections::BTreeMap;
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

/// Bytes of memory whose privileges are copied together.
const STRETCH: u64 = 128;

/// All privileges, in ascending order. Copies are cheap, and one that differs a little shares the
/// rest. Each thread's are in its record, too: this is where they are found by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privileges {
    /// By first byte divided by [`STRETCH`]; none is empty.
    stretches: Arc<BTreeMap<u64, Arc<[Privilege]>>>,
    /// No region is longer.
    longest: u64,
}

impl Privileges {
    /// Whether nobody has any.
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// The privileges, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = &Privilege> {
        self.stretches.values().flat_map(|stretch| stretch.iter())
    }

    /// The privilege of another thread that an access would break. Locking and unlocking a region
    /// (`Observer::before_reserving`) are to be left out: they access nothing.
    pub fn breach(&self, thread: ThreadId, access: &Access) -> Option<&Privilege> {
        let end = access.addr.saturating_add(u64::from(access.size));
        self.of_others(thread, access.addr, end)
    }

    fn of_others(&self, thread: ThreadId, start: u64, end: u64) -> Option<&Privilege> {
        self.to(start, end).find(|known| known.holder != thread)
    }

    /// All privileges to some of these bytes.
    pub fn to(&self, start: u64, end: u64) -> impl Iterator<Item = &Privilege> {
        let pieces = self.pieces(start, end).flat_map(|piece| piece.iter());
        pieces.filter(move |known| start < known.end)
    }

    /// All privileges to some bytes, and perhaps some shortly before.
    pub fn around(&self, start: u64, end: u64) -> Cow<'_, [Privilege]> {
        let mut pieces = self.pieces(start, end).filter(|piece| !piece.is_empty());
        let Some(first) = pieces.next() else { return Cow::Borrowed(&[]) };
        match pieces.next() {
            None => Cow::Borrowed(first),
            Some(second) => {
                let rest = pieces.flat_map(|piece| piece.iter());
                Cow::Owned(first.iter().chain(second).chain(rest).copied().collect())
            }
        }
    }

    /// The same, stretch by stretch.
    fn pieces(&self, start: u64, end: u64) -> impl Iterator<Item = &[Privilege]> {
        let earliest = start.saturating_sub(self.longest);
        let stretches = self.stretches.range(earliest / STRETCH..=end / STRETCH);
        stretches.map(move |(_, stretch)| {
            let first = stretch.partition_point(|known| known.start < earliest);
            let len = stretch[first..].partition_point(|known| known.start < end);
            &stretch[first..first + len]
        })
    }

    /// Those that are not in others, which are about the same, and perhaps some more.
    pub fn beyond<'a>(&'a self, others: &'a Privileges) -> impl Iterator<Item = &'a Privilege> {
        let is_new = |(number, stretch): &(&u64, &Arc<[Privilege]>)| {
            let other = others.stretches.get(number);
            other.is_none_or(|other| !Arc::ptr_eq(stretch, other))
        };
        let are_same = Arc::ptr_eq(&self.stretches, &others.stretches);
        let stretches = (!are_same).then(|| self.stretches.iter().filter(is_new));
        stretches.into_iter().flatten().flat_map(|(_, stretch)| stretch.iter())
    }

    /// These, but a thread has those regions and not what it had before.
    pub fn with_own(
        &self,
        holder: ThreadId,
        before: &[(u64, u64)],
        regions: &[(u64, u64)],
    ) -> Privileges {
        let mut new = self.clone();
        let privilege = |&(start, end): &(u64, u64)| Privilege { start, end, holder };
        let given = before.iter().filter(|region| !regions.contains(region));
        given.for_each(|region| new.take(&privilege(region)));
        regions.iter().for_each(|region| new.add(privilege(region)));
        new
    }

    fn has(&self, privilege: &Privilege) -> bool {
        let stretch = self.stretches.get(&(privilege.start / STRETCH));
        stretch.is_some_and(|stretch| stretch.binary_search(privilege).is_ok())
    }

    fn add(&mut self, privilege: Privilege) {
        if !self.has(&privilege) {
            let stretches = Arc::make_mut(&mut self.stretches);
            let stretch = stretches.entry(privilege.start / STRETCH).or_default();
            let place = stretch.partition_point(|known| *known < privilege);
            let (smaller, larger) = stretch.split_at(place);
            *stretch = smaller.iter().chain([&privilege]).chain(larger).copied().collect();
            self.longest = self.longest.max(privilege.end - privilege.start);
        }
    }

    fn take(&mut self, privilege: &Privilege) {
        let number = privilege.start / STRETCH;
        let stretches = Arc::make_mut(&mut self.stretches);
        let Some(stretch) = stretches.get_mut(&number) else { return };
        *stretch = stretch.iter().filter(|known| *known != privilege).copied().collect();
        if stretch.is_empty() {
            stretches.remove(&number);
        }
    }

    /// Takes out what the thread holds from this address on.
    fn remove(&mut self, thread: ThreadId, start: u64) -> Option<Privilege> {
        let found = |known: &&Privilege| known.start == start && known.holder == thread;
        let given = *self.stretches.get(&(start / STRETCH))?.iter().find(found)?;
        self.take(&given);
        Some(given)
    }
}

impl Privilege {
    /// The violation that an access of another thread is.
    pub fn violation(&self, thread: ThreadId, access: &Access, address: u64) -> Violation {
        let deed = match access.kind {
            AccessKind::Write => "writes to",
            _ => "reads",
        };
        let (by, holder) = (name(thread), name(self.holder));
        let message = format!("{by} {deed} what {holder} has locked");
        let (kind, data) = (ViolationKind::Privilege, Some(access.addr));
        Violation { kind, message, source: None, data, address }
    }
}

/// How reports call a thread.
fn name(thread: ThreadId) -> String {
    if thread.0 == 0 { "main".to_string() } else { format!("T{}", thread.0) }
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
    let message = format!("{} unlocks what it has not locked", name(request.thread));
    let (kind, address, data) = (ViolationKind::Privilege, request.address, Some(start));
    Reply::Tell(Event::Violated(Violation { kind, message, source: None, data, address }))
}

/// Everybody who waits for a part of the region tries again; whoever runs first gets it.
fn wake(process: &mut Process, given: &Privilege) {
    process.wake_waiters(objects::ADDRESS_SPACE, |wait| match *wait {
        WaitFor::Privilege { start, end } => start < given.end && given.start < end,
        _ => false,
    });
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

    #[test]
    fn copies_share_what_is_the_same() {
        let mut all = Privileges::default();
        let privilege = |number: u64| {
            let start = number * 100;
            Privilege { start, end: start + 50, holder: ThreadId(number as u32 % 7) }
        };
        (0..100).rev().for_each(|number| all.add(privilege(number)));
        let expected: Vec<Privilege> = (0..100).map(privilege).collect();
        assert!(all.iter().eq(&expected));
        for start in 0..10_000 {
            let end = start + 120;
            let is_hit = |one: &&Privilege| start < one.end && one.start < end;
            assert!(all.to(start, end).eq(expected.iter().filter(is_hit)), "{start}");
            let around = all.around(start, end);
            assert!(expected.iter().filter(is_hit).all(|one| around.contains(one)), "{start}");
        }
        let mut other = all.clone();
        assert_eq!(other.beyond(&all).count(), 0);
        other.remove(ThreadId(3), 300);
        other.add(Privilege { holder: ThreadId(9), ..privilege(3) });
        let new: Vec<&Privilege> = other.beyond(&all).collect();
        assert!(new.contains(&&Privilege { holder: ThreadId(9), ..privilege(3) }));
        assert!(new.len() <= 2, "{}", new.len());
        let mine = other.with_own(ThreadId(9), &[(300, 350)], &[]);
        assert!(mine.iter().eq(expected.iter().filter(|one| one.start != 300)));
    }
}
