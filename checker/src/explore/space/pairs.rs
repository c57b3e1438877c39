//! What the moves of two threads mean to each other.
//!
//! Whether moves are at peace, and whom the presence of a thread asks for (see
//! [`crate::explore::stubborn`]), are facts about two threads each: about what their next moves are
//! like, where they stand and what they wait for. How a thread stands in that sense is its *role*.
//! Roles are met in few pairs and in very many combinations, so what is learned from comparing the
//! moves of one state is kept by pairs, and rules all states whose pairs were met before.
//!
//! Roles are numbered anew whenever what they rest on changes, so the table stays small. States
//! with more than [`MANY`] threads, and programs with more roles than the table has room for, are
//! compared one by one. Cost: a byte for each pair of threads of a state.

use crate::explore::stubborn::{Able, MANY, Mover, Scope, fewest};
use crate::explore::thread_set::ThreadSet;
use ahash::{AHashMap, RandomState};
use samovar_vm::machine::ThreadId;

/// Threads whose moves suffice, if that is less than all.
pub(super) type Ruling = Option<ThreadSet>;

/// What a thread is about to do, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Role(u32);

/// The two were found to be at peace.
const PEACE: u8 = 1;
/// The presence of the first asks for the second.
const NEED: u8 = 2;

/// Roles that there is room for.
const ROLES_MAX: usize = 1 << 11;
/// Marks a thread that waits among the numbers of a cast.
const WAITS: u32 = 1 << 31;

/// All threads of a state, as numbers that say how they stand: what the finder of moves notes.
#[derive(Debug, Default)]
pub(super) struct Cast {
    numbers: Vec<u32>,
    /// Where the numbers of a thread begin, with the thread.
    threads: Vec<(ThreadId, u32)>,
}

impl Cast {
    /// Forgets all threads.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.threads.clear();
    }

    /// Adds a move of a thread; its alternatives come one after the other.
    #[inline]
    pub(super) fn note_move(&mut self, thread: ThreadId, class: u32) {
        if self.threads.last().is_none_or(|last| last.0 != thread) {
            self.threads.push((thread, self.numbers.len() as u32));
        }
        self.numbers.push(class);
    }

    /// Adds a thread that waits.
    pub(super) fn note_waiting(&mut self, thread: ThreadId, stands: (u32, u32)) {
        self.threads.push((thread, self.numbers.len() as u32));
        self.numbers.extend([thread.0 | WAITS, stands.0, stands.1]);
    }

    /// The numbers of each thread.
    #[inline]
    fn roles(&self) -> impl Iterator<Item = (ThreadId, &[u32])> {
        let ends = self.threads.iter().skip(1).map(|next| next.1 as usize);
        let ends = ends.chain([self.numbers.len()]);
        self.threads.iter().zip(ends).map(|(one, end)| (one.0, &self.numbers[one.1 as usize..end]))
    }
}

/// See the module head.
#[derive(Debug)]
pub(super) struct Pairs {
    /// By class of a move without alternatives: the role plus one.
    by_class: Vec<u32>,
    /// By all other ways to stand.
    others: AHashMap<Box<[u32]>, Role>,
    /// By role: whether the thread can move, and creates another one.
    roles: Vec<(bool, bool)>,
    /// By two roles, in rows of [`ROLES_MAX`].
    cells: Vec<u8>,
}

impl Default for Pairs {
    fn default() -> Pairs {
        let others = AHashMap::with_hasher(RandomState::with_seeds(91, 92, 93, 94));
        Pairs { by_class: Vec::new(), others, roles: Vec::new(), cells: Vec::new() }
    }
}

