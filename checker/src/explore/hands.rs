//! Any number of hands at work on a list of states, and what they come to, in its order.
//!
//! A list is cut into pieces, of which each hand takes the next one as soon as it has time (see
//! [`super::space::hand`]). What hands know is fixed before they begin, and what the pieces came to
//! is put together in their order, so nothing depends on how many hands there are, nor on who was
//! faster, but the numbers that new states get.

use super::dfs::Round;
use super::engine::{Engine, Expansion};
use super::space::Space;
use super::space::finder::Hard;
use super::space::hand::{Hand, Known};
use crate::state::StateId;
use crate::sync::{BLOCK, Ordering};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::AtomicUsize;

/// States that a hand takes at a time.
const PIECE: usize = 512;
/// States that a hand expands at once, so that it need not wait for memory.
const AT_ONCE: usize = 16;
/// Shorter lists are not worth the bother.
const FEW: usize = 64;
/// Pairs for which there is room at least before hands begin.
const ROOM: usize = 1 << 17;
/// Hands at most: all of them together must not be able to overfill that room unawares.
const JOBS_MAX: usize = 64;
const _: () = assert!(JOBS_MAX * (BLOCK as usize) < ROOM / 16);

/// Debug builds doubt what hands say of one in so many states.
const DOUBTED: usize = 8;

/// See the module head.
#[derive(Debug)]
pub struct Hands {
    pool: Option<ThreadPool>,
    hands: Vec<Hand>,
}

/// A state of a list: what it is told by, and which it is.
pub type Listed = (u64, StateId);

/// What hands do with a list.
pub trait Task: Sync {
    /// What comes of a piece of the list.
    type Outcome: Default + Send;

    /// Whether a successor of a state does not justify leaving out other moves of it.
    fn is_open(&self, known: &Known<'_>, from: u64, successor: StateId) -> bool;

    /// Takes in where the moves of a state lead.
    fn take(&self, from: u64, successors: &[StateId], outcome: &mut Self::Outcome);

    /// Has the space leave out the same moves of a state; whether it does.
    fn prepare(&self, space: &mut Space<'_>, from: u64) -> bool;
}

/// How many hard states the space should expand before hands try the others again: where hands get
/// stuck it is mostly at the same few things that are new, so a few lessons teach them all. Where
/// that does not help, more are due, also for the next lists.
#[derive(Debug)]
pub struct Lessons(usize);

impl Default for Lessons {
    fn default() -> Lessons {
        Lessons(Lessons::FEWEST)
    }
}

impl Lessons {
    const FEWEST: usize = 8;
    const MOST: usize = 1 << 14;

    /// How many are due after hands have tried a list and found so many of its states hard.
    fn due(&mut self, tried: usize, hard: usize) -> usize {
        self.0 = match hard * 4 / tried.max(1) {
            0..2 => (self.0 / 2).max(Lessons::FEWEST),
            2 => (self.0 * 2).min(Lessons::MOST),
            _ => (self.0 * 4).min(Lessons::MOST),
        };
        self.0
    }
}

/// A state that was reached from a state of a list, as which of its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reached {
    /// What the other is told by.
    pub from: u32,
    /// Which of the successors it is.
    pub index: u32,
    /// What was reached.
    pub state: StateId,
}

/// A search that has lists of states expanded: by hands what is known already, by the space itself
/// what they call hard, one by one in the order of the list, which is where things are learned,
/// errors found and rounds ended.
pub trait Listing {
    /// Has hands expand what they can of a list and adds what they reached; what they could not.
    fn use_hands(&mut self, list: &[Listed], reached: &mut Vec<Reached>) -> Vec<Listed>;

    /// Expands a state by the space itself; how the round ended, if it did.
    fn expand_hard(&mut self, listed: Listed, reached: &mut Vec<Reached>) -> Option<Round>;

    /// How lessons are going.
    fn lessons(&mut self) -> &mut Lessons;

