//! Who has what a thread waits for.

use super::{mutex, rwlock, spin};
use crate::process::Process;
use crate::syscall::futex::TID_MASK;
use crate::thread::{Thread, WaitFor};
use samovar_vm::machine::ThreadId;

/// What sort of lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldLock {
    /// A mutex of the C library.
    Mutex,
    /// A lock for one writer or many readers.
    ReaderWriter,
    /// A spin lock.
    Spin,
}

impl Process {
    /// The thread whose end a wait is for, if it is that: by the model, or by the futex that the
    /// kernel wakes when a thread ends.
    pub fn awaited_end(&self, wait: &WaitFor) -> Option<ThreadId> {
        match *wait {
            WaitFor::Join { thread, .. } => Some(ThreadId(thread)),
            WaitFor::Futex { addr, .. } => {
                let ends = |thread: &Thread| thread.is_alive() && thread.clear_child_tid == addr;
                let index = self.threads().iter().position(ends)?;
                (addr != 0).then_some(ThreadId(index as u32))
            }
            _ => None,
        }
    }

    /// The live thread that a wait depends on, if it depends on one.
    pub fn holder(&self, wait: &WaitFor) -> Option<ThreadId> {
        let tid = match *wait {
            WaitFor::Mutex { addr, .. } => mutex::holder(self, addr)?,
            WaitFor::Spin { addr } => spin::holder(self, addr)?,
            WaitFor::ReaderWriter { addr, .. } => match rwlock::holder(self, addr)? {
                Ok(tid) => tid,
                Err(index) => return self.live(ThreadId(index)),
            },
            WaitFor::FutexOwnership { addr, .. } => {
                self.machine.memory.read_u32(addr).ok()? & TID_MASK
            }
            WaitFor::Join { thread, .. } => return self.live(ThreadId(thread)),
            WaitFor::Privilege { start, end } => {
                return self.privileges().to(start, end).next().map(|held| held.holder);
            }
            _ => return None,
        };
        self.by_tid(tid)
    }

    /// The lock that a thread holds at an address, if memory there is as one that it holds.
    pub fn held_at(&self, thread: ThreadId, addr: u64) -> Option<HeldLock> {
        let tid = self.threads().get(thread.0 as usize)?.tid;
        if spin::holder(self, addr) == Some(tid) {
            return Some(HeldLock::Spin);
        }
        if mutex::holder(self, addr) == Some(tid) {
            return Some(HeldLock::Mutex);
        }
        rwlock::is_held_by(self, addr, thread, tid).then_some(HeldLock::ReaderWriter)
    }

    fn live(&self, thread: ThreadId) -> Option<ThreadId> {
        let known = self.other_thread(thread)?;
        known.is_alive().then_some(thread)
    }
}
