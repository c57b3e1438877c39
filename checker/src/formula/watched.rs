//! A formula that is tied to a program, ready to be asked in its states.

use super::code::{Node, Place};
use super::evaluate::{Evaluation, Reader, Spot};
use super::number::Value;
use samovar_runtime::Process;
use samovar_vm::debug::{self, BitRange, DebugModules, Limits, Storage, TypeId};
use samovar_vm::machine::ThreadId;
use samovar_vm::view::ThreadView;
use std::ops::Range;
use std::sync::Arc;

/// See the module head.
#[derive(Clone, Debug)]
pub struct Watched {
    pub(super) text: Arc<str>,
    pub(super) root: Node,
    pub(super) variables: Vec<WatchedVariable>,
    pub(super) debug: Arc<DebugModules>,
}

/// A piece of the program's data that the formula names.
#[derive(Clone, Debug)]
pub(super) struct WatchedVariable {
    /// As the formula names it.
    pub text: String,
    pub place: Place,
    pub ty: TypeId,
    pub bits: Option<BitRange>,
}

impl Watched {
    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it comes to in the present state.
    pub fn value(&self, process: &Process) -> Value {
        self.evaluation(process, ()).value(&self.root)
    }

    /// Whether it holds in the present state; None if it is undefined.
    pub fn holds(&self, process: &Process) -> Option<bool> {
        self.evaluation(process, ()).truth(&self.root)
    }

    /// How far the present state is from one in which it holds: 0 if and only if it does.
    pub fn distance(&self, process: &Process) -> u64 {
        self.distance_to(process, true)
    }

    /// How far the present state is from one in which it holds, or does not.
    pub fn distance_to(&self, process: &Process, holds: bool) -> u64 {
        self.evaluation(process, ()).distance(&self.root, holds)
    }

    /// The addresses of fixed places that it can read: those of variables with static storage. An
    /// array with a varying index counts as a whole. Sorted, without overlaps.
    pub fn words(&self) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        self.root.reads(&mut |place, form| ranges.extend(place.extent(form.size.into())));
        merged(ranges)
    }

    /// Whether its value can depend on nothing but [`Watched::words`]. False where a pointer is
    /// followed and where a local is looked at.
    pub fn is_fixed(&self) -> bool {
        let mut is_fixed = !self.uses_locals();
        self.root.reads(&mut |place, form| is_fixed &= place.extent(form.size.into()).is_some());
        is_fixed
    }

    /// Whether its value can depend on registers and frames of threads, which no address tells.
    pub fn uses_locals(&self) -> bool {
        self.root.has_locals()
    }

    /// The addresses that are read to evaluate it in the present state. Sorted, without overlaps.
    pub fn words_now(&self, process: &Process) -> Vec<Range<u64>> {
        let mut evaluation = self.evaluation(process, Vec::new());
        evaluation.truth(&self.root);
        merged(evaluation.reader)
    }

    /// The variables it names with their values, as a program's author would write them.
    pub fn variables(&self, process: &Process) -> Vec<(String, String)> {
        let shown = |variable: &WatchedVariable| {
            let value = self.shown(variable, process);
            (variable.text.clone(), value.unwrap_or_else(|| "undefined".to_string()))
        };
        self.variables.iter().map(shown).collect()
    }

    fn shown(&self, variable: &WatchedVariable, process: &Process) -> Option<String> {
        let storage = match self.evaluation(process, ()).spot(&variable.place)? {
            Spot::Static(addr) | Spot::Memory(addr) => Storage::Memory(addr),
            Spot::Storage(storage) => storage,
        };
        let is_gone = |addr: u64| !process.machine.memory.is_live(addr);
        if storage.addr().is_some_and(is_gone) {
            return None;
        }
        let place = debug::Place { storage, ty: variable.ty, bits: variable.bits };
        let view = ThreadView { machine: &process.machine, thread: ThreadId(0) };
        Some(self.debug.value(&place, &view, &Limits::default()).to_string())
    }

    fn evaluation<'a, R: Reader>(&'a self, process: &'a Process, reader: R) -> Evaluation<'a, R> {
        Evaluation { process, debug: &self.debug, reader }
    }
}

/// The same addresses in order, without overlaps and gaps of nothing.
pub(super) fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn ranges_are_merged() {
        assert_eq!(merged(vec![8..12, 0..4, 4..8, 20..24, 21..22]), [0..12, 20..24]);
        assert!(merged(Vec::new()).is_empty());
    }
}
