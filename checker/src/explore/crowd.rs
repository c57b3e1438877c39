//! Who may still do what, the other way round: for each thing, the threads whose future has it.
//!
//! With many threads, asking each of them about each thing would take the square of their number;
//! this index of one state takes the sum of their futures (see [`super::future`]).

use super::future::{Futures, Thing};
use super::stubborn::Mover;
use samovar_vm::machine::ThreadId;

/// See the module head.
#[derive(Debug)]
pub struct Crowd {
    touching: Lists,
    changing: Lists,
    /// By thread: its place among the movers plus one, zero if it is not among them.
    movers: Vec<u32>,
}

impl Crowd {
    /// The index of these threads where they stand.
    pub fn new(movers: &[Mover], futures: &Futures) -> Crowd {
        let count = movers.iter().map(|mover| mover.thread.0 as usize + 1).max().unwrap_or(0);
        let mut places = vec![0; count];
        for (mover, at) in movers.iter().zip(1..) {
            places[mover.thread.0 as usize] = at;
        }
        Crowd {
            touching: Lists::new(movers, |mover| futures.touched_from(mover.place)),
            changing: Lists::new(movers, |mover| futures.changed_from(mover.place)),
            movers: places,
        }
    }

    /// The place of a thread among the movers.
    pub fn mover(&self, thread: ThreadId) -> Option<usize> {
        let place = self.movers.get(thread.0 as usize).copied().unwrap_or(0);
        place.checked_sub(1).map(|at| at as usize)
    }

    /// Things that may be asked for are below this number; nobody does anything to others.
    pub fn things(&self) -> usize {
        self.touching.starts.len() - 1
    }

    /// The threads whose future disturbs an access to a thing.
    pub fn who(&self, thing: Thing, change: bool) -> &[ThreadId] {
        if change { self.touching.get(thing) } else { self.changing.get(thing) }
    }
}

/// Lists of threads, one for each thing, one behind the other.
#[derive(Debug)]
struct Lists {
    starts: Vec<u32>,
    threads: Vec<ThreadId>,
}

impl Lists {
    fn new<I: Iterator<Item = Thing>>(movers: &[Mover], future: impl Fn(&Mover) -> I) -> Lists {
        let mut starts = vec![0];
        for thing in movers.iter().flat_map(&future) {
            let index = thing.0 as usize + 1;
            if starts.len() <= index {
                starts.resize(index + 1, 0);
            }
            starts[index] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let count = starts.last().copied().unwrap_or(0) as usize;
        let mut threads = vec![ThreadId(0); count];
        for mover in movers {
            for thing in future(mover) {
                let at = &mut next[thing.0 as usize];
                threads[*at as usize] = mover.thread;
                *at += 1;
            }
        }
        Lists { starts, threads }
    }

    fn get(&self, thing: Thing) -> &[ThreadId] {
        let index = thing.0 as usize;
        match self.starts.get(index..index + 2) {
            Some(&[start, end]) => &self.threads[start as usize..end as usize],
            _ => &[],
        }
    }
}
