//! Tree compression: a vector of numbers becomes one number, in a few bytes.
//!
//! Neighbours in the vector are combined into pairs, pairs into pairs of pairs, and so on; every
//! different pair is stored once and has a number. Vectors that share halves share the storage, so
//! a state that differs from another one in few places costs little more than its topmost pair.
//! Equality of the topmost numbers is equality of the vectors: no hash decides anything.
//!
//! The topmost pairs, *roots*, have a table of their own, so that states have numbers without gaps
//! but for few. All other pairs are *inner*. The elements of a vector are its *cells*; a cell may
//! hold a number, or be the top of a small tree of inner pairs itself (see [`super::layout`]),
//! which nobody has to care about here.
//!
//! The vector may grow while states are stored: it doubles. The old vector becomes the left half,
//! and the number of a vector whose right half is zero stays that of its left half, so that numbers
//! do not change when zeros are appended. A root knows how often the vector had doubled.

use super::table::Handle;
use ahash::{AHashMap, RandomState};

/// A vector whose number may not be known yet: looking it up takes time in which other work can be
/// done.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    /// It has this topmost pair, and never doubled.
    Root(u64),
    /// It has this number.
    Known(StateId),
}

/// Number of a stored vector; zero is the vector of zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// All pairs.
#[derive(Debug, Default)]
pub struct Pairs {
    inner: Handle,
    roots: Handle,
    recent: Recent,
}

/// Inner pairs that were asked for not long ago, near at hand: most moves combine what was combined
/// before, and the table itself is too large to be near.
#[derive(Debug)]
struct Recent {
    /// Pairs and their numbers, each in the place that its hash says; zeros for none.
    entries: Box<[(u64, u32)]>,
}

/// Places for recent pairs, as a power of two.
const RECENT_BITS: u32 = 12;

impl Default for Recent {
    fn default() -> Recent {
        Recent { entries: vec![(0, 0); 1 << RECENT_BITS].into_boxed_slice() }
    }
}

impl Recent {
    #[inline]
    fn place(&mut self, pair: u64) -> &mut (u64, u32) {
        let hash = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &mut self.entries[(hash >> (u64::BITS - RECENT_BITS)) as usize]
    }
}

/// New numbers of roots by old ones.
type Numbers = AHashMap<u32, u32>;

/// Bits of each half of a root; the rest is how often the vector had doubled.
const HALF: u32 = 30;
const HALF_MASK: u64 = (1 << HALF) - 1;
/// Most often that a vector can double.
const DOUBLED_MAX: usize = (1 << (u64::BITS - 2 * HALF)) - 1;

impl Pairs {
    /// Access to the same pairs for another thread; see [`Handle::share`].
    pub fn share(&self) -> Pairs {
        let (inner, roots) = (self.inner.share(), self.roots.share());
        Pairs { inner, roots, recent: Recent::default() }
    }

    /// Whether something could not be added; see [`Handle::is_overrun`].
    pub fn is_overrun(&self) -> bool {
        self.inner.is_overrun() || self.roots.is_overrun()
    }

    /// Whether both find pairs by the same index.
    pub fn is_same_index(&self, other: &Pairs) -> bool {
        self.inner.is_same_index(&other.inner) && self.roots.is_same_index(&other.roots)
    }

    /// Makes room for so many more pairs of each kind, on so many cores.
    pub fn reserve(&mut self, more: usize, jobs: usize) {
        self.inner.reserve(more, jobs);
        self.roots.reserve(more, jobs);
    }

    /// The number of an inner pair.
    #[inline]
    pub fn inner(&mut self, left: u32, right: u32) -> u32 {
        let pair = u64::from(left) | u64::from(right) << 32;
        let place = self.recent.place(pair);
        if place.0 == pair {
            return place.1;
        }
        let number = self.inner.number(pair).0;
        // Zero stands for no pair, and for one that could not be added.
        if number != 0 {
            *place = (pair, number);
        }
        number
    }

    /// The halves of an inner pair.
    #[inline]
    pub fn halves(&self, number: u32) -> (u32, u32) {
        if number == 0 {
            return (0, 0);
        }
        let pair = self.inner.entry(number);
        (pair as u32, (pair >> 32) as u32)
    }

    /// The number of a vector.
    #[inline]
    pub fn state(&mut self, next: Next) -> StateId {
        match next {
            Next::Root(root) => StateId(self.roots.number(root).0),
            Next::Known(state) => state,
        }
    }

