//! Runs without end, judged from the edges on the disk.
//!
//! The question is that of [`crate::explore::dfs`]: whether there is a strongly connected component
//! that no move leaves, in which a thread is stuck for ever or nothing changes. Depth-first search
//! would need the graph in memory; here there are bits for each state, and the edges are read from
//! front to back or from back to front, as often as it takes:
//!
//! 1. States from which the program can end are found backwards from those in which it ends. The
//!    others, if any, lead into components that are never left, and so do all their successors.
//! 2. From one of them, everything that it can reach and everything that can reach it is found. If
//!    the first is part of the second, it is a component that is never left, and is judged.
//!    Otherwise the search goes on from a state that it can reach and that cannot reach it: there
//!    are fewer of those each time.
//! 3. Everything that can reach a component that was judged is done with; back to 2.
//!
//! Edges are in the order of levels, and most lead to the next level, so a closure takes few
//! readings. Cost: a few readings of the edges for each component that is never left, of which most
//! programs have one or none.

use super::External;
use super::bits::Bits;
use super::records::Edge;
use crate::explore::choice::{Found, Stats, Wrong};
use crate::explore::dfs::{Round, Watchdog};
use crate::explore::engine::Effect;
use crate::explore::roaming::Roaming;
use crate::explore::thread_set::ThreadSet;
use crate::spill::Trouble;
use crate::spill::append::AppendedReader;
use crate::spill::place::EDGES;

/// Edges that are read at once.
const CHUNK: u64 = 1 << 14;

/// Which way to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    FrontToBack,
    BackToFront,
}

/// Is asked between two chunks; a reason ends it.
type Question<'q> = dyn FnMut() -> Option<String> + 'q;

/// Why a reading ended early.
enum Halt {
    Trouble(Trouble),
    Stopped(String),
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Halt {
        Halt::Trouble(trouble)
    }
}

/// The edges of a graph on a disk.
struct Edges<'d, 'q> {
    reader: &'d mut AppendedReader,
    states: u64,
    question: &'q mut Question<'q>,
}

impl Edges<'_, '_> {
    fn each(&mut self, order: Order, mut visit: impl FnMut(Edge)) -> Result<(), Halt> {
        let all = self.reader.length() / Edge::BYTES as u64;
        let chunks = all.div_ceil(CHUNK);
        let mut bytes = Vec::new();
        for at in 0..chunks {
            let chunk = if order == Order::FrontToBack { at } else { chunks - 1 - at };
            let first = chunk * CHUNK;
            let count = CHUNK.min(all - first);
            bytes.resize(count as usize * Edge::BYTES, 0);
            self.reader.read(first * Edge::BYTES as u64, &mut bytes)?;
            let (records, _) = bytes.as_chunks::<{ Edge::BYTES }>();
            let edges = records.iter().map(Edge::read);
            let is_known = |edge: &Edge| edge.child.unwrap_or(0).max(edge.parent) < self.states;
            if !edges.clone().all(|edge| is_known(&edge)) {
                return Err(Trouble::damaged(EDGES).into());
            }
            match order {
                Order::FrontToBack => edges.for_each(&mut visit),
                Order::BackToFront => edges.rev().for_each(&mut visit),
            }
            if let Some(reason) = (self.question)() {
                return Err(Halt::Stopped(reason));
            }
        }
        Ok(())
    }

    /// Adds everything from which a state of the set can be reached.
    fn close_backwards(&mut self, set: &mut Bits) -> Result<(), Halt> {
        self.close(Order::BackToFront, |edge| {
            edge.child.is_some_and(|child| set.get(child)) && set.set(edge.parent)
        })
    }

    /// Adds everything that can be reached from a state of the set.
    fn close_forwards(&mut self, set: &mut Bits) -> Result<(), Halt> {
        self.close(Order::FrontToBack, |edge| {
            set.get(edge.parent) && edge.child.is_some_and(|child| set.set(child))
        })
    }

