//! Where the numbers of components lie in the vector that is folded into a state.
//!
//! Components have *positions*, in the order in which they first changed; the vector has *cells*
//! (see [`super::tree`]). A component that several threads work on has a cell of its own. Those
//! that one thread alone works on, its registers, its stack, share a cell: a *block*, which is a
//! small tree of pairs with the components as leaves. So the whole private situation of a thread is
//! one number, a move changes few cells, and threads that stand where they stood before cost
//! nothing.
//!
//! Components that hardly ever change share one *cold* block, whoever's they are.
//!
//! Whose a component is, and how often it changes, is a guess from what moves were seen to do. A
//! wrong guess costs time and never correctness. While states are stored, every component stays
//! where it is; when a search begins anew, all are arranged anew by what is known then, so that the
//! halves of a vector, and their halves, have about as many values each: then there are few halves
//! compared to vectors.

use super::tree::{Pairs, Tree};
use ahash::{AHashMap, RandomState};

/// Most leaves of a block.
const BLOCK_MAX: usize = 256;
/// What changed less often than this part of what changes most is cold, unless it is one thread's.
const COLD_PART: u32 = 64;
/// How much of a shared component's value is news to one who knows where all threads stand.
const SHARED_WEIGHT: f64 = 0.1;
/// A vector has at least so many cells, because it can double [fifteen times](Tree::is_overgrown).
const CELLS_MIN: usize = 8;
/// Levels of a block that is begun while states are stored.
const BLOCK_DEPTH: u32 = 3;

/// Where a component is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The cell.
    pub cell: u32,
    /// The leaf in its block; zero if it has the cell for itself.
    leaf: u32,
}

/// The owner of components that hardly ever change.
const COLD: u32 = u32::MAX;

/// What is in a cell.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// The thread whose components it has, if it is a block.
    owner: Option<u32>,
    /// Levels of the block; zero if there is one component.
    depth: u32,
    /// Positions of the components by leaf, zero for none.
    positions: Vec<u32>,
    /// Parts of the operating system among them, and their positions.
    parts: Vec<(u32, u32)>,
}

/// Components that are going to share a cell.
#[derive(Debug, Default)]
struct Block {
    owner: Option<u32>,
    positions: Vec<u32>,
    /// Changes of the one that was changed most.
    changes: u32,
}

impl Block {
    /// About how many bits its value has. What threads share mostly follows from where they stand.
    fn weight(&self) -> f64 {
        let bits = f64::from(self.changes + 1).log2() + 0.01;
        if self.owner.is_some() { bits } else { bits * SHARED_WEIGHT }
    }
}

/// See the module head.
#[derive(Debug)]
pub struct Layout {
    /// By position.
    places: Vec<Place>,
    cells: Vec<Cell>,
    /// Cells that are not taken, the next one last.
    free: Vec<u32>,
    /// Blocks with free leaves, by thread.
    open: AHashMap<u32, u32>,
    /// Every component has the cell of its own number.
    is_flat: bool,
}

impl Layout {
    /// Nothing but position zero, which stands for none.
    pub fn new(cells: usize) -> Layout {
        let open = AHashMap::with_hasher(RandomState::with_seeds(71, 72, 73, 74));
        Layout {
            places: vec![Place::default()],
            cells: vec![Cell::default(); cells],
            free: (0..cells as u32).rev().collect(),
            open,
            is_flat: false,
        }
    }

    /// Every one of so many positions has a cell of the same number.
    pub fn flat(positions: usize) -> Layout {
        let mut layout = Layout { is_flat: true, ..Layout::new(positions) };
        layout.free.clear();
        for position in 1..positions as u32 {
            layout.occupy(position, None, 0);
        }
        layout
    }

