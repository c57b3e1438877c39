//! Tree compression: a vector of numbers becomes one number, in a few bytes.
//!
//! Neighbours in the vector are combined into pairs, pairs into pairs of pairs, and so on; every
//! different pair is stored once and has a number. Vectors that share halves share the storage, so
//! a state that differs from another one in few places costs little more than its topmost pair.
//! Equality of the topmost numbers is equality of the vectors: no hash decides anything.
//!
//! The vector may grow while states are stored. Everything beyond its end counts as zero, a pair
//! of zeros is zero, and the leftmost pair of each level (the *spine*) is its left half alone as
//! long as the right half is zero. So the number of a vector does not change when zeros are
//! appended. Pairs of the spine are told apart by level: the same two numbers mean different
//! vectors there. The first element of a vector must be zero, so that a number on the spine is
//! always that of a pair.

use super::slots::{Slots, fold};

/// Number of a stored vector; zero is the vector of zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// All pairs.
#[derive(Debug)]
pub struct Pairs {
    /// Left in the low half.
    pairs: Vec<u64>,
    /// Level of the pairs on the spine; zero for the others.
    levels: Vec<u8>,
    inner: Slots,
    spine: Vec<Slots>,
}

impl Default for Pairs {
    fn default() -> Pairs {
        // Number zero is taken by nothing.
        let (inner, spine) = (Slots::default(), Vec::new());
        Pairs { pairs: vec![0], levels: vec![0], inner, spine }
    }
}

fn hash_pair(pair: u64) -> u64 {
    fold(pair ^ 0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9)
}

impl Pairs {
    /// The number of a pair that is not on the spine.
    #[inline]
    fn inner(&mut self, left: u32, right: u32) -> u32 {
        let pair = u64::from(left) | u64::from(right) << 32;
        if pair == 0 {
            return 0;
        }
        let (pairs, hash) = (&self.pairs, hash_pair(pair));
        if let Some(number) = self.inner.find(hash, |number| pairs[number as usize] == pair) {
            return number;
        }
        let number = next_number(pairs);
        self.inner.add(hash, number, |number| hash_pair(pairs[number as usize]));
        self.pairs.push(pair);
        self.levels.push(0);
        number
    }

    /// The number of the pair of the spine at a level.
    #[inline]
    fn spine(&mut self, level: usize, left: u32, right: u32) -> u32 {
        if right == 0 {
            return left;
        }
        if self.spine.len() <= level {
            self.spine.resize_with(level + 1, Slots::default);
        }
        let pair = u64::from(left) | u64::from(right) << 32;
        let (pairs, hash, slots) = (&self.pairs, hash_pair(pair), &mut self.spine[level]);
        if let Some(number) = slots.find(hash, |number| pairs[number as usize] == pair) {
            return number;
        }
        let number = next_number(pairs);
        slots.add(hash, number, |number| hash_pair(pairs[number as usize]));
        self.pairs.push(pair);
        self.levels.push(level as u8);
        number
    }

    fn halves(&self, number: u32) -> (u32, u32) {
        let pair = self.pairs[number as usize];
        (pair as u32, (pair >> 32) as u32)
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.pairs.truncate(1);
        self.levels.truncate(1);
        self.inner.clear();
        self.spine.iter_mut().for_each(Slots::clear);
    }

    /// Numbers given so far: every [`StateId`] is below.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no vector but that of zeros is stored.
    pub fn is_empty(&self) -> bool {
        self.pairs.len() == 1
    }

    /// Memory taken.
    pub fn bytes(&self) -> usize {
        let slots: usize = self.spine.iter().map(Slots::bytes).sum();
        self.pairs.capacity() * 8 + self.levels.capacity() + self.inner.bytes() + slots
    }

    /// Slots taken and slots in all, of all indices.
    pub fn load(&self) -> (usize, usize) {
        let all = self.spine.iter().chain([&self.inner]).map(Slots::load);
        all.fold((0, 0), |(used, slots), (more, room)| (used + more, slots + room))
    }
}

fn next_number(pairs: &[u64]) -> u32 {
    u32::try_from(pairs.len()).expect("fewer than 2^32 pairs")
}

/// A vector with all its pairs, kept up to date as it changes; changes can be taken back.
#[derive(Debug, Default)]
pub struct Tree {
    /// Elements, pairs, pairs of pairs, …, the topmost level having one entry.
    levels: Vec<Vec<u32>>,
    /// Level, index and old value of every change.
    log: Vec<(u8, u32, u32)>,
    /// Indices of the next level that have to be combined anew.
    dirty: Vec<u32>,
    /// For each level, how long the log was when it was made: what was logged before does not speak
    /// of it.
    made: Vec<usize>,
    /// Elements only: nothing is combined.
    is_flat: bool,
}