    /// The number of a root after the vector had doubled so often, and whether it is new.
    #[inline]
    fn root(&mut self, doubled: usize, left: u32, right: u32) -> (u32, bool) {
        let halves = u64::from(left) | u64::from(right) << HALF;
        let doubled = if halves == 0 { 0 } else { doubled as u64 };
        self.roots.number(halves | doubled << (2 * HALF))
    }

    /// How often the vector had doubled, and the halves of a root.
    #[inline]
    fn root_halves(&self, number: u32) -> (usize, u32, u32) {
        if number == 0 {
            return (0, 0, 0);
        }
        let root = self.roots.entry(number);
        let (left, right) = (root & HALF_MASK, root >> HALF & HALF_MASK);
        ((root >> (2 * HALF)) as usize, left as u32, right as u32)
    }

    /// Forgets all roots but these, which get other numbers. Nobody else may have access.
    pub fn keep_roots<'a>(&mut self, numbers: impl Iterator<Item = &'a mut u32>) {
        let before = std::mem::take(&mut self.roots);
        let mut known = AHashMap::with_hasher(RandomState::with_seeds(45, 46, 47, 48));
        for number in numbers {
            *number = self.renumber(&before, &mut known, *number);
        }
    }

    fn renumber(&mut self, before: &Handle, known: &mut Numbers, number: u32) -> u32 {
        if number == 0 {
            return 0;
        }
        if let Some(&number) = known.get(&number) {
            return number;
        }
        let mut root = before.entry(number);
        if root >> (2 * HALF) != 0 {
            // The left half is a root itself.
            let left = self.renumber(before, known, (root & HALF_MASK) as u32);
            root = root & !HALF_MASK | u64::from(left);
        }
        let (renumbered, _) = self.roots.number(root);
        known.insert(number, renumbered);
        renumbered
    }

    /// Forgets everything. Nobody else may have access.
    pub fn clear(&mut self) {
        self.inner.clear();
        self.roots.clear();
        self.recent = Recent::default();
    }

    /// Every [`StateId`] is below this.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// How many roots there are, and how many inner pairs, which are so to speak what states cost
    /// beside themselves; those added by others count if they were asked.
    pub fn counts(&self) -> (usize, usize) {
        (self.roots.count(), self.inner.count())
    }

    /// Takes over what others know about how many pairs there are.
    pub fn take_counts(&mut self, other: &mut Pairs) {
        self.inner.take_count(&mut other.inner);
        self.roots.take_count(&mut other.roots);
    }

    /// Whether no vector but that of zeros is stored.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Whether there is hardly any room left.
    pub fn is_full(&self) -> bool {
        self.roots.is_full() || self.inner.is_full()
    }

    /// Memory taken.
    pub fn bytes(&self) -> usize {
        self.inner.bytes() + self.roots.bytes()
    }

    /// Memory that is taken at most while so many states are added.
    pub fn bytes_ahead(&self, more: usize) -> usize {
        self.inner.bytes_ahead(more) + self.roots.bytes_ahead(more)
    }

    /// Words of the indices that are taken, and all.
    pub fn load(&self) -> (usize, usize) {
        let (inner, roots) = (self.inner.load(), self.roots.load());
        (inner.0 + roots.0, inner.1 + roots.1)
    }
}

/// A vector with all its pairs, kept up to date as it changes; changes can be taken back.
#[derive(Debug)]
pub struct Tree {
    /// Cells, pairs, pairs of pairs, …, the topmost level having one entry.
    levels: Vec<Vec<u32>>,
    /// The level of the root before the vector doubled.
    base: usize,
    /// Level, index and old value of every change.
    log: Vec<(u8, u32, u32)>,
    /// Indices of the next level that have to be combined anew.
    dirty: Vec<u32>,
    /// The state was never seen before, as far as the last change tells.
    is_new: bool,
    /// Cells only: nothing is combined.
    is_flat: bool,
}

/// Where a tree stood, to go back to.
#[derive(Clone, Copy, Debug)]
pub struct TreeMark(usize);

impl Tree {
    /// A vector of at least `cells` zeros.
    pub fn new(cells: usize) -> Tree {
        let base = cells.max(2).next_power_of_two().trailing_zeros() as usize;
        let levels = (0..=base).map(|level| vec![0; 1 << (base - level)]).collect();
        let (log, dirty, is_new, is_flat) = (Vec::new(), Vec::new(), false, false);
        Tree { levels, base, log, dirty, is_new, is_flat }
    }

