//! What each thread may still do: everything it was ever seen to touch from a place in the program
//! on.
//!
//! Places are the program counters at which threads stood between moves, for each thread its own.
//! A move from one place to another says that whatever can be touched from the second can be
//! touched from the first; a move that creates a thread says the same of the place where that one
//! begins. So the future of a place only grows, and is passed on backwards when it does.
//!
//! Things are halves of words that at least two threads touch, one changing them; they are
//! numbered as they are found (see [`super::touches`]). Cost: a look-up a move where nothing is
//! new.

use ahash::{AHashMap, AHashSet, RandomState};
use samovar_vm::machine::ThreadId;

/// A half of a word that threads share, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thing(pub u32);

/// Where a thread stands, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(u32);

/// A set of things.
#[derive(Clone, Debug, Default)]
struct Things {
    bits: Vec<u64>,
}

impl Things {
    fn contains(&self, thing: Thing) -> bool {
        let word = self.bits.get(thing.0 as usize / 64);
        word.is_some_and(|word| word & 1 << (thing.0 % 64) != 0)
    }

    fn iter(&self) -> impl Iterator<Item = Thing> + '_ {
        let words = self.bits.iter().copied().zip(0u32..).filter(|(word, _)| *word != 0);
        words.flat_map(|(mut word, index)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.checked_sub(1)?;
                Some(Thing(index * 64 + bit))
            })
        })
    }

    /// Whether it is new.
    fn insert(&mut self, thing: Thing) -> bool {
        let index = thing.0 as usize / 64;
        if self.bits.len() <= index {
            self.bits.resize(index + 1, 0);
        }
        let old = self.bits[index];
        self.bits[index] |= 1 << (thing.0 % 64);
        self.bits[index] != old
    }

    /// Whether something is new.
    fn join(&mut self, other: &Things) -> bool {
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        let mut grown = false;
        for (own, more) in self.bits.iter_mut().zip(&other.bits) {
            grown |= more & !*own != 0;
            *own |= more;
        }
        grown
    }
}

/// What is known of a place.
#[derive(Debug, Default)]
struct Known {
    touched: Things,
    changed: Things,
    /// Places from which moves lead here.
    before: Vec<Place>,
}

/// See the module head.
#[derive(Debug)]
pub struct Futures {
    places: AHashMap<(u32, u64), Place>,
    known: Vec<Known>,
    links: AHashSet<(Place, Place)>,
    /// How often something was new.
    pub growth: u64,
}

impl Default for Futures {
    fn default() -> Futures {
        let hasher = RandomState::with_seeds(81, 82, 83, 84);
        Futures {
            places: AHashMap::with_hasher(hasher.clone()),
            known: Vec::new(),
            links: AHashSet::with_hasher(hasher),
            growth: 0,
        }
    }
}

impl Futures {
    /// The place of a thread at a program counter.
    pub fn place(&mut self, thread: ThreadId, pc: u64) -> Place {
        let next = Place(self.known.len() as u32);
        let place = *self.places.entry((thread.0, pc)).or_insert(next);
        if place == next {
            self.known.push(Known::default());
        }
        place
    }

    /// A move from a place touches a thing.
    pub fn note(&mut self, place: Place, thing: Thing, change: bool) {
        let known = &mut self.known[place.0 as usize];
        let grown = known.touched.insert(thing) | (change && known.changed.insert(thing));
        if grown {
            self.growth += 1;
            self.pass_on(place);
        }
    }

    /// A move leads from one place to another, or creates a thread that begins there.
    pub fn link(&mut self, from: Place, to: Place) {
        if from == to || !self.links.insert((from, to)) {
            return;
        }
        self.known[to.0 as usize].before.push(from);
        if self.take_from(from, to) {
            self.growth += 1;
            self.pass_on(from);
        }
    }

    /// Adds the future of one place to that of another; whether that is new.
    fn take_from(&mut self, place: Place, other: Place) -> bool {
        let [known, other] =
            self.known.get_disjoint_mut([place.0 as usize, other.0 as usize]).expect("two places");
        known.touched.join(&other.touched) | known.changed.join(&other.changed)
    }

    /// Passes the future of a place on to all from which it can be reached.
    fn pass_on(&mut self, place: Place) {
        let mut grown = vec![place];
        while let Some(place) = grown.pop() {
            for at in 0..self.known[place.0 as usize].before.len() {
                let before = self.known[place.0 as usize].before[at];
                if self.take_from(before, place) {
                    grown.push(before);
                }
            }
        }
    }

    /// What may be touched from a place on.
    pub fn touched_from(&self, place: Place) -> impl Iterator<Item = Thing> + '_ {
        self.known[place.0 as usize].touched.iter()
    }

    /// What may be changed from a place on.
    pub fn changed_from(&self, place: Place) -> impl Iterator<Item = Thing> + '_ {
        self.known[place.0 as usize].changed.iter()
    }

    /// Whether the order matters between an access to a thing and what may happen from a place on.
    pub fn disturbs(&self, place: Place, thing: Thing, change: bool) -> bool {
        let known = &self.known[place.0 as usize];
        if change { known.touched.contains(thing) } else { known.changed.contains(thing) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn futures_are_passed_on_backwards() {
        let mut futures = Futures::default();
        let places: Vec<Place> = (0..4).map(|pc| futures.place(ThreadId(0), pc)).collect();
        for pair in places.windows(2) {
            futures.link(pair[0], pair[1]);
        }
        futures.note(places[2], Thing(70), true);
        for (place, expected) in places.iter().zip([true, true, true, false]) {
            assert_eq!(futures.disturbs(*place, Thing(70), false), expected);
        }
        assert!(!futures.disturbs(places[0], Thing(71), true));
        let growth = futures.growth;
        futures.note(places[2], Thing(70), true);
        futures.link(places[0], places[1]);
        assert_eq!(futures.growth, growth);
    }

    #[test]
    fn reads_disturb_changes_only() {
        let mut futures = Futures::default();
        let place = futures.place(ThreadId(1), 7);
        futures.note(place, Thing(0), false);
        assert!(futures.disturbs(place, Thing(0), true));
        assert!(!futures.disturbs(place, Thing(0), false));
    }

    #[test]
    fn circles_share_their_future() {
        let mut futures = Futures::default();
        let [one, two] = [1, 2].map(|pc| futures.place(ThreadId(0), pc));
        futures.link(one, two);
        futures.link(two, one);
        futures.note(one, Thing(3), true);
        assert!(futures.disturbs(two, Thing(3), false));
        assert_eq!(futures.place(ThreadId(0), 2), two);
        assert_ne!(futures.place(ThreadId(1), 2), two);
    }
}
