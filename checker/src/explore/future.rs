//! What each thread may still do: everything it was ever seen to touch from a place in the program
//! on.
//!
//! Places are the program counters at which threads stood between moves, for each thread its own.
//! A move from one place to another says that whatever can be touched from the second can be
//! touched from the first; a move that creates a thread says the same of the place where that one
//! begins. So the future of a place only grows, and is passed on backwards when it does.
//!
//! Things are halves of words that at least two threads touch, one changing them; they are
//! numbered as they are found (see [`super::touches`]). An index tells for each thing in whose
//! future it is, so that nobody has to ask all threads. Cost: a look-up a move where nothing is
//! new.
//!
//! A place is *straight* if no thread was seen to come back to it: a move from there closes no
//! cycle of states. That is found out when a round begins, of the links that are known then; who
//! leaves out moves because of it has to look at the end whether links were added (see
//! [`Futures::is_shaken`]).

mod straight;

use ahash::{AHashMap, AHashSet, RandomState};
use samovar_vm::machine::ThreadId;

/// A half of a word that threads share, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thing(pub u32);

/// Where a thread stands, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(u32);

/// A set of things: words of 64 bits by their number, those without a bit left out. Futures are
/// small, but those of a program with many threads are many.
#[derive(Clone, Debug, Default)]
struct Things {
    words: Vec<(u32, u64)>,
}

impl Things {
    fn contains(&self, thing: Thing) -> bool {
        self.word(thing.0 / 64) & 1 << (thing.0 % 64) != 0
    }

    /// The things of a word.
    fn word(&self, number: u32) -> u64 {
        let at = self.words.binary_search_by_key(&number, |word| word.0);
        at.map_or(0, |at| self.words[at].1)
    }

    /// Adds the things of a word; which of them are new.
    fn add(&mut self, number: u32, bits: u64) -> u64 {
        if bits == 0 {
            return 0;
        }
        match self.words.binary_search_by_key(&number, |word| word.0) {
            Ok(at) => {
                let own = &mut self.words[at].1;
                let new = bits & !*own;
                *own |= bits;
                new
            }
            Err(at) => {
                self.words.insert(at, (number, bits));
                bits
            }
        }
    }
}

/// What is known of a place.
#[derive(Debug)]
struct Known {
    thread: ThreadId,
    touched: Things,
    changed: Things,
    /// Places from which moves lead here.
    before: Vec<Place>,
}

/// Things of one word that come to a future; what is changed is touched, too.
#[derive(Clone, Copy, Debug)]
struct More {
    number: u32,
    touched: u64,
    changed: u64,
}

/// By thing: the places in whose future it is.
type Places = Vec<Vec<Place>>;

/// See the module head.
#[derive(Debug)]
pub struct Futures {
    places: AHashMap<(u32, u64), Place>,
    known: Vec<Known>,
    links: AHashSet<(Place, Place)>,
    touching: Places,
    changing: Places,
    /// How often something was new.
    pub growth: u64,
    /// By place: whether it is straight, of those that were known when the round began.
    straight: Vec<bool>,
    /// Links that were known then.
    links_then: usize,
    /// Moves were left out in this round because of straight places.
    is_leaned_on: bool,
}

impl Default for Futures {
    fn default() -> Futures {
        let hasher = RandomState::with_seeds(81, 82, 83, 84);
        Futures {
            places: AHashMap::with_hasher(hasher.clone()),
            known: Vec::new(),
            links: AHashSet::with_hasher(hasher),
            touching: Vec::new(),
            changing: Vec::new(),
            growth: 0,
            straight: Vec::new(),
            links_then: 0,
            is_leaned_on: false,
        }
    }
}

impl Futures {
    /// The place of a thread at a program counter.
    pub fn place(&mut self, thread: ThreadId, pc: u64) -> Place {
        let next = Place(self.known.len() as u32);
        let place = *self.places.entry((thread.0, pc)).or_insert(next);
        if place == next {
            let (touched, changed) = (Things::default(), Things::default());
            self.known.push(Known { thread, touched, changed, before: Vec::new() });
        }
        place
    }

    /// A move from a place touches these things, and changes some. There may be many, where memory
    /// is taken away, so they are passed on together.
    pub fn note(&mut self, place: Place, things: impl Iterator<Item = (Thing, bool)>) {
        let mut more: Vec<More> = Vec::new();
        for (thing, change) in things {
            let (number, bit) = (thing.0 / 64, 1 << (thing.0 % 64));
            let changed = if change { bit } else { 0 };
            match more.last_mut().filter(|last| last.number == number) {
                Some(last) => {
                    (last.touched, last.changed) = (last.touched | bit, last.changed | changed)
                }
                None => more.push(More { number, touched: bit, changed }),
            }
        }
        let new = self.add(place, &more);
        if !new.is_empty() {
            self.growth += 1;
            self.pass_on(place, new);
        }
    }

    /// A move leads from one place to another, or creates a thread that begins there.
    pub fn link(&mut self, from: Place, to: Place) {
        if !self.links.insert((from, to)) || from == to {
            return;
        }
        self.known[to.0 as usize].before.push(from);
        let Known { touched, changed, .. } = &self.known[to.0 as usize];
        let more = touched.words.iter().map(|&(number, touched)| {
            let changed = changed.word(number);
            More { number, touched, changed }
        });
        let more: Vec<More> = more.collect();
        let new = self.add(from, &more);
        if !new.is_empty() {
            self.growth += 1;
            self.pass_on(from, new);
        }
    }

