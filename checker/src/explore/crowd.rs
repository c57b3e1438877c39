//! Where each thread stands in a state with many of them.
//!
//! With many threads, asking each of them about each thing would take the square of their number.
//! [`Futures`] tell in whose future a thing is, at any place; this table of one state tells who is
//! at those places.

use super::future::{Futures, Thing};
use super::stubborn::Mover;
use samovar_vm::machine::ThreadId;

/// See the module head.
#[derive(Debug)]
pub struct Crowd<'a> {
    movers: &'a [Mover],
    /// By thread: its place among the movers plus one, zero if it is not among them.
    seats: Vec<u32>,
}

impl<'a> Crowd<'a> {
    /// These threads, where they stand.
    pub fn new(movers: &'a [Mover]) -> Crowd<'a> {
        let count = movers.iter().map(|mover| mover.thread.0 as usize + 1).max().unwrap_or(0);
        let mut seats = vec![0; count];
        for (mover, seat) in movers.iter().zip(1..) {
            seats[mover.thread.0 as usize] = seat;
        }
        Crowd { movers, seats }
    }

    /// A thread, if it is among them.
    pub fn mover(&self, thread: ThreadId) -> Option<&'a Mover> {
        let seat = self.seats.get(thread.0 as usize).copied().unwrap_or(0);
        seat.checked_sub(1).map(|at| &self.movers[at as usize])
    }

    /// The threads whose future disturbs an access to a thing.
    pub fn disturbers(
        &self,
        futures: &Futures,
        thing: Thing,
        change: bool,
    ) -> impl Iterator<Item = ThreadId> {
        let there = |one: &(ThreadId, _)| self.mover(one.0).is_some_and(|it| it.place == one.1);
        futures.disturbing(thing, change).filter(there).map(|one| one.0)
    }
}
