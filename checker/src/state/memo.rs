//! What was seen to decide where moves lead: a tree of questions.
//!
//! A move is a function of the components of the state that it looks at. Executing it once tells
//! which those are, in the order of looking; what it looks at next depends only on what it saw
//! before. So all that was learned about the moves of a thread is a tree: each node names a
//! position of the state vector, each value that was met there leads to another node, and a leaf is
//! a move whose effect is known, in every state that agrees on the positions asked for.
//!
//! Most questions ever got one answer only, which is kept with the question. An answer that decides
//! names the move itself. Cost: one probe of a table for each question that got several answers.
//! Nothing is ever removed but everything at once.

use super::slots::fold;

/// Number of a remembered move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveId(pub u32);

/// See the module head.
#[derive(Debug, Default)]
pub struct Memo {
    nodes: Vec<Node>,
    edges: Edges,
    /// Where the questions about the first alternative begin, by thread; zero if not known.
    roots: Vec<u32>,
    moves: u32,
}

/// A question.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The position to ask for.
    question: u32,
    /// The first answer that was met, and what it leads to; zero if there is none.
    value: u32,
    next: u32,
}

/// Marks the number of a move among those of questions, where something leads to either.
const LEAF: u32 = 1 << 31;

const NO_FUNCTION: &str = "internal error: a move is no function of what it looks at";

/// Threads below this have their beginnings in a list.
const LISTED: u32 = 1 << 12;

impl Memo {
    /// The move of a thread, if everything that decides about it is as it was once; `value` tells
    /// what is at a position.
    #[inline]
    pub fn find(
        &self,
        thread: u32,
        alternative: u32,
        mut value: impl FnMut(u32) -> u32,
    ) -> Option<MoveId> {
        let mut at = self.root(thread, alternative)?;
        while at & LEAF == 0 {
            let Node { question, value: first, next } = self.nodes[at as usize];
            let value = value(question);
            at =
                if value == first && next != 0 { next } else { self.edges.get(edge(at, value))? };
        }
        Some(MoveId(at & !LEAF))
    }

    #[inline]
    fn root(&self, thread: u32, alternative: u32) -> Option<u32> {
        if alternative == 0 && thread < LISTED {
            return self.roots.get(thread as usize).copied().filter(|&root| root != 0);
        }
        self.edges.get(root(thread, alternative))
    }

    /// Remembers that these values at these positions decide about a move.
    ///
    /// # Panics
    /// If what was remembered before asks for something else after the same answers: then a move
    /// depended on something that was not told.
    pub fn add(&mut self, thread: u32, alternative: u32, looks: &[(u32, u32)]) -> MoveId {
        let id = MoveId(self.moves);
        self.moves += 1;
        let of = (thread, alternative);
        let mut answer = None;
        for &(question, value) in looks {
            let node = match self.behind(answer, of) {
                Some(known) => {
                    let is_asked =
                        known & LEAF == 0 && self.nodes[known as usize].question == question;
                    assert!(is_asked, "{NO_FUNCTION}");
                    known
                }
                None => {
                    let node = self.ask(question);
                    self.lead(answer, of, node);
                    node
                }
            };
            answer = Some((node, value));
        }
        assert!(self.behind(answer, of).is_none(), "{NO_FUNCTION}");
        self.lead(answer, of, id.0 | LEAF);
        id
    }

    /// What an answer leads to, or where a move begins.
    fn behind(&self, answer: Option<(u32, u32)>, of: (u32, u32)) -> Option<u32> {
        let Some((node, value)) = answer else { return self.root(of.0, of.1) };
        let Node { value: first, next, .. } = self.nodes[node as usize];
        if value == first && next != 0 { Some(next) } else { self.edges.get(edge(node, value)) }
    }

    fn ask(&mut self, question: u32) -> u32 {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        self.nodes.push(Node { question, value: 0, next: 0 });
        self.nodes.len() as u32 - 1
    }

