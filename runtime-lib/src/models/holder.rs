//! Who has what a thread waits for.

use super::{mutex, rwlock, spin};
use crate::process::Process;
use crate::syscall::futex::TID_MASK;
use crate::thread::{Thread, WaitFor};
use samovar_vm::machine::ThreadId;

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

    fn live(&self, thread: ThreadId) -> Option<ThreadId> {
        let known = self.other_thread(thread)?;
        known.is_alive().then_some(thread)
    }
}
