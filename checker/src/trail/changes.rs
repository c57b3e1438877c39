//! Which variables a move changed, and how.
//!
//! Only variables with static storage of the program's own are told; the insides of
//! synchronisation objects are not: what happens to them is the operation itself.

use super::names::Names;
use samovar_runtime::Process;
use samovar_vm::debug::{DataName, Kind, Limits, Place};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::journal::Mark;
use samovar_vm::view::ThreadView;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most variables told for one move.
const CHANGES_MAX: usize = 16;
/// Most bytes of one change that are looked at.
const RANGE_MAX: u64 = 4096;

/// A variable and its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// The value before the move.
    pub old: String,
    /// The value after it.
    pub new: String,
}

/// The variables that lie where memory was written since `mark`, by address.
pub fn candidates(process: &Process, names: &Names, mark: Mark) -> BTreeMap<u64, DataName> {
    let mut written = Vec::new();
    process.machine.memory.journal.changes_since(mark, |addr, len| written.push((addr, len)));
    written.sort_unstable();
    written.dedup();
    let mut found = BTreeMap::new();
    for (addr, len) in written {
        if !is_own(process, addr) {
            continue;
        }
        let mut at = addr;
        while at < addr + len.min(RANGE_MAX) && found.len() < CHANGES_MAX {
            let data = names.debug().name_of_access(at, len.min(8));
            let size = data.as_ref().map_or(1, |data| {
                let end = data.start + names.debug().size_of(data.ty).unwrap_or(1).max(1);
                end.saturating_sub(at)
            });
            if let Some(data) = data.filter(|data| is_telling(names, data)) {
                found.insert(data.start, data);
            }
            at += size.max(1);
        }
    }
    found
}

/// The values of these variables as the process stands.
pub fn values(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    variables: &BTreeMap<u64, DataName>,
) -> Vec<String> {
    let view = ThreadView { machine: &process.machine, thread };
    let limits = Limits { depth: 2, items: 8, text: 32 };
    let value = |data: &DataName| value_of(names, data, &view, &limits);
    variables.values().map(value).collect()
}

/// One value as text.
pub fn value_of(names: &Names, data: &DataName, view: &ThreadView<'_>, limits: &Limits) -> String {
    let debug = names.debug();
    let size = debug.size_of(data.ty).unwrap_or(0);
    if matches!(debug.peel(data.ty).ty.kind, Kind::Unknown) && matches!(size, 1 | 2 | 4 | 8) {
        // A word of unknown type is most often a number.
        let mut bytes = [0; 8];
        use samovar_vm::debug::State;
        if view.read(data.start, &mut bytes[..size as usize]) {
            return u64::from_le_bytes(bytes).to_string();
        }
    }
    debug.value(&Place::memory(data.start, data.ty), view, limits).to_string()
}

/// What is different between two lists of values.
pub fn compare(
    variables: &BTreeMap<u64, DataName>,
    old: Vec<String>,
    new: Vec<String>,
) -> Vec<Change> {
    let pairs = variables.values().zip(old.into_iter().zip(new));
    pairs
        .filter(|(_, (old, new))| old != new)
        .map(|(data, (old, new))| Change { name: data.name.clone(), old, new })
        .collect()
}

/// In the program or in a library of its own, not in one of the system's.
fn is_own(process: &Process, addr: u64) -> bool {
    let Some(module) = process.module_at(addr) else { return false };
    let is_program =
        process.modules().first().is_some_and(|first| std::sync::Arc::ptr_eq(first, module));
    let is_system = ["/lib", "/usr/"].iter().any(|place| module.path.starts_with(place));
    is_program || !is_system
}

fn is_telling(names: &Names, data: &DataName) -> bool {
    if data.name.contains(".__") || data.name.starts_with('_') {
        return false;
    }
    // In a program with debug information, what has none comes from a library.
    let is_unknown = matches!(names.debug().peel(data.ty).ty.kind, Kind::Unknown);
    let has_dwarf = names.debug().module_at(data.start).is_some_and(|module| module.has_dwarf());
    !(is_unknown && has_dwarf)
}