impl Pairs {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.by_class.clear();
        self.others.clear();
        self.roles.clear();
        self.cells.clear();
    }

    /// The ruling on a state, if it follows from what is known.
    pub(super) fn rule(&self, cast: &Cast, scope: Scope) -> Option<Ruling> {
        let mut roles = [Role(0); MANY];
        let mut able = Able::default();
        for (at, (_, numbers)) in cast.roles().enumerate() {
            let role = self.role(numbers)?;
            *roles.get_mut(at)? = role;
            if let (true, creates) = self.roles[role.0 as usize] {
                able.add(at, creates);
            }
        }
        let roles = &roles[..cast.threads.len()];
        let mut needs = [0; MANY];
        let mut peace = PEACE;
        for (at, role) in roles.iter().enumerate() {
            let row = &self.cells[role.0 as usize * ROLES_MAX..][..ROLES_MAX];
            for (other, role) in roles.iter().enumerate() {
                let cell = row[role.0 as usize];
                peace &= cell | u8::from(at == other);
                needs[at] |= u32::from(cell & NEED != 0) << other;
            }
        }
        if peace == 0 {
            return None;
        }
        let threads = |set: u32| {
            let threads = cast.threads.iter().enumerate().filter(|one| set & 1 << one.0 != 0);
            threads.map(|(_, one)| one.0).collect()
        };
        Some(fewest(scope, able, &needs).map(threads))
    }

    /// Learns from a state in which all moves were found to be at peace; `needs` says whom each
    /// mover asks for.
    pub(super) fn learn(&mut self, cast: &Cast, movers: &[Mover], needs: &[u32; MANY]) {
        let mut roles = [(0, Role(0)); MANY];
        for ((thread, numbers), place) in cast.roles().zip(&mut roles) {
            let Some(seat) = movers.iter().position(|mover| mover.thread == thread) else { return };
            let mover = &movers[seat];
            let Some(role) = self.add(numbers, (mover.enabled, mover.creates())) else { return };
            *place = (seat, role);
        }
        let roles = &roles[..cast.threads.len()];
        for &(one, first) in roles {
            for &(other, second) in roles.iter().filter(|role| role.0 != one) {
                let need = if needs[one] & 1 << other != 0 { NEED } else { 0 };
                let cell = &mut self.cells[first.0 as usize * ROLES_MAX + second.0 as usize];
                debug_assert!(*cell == 0 || *cell == PEACE | need, "roles that differ");
                *cell = PEACE | need;
            }
        }
    }

    #[inline]
    fn role(&self, numbers: &[u32]) -> Option<Role> {
        match numbers {
            [class] => Some(Role(self.by_class.get(*class as usize)?.checked_sub(1)?)),
            _ => self.others.get(numbers).copied(),
        }
    }

    /// The role of a thread that stands so, which may be new.
    fn add(&mut self, numbers: &[u32], kind: (bool, bool)) -> Option<Role> {
        if let Some(role) = self.role(numbers) {
            return Some(role);
        }
        let role = Role(self.roles.len() as u32);
        if self.roles.len() == ROLES_MAX {
            return None;
        }
        self.roles.push(kind);
        self.cells.resize(self.roles.len() * ROLES_MAX, 0);
        match numbers {
            [class] => {
                let class = *class as usize;
                self.by_class.resize(self.by_class.len().max(class + 1), 0);
                self.by_class[class] = role.0 + 1;
            }
            _ => {
                self.others.insert(numbers.into(), role);
            }
        }
        Some(role)
    }

    /// Bytes of heap memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.cells.capacity() + self.roles.capacity() * 2 + self.by_class.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::future::Place;
    use crate::explore::stubborn::ThreadDeed;

    fn cast(roles: &[(u32, &[u32])]) -> Cast {
        let mut cast = Cast::default();
        for &(thread, numbers) in roles {
            match numbers {
                [first, second, _] => cast.note_waiting(ThreadId(thread), (*first, *second)),
                classes => {
                    classes.iter().for_each(|class| cast.note_move(ThreadId(thread), *class));
                }
            }
        }
        cast
    }

    fn movers(cast: &Cast) -> Vec<Mover> {
        let mover = |&(thread, _): &(ThreadId, u32)| Mover {
            thread,
            enabled: true,
            wait: None,
            deed: ThreadDeed::None,
            place: Place::default(),
            things: 0..0,
        };
        cast.threads.iter().map(mover).collect()
    }

    /// Threads 0 and 1 need each other, thread 2 needs nobody and nobody needs it.
    fn learned(casts: &[Cast]) -> Pairs {
        let mut pairs = Pairs::default();
        for cast in casts {
            let mut needs = [0; MANY];
            (needs[0], needs[1]) = (2, 1);
            pairs.learn(cast, &movers(cast), &needs);
        }
        pairs
    }

    fn rule(pairs: &Pairs, cast: &Cast) -> Option<Ruling> {
        pairs.rule(cast, Scope::Any)
    }

    #[test]
    fn pairs_from_several_states_rule_another_one() {
        let casts = [[4, 5, 6], [4, 15, 16], [14, 15, 6], [14, 5, 16]]
            .map(|of| cast(&[(0, &of[..1]), (1, &of[1..2]), (2, &of[2..])]));
        let pairs = learned(&casts);
        let another = cast(&[(0, &[4]), (1, &[5]), (2, &[16])]);
        assert_eq!(rule(&pairs, &another), Some(Some(ThreadSet::one(ThreadId(2)))));
        // Here every pair was met; there one was not.
        assert!(rule(&learned(&casts[1..]), &another).is_none());
    }

    #[test]
    fn alternatives_and_waiting_are_roles_of_their_own() {
        let known = [cast(&[(0, &[1, 2]), (1, &[7, 8, 0])])];
        let pairs = learned(&known);
        assert_eq!(rule(&pairs, &known[0]), Some(None));
        assert!(rule(&pairs, &cast(&[(0, &[1]), (1, &[7, 8, 0])])).is_none());
        assert!(rule(&pairs, &cast(&[(0, &[1, 2]), (1, &[7, 9, 0])])).is_none());
    }

    #[test]
    fn what_is_new_is_not_ruled() {
        let mut pairs = learned(&[cast(&[(0, &[3]), (1, &[4])])]);
        assert!(rule(&pairs, &cast(&[(0, &[3]), (1, &[5])])).is_none());
        assert!(rule(&pairs, &cast(&[(0, &[3]), (1, &[4])])).is_some());
        pairs.clear();
        assert!(rule(&pairs, &cast(&[(0, &[3]), (1, &[4])])).is_none());
    }

    #[test]
    fn crowds_are_not_ruled() {
        let of: Vec<[u32; 1]> = (0..MANY as u32 + 1).map(|class| [class]).collect();
        let roles: Vec<(u32, &[u32])> = of.iter().map(|class| (class[0], &class[..])).collect();
        let most = cast(&roles[1..]);
        let mut pairs = Pairs::default();
        pairs.learn(&most, &movers(&most), &[u32::MAX; MANY]);
        assert_eq!(rule(&pairs, &most), Some(None));
        assert!(rule(&pairs, &cast(&roles)).is_none());
    }
}
