//! Giving up in the middle of an expansion: a choice may have millions of alternatives, and with
//! very many threads every move takes long.
//!
//! Searches look at the clock now and then, between expansions. Here one looks inside of them, but
//! only where that costs nothing beside what is being done: behind moves that were executed, and
//! behind thousands of others.

use super::Space;
use crate::explore::choice::{Choice, Wrong};
use crate::explore::engine::Expansion;
use crate::explore::moves::Ending;

/// Moves executed between two looks at the clock, and at the memory that this process has.
const EXECUTED: u64 = 1 << 3;
const EXECUTED_FOR_MEMORY: u64 = 1 << 10;
/// The same for moves that are known.
const KNOWN: usize = 1 << 12;
const KNOWN_FOR_MEMORY: usize = 1 << 14;

impl Space<'_> {
    /// What an expansion comes to if it is to be given up; a move was just executed.
    pub(super) fn cut_executing(&self, choice: Choice) -> Option<Expansion> {
        let executed = self.stats.executed;
        let (time, memory) = (EXECUTED, EXECUTED_FOR_MEMORY);
        let is_due = (executed.is_multiple_of(time), executed.is_multiple_of(memory));
        self.cut(Some(choice), is_due)
    }

    /// The same, where one thing after the other is done, and this is the number of the next one.
    pub(super) fn cut_at(&self, number: usize) -> Option<Expansion> {
        let is_due = (number.is_multiple_of(KNOWN), number.is_multiple_of(KNOWN_FOR_MEMORY));
        if number == 0 { None } else { self.cut(None, is_due) }
    }

    /// The same, where so many things were done at once.
    #[inline]
    pub(super) fn cut_long(&self, number: usize) -> Option<Expansion> {
        if number < KNOWN { None } else { self.cut(None, (true, KNOWN_FOR_MEMORY <= number)) }
    }

    fn cut(&self, last: Option<Choice>, is_due: (bool, bool)) -> Option<Expansion> {
        let limit = self.sight.limit.as_ref()?;
        let time = is_due.0.then(|| limit.out_of_time()).flatten();
        let reason = time.or_else(|| is_due.1.then(|| limit.out_of_memory()).flatten())?;
        Some(Expansion::Wrong(last, Wrong::Move(Ending::Cut(reason))))
    }
}