    /// Reads until nothing is added any more.
    fn close(&mut self, order: Order, mut add: impl FnMut(Edge) -> bool) -> Result<(), Halt> {
        let mut has_grown = true;
        while has_grown {
            has_grown = false;
            self.each(order, |edge| has_grown |= add(edge))?;
        }
        Ok(())
    }

    /// States from which the program cannot end.
    fn endless(&mut self) -> Result<Bits, Halt> {
        let mut ending = Bits::new(self.states);
        self.each(Order::FrontToBack, |edge| {
            if edge.child.is_none() {
                ending.set(edge.parent);
            }
        })?;
        self.close_backwards(&mut ending)?;
        Ok(ending.inverted())
    }

    /// A component that is never left and that a state leads to, and all that can reach it.
    fn component(&mut self, from: u64) -> Result<(Bits, Bits), Halt> {
        let mut from = from;
        loop {
            let mut before = Bits::new(self.states);
            before.set(from);
            let mut behind = before.clone();
            self.close_forwards(&mut behind)?;
            self.close_backwards(&mut before)?;
            let mut rest = behind.clone();
            rest.subtract(&before);
            match rest.last() {
                Some(next) => from = next,
                None => return Ok((behind, before)),
            }
        }
    }

    /// Who moves inside a component, and what the moves do.
    fn moves(&mut self, component: &Bits) -> Result<(ThreadSet, Effect), Halt> {
        let (mut moved, mut effect) = (ThreadSet::default(), Effect::default());
        self.each(Order::FrontToBack, |edge| {
            if component.get(edge.parent) {
                moved.insert(edge.mover);
                effect.join(edge.effect);
            }
        })?;
        Ok((moved, effect))
    }
}

impl External<'_> {
    /// Judges all runs without end. A round comes back if something is wrong with one, or the
    /// search has to stop.
    pub(super) fn judge_runs<E: Roaming>(
        &mut self,
        engine: &mut E,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Result<Option<Round>, Trouble> {
        self.publish(stats);
        match self.wrong_run(engine, &mut || watchdog(stats)) {
            Ok(found) => Ok(found.map(Round::Over)),
            Err(Halt::Trouble(trouble)) => Err(trouble),
            Err(Halt::Stopped(reason)) => {
                let reason = format!("{reason} while runs without end were judged");
                Ok(Some(Round::Over(Found::Stopped { reason })))
            }
        }
    }

    fn wrong_run<E: Roaming>(
        &mut self,
        engine: &mut E,
        question: &mut Question<'_>,
    ) -> Result<Option<Found>, Halt> {
        let mut open = self.read_edges(question, |edges| edges.endless())?;
        while let Some(state) = open.last() {
            let (component, before, (moved, effect)) = self.read_edges(question, |edges| {
                let (component, before) = edges.component(state)?;
                let moves = edges.moves(&component)?;
                Ok((component, before, moves))
            })?;
            // The first of its states is as near to the start as any.
            let way = self.way(component.first().unwrap_or(state))?;
            engine.stand(&[]);
            way.iter().for_each(|&choice| engine.forward(choice));
            let stuck = engine.hopeless(&moved);
            let stuck = (!stuck.is_empty()).then_some(Wrong::Stuck(stuck));
            let livelock = effect.is_idle().then_some(Wrong::Livelock);
            let mut wrong = stuck.into_iter().chain(livelock);
            if let Some(error) = wrong.find(|wrong| engine.counts(wrong)) {
                return Ok(Some(Found::Error { path: way, error }));
            }
            open.subtract(&before);
        }
        Ok(None)
    }

    fn read_edges<T>(
        &mut self,
        question: &mut Question<'_>,
        read: impl FnOnce(&mut Edges<'_, '_>) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        let mut reader = self.edges.reader(self.disk)?;
        let mut ask = || question();
        let mut edges =
            Edges { reader: &mut reader, states: self.place.states, question: &mut ask };
        read(&mut edges)
    }
}
