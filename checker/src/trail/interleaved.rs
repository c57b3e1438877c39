//! Where a thread found something changed between two of its own accesses: most errors of programs
//! with threads are one of these.
//!
//! What is found is a fact about the trail, not a diagnosis: a correct program does this, too.

use super::describe::Step;
use super::event::EventKind;
use std::collections::BTreeMap;

/// Two accesses of a thread to the same memory, and another thread's write in between. The numbers
/// are indices of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interleaved {
    /// The first access.
    pub first: usize,
    /// The last write of somebody else in between.
    pub other: usize,
    /// The second access.
    pub second: usize,
    /// What the accesses are.
    pub shape: Shape,
}

/// What two accesses with a write in between amount to, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// A read and a write: what the other thread wrote is lost.
    LostUpdate,
    /// A read and an atomic update, which may or may not look at what it replaces.
    ReadThenUpdate,
    /// Two reads that need not see the same.
    ChangedBetweenReads,
    /// A write and a read that does not see it.
    Overwritten,
}

/// The most telling places of this sort: about what is named in `words` if there is such, then by
/// shape, then the latest.
pub fn most_telling(steps: &[Step], words: &str) -> Option<Interleaved> {
    let is_named = |found: &Interleaved| {
        let object = steps[found.first].event.as_ref().and_then(|event| event.object.as_deref());
        object.is_some_and(|object| names(words).any(|name| root(object) == name))
    };
    all(steps)
        .into_iter()
        .max_by_key(|found| (is_named(found), std::cmp::Reverse(found.shape), found.second))
}

/// The identifiers in a text.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    pieces.filter(|piece| piece.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

/// The variable that a member or an element belongs to.
pub fn root(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or(name)
}

fn all(steps: &[Step]) -> Vec<Interleaved> {
    // For each word: each thread's last access, and the last write.
    let mut accesses: BTreeMap<u64, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut writes: BTreeMap<u64, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let Some(event) = &step.event else { continue };
        let Some(address) = event.address else { continue };
        if !matches!(event.kind, EventKind::Read | EventKind::Write | EventKind::Update) {
            continue;
        }
        let before = accesses.entry(address).or_default().insert(&step.thread, index);
        let written = writes.entry(address).or_default();
        let others = written.iter().filter(|(thread, _)| **thread != step.thread);
        let other = others.map(|(_, &index)| index).max();
        if let (Some(first), Some(other)) = (before, other)
            && first < other
            && let Some(shape) = shape(steps, first, index)
        {
            found.push(Interleaved { first, other, second: index, shape });
        }
        if event.kind != EventKind::Read {
            written.insert(&step.thread, index);
        }
    }
    found
}

fn shape(steps: &[Step], first: usize, second: usize) -> Option<Shape> {
    let kind = |index: usize| steps[index].event.as_ref().map(|event| event.kind);
    match (kind(first)?, kind(second)?) {
        (EventKind::Read, EventKind::Write) => Some(Shape::LostUpdate),
        (EventKind::Read, EventKind::Update) => Some(Shape::ReadThenUpdate),
        (EventKind::Read, EventKind::Read) => Some(Shape::ChangedBetweenReads),
        (EventKind::Write, EventKind::Read) => Some(Shape::Overwritten),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::Event;

    fn steps(list: &[(&str, EventKind, &str)]) -> Vec<Step> {
        let step = |&(thread, kind, object): &(&str, EventKind, &str)| Step {
            thread: thread.to_string(),
            event: Some(Event::on(kind, object, u64::from(object.as_bytes()[0]))),
            ..Step::default()
        };
        list.iter().map(step).collect()
    }

    #[test]
    fn a_lost_update_is_seen() {
        use EventKind::{Read, Write};
        let steps =
            steps(&[("T1", Read, "x"), ("T2", Read, "x"), ("T2", Write, "x"), ("T1", Write, "x")]);
        let found = most_telling(&steps, "").unwrap();
        assert_eq!((found.first, found.other, found.second), (0, 2, 3));
        assert_eq!(found.shape, Shape::LostUpdate);
    }

    #[test]
    fn what_is_named_comes_first() {
        use EventKind::{Read, Write};
        let steps = steps(&[
            ("T1", Read, "x"),
            ("T1", Read, "y[0]"),
            ("T2", Write, "x"),
            ("T2", Write, "y[0]"),
            ("T1", Write, "x"),
            ("T1", Read, "y[0]"),
        ]);
        assert_eq!(most_telling(&steps, "").unwrap().first, 0);
        assert_eq!(most_telling(&steps, "assertion `y[0] == 1` fails").unwrap().first, 1);
    }

    #[test]
    fn orderly_accesses_are_none() {
        use EventKind::{Read, Update, Write};
        let orderly = [("T1", Read, "x"), ("T1", Write, "x"), ("T2", Read, "x")];
        assert_eq!(most_telling(&steps(&orderly), ""), None);
        let atomic = [("T1", Update, "x"), ("T2", Write, "x"), ("T1", Update, "x")];
        assert_eq!(most_telling(&steps(&atomic), ""), None, "it sees what it replaces");
    }
}