    /// The vector of zeros, of the same size and grown in the same way as another one: the numbers
    /// of stored vectors mean the same to both.
    pub fn like(other: &Tree) -> Tree {
        let mut tree = Tree::new(1 << other.base);
        while tree.len() < other.len() {
            tree.grow();
        }
        tree
    }

    /// A vector of no cells, which is never combined.
    pub fn flat() -> Tree {
        Tree { levels: vec![Vec::new()], is_flat: true, ..Tree::new(0) }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.levels[0].len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes room for more cells: twice as many, or one if nothing is combined.
    pub fn grow(&mut self) {
        if self.is_flat {
            self.levels[0].push(0);
            return;
        }
        for level in &mut self.levels {
            level.resize(level.len() * 2, 0);
        }
        self.levels.push(vec![0]);
    }

    /// Whether it has doubled more often than roots can tell: numbers of vectors mean nothing then,
    /// and whoever stores them has to begin anew with a larger one.
    #[inline]
    pub fn is_overgrown(&self) -> bool {
        !self.is_flat && DOUBLED_MAX < self.levels.len() - 1 - self.base
    }

    /// All cells.
    pub fn cells(&self) -> &[u32] {
        &self.levels[0]
    }

    /// A cell.
    #[inline]
    pub fn get(&self, cell: u32) -> u32 {
        self.levels[0][cell as usize]
    }

    /// Changes a cell; [`Tree::settle`] has to follow.
    #[inline]
    pub fn set(&mut self, cell: u32, value: u32) {
        if self.replace(0, cell, value) && !self.is_flat {
            self.dirty.push(cell / 2);
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
    #[inline]
    pub fn settle(&mut self, pairs: &mut Pairs) -> StateId {
        self.is_new = false;
        self.combine_up_to(pairs, self.levels.len() - 1);
        self.id()
    }

    /// Combines what has changed, perhaps but for the topmost pair, which is going to be looked up
    /// soon. The vector has to be taken back before anything else.
    #[inline]
    pub fn next(&mut self, pairs: &mut Pairs) -> Next {
        if self.base + 1 != self.levels.len() {
            return Next::Known(self.settle(pairs));
        }
        self.combine_up_to(pairs, self.base - 1);
        let below = &self.levels[self.base - 1];
        let root = u64::from(below[0]) | u64::from(below[1]) << HALF;
        pairs.roots.prefetch(root);
        Next::Root(root)
    }

    #[inline]
    fn combine_up_to(&mut self, pairs: &mut Pairs, top: usize) {
        if 1 < self.dirty.len() {
            self.dirty.sort_unstable();
        }
        for level in 1..=top {
            let (mut kept, mut last) = (0, u32::MAX);
            for at in 0..self.dirty.len() {
                let index = self.dirty[at];
                if index == last {
                    continue;
                }
                last = index;
                if self.combine(pairs, level, index) {
                    self.dirty[kept] = index / 2;
                    kept += 1;
                }
            }
            self.dirty.truncate(kept);
        }
        self.dirty.clear();
    }

    /// Combines one pair anew; whether that may make a difference above it.
    #[inline]
    fn combine(&mut self, pairs: &mut Pairs, level: usize, index: u32) -> bool {
        let below = &self.levels[level - 1];
        let (left, right) = (below[index as usize * 2], below[index as usize * 2 + 1]);
        if index != 0 || level < self.base {
            let number = pairs.inner(left, right);
            return self.replace(level, index, number);
        }
        let doubled = level - self.base;
        if 0 < doubled && right == 0 {
            return true;
        }
        let left = if doubled == 0 { left } else { self.id_within(doubled - 1).0 };
        let (number, is_new) = pairs.root(doubled, left, right);
        self.is_new = is_new;
        self.replace(level, 0, number);
        true
    }

    /// The number of the vector, which was settled.
    #[inline]
    pub fn id(&self) -> StateId {
        self.id_within(self.levels.len() - 1 - self.base)
    }

    /// The number of the left part that it was before it had doubled more often.
    #[inline]
    fn id_within(&self, doubled: usize) -> StateId {
        let top = (1..=doubled).rev().find(|more| self.levels[self.base + more - 1][1] != 0);
        StateId(self.levels[self.base + top.unwrap_or(0)][0])
    }

    /// Whether the vector as it was settled last was never settled before.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Goes to a stored vector, which costs a look at every pair that is different.
    pub fn go(&mut self, pairs: &Pairs, target: StateId) {
        let mut number = target.0;
        let (doubled, ..) = pairs.root_halves(number);
        while self.levels.len() - 1 - self.base < doubled {
            self.grow();
        }
        for more in (1..self.levels.len() - self.base).rev() {
            let (doubled, left, right) = pairs.root_halves(number);
            let (left, right) = if doubled == more { (left, right) } else { (number, 0) };
            if right != 0 {
                self.replace(self.base + more, 0, number);
            }
            self.fill(pairs, self.base + more - 1, 1, right);
            number = left;
        }
        if self.replace(self.base, 0, number) {
            let (_, left, right) = pairs.root_halves(number);
            self.fill(pairs, self.base - 1, 0, left);
            self.fill(pairs, self.base - 1, 1, right);
        }
    }

    fn fill(&mut self, pairs: &Pairs, level: usize, index: u32, number: u32) {
        if self.replace(level, index, number) && level != 0 {
            let (left, right) = pairs.halves(number);
            self.fill(pairs, level - 1, index * 2, left);
            self.fill(pairs, level - 1, index * 2 + 1, right);
        }
    }

    /// Cells that were changed since `mark`.
    pub fn changed_since(&self, mark: TreeMark) -> impl Iterator<Item = u32> {
        self.log[mark.0..].iter().filter(|one| one.0 == 0).map(|one| one.1)
    }

    /// Remembers the vector.
    pub fn mark(&self) -> TreeMark {
        TreeMark(self.log.len())
    }

    /// Takes all changes since `mark` back.
    #[inline]
    pub fn undo_to(&mut self, mark: TreeMark) {
        self.dirty.clear();
        while mark.0 < self.log.len() {
            let Some((level, index, old)) = self.log.pop() else { break };
            self.levels[level as usize][index as usize] = old;
        }
    }

    /// All numbers of roots that are kept here.
    pub fn roots(&mut self) -> impl Iterator<Item = &mut u32> {
        let base = self.base;
        let logged = self.log.iter_mut().filter(move |one| base <= one.0.into() && one.1 == 0);
        let present = self.levels[base..].iter_mut().map(|level| &mut level[0]);
        present.chain(logged.map(|one| &mut one.2))
    }

    /// Forgets how to take changes back.
    pub fn forget(&mut self) {
        self.log.clear();
    }

    /// Calls `differs` with the cells in which a stored vector is different, and its values there,
    /// in ascending order.
    pub fn differences(&self, pairs: &Pairs, other: StateId, mut differs: impl FnMut(u32, u32)) {
        let mut number = other.0;
        let mut rights = Vec::new();
        for more in (1..self.levels.len() - self.base).rev() {
            let (doubled, left, right) = pairs.root_halves(number);
            let (left, right) = if doubled == more { (left, right) } else { (number, 0) };
            rights.push((self.base + more - 1, right));
            number = left;
        }
        if self.levels[self.base][0] != number {
            let (_, left, right) = pairs.root_halves(number);
            self.compare(pairs, (self.base - 1, 0), left, &mut differs);
            self.compare(pairs, (self.base - 1, 1), right, &mut differs);
        }
        for (level, right) in rights.into_iter().rev() {
            self.compare(pairs, (level, 1), right, &mut differs);
        }
    }

    fn compare(
        &self,
        pairs: &Pairs,
        (level, index): (usize, u32),
        number: u32,
        differs: &mut impl FnMut(u32, u32),
    ) {
        if self.levels[level][index as usize] == number {
            return;
        }
        if level == 0 {
            differs(index, number);
            return;
        }
        let (left, right) = pairs.halves(number);
        self.compare(pairs, (level - 1, index * 2), left, differs);
        self.compare(pairs, (level - 1, index * 2 + 1), right, differs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A vector that began with two cells and doubled as often as necessary.
    fn tree_of(values: &[u32], pairs: &mut Pairs) -> Tree {
        let mut tree = Tree::new(2);
        for (cell, &value) in values.iter().enumerate() {
            while tree.len() <= cell {
                tree.grow();
            }
            tree.set(cell as u32, value);
        }
        tree.settle(pairs);
        tree
    }

    fn trimmed(values: &[u32]) -> &[u32] {
        let used = values.iter().rposition(|&value| value != 0).map_or(0, |last| last + 1);
        &values[..used]
    }

    #[test]
    fn who_has_doubled_too_often_says_so_before_numbers_mean_something_else() {
        let (mut pairs, mut tree) = (Pairs::default(), Tree::new(2));
        let mut numbers = AHashMap::with_hasher(RandomState::with_seeds(1, 2, 3, 4));
        while !tree.is_overgrown() {
            let last = tree.len() as u32 - 1;
            tree.set(last, 7);
            assert_eq!(numbers.insert(tree.settle(&mut pairs), last), None);
            tree.set(last, 0);
            tree.settle(&mut pairs);
            tree.grow();
        }
        assert_eq!(numbers.len(), DOUBLED_MAX + 1);
    }

    #[test]
    fn a_vector_that_grew_can_be_taken_back_to_before() {
        let (mut pairs, mut tree) = (Pairs::default(), Tree::new(4));
        let mut marks = vec![(tree.mark(), tree.id())];
        for value in 1..10 {
            tree.set(1 + value % 3, value);
            if value % 4 == 0 {
                tree.grow();
                tree.set(tree.len() as u32 - 1, value);
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
        /// Vectors that are kept are found under their new numbers, and so are those on the way
        /// back.
        #[test]
        fn some_are_kept(
            vectors in prop::collection::vec(prop::collection::vec(0u32..4, 1..20), 2..20),
            keep in prop::collection::vec(0usize..20, 1..5),
        ) {
            let mut pairs = Pairs::default();
            let mut ids: Vec<u32> =
                vectors.iter().map(|values| tree_of(values, &mut pairs).id().0).collect();
            let mut tree = Tree::new(2);
            let mut marks = Vec::new();
            for values in vectors.iter().take(3) {
                marks.push((tree.mark(), tree.cells().to_vec()));
                while tree.len() < values.len() {
                    tree.grow();
                }
                for (cell, &value) in values.iter().enumerate() {
                    tree.set(cell as u32, value);
                }
                tree.settle(&mut pairs);
            }
            let kept: Vec<usize> = keep.iter().map(|at| at % vectors.len()).collect();
            let mut numbers: Vec<u32> = kept.iter().map(|&at| ids[at]).collect();
            pairs.keep_roots(numbers.iter_mut().chain(tree.roots()));
            for (&at, &number) in kept.iter().zip(&numbers) {
                ids[at] = number;
                prop_assert_eq!(tree_of(&vectors[at], &mut pairs).id().0, number);
            }
            for (mark, mut cells) in marks.into_iter().rev() {
                tree.undo_to(mark);
                cells.resize(tree.len(), 0);
                prop_assert_eq!(tree.cells(), &*cells);
                prop_assert_eq!(tree_of(trimmed(&cells), &mut pairs).id(), tree.id());
            }
        }

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
                expected.resize(expected.len().max(at + 1), 0);
                while tree.len() <= at {
                    tree.grow();
                }
                expected[at] = value;
                tree.set(at as u32, value);
            }
            let id = tree.settle(&mut pairs);
            prop_assert_eq!(id, tree_of(&expected, &mut pairs).id());
            tree.undo_to(mark);
            prop_assert_eq!(tree.id(), before);
        }

        /// The differences to a stored vector lead to it, and so does going there, and back.
        #[test]
        fn differences_lead_there(
            from in prop::collection::vec(0u32..4, 0..40),
            to in prop::collection::vec(0u32..4, 0..40),
        ) {
            let mut pairs = Pairs::default();
            let target = tree_of(&to, &mut pairs).id();
            let mut tree = tree_of(&from, &mut pairs);
            let (mark, before) = (tree.mark(), tree.id());
            tree.go(&pairs, target);
            prop_assert_eq!(tree.id(), target);
            let mut other = Tree::like(&tree);
            other.go(&pairs, target);
            prop_assert_eq!((other.id(), other.cells()), (target, tree.cells()));
            let cells = |values: &[u32], tree: &Tree| {
                let mut cells = values.to_vec();
                cells.resize(tree.len(), 0);
                cells
            };
            prop_assert_eq!(tree.cells(), cells(trimmed(&to), &tree));
            tree.undo_to(mark);
            prop_assert_eq!((tree.id(), tree.cells()), (before, &*cells(&from, &tree)));
            let mut changes = Vec::new();
            tree.differences(&pairs, target, |cell, value| changes.push((cell, value)));
            for &(cell, value) in &changes {
                prop_assert_ne!(tree.get(cell), value);
                tree.set(cell, value);
            }
            prop_assert_eq!(tree.settle(&mut pairs), target);
        }
    }
}
