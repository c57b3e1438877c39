//! Distance from a known error in the threads' control flow: how many moves each thread is from
//! where it stands in the end.
//!
//! What is known of the control flow is the known trail: a thread that stands where it stood on the
//! trail has as many moves ahead as from there on, one that stands elsewhere has all of them.

use super::Heuristic;
use super::target::Target;
use crate::explore::view::View;
use samovar_vm::machine::ThreadId;

/// See the module head.
#[derive(Debug)]
pub struct ControlFlow {
    target: Target,
}

impl ControlFlow {
    /// The distance from this.
    pub fn new(target: &Target) -> ControlFlow {
        ControlFlow { target: target.clone() }
    }
}

impl Heuristic for ControlFlow {
    fn value(&mut self, view: &View<'_>) -> i64 {
        let ahead = |(number, places): (usize, &Vec<u64>)| {
            let known = (number < view.threads.len()).then(|| {
                let pc = view.process().machine.core(ThreadId(number as u32)).pc;
                places.iter().rev().position(|&place| place == pc)
            });
            known.flatten().unwrap_or(places.len()) as i64
        };
        self.target.threads.iter().enumerate().map(ahead).sum()
    }

    fn needs_process(&self) -> bool {
        true
    }
}