    /// Has an answer, or the beginning of a move, lead to something.
    fn lead(&mut self, answer: Option<(u32, u32)>, of: (u32, u32), to: u32) {
        match answer {
            None if of.1 == 0 && of.0 < LISTED => {
                let thread = of.0 as usize;
                self.roots.resize(self.roots.len().max(thread + 1), 0);
                self.roots[thread] = to;
            }
            None => self.edges.add(root(of.0, of.1), to),
            Some((node, value)) if self.nodes[node as usize].next == 0 => {
                self.nodes[node as usize].value = value;
                self.nodes[node as usize].next = to;
            }
            Some((node, value)) => self.edges.add(edge(node, value), to),
        }
    }

    /// Forgets everything and keeps the room.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.roots.clear();
        self.moves = 0;
    }

    /// Moves that are remembered.
    pub fn len(&self) -> usize {
        self.moves as usize
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.moves == 0
    }

    /// Memory taken.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.entries.capacity() * size_of::<Edge>()
    }
}

/// Where the questions about a move begin.
fn root(thread: u32, alternative: u32) -> u64 {
    1 << 63 | u64::from(thread) << 32 | u64::from(alternative)
}

/// An answer to the question of a node.
fn edge(node: u32, value: u32) -> u64 {
    u64::from(node + 1) << 32 | u64::from(value)
}

#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    /// Zero for a free place.
    key: u64,
    node: u32,
}

/// Open addressing with linear probing; at most half of the places are taken.
#[derive(Debug, Default)]
struct Edges {
    entries: Vec<Edge>,
    used: usize,
}

impl Edges {
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = fold(key, 0x9e37_79b9_7f4a_7c15) as usize & mask;
        while self.entries[at].key != key && self.entries[at].key != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    fn get(&self, key: u64) -> Option<u32> {
        if self.entries.is_empty() {
            return None;
        }
        let Edge { key, node } = self.entries[self.place(key)];
        (key != 0).then_some(node)
    }

    fn add(&mut self, key: u64, node: u32) {
        if self.entries.len() <= self.used * 2 {
            let size = (self.entries.len() * 2).max(64);
            let old = std::mem::replace(&mut self.entries, vec![Edge::default(); size]);
            for edge in old.into_iter().filter(|edge| edge.key != 0) {
                let at = self.place(edge.key);
                self.entries[at] = edge;
            }
        }
        let at = self.place(key);
        self.entries[at] = Edge { key, node };
        self.used += 1;
    }

    fn clear(&mut self) {
        self.entries.fill(Edge::default());
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_found_where_all_it_looks_at_is_the_same() {
        let mut memo = Memo::default();
        let first = memo.add(1, 0, &[(5, 10), (7, 20)]);
        let second = memo.add(1, 0, &[(5, 11), (9, 1)]);
        let third = memo.add(1, 0, &[(5, 10), (7, 21)]);
        let find = |thread, values: [u32; 10]| memo.find(thread, 0, |at| values[at as usize]);
        let mut values = [0; 10];
        assert_eq!(find(1, values), None);
        (values[5], values[7]) = (10, 20);
        assert_eq!(find(1, values), Some(first));
        assert_eq!(find(2, values), None);
        values[9] = 99;
        assert_eq!(find(1, values), Some(first), "it does not look there");
        values[7] = 21;
        assert_eq!(find(1, values), Some(third));
        (values[5], values[9]) = (11, 1);
        assert_eq!(find(1, values), Some(second));
        assert_eq!(memo.find(1, 1, |at| values[at as usize]), None, "another alternative");
        assert_eq!(memo.len(), 3);
    }

    #[test]
    #[should_panic(expected = "no function of what it looks at")]
    fn a_hidden_dependency_is_noticed() {
        let mut memo = Memo::default();
        memo.add(0, 0, &[(5, 10), (7, 20)]);
        memo.add(0, 0, &[(5, 10), (8, 20)]);
    }

    #[test]
    fn many_moves_are_kept_apart() {
        let mut memo = Memo::default();
        for value in 0..10_000 {
            assert_eq!(memo.add(3, 0, &[(1, value / 100), (2, value % 100)]), MoveId(value));
        }
        for value in 0..10_000 {
            let found = memo.find(3, 0, |at| if at == 1 { value / 100 } else { value % 100 });
            assert_eq!(found, Some(MoveId(value)));
        }
        memo.clear();
        assert!(memo.is_empty());
        assert_eq!(memo.find(3, 0, |_| 0), None);
    }
}
