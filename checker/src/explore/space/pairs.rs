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

use crate::explore::stubborn::{MANY, fewest};
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
    /// By role: whether the thread can move.
    enabled: Vec<bool>,
    /// By two roles, in rows of [`ROLES_MAX`].
    cells: Vec<u8>,
}

impl Default for Pairs {
    fn default() -> Pairs {
        let others = AHashMap::with_hasher(RandomState::with_seeds(91, 92, 93, 94));
        Pairs { by_class: Vec::new(), others, enabled: Vec::new(), cells: Vec::new() }
    }
}

impl Pairs {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.by_class.clear();
        self.others.clear();
        self.enabled.clear();
        self.cells.clear();
    }

    /// The ruling on a state, if it follows from what is known.
    pub(super) fn rule(&self, cast: &Cast) -> Option<Ruling> {
        let mut roles = [Role(0); MANY];
        let mut enabled = 0;
        for (at, (_, numbers)) in cast.roles().enumerate() {
            let role = self.role(numbers)?;
            *roles.get_mut(at)? = role;
            enabled |= u32::from(self.enabled[role.0 as usize]) << at;
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
        Some(fewest(enabled, &needs).map(threads))
    }

    /// Learns from a state in which all moves were found to be at peace. `needs` says of two
    /// threads whether the presence of the first asks for the second.
    pub(super) fn learn(
        &mut self,
        cast: &Cast,
        is_enabled: impl Fn(ThreadId) -> bool,
        needs: impl Fn(ThreadId, ThreadId) -> bool,
    ) {
        if MANY < cast.threads.len() {
            return;
        }
        let mut roles = [(ThreadId(0), Role(0)); MANY];
        for (at, (thread, numbers)) in cast.roles().enumerate() {
            let Some(role) = self.add(numbers, is_enabled(thread)) else { return };
            roles[at] = (thread, role);
        }
        let roles = &roles[..cast.threads.len()];
        for &(one, first) in roles {
            for &(other, second) in roles.iter().filter(|role| role.0 != one) {
                let need = if needs(one, other) { NEED } else { 0 };
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
    fn add(&mut self, numbers: &[u32], is_enabled: bool) -> Option<Role> {
        if let Some(role) = self.role(numbers) {
            return Some(role);
        }
        let role = Role(self.enabled.len() as u32);
        if self.enabled.len() == ROLES_MAX {
            return None;
        }
        self.enabled.push(is_enabled);
        self.cells.resize(self.enabled.len() * ROLES_MAX, 0);
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
        self.cells.capacity() + self.enabled.capacity() + self.by_class.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Threads 0 and 1 need each other, thread 2 needs nobody and nobody needs it.
    fn learned(casts: &[Cast]) -> Pairs {
        let mut pairs = Pairs::default();
        for cast in casts {
            pairs.learn(cast, |_| true, |one, other| one.0.max(other.0) < 2);
        }
        pairs
    }

    #[test]
    fn pairs_from_several_states_rule_another_one() {
        let casts = [[4, 5, 6], [4, 15, 16], [14, 15, 6], [14, 5, 16]]
            .map(|of| cast(&[(0, &of[..1]), (1, &of[1..2]), (2, &of[2..])]));
        let pairs = learned(&casts);
        let ruling = pairs.rule(&cast(&[(0, &[4]), (1, &[5]), (2, &[16])]));
        assert_eq!(ruling, Some(Some(ThreadSet::one(ThreadId(2)))));
        // Here every pair was met; there one was not.
        assert!(learned(&casts[1..]).rule(&cast(&[(0, &[4]), (1, &[5]), (2, &[16])])).is_none());
    }

    #[test]
    fn alternatives_and_waiting_are_roles_of_their_own() {
        let known = [cast(&[(0, &[1, 2]), (1, &[7, 8, 0])])];
        let pairs = learned(&known);
        assert_eq!(pairs.rule(&known[0]), Some(None));
        assert!(pairs.rule(&cast(&[(0, &[1]), (1, &[7, 8, 0])])).is_none());
        assert!(pairs.rule(&cast(&[(0, &[1, 2]), (1, &[7, 9, 0])])).is_none());
    }

    #[test]
    fn what_is_new_is_not_ruled() {
        let mut pairs = learned(&[cast(&[(0, &[3]), (1, &[4])])]);
        assert!(pairs.rule(&cast(&[(0, &[3]), (1, &[5])])).is_none());
        assert!(pairs.rule(&cast(&[(0, &[3]), (1, &[4])])).is_some());
        pairs.clear();
        assert!(pairs.rule(&cast(&[(0, &[3]), (1, &[4])])).is_none());
    }

    #[test]
    fn crowds_are_not_ruled() {
        let of: Vec<[u32; 1]> = (0..MANY as u32 + 1).map(|class| [class]).collect();
        let roles: Vec<(u32, &[u32])> = of.iter().map(|class| (class[0], &class[..])).collect();
        let mut pairs = Pairs::default();
        pairs.learn(&cast(&roles[1..]), |_| true, |_, _| true);
        assert_eq!(pairs.rule(&cast(&roles[1..])), Some(None));
        pairs.learn(&cast(&roles), |_| true, |_, _| true);
        assert!(pairs.rule(&cast(&roles)).is_none());
    }
}
