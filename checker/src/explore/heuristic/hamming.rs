//! Hamming distance from a known error: threads that stand elsewhere, and words that differ.

use super::Heuristic;
use super::target::Target;
use crate::explore::view::View;
use samovar_vm::machine::ThreadId;

/// See the module head.
#[derive(Debug)]
pub struct Hamming {
    target: Target,
}

impl Hamming {
    /// The distance from this.
    pub fn new(target: &Target) -> Hamming {
        Hamming { target: target.clone() }
    }
}

impl Heuristic for Hamming {
    fn value(&mut self, view: &View<'_>) -> i64 {
        let count = view.threads.len();
        let elsewhere = self.target.threads.iter().enumerate().filter(|(number, places)| {
            let thread = ThreadId(*number as u32);
            let stands = |pc| *number < count && view.process().machine.core(thread).pc == pc;
            places.last().is_some_and(|&pc| !stands(pc))
        });
        let words = self.target.words.iter();
        let differ = words.filter(|(addr, value)| Target::word(view.process(), *addr) != *value);
        (elsewhere.count() + differ.count()) as i64
    }

    fn needs_process(&self) -> bool {
        true
    }
}
