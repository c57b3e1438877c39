//! Who holds which lock, as memory has it after each step of a trail.
//!
//! A lock is known from its first visible operation on. Its holder is read from the lock itself, so
//! waiting on condition variables and attempts that fail need no special treatment. What it leaves
//! out: locks without an owner inside (spin locks, semaphores, locks of the program's own making).

use super::event::Handover;
use super::names::Names;
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use std::collections::BTreeMap;

/// Where a mutex keeps the identifier of its owner.
const OWNER_OFFSET: u64 = 8;

/// The locks that a trail has come across.
#[derive(Debug, Default)]
pub struct Locks {
    known: BTreeMap<u64, (String, Option<ThreadId>)>,
}

impl Locks {
    /// Takes note of a lock, before the first operation on it that is seen. If somebody holds it
    /// already, that has been so from the start.
    pub fn meet(
        &mut self,
        process: &Process,
        names: &Names,
        name: &str,
        address: u64,
    ) -> Option<Handover> {
        if self.known.contains_key(&address) {
            return None;
        }
        let holder = owner(process, address);
        self.known.insert(address, (name.to_string(), holder));
        holder.map(|holder| handover(names, name, address, Some(holder)))
    }

    /// The locks that changed hands since the last look.
    pub fn look(&mut self, process: &Process, names: &Names) -> Vec<Handover> {
        let mut found = Vec::new();
        for (&address, (name, before)) in &mut self.known {
            let now = owner(process, address);
            if now != *before {
                *before = now;
                found.push(handover(names, name, address, now));
            }
        }
        found
    }
}

fn handover(names: &Names, name: &str, address: u64, holder: Option<ThreadId>) -> Handover {
    let holder = holder.map(|thread| names.thread(thread));
    Handover { object: name.to_string(), address, holder }
}

/// The live thread that owns a mutex.
fn owner(process: &Process, address: u64) -> Option<ThreadId> {
    let tid = process.machine.memory.read_u32(address.checked_add(OWNER_OFFSET)?).ok()?;
    let mut threads = process.threads().iter();
    let index = threads.position(|thread| thread.tid == tid && thread.is_alive())?;
    Some(ThreadId(index as u32))
}