    /// Arranges components by what is known of them, by position; the first stands for none.
    pub fn arranged(users: &[Users]) -> Layout {
        let most = users.iter().map(|one| one.changes).max().unwrap_or(0);
        let mut blocks: Vec<Block> = Vec::new();
        let mut latest: AHashMap<u32, usize> = AHashMap::new();
        for (position, one) in users.iter().enumerate().skip(1) {
            let is_cold = one.changes < 2 || one.changes < most / COLD_PART;
            let owner = one.owner().or(is_cold.then_some(COLD));
            let at = owner.and_then(|owner| latest.get(&owner).copied());
            let at = at.filter(|&at| blocks[at].positions.len() < BLOCK_MAX).unwrap_or_else(|| {
                latest.extend(owner.map(|owner| (owner, blocks.len())));
                blocks.push(Block { owner, ..Block::default() });
                blocks.len() - 1
            });
            blocks[at].positions.push(position as u32);
            blocks[at].changes = blocks[at].changes.max(one.changes);
        }
        // Threads in their order, each with what is mostly about it or its neighbours; then what
        // all share, then what nobody changes.
        let threads = users.iter().filter_map(Users::owner).max().map_or(0, |last| last + 1);
        let rank = |block: &Block| {
            let users = &users[block.positions[0] as usize];
            let whose = block.owner.or_else(|| users.mostly());
            whose.or_else(|| users.neighbours(threads)).unwrap_or(COLD - 1)
        };
        blocks.sort_by_key(|block| (rank(block), block.owner.is_none(), block.positions[0]));
        let mut layout = Layout::new(blocks.len().max(CELLS_MIN).next_power_of_two());
        layout.places.resize(users.len(), Place::default());
        layout.spread(&blocks, 0, layout.cells.len());
        layout.free.retain(|&cell| layout.cells[cell as usize].positions.is_empty());
        layout
    }

    /// Puts blocks into so many cells from one on: as many values into the first half as into the
    /// second, as far as there is room.
    fn spread(&mut self, blocks: &[Block], first: usize, cells: usize) {
        match blocks {
            [] => {}
            [block] => self.settle(first as u32, block.owner, &block.positions),
            _ => {
                let all: f64 = blocks.iter().map(Block::weight).sum();
                let mut sum = 0.0;
                let mut is_left = |block: &Block| {
                    let middle = sum + block.weight() / 2.0;
                    sum += block.weight();
                    middle < all / 2.0
                };
                let half = cells / 2;
                let left = blocks.iter().take_while(|block| is_left(block)).count();
                let left = left.clamp(blocks.len().saturating_sub(half).max(1), half);
                let left = left.min(blocks.len() - 1);
                self.spread(&blocks[..left], first, half);
                self.spread(&blocks[left..], first + half, half);
            }
        }
    }