/// Where a tree stood, to go back to.
#[derive(Clone, Copy, Debug)]
pub struct TreeMark(usize);

impl Tree {
    /// Appends a zero; its position.
    pub fn push(&mut self) -> u32 {
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
            self.made.push(0);
        }
        let position = self.levels[0].len();
        self.levels[0].push(0);
        let (mut level, mut len) = (0, position + 1);
        while len > 1 && !self.is_flat {
            level += 1;
            len = len.div_ceil(2);
            if self.levels.len() == level {
                let below = self.levels[level - 1][0];
                self.levels.push(vec![below]);
                self.made.push(self.log.len());
            }
            self.levels[level].resize(len, 0);
        }
        position as u32
    }

    /// Stops combining: from now on there are elements only. The vector must be that of zeros.
    pub fn flatten(&mut self) {
        self.levels.truncate(1);
        self.made.truncate(1);
        self.is_flat = true;
    }

    /// All elements.
    pub fn elements(&self) -> &[u32] {
        self.levels.first().map_or(&[], |elements| elements)
    }

    /// An element.
    #[inline]
    pub fn get(&self, position: u32) -> u32 {
        self.levels[0][position as usize]
    }

    /// Changes an element; [`Tree::settle`] has to follow.
    #[inline]
    pub fn set(&mut self, position: u32, value: u32) {
        debug_assert!(position != 0, "the first element is always zero");
        if self.replace(0, position, value) && !self.is_flat {
            self.dirty.push(position / 2);
        }
    }

    #[inline]
    fn replace(&mut self, level: usize, index: u32, value: u32) -> bool {
        let place = &mut self.levels[level][index as usize];
        let old = std::mem::replace(place, value);
        if old != value {
            self.log.push((level as u8, index, old));
        }
        old != value
    }

    /// Combines what has changed, and tells the number of the vector.
    pub fn settle(&mut self, pairs: &mut Pairs) -> StateId {
        if 1 < self.dirty.len() {
            self.dirty.sort_unstable();
        }
        for level in 1..self.levels.len() {
            let mut kept = 0;
            let mut last = u32::MAX;
            for at in 0..self.dirty.len() {
                let index = self.dirty[at];
                if index == last {
                    continue;
                }
                last = index;
                let below = &self.levels[level - 1];
                let left = below[index as usize * 2];
                let right = below.get(index as usize * 2 + 1).copied().unwrap_or(0);
                let number = match index {
                    0 => pairs.spine(level, left, right),
                    _ => pairs.inner(left, right),
                };
                if self.replace(level, index, number) {
                    self.dirty[kept] = index / 2;
                    kept += 1;
                }
            }
            self.dirty.truncate(kept);
        }
        self.dirty.clear();
        self.id()
    }

    /// The number of the vector, which was settled.
    pub fn id(&self) -> StateId {
        StateId(self.levels.last().map_or(0, |top| top[0]))
    }

    /// Remembers the vector.
    pub fn mark(&self) -> TreeMark {
        TreeMark(self.log.len())
    }

    /// Takes all changes since `mark` back.
    pub fn undo_to(&mut self, mark: TreeMark) {
        while self.log.len() > mark.0 {
            let Some((level, index, old)) = self.log.pop() else { break };
            self.levels[level as usize][index as usize] = old;
        }
        if self.made.last().is_some_and(|&made| mark.0 < made) {
            self.follow_below(mark.0);
        }
    }

    /// Puts levels right that were made after the log was this long: then, everything was on the
    /// left of the spine.
    #[cold]
    fn follow_below(&mut self, len: usize) {
        for level in 1..self.levels.len() {
            if len < self.made[level] {
                self.levels[level][0] = self.levels[level - 1][0];
                self.made[level] = len;
            }
        }
    }

    /// Positions whose elements were changed since `mark`.
    pub fn changed_since(&self, mark: TreeMark) -> impl Iterator<Item = u32> + '_ {
        self.log[mark.0..].iter().filter(|(level, ..)| *level == 0).map(|&(_, index, _)| index)
    }

    /// Forgets how to take changes back.
    pub fn forget(&mut self) {
        self.log.clear();
        self.made.fill(0);
    }

    /// Calls `differs` with the positions in which a stored vector is different, and its values
    /// there, in ascending order.
    pub fn differences(&self, pairs: &Pairs, other: StateId, mut differs: impl FnMut(u32, u32)) {
        if let Some(top) = self.levels.len().checked_sub(1) {
            self.compare(pairs, (top, 0), other.0, &mut differs);
        }
    }

    fn compare(
        &self,
        pairs: &Pairs,
        (level, index): (usize, u32),
        number: u32,
        differs: &mut impl FnMut(u32, u32),
    ) {
        let own = self.levels[level].get(index as usize).copied().unwrap_or(0);
        if own == number {
            return;
        }
        if level == 0 {
            differs(index, number);
            return;
        }
        // On the spine, a number from further down is a left half.
        let is_left_half = index == 0 && usize::from(pairs.levels[number as usize]) < level;
        let (left, right) = if is_left_half { (number, 0) } else { pairs.halves(number) };
        self.compare(pairs, (level - 1, index * 2), left, differs);
        self.compare(pairs, (level - 1, index * 2 + 1), right, differs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tree_of(values: &[u32], pairs: &mut Pairs) -> Tree {
        let mut tree = Tree::default();
        tree.push();
        for &value in values {
            let position = tree.push();
            tree.set(position, value);
        }
        tree.settle(pairs);
        tree
    }

    fn trimmed(values: &[u32]) -> &[u32] {
        let used = values.iter().rposition(|&value| value != 0).map_or(0, |last| last + 1);
        &values[..used]
    }

    #[test]
    fn a_vector_that_grew_can_be_taken_back_to_before() {
        let (mut pairs, mut tree) = (Pairs::default(), Tree::default());
        for _ in 0..4 {
            tree.push();
        }
        let mut marks = vec![(tree.mark(), tree.id())];
        for value in 1..10 {
            tree.set(1 + value % 3, value);
            let position = tree.push();
            if value % 4 == 0 {
                tree.set(position, value);
            }
            tree.settle(&mut pairs);
            marks.push((tree.mark(), tree.id()));
        }
        for (mark, id) in marks.into_iter().rev() {
            tree.undo_to(mark);
            assert_eq!(tree.id(), id);
        }
    }

    proptest! {
        /// Numbers are equal exactly for vectors that are equal but for zeros at the end.
        #[test]
        fn numbers_stand_for_vectors(
            vectors in prop::collection::vec(prop::collection::vec(0u32..3, 0..20), 2..20)
        ) {
            let mut pairs = Pairs::default();
            let ids: Vec<StateId> =
                vectors.iter().map(|values| tree_of(values, &mut pairs).id()).collect();
            for (a, one) in vectors.iter().enumerate() {
                for (b, two) in vectors.iter().enumerate() {
                    prop_assert_eq!(ids[a] == ids[b], trimmed(one) == trimmed(two));
                }
            }
        }

        /// Incremental change and change from scratch agree; going back restores.
        #[test]
        fn changes_are_incremental(
            values in prop::collection::vec(0u32..3, 1..40),
            changes in prop::collection::vec((0usize..60, 0u32..3), 1..10),
        ) {
            let mut pairs = Pairs::default();
            let mut tree = tree_of(&values, &mut pairs);
            let (mark, before) = (tree.mark(), tree.id());
            let mut expected = values.clone();
            for (at, value) in changes {
                while expected.len() <= at {
                    expected.push(0);
                    tree.push();
                }
                expected[at] = value;
                tree.set(at as u32 + 1, value);
            }
            let id = tree.settle(&mut pairs);
            prop_assert_eq!(id, tree_of(&expected, &mut pairs).id());
            tree.undo_to(mark);
            prop_assert_eq!(tree.id(), before);
        }

        /// The differences to a stored vector lead to it.
        #[test]
        fn differences_lead_there(
            from in prop::collection::vec(0u32..4, 0..40),
            to in prop::collection::vec(0u32..4, 0..40),
        ) {
            let mut pairs = Pairs::default();
            let target = tree_of(&to, &mut pairs).id();
            let mut tree = tree_of(&from, &mut pairs);
            for _ in from.len()..to.len() {
                tree.push();
            }
            let mut changes = Vec::new();
            tree.differences(&pairs, target, |position, value| changes.push((position, value)));
            for &(position, value) in &changes {
                prop_assert_ne!(tree.get(position), value);
                tree.set(position, value);
            }
            prop_assert_eq!(tree.settle(&mut pairs), target);
        }
    }
}
