//! Who has what a thread waits for.

use super::{mutex, rwlock, spin};
use crate::process::Process;
use crate::syscall::futex::TID_MASK;
use crate::thread::WaitFor;
use samovar_vm::machine::ThreadId;

impl Process {
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
                let held = self.privileges().iter().find(|at| at.start < end && start < at.end);
                return held.map(|held| held.holder);
            }
            _ => return None,
        };
        self.by_tid(tid)
    }

    fn live(&self, thread: ThreadId) -> Option<ThreadId> {
        let known = self.all_threads().get(thread.0 as usize)?;
        known.is_alive().then_some(thread)
    }
}
