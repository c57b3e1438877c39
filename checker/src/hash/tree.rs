//! The tree method: the same hash as the linear one, as sums over the subtrees of a balanced tree.
//!
//! The tree is a search tree by address and a heap by a number that is drawn from the address (a
//! treap), so its shape depends on the parts alone and its height is logarithmic in expectation. A
//! node knows the hash and the length of its subtree, the length as a power of the base: joining
//! two subtrees takes a multiplication and an addition.

use super::PartsHash;
use super::field::Field;
use super::powers::Powers;

/// No node.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    place: u64,
    rank: u64,
    left: u32,
    right: u32,
    /// Of the part by itself, and the base to the power of its length.
    own: (u64, u64),
    /// Of the whole subtree.
    all: (u64, u64),
}

/// See the module head.
#[derive(Clone, Debug)]
pub struct Tree<F> {
    powers: Powers<F>,
    nodes: Vec<Node>,
    /// Nodes that are not used.
    free: Vec<u32>,
    root: u32,
    /// The way from the root to a node.
    path: Vec<u32>,
}

impl<F: Field> Tree<F> {
    /// No parts.
    pub fn new(base: u64) -> Tree<F> {
        let powers = Powers::new(base);
        Tree { powers, nodes: Vec::new(), free: Vec::new(), root: NONE, path: Vec::new() }
    }

    fn all(&self, node: u32) -> (u64, u64) {
        if node == NONE { (0, 1) } else { self.nodes[node as usize].all }
    }

    /// Hash and length of one vector behind another.
    fn join((left, length): (u64, u64), (right, more): (u64, u64)) -> (u64, u64) {
        (F::add(left, F::multiply(right, length)), F::multiply(length, more))
    }

    fn refresh(&mut self, node: u32) {
        let Node { left, right, own, .. } = self.nodes[node as usize];
        let all = Self::join(Self::join(self.all(left), own), self.all(right));
        self.nodes[node as usize].all = all;
    }

    /// The nodes before an address, and the others.
    fn split(&mut self, node: u32, place: u64) -> (u32, u32) {
        if node == NONE {
            return (NONE, NONE);
        }
        let Node { place: here, left, right, .. } = self.nodes[node as usize];
        if here < place {
            let (before, behind) = self.split(right, place);
            self.nodes[node as usize].right = before;
            self.refresh(node);
            (node, behind)
        } else {
            let (before, behind) = self.split(left, place);
            self.nodes[node as usize].left = behind;
            self.refresh(node);
            (before, node)
        }
    }

    /// One tree of two, the first before the second.
    fn merge(&mut self, left: u32, right: u32) -> u32 {
        if left == NONE || right == NONE {
            return if left == NONE { right } else { left };
        }
        let root = if self.nodes[right as usize].rank < self.nodes[left as usize].rank {
            let inner = self.merge(self.nodes[left as usize].right, right);
            self.nodes[left as usize].right = inner;
            left
        } else {
            let inner = self.merge(left, self.nodes[right as usize].left);
            self.nodes[right as usize].left = inner;
            right
        };
        self.refresh(root);
        root
    }

    /// Goes to a part, noting the way.
    fn descend(&mut self, place: u64) -> u32 {
        self.path.clear();
        let mut node = self.root;
        loop {
            assert_ne!(node, NONE, "a part at this address");
            self.path.push(node);
            let Node { place: here, left, right, .. } = self.nodes[node as usize];
            match place.cmp(&here) {
                std::cmp::Ordering::Less => node = left,
                std::cmp::Ordering::Equal => return node,
                std::cmp::Ordering::Greater => node = right,
            }
        }
    }

    fn put(&mut self, node: Node) -> u32 {
        if let Some(free) = self.free.pop() {
            self.nodes[free as usize] = node;
            return free;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }
}

impl<F: Field> PartsHash for Tree<F> {
    fn value(&self) -> u64 {
        self.all(self.root).0
    }

    fn add(&mut self, place: u64, words: &[u64]) {
        let rank = crate::state::slots::fold(place ^ 0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);
        let own = (self.powers.hash(words), self.powers.get(words.len() as u64));
        let (left, right) = (NONE, NONE);
        let node = self.put(Node { place, rank, left, right, own, all: own });
        let (before, behind) = self.split(self.root, place);
        let before = self.merge(before, node);
        self.root = self.merge(before, behind);
    }

    fn remove(&mut self, place: u64, words: &[u64]) {
        let node = self.descend(place);
        let Node { left, right, own, .. } = self.nodes[node as usize];
        debug_assert_eq!(own.0, self.powers.hash(words), "contents are not what they were");
        let rest = self.merge(left, right);
        self.path.pop();
        match self.path.last() {
            None => self.root = rest,
            Some(&above) => {
                let above = &mut self.nodes[above as usize];
                *(if above.left == node { &mut above.left } else { &mut above.right }) = rest;
            }
        }
        self.free.push(node);
        while let Some(node) = self.path.pop() {
            self.refresh(node);
        }
    }

    fn change(&mut self, place: u64, index: usize, old: u64, new: u64) {
        let node = self.descend(place);
        let difference = F::subtract(F::reduce(new), F::reduce(old));
        let difference = F::multiply(difference, self.powers.get(index as u64 + 1));
        let own = &mut self.nodes[node as usize].own.0;
        *own = F::add(*own, difference);
        while let Some(node) = self.path.pop() {
            self.refresh(node);
        }
    }
}
