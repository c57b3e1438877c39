//! Rulings on the moves of a state: that they are at peace with each other, and which suffice.
//!
//! Comparing the moves of a state and closing sets of threads is work for every state, but the
//! outcome depends on little: for each thread, what its next move shares with others, where it
//! stands and what it waits for. Moves that agree in that are of one *class*. What comes of
//! comparing is remembered by [pairs](super::pairs) of threads that stand so, and rules every
//! state that has only such pairs. Only states in which nothing was wrong are learned from, and
//! everything is forgotten as soon as something is learned that rulings rest on. Debug builds rule
//! again and compare.

use super::Space;
use super::pairs::{Cast, Pairs, Ruling};
use crate::explore::future::Place;
use crate::explore::known::{Known, Outcome};
use crate::explore::stubborn::{Deeds, Scope, ThreadDeed};
use crate::explore::touches::Share;
use crate::explore::visible::Visible;
use crate::sync::Arc;
use ahash::{AHashMap, RandomState};
use samovar_runtime::{ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;

/// What a ruling depends on of a move.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Class {
    thread: ThreadId,
    shares: Arc<[Share]>,
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

/// All rulings that are known.
#[derive(Debug)]
pub(super) struct Rulings {
    classes: AHashMap<Class, u32>,
    pairs: Pairs,
    /// The threads of the state in question.
    cast: Cast,
    ground: Ground,
    /// What a move shares, while it is looked up.
    shares: Vec<Share>,
}

impl Default for Rulings {
    fn default() -> Rulings {
        let classes = AHashMap::with_hasher(RandomState::with_seeds(91, 92, 93, 94));
        let (pairs, cast) = (Pairs::default(), Cast::default());
        Rulings { classes, pairs, cast, ground: Ground::default(), shares: Vec::new() }
    }
}

impl Rulings {
    /// The ruling on a state with these threads, if it is known.
    #[inline]
    pub(super) fn get(&self, cast: &Cast, scope: Scope) -> Option<Ruling> {
        self.pairs.rule(cast, scope)
    }

    /// Forgets all rulings.
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Bytes of heap memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.pairs.bytes()
    }

    fn class(&mut self, thread: ThreadId, known: &Known) -> u32 {
        let class = Class {
            thread,
            shares: Arc::clone(&known.shares),
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
        let mut cast = std::mem::take(&mut self.rulings.cast);
        cast.clear();
        for &(thread, which) in &self.made {
            cast.note_move(thread, self.known.get(which).class);
        }
        for thread in (0..self.vector.os().threads().len() as u32).map(ThreadId) {
            let state = &self.vector.os().threads()[thread.0 as usize].state;
            if matches!(state, ThreadState::Waiting(_)) {
                cast.note_waiting(thread, self.vector.stands(thread));
            }
        }
        self.rulings.cast = cast;
        self.rulings.get(&self.rulings.cast, self.scope())
    }

    /// Rules on the state that was asked about last, whose moves are at peace, and remembers it.
    pub(super) fn rule(&mut self) -> Ruling {
        let choices = self.choices();
        let (needs, sufficient) = (choices.needs(), choices.sufficient());
        if let Some(needs) = needs {
            let Rulings { pairs, cast, .. } = &mut self.rulings;
            pairs.learn(cast, &self.movers, &needs);
        }
        sufficient
    }

    /// Which moves may be left out.
    pub(super) fn scope(&self) -> Scope {
        match self.sight.visible {
            _ if !self.prune => Scope::Nothing,
            Visible::Contended(_) => Scope::Any,
            // Switching elsewhere is what that reduction is about.
            Visible::Globals(_) => Scope::Creation,
            Visible::All => Scope::Nothing,
        }
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
            let known = self.known.get(which);
            if known.version == version {
                continue;
            }
            self.touches.shares(thread, &known.touched, &mut self.rulings.shares);
            self.known.set_shares(which, &self.rulings.shares);
            let class = self.rulings.class(thread, self.known.get(which));
            self.known.set_class(which, version, class);
            let known = self.known.get(which);
            // Also where nothing is left out now: this is done once for every move.
            if let Some(place) = known.place {
                let things = known.shares.iter().map(|share| (share.thing, share.change()));
                self.futures.note(place, things);
            }
        }
    }
}