    /// Adds to the future of a place; what of it is new.
    fn add(&mut self, place: Place, more: &[More]) -> Vec<More> {
        let known = &mut self.known[place.0 as usize];
        let mut new = Vec::new();
        for &More { number, touched, changed } in more {
            let touched = known.touched.add(number, touched);
            let changed = known.changed.add(number, changed);
            index(&mut self.touching, place, number, touched);
            index(&mut self.changing, place, number, changed);
            if touched | changed != 0 {
                new.push(More { number, touched, changed });
            }
        }
        new
    }

    /// Passes what is new in the future of a place on to all from which it can be reached.
    fn pass_on(&mut self, place: Place, new: Vec<More>) {
        let mut grown = vec![(place, new)];
        while let Some((place, new)) = grown.pop() {
            for at in 0..self.known[place.0 as usize].before.len() {
                let before = self.known[place.0 as usize].before[at];
                let new = self.add(before, &new);
                if !new.is_empty() {
                    grown.push((before, new));
                }
            }
        }
    }

    /// Begins a round, in which no place is known to be straight.
    pub fn begin_round(&mut self) {
        self.straight.clear();
        self.is_leaned_on = false;
    }

    /// Finds out which places are straight.
    pub fn find_straight(&mut self) {
        let before = self.known.iter().map(|known| &known.before[..]).collect::<Vec<_>>();
        self.straight = straight::straight(&before);
        for (from, _) in self.links.iter().filter(|(from, to)| from == to) {
            self.straight[from.0 as usize] = false;
        }
        self.links_then = self.links.len();
    }

    /// Whether it is known that no move from a place closes a cycle.
    #[inline]
    pub fn is_straight(&self, place: Place) -> bool {
        self.straight.get(place.0 as usize).is_some_and(|&straight| straight)
    }

    /// Moves were left out because of a straight place.
    pub fn lean_on_straight(&mut self) {
        self.is_leaned_on = true;
    }

    /// Whether moves were left out because of straight places that may not be.
    pub fn is_shaken(&self) -> bool {
        self.is_leaned_on && self.links_then != self.links.len()
    }

    /// The places from which on an access to a thing is disturbed, and their threads.
    pub fn disturbing(
        &self,
        thing: Thing,
        change: bool,
    ) -> impl Iterator<Item = (ThreadId, Place)> + '_ {
        let places = if change { &self.touching } else { &self.changing };
        let places = places.get(thing.0 as usize).map_or(&[][..], Vec::as_slice);
        places.iter().map(|&place| (self.known[place.0 as usize].thread, place))
    }

    /// All things that are in a future have numbers below this.
    pub fn things(&self) -> usize {
        self.touching.len()
    }

    /// Whether the order matters between an access to a thing and what may happen from a place on.
    pub fn disturbs(&self, place: Place, thing: Thing, change: bool) -> bool {
        let known = &self.known[place.0 as usize];
        if change { known.touched.contains(thing) } else { known.changed.contains(thing) }
    }
}

/// Notes that the things of a word are in the future of a place.
fn index(places: &mut Places, place: Place, number: u32, mut bits: u64) {
    while bits != 0 {
        let thing = (number * 64 + bits.trailing_zeros()) as usize;
        bits &= bits - 1;
        if places.len() <= thing {
            places.resize(thing + 1, Vec::new());
        }
        places[thing].push(place);
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
        futures.note(places[2], [(Thing(70), true)].into_iter());
        for (place, expected) in places.iter().zip([true, true, true, false]) {
            assert_eq!(futures.disturbs(*place, Thing(70), false), expected);
            let mut listed = futures.disturbing(Thing(70), false);
            assert_eq!(listed.any(|one| one == (ThreadId(0), *place)), expected);
        }
        assert!(!futures.disturbs(places[0], Thing(71), true));
        let growth = futures.growth;
        futures.note(places[2], [(Thing(70), true)].into_iter());
        futures.link(places[0], places[1]);
        assert_eq!(futures.growth, growth);
    }

    #[test]
    fn things_are_passed_on_together() {
        let mut futures = Futures::default();
        let [one, two] = [1, 2].map(|pc| futures.place(ThreadId(0), pc));
        futures.link(one, two);
        futures.note(two, [3, 64, 65, 5].into_iter().map(|thing| (Thing(thing), thing != 65)));
        assert_eq!(futures.growth, 1);
        for thing in [3, 5, 64, 65] {
            assert!(futures.disturbs(one, Thing(thing), true), "{thing}");
            assert_eq!(futures.disturbs(one, Thing(thing), false), thing != 65, "{thing}");
        }
        assert!(!futures.disturbs(one, Thing(4), true));
    }

    #[test]
    fn reads_disturb_changes_only() {
        let mut futures = Futures::default();
        let place = futures.place(ThreadId(1), 7);
        futures.note(place, [(Thing(0), false)].into_iter());
        assert!(futures.disturbs(place, Thing(0), true));
        assert!(!futures.disturbs(place, Thing(0), false));
    }

    #[test]
    fn circles_share_their_future() {
        let mut futures = Futures::default();
        let [one, two] = [1, 2].map(|pc| futures.place(ThreadId(0), pc));
        futures.link(one, two);
        futures.link(two, one);
        futures.note(one, [(Thing(3), true)].into_iter());
        assert!(futures.disturbs(two, Thing(3), false));
        assert_eq!(futures.place(ThreadId(0), 2), two);
        assert_ne!(futures.place(ThreadId(1), 2), two);
    }
}