    /// Expands a list: what was reached, in its order, or how the round ended.
    fn expand_list(&mut self, mut list: Vec<Listed>) -> Result<Vec<Reached>, Round> {
        let mut reached = Vec::new();
        while !list.is_empty() {
            let mut hard = std::mem::take(&mut list);
            if FEW <= hard.len() {
                let tried = hard.len();
                hard = self.use_hands(&hard, &mut reached);
                let due = self.lessons().due(tried, hard.len());
                list = hard.split_off(hard.len().min(due));
            }
            for listed in hard {
                if let Some(round) = self.expand_hard(listed, &mut reached) {
                    return Err(round);
                }
            }
        }
        // Hands left it in sorted runs.
        reached.sort();
        Ok(reached)
    }
}

/// What a piece of a list came to.
#[derive(Debug)]
struct Piece<T> {
    /// The piece it is.
    number: usize,
    outcome: T,
    hard: Vec<Listed>,
}

impl Hands {
    /// So many hands.
    pub fn new(space: &Space<'_>, jobs: usize) -> Hands {
        let jobs = jobs.clamp(1, JOBS_MAX);
        let pool = (1 < jobs).then(|| ThreadPoolBuilder::new().num_threads(jobs).build().ok());
        Hands { pool: pool.flatten(), hands: (0..jobs).map(|_| space.hand()).collect() }
    }

    /// Has hands expand what they can of a list: what the pieces came to, and what was too hard,
    /// both in the order of the list.
    pub fn expand<T: Task>(
        &mut self,
        space: &mut Space<'_>,
        list: &[Listed],
        task: &T,
    ) -> (Vec<T::Outcome>, Vec<Listed>) {
        space.reserve(ROOM, self.hands.len());
        if self.hands.iter().any(|hand| !space.can_use(hand)) {
            self.hands = self.hands.iter().map(|_| space.hand()).collect();
        }
        let Some(known) = space.for_hands() else {
            return (Vec::new(), list.to_vec());
        };
        let next = AtomicUsize::new(0);
        let mut made: Vec<Vec<Piece<T::Outcome>>> = self.hands.iter().map(|_| Vec::new()).collect();
        let work = |(hand, made): (&mut Hand, &mut Vec<Piece<T::Outcome>>)| loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(list) = list.chunks(PIECE).nth(number) else { return };
            made.push(work_on(hand, &known, (number, list), task));
        };
        match &self.pool {
            None => self.hands.iter_mut().zip(&mut made).for_each(work),
            Some(pool) => pool.scope(|scope| {
                for one in self.hands.iter_mut().zip(&mut made) {
                    scope.spawn(|_| work(one));
                }
            }),
        }
        space.take_in(&mut self.hands);
        let mut pieces: Vec<Piece<T::Outcome>> = made.into_iter().flatten().collect();
        pieces.sort_unstable_by_key(|piece| piece.number);
        let (mut outcomes, mut hard) = (Vec::with_capacity(pieces.len()), Vec::new());
        for piece in pieces {
            outcomes.push(piece.outcome);
            hard.extend(piece.hard);
        }
        if cfg!(debug_assertions) {
            self.doubt(space, list, task);
        }
        (outcomes, hard)
    }

    /// Has the space expand some of a list, too.
    ///
    /// # Panics
    /// If hands come to something else.
    fn doubt<T: Task>(&mut self, space: &mut Space<'_>, list: &[Listed], task: &T) {
        for &one in list.iter().step_by(DOUBTED) {
            let Some(known) = space.for_hands() else { return };
            let (mut found, hand) = (None, &mut self.hands[0]);
            let is_open = |from: u64, successor: StateId| task.is_open(&known, from, successor);
            hand.expand(&known, &[one], &is_open, |_, next| found = next.ok().map(<[_]>::to_vec));
            space.take_in(&mut self.hands);
            let Some(mut found) = found.filter(|_| task.prepare(space, one.0)) else { continue };
            let stats = space.stats;
            space.jump(one.1);
            if matches!(space.expand(), Expansion::Successors) {
                let mut said: Vec<StateId> =
                    space.successors().iter().map(|next| next.state).collect();
                said.sort();
                found.sort();
                assert_eq!(found, said, "a hand is wrong about {one:?}");
            }
            space.stats = stats;
        }
    }
}

/// Expands a piece of a list.
fn work_on<T: Task>(
    hand: &mut Hand,
    known: &Known<'_>,
    (number, list): (usize, &[Listed]),
    task: &T,
) -> Piece<T::Outcome> {
    let mut piece = Piece { number, outcome: T::Outcome::default(), hard: Vec::new() };
    let is_open = |from: u64, successor: StateId| task.is_open(known, from, successor);
    for list in list.chunks(AT_ONCE) {
        let Piece { outcome, hard, .. } = &mut piece;
        let begun = hard.len();
        hand.expand(known, list, &is_open, |one, successors| match successors {
            Ok(successors) => task.take(one.0, successors, outcome),
            Err(Hard) => hard.push(one),
        });
        // A hand names what is hard as it finds it out.
        hard[begun..].sort_unstable_by_key(|one| list.iter().position(|other| other == one));
    }
    piece
}
