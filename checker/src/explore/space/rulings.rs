//! Rulings on the moves of a state: that they are at peace with each other, and which suffice.
//!
//! Comparing the moves of a state and closing sets of threads is work for every state, but the
//! outcome depends on little: for each thread, what its next move shares with others, where it
//! stands and what it waits for. Moves that agree in that are of one *class*, and states whose
//! threads have moves of the same classes get the same ruling, so it is made once. Only states in
//! which nothing was wrong are remembered, and everything is forgotten as soon as something is
//! learned that rulings rest on. Debug builds rule again and compare.

use super::Space;
use crate::explore::future::Place;
use crate::explore::known::{Known, Outcome};
use crate::explore::stubborn::{Deeds, ThreadDeed};
use crate::explore::thread_set::ThreadSet;
use crate::explore::touches::Share;
use ahash::{AHashMap, RandomState};
use samovar_runtime::{ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;

/// Threads whose moves suffice, if that is less than all.
type Ruling = Option<ThreadSet>;

/// What a ruling depends on of a move.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Class {
    shares: Box<[Share]>,
    place: Option<Place>,
    deed: ThreadDeed,
    outcome: Outcome,
    wait: Option<WaitFor>,
}

/// What rulings rest on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Ground {
    version: u64,
    growth: u64,
    deeds: Deeds,
    visible: usize,
}

/// Rulings whose keys have so many numbers are kept; then all are forgotten.
const NUMBERS_MAX: usize = 1 << 22;
/// Marks a thread that waits among the numbers of a key.
const WAITS: u32 = 1 << 31;

/// All rulings that are known.
#[derive(Debug)]
pub(super) struct Rulings {
    classes: AHashMap<Class, u32>,
    known: AHashMap<Box<[u32]>, Ruling>,
    /// What the state in question is like.
    key: Vec<u32>,
    /// Numbers in all keys.
    numbers: usize,
    ground: Ground,
}

impl Default for Rulings {
    fn default() -> Rulings {
        let hasher = RandomState::with_seeds(91, 92, 93, 94);
        Rulings {
            classes: AHashMap::with_hasher(hasher.clone()),
            known: AHashMap::with_hasher(hasher),
            key: Vec::new(),
            numbers: 0,
            ground: Ground::default(),
        }
    }
}

impl Rulings {
    /// The ruling on states with this key.
    pub(super) fn get(&self, key: &[u32]) -> Option<&Ruling> {
        self.known.get(key)
    }

    /// Adds the move of a thread to a key.
    #[inline]
    pub(super) fn note_move(key: &mut Vec<u32>, thread: ThreadId, class: u32) {
        key.extend([thread.0, class]);
    }

    /// Adds a thread that waits to a key.
    pub(super) fn note_waiting(key: &mut Vec<u32>, thread: ThreadId, stands: (u32, u32)) {
        key.extend([thread.0 | WAITS, stands.0, stands.1]);
    }

    /// Forgets all rulings.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.numbers = 0;
    }

    /// Remembers the ruling on the state that was asked about last.
    pub(super) fn keep(&mut self, ruling: Ruling) {
        self.numbers += self.key.len();
        if NUMBERS_MAX <= self.numbers {
            self.clear();
        }
        self.known.insert(self.key.as_slice().into(), ruling);
    }

    fn class(&mut self, known: &Known) -> u32 {
        let class = Class {
            shares: known.shares.as_slice().into(),
            place: known.place,
            deed: known.deed,
            outcome: known.outcome,
            wait: known.wait.clone(),
        };
        let next = self.classes.len() as u32;
        *self.classes.entry(class).or_insert(next)
    }
}

impl Space<'_> {
    /// The ruling on the state whose moves were surveyed, if there is one. Brings what is known of
    /// the moves up to date.
    pub(super) fn ruling(&mut self) -> Option<Ruling> {
        self.update_shares();
        self.renew_ground();
        let mut key = std::mem::take(&mut self.rulings.key);
        key.clear();
        let count = self.vector.os().threads().len() as u32;
        key.push(count);
        for &(thread, which) in &self.made {
            Rulings::note_move(&mut key, thread, self.known.get(which).class);
        }
        for thread in (0..count).map(ThreadId) {
            let state = &self.vector.os().threads()[thread.0 as usize].state;
            if matches!(state, ThreadState::Waiting(_)) {
                let stands = self.vector.stands(thread);
                Rulings::note_waiting(&mut key, thread, stands);
            }
        }
        self.rulings.key = key;
        self.rulings.get(&self.rulings.key).cloned()
    }

    /// Forgets rulings that rest on less than is known now.
    pub(super) fn renew_ground(&mut self) {
        let (version, growth) = (self.touches.version(), self.futures.growth);
        let (deeds, visible) = (&self.deeds, self.sight.visible.added());
        let ground = &self.rulings.ground;
        if (ground.version, ground.growth, ground.visible) != (version, growth, visible)
            || ground.deeds != *deeds
        {
            let deeds = deeds.clone();
            self.rulings.ground = Ground { version, growth, deeds, visible };
            self.rulings.clear();
        }
    }

    /// Brings the things that moves share up to date with what was learned since they were seen.
    fn update_shares(&mut self) {
        let version = self.touches.version();
        for &(thread, which) in &self.made {
            let known = self.known.get_mut(which);
            if known.version == version {
                continue;
            }
            self.touches.shares(thread, &known.touched, &mut known.shares);
            let class = self.rulings.class(known);
            self.known.set_class(which, version, class);
            let known = self.known.get(which);
            // Also where nothing is left out now: this is done once for every move.
            if let Some(place) = known.place {
                for share in &known.shares {
                    self.futures.note(place, share.thing, share.change());
                }
            }
        }
    }
}