    fn settle(&mut self, cell: u32, owner: Option<u32>, positions: &[u32]) {
        let depth = positions.len().next_power_of_two().trailing_zeros();
        let depth = if owner.is_some() { depth.max(1) } else { 0 };
        for (leaf, &position) in positions.iter().enumerate() {
            self.places[position as usize] = Place { cell, leaf: leaf as u32 };
        }
        self.cells[cell as usize] =
            Cell { owner, depth, positions: positions.to_vec(), parts: Vec::new() };
        if let Some(owner) = owner
            && positions.len() < 1 << depth
        {
            self.open.insert(owner, cell);
        }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// A place for the next position, which may be a thread's; none if there are too few cells.
    pub fn add(&mut self, owner: Option<u32>) -> Option<Place> {
        let position = self.places.len() as u32;
        if self.is_flat {
            return (self.cells.len() > position as usize).then(|| self.occupy(position, None, 0));
        }
        if let Some(owner) = owner
            && let Some(&cell) = self.open.get(&owner)
        {
            let block = &mut self.cells[cell as usize];
            block.positions.push(position);
            let leaf = block.positions.len() as u32 - 1;
            if block.positions.len() == 1 << block.depth {
                self.open.remove(&owner);
            }
            self.places.push(Place { cell, leaf });
            return self.places.last().copied();
        }
        let cell = self.free.pop()?;
        let depth = if owner.is_some() { BLOCK_DEPTH } else { 0 };
        if let Some(owner) = owner {
            self.open.insert(owner, cell);
        }
        Some(self.occupy_cell(cell, position, owner, depth))
    }

    fn occupy(&mut self, position: u32, owner: Option<u32>, depth: u32) -> Place {
        self.occupy_cell(position, position, owner, depth)
    }

    fn occupy_cell(&mut self, cell: u32, position: u32, owner: Option<u32>, depth: u32) -> Place {
        let (positions, parts) = (vec![position], Vec::new());
        self.cells[cell as usize] = Cell { owner, depth, positions, parts };
        self.places.push(Place { cell, leaf: 0 });
        Place { cell, leaf: 0 }
    }

    /// There are more cells now.
    pub fn extend(&mut self, cells: usize) {
        let known = self.cells.len();
        self.cells.resize_with(cells, Cell::default);
        if !self.is_flat {
            self.free.splice(0..0, (known as u32..cells as u32).rev());
        }
    }

    /// A position has this part of the operating system.
    pub fn note_part(&mut self, part: u32, position: u32) {
        let cell = self.place(position).cell;
        self.cells[cell as usize].parts.push((part, position));
    }

    /// Parts of the operating system in a cell, and their positions.
    #[inline]
    pub fn parts_in(&self, cell: u32) -> &[(u32, u32)] {
        &self.cells[cell as usize].parts
    }

    /// Where a component is.
    #[inline]
    pub fn place(&self, position: u32) -> Place {
        self.places[position as usize]
    }

    /// Whether a thread may ask for a cell as a whole: it is a single component, its own block, or
    /// one that hardly ever changes.
    #[inline]
    pub fn is_whole_for(&self, cell: u32, thread: u32) -> bool {
        let cell = &self.cells[cell as usize];
        cell.depth == 0 || cell.owner == Some(thread) || cell.owner == Some(COLD)
    }

    /// The number of a component.
    #[inline]
    pub fn get(&self, tree: &Tree, pairs: &Pairs, position: u32) -> u32 {
        let Place { cell, leaf } = self.place(position);
        let mut number = tree.get(cell);
        for level in (0..self.cells[cell as usize].depth).rev() {
            let (left, right) = pairs.halves(number);
            number = if leaf >> level & 1 == 0 { left } else { right };
        }
        number
    }

    /// What a cell becomes if it is `number` and one of its components gets a value.
    pub fn changed(&self, pairs: &mut Pairs, number: u32, place: Place, value: u32) -> u32 {
        change(pairs, number, (self.cells[place.cell as usize].depth, place.leaf), value)
    }

    /// Calls `differs` with the positions of a cell at which two numbers of it differ, and their
    /// values in the first.
    pub fn differences(
        &self,
        pairs: &Pairs,
        cell: u32,
        (one, other): (u32, u32),
        differs: &mut impl FnMut(u32, u32),
    ) {
        let cell = &self.cells[cell as usize];
        compare(pairs, (one, other), (cell.depth, 0), &mut |leaf, value| {
            // Leaves that nobody has are zero on both sides.
            differs(cell.positions[leaf as usize], value);
        });
    }
}

fn change(pairs: &mut Pairs, number: u32, (depth, leaf): (u32, u32), value: u32) -> u32 {
    let Some(level) = depth.checked_sub(1) else { return value };
    let (left, right) = pairs.halves(number);
    if leaf >> level & 1 == 0 {
        let left = change(pairs, left, (level, leaf), value);
        pairs.inner(left, right)
    } else {
        let right = change(pairs, right, (level, leaf), value);
        pairs.inner(left, right)
    }
}

fn compare(
    pairs: &Pairs,
    (one, other): (u32, u32),
    (depth, leaf): (u32, u32),
    differs: &mut impl FnMut(u32, u32),
) {
    if one == other {
        return;
    }
    let Some(level) = depth.checked_sub(1) else { return differs(leaf, one) };
    let (ones, others) = (pairs.halves(one), pairs.halves(other));
    compare(pairs, (ones.0, others.0), (level, leaf * 2), differs);
    compare(pairs, (ones.1, others.1), (level, leaf * 2 + 1), differs);
}

/// Who works on a component, as far as it was seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Users {
    /// The thread that did so most often, more or less.
    thread: u32,
    /// How often it did, and how often anybody did.
    own: u32,
    all: u32,
    /// The numbers of those who did, and their squares, added up.
    numbers: u64,
    squares: u64,
    /// How often it was changed.
    pub changes: u32,
    /// It is this thread's whatever was seen.
    fixed: Option<u32>,
}

