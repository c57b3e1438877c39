//! What a search has learned of moves, which another search need not know.
//!
//! Which moves may be left out is decided by what threads were seen to do (see
//! [`crate::explore::stubborn`]). A search that sees more, because it leaves out less or goes
//! elsewhere, learns more, and who goes on with that leaves out less. So searches that take turns
//! in one space can have a mind each. What decides where moves end, the contended words, is common
//! to all of them; so are states and their components.
//!
//! A mind knows moves together with what was learned from executing them, so the two are never
//! taken apart: a move that is known but was executed for another mind would teach nothing.

use super::rulings::Rulings;
use super::{Deeds, Futures, KnownMoves, Space, Touches};

/// See the module head; that of a search which has seen nothing by default.
#[derive(Debug, Default)]
pub struct Mind {
    touches: Touches,
    futures: Futures,
    deeds: Deeds,
    known: KnownMoves,
    known_for: usize,
    rulings: Rulings,
    /// How often the vector had forgotten what moves looked at.
    renewals: u64,
}

impl Space<'_> {
    /// Changes minds: the space goes on with the other, and leaves its own there.
    pub fn exchange(&mut self, mind: &mut Mind) {
        self.exchanges += 1;
        std::mem::swap(&mut self.touches, &mut mind.touches);
        std::mem::swap(&mut self.futures, &mut mind.futures);
        std::mem::swap(&mut self.deeds, &mut mind.deeds);
        std::mem::swap(&mut self.known, &mut mind.known);
        std::mem::swap(&mut self.known_for, &mut mind.known_for);
        std::mem::swap(&mut self.rulings, &mut mind.rulings);
        if std::mem::replace(&mut mind.renewals, self.renewals) != self.renewals {
            // What these moves look at is not watched any more.
            self.known.clear();
            self.rulings.clear();
        }
    }
}