impl Users {
    /// It is a thread's whatever will be seen.
    pub fn fixed(owner: u32) -> Users {
        Users { fixed: Some(owner), ..Users::default() }
    }

    /// A thread looks at it or changes it.
    pub fn note(&mut self, thread: u32) {
        self.all += 1;
        self.numbers += u64::from(thread);
        self.squares += u64::from(thread).pow(2);
        if self.thread == thread {
            self.own += 1;
        } else if self.own <= self.all / 2 {
            (self.thread, self.own) = (thread, 1);
        }
    }

    /// The thread that works on it most of the time, if there is one.
    fn mostly(&self) -> Option<u32> {
        let is_known = self.fixed.is_none() && 0 < self.all;
        (is_known && self.all <= self.own * 2).then_some(self.thread)
    }

    /// The thread in the middle of those who work on it, if they are close together among so many:
    /// closer than if they were all of them.
    fn neighbours(&self, threads: u32) -> Option<u32> {
        if self.fixed.is_some() || self.all == 0 {
            return None;
        }
        let of_all = |sum: u64| sum as f64 / f64::from(self.all);
        let (mean, square) = (of_all(self.numbers), of_all(self.squares));
        let is_close = (square - mean * mean) * 16.0 < f64::from(threads).powi(2);
        is_close.then_some(mean as u32)
    }

    /// The thread that it belongs to, if there is one.
    pub fn owner(&self) -> Option<u32> {
        let guess = (0 < self.all && self.all - self.own <= self.own / 3).then_some(self.thread);
        self.fixed.or(guess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_keep_their_values_wherever_they_are() {
        let owners = [None, Some(0), Some(0), None, Some(1), Some(0), None, None];
        let mut users = owners.map(|owner| owner.map_or(Users::default(), Users::fixed));
        (0..7).for_each(|position| users[position].changes = 1 << position);
        let mut pairs = Pairs::default();
        let mut layout = Layout::arranged(&users);
        let mut tree = Tree::new(layout.cells());
        // More come later, until the vector has to grow.
        let mut positions = owners.len() as u32;
        for later in 0..20 {
            let owner = (later % 3 != 0).then_some(later % 5);
            while layout.add(owner).is_none() {
                tree.grow();
                layout.extend(tree.len());
            }
            positions += 1;
        }
        for round in 1..3 {
            for position in 1..positions {
                let place = layout.place(position);
                let number = tree.get(place.cell);
                let number = layout.changed(&mut pairs, number, place, position * round);
                tree.set(place.cell, number);
            }
            tree.settle(&mut pairs);
            for position in 1..positions {
                assert_eq!(layout.get(&tree, &pairs, position), position * round);
            }
        }
        let place = layout.place(5);
        assert!(layout.is_whole_for(place.cell, 0) && !layout.is_whole_for(place.cell, 1));
        assert!(layout.is_whole_for(layout.place(7).cell, 1), "it never changes");
        let before = tree.get(place.cell);
        let after = layout.changed(&mut pairs, before, place, 99);
        let mut found = Vec::new();
        layout.differences(&pairs, place.cell, (after, before), &mut |position, value| {
            found.push((position, value));
        });
        assert_eq!(found, [(5, 99)]);
    }

    #[test]
    fn whoever_works_on_a_component_most_of_the_time_owns_it() {
        let mut users = Users::default();
        assert_eq!(users.owner(), None);
        users.note(7);
        assert_eq!(users.owner(), Some(7));
        users.note(8);
        assert_eq!(users.owner(), None);
        (0..10).for_each(|_| users.note(8));
        assert_eq!(users.owner(), Some(8));
    }
}
