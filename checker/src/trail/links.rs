//! Which steps of a trail lead to which others: threads created and joined, locks handed over,
//! waiters woken, values passed on.
//!
//! Everything is read off the steps themselves, in one pass each.

use super::describe::Step;
use super::event::EventKind;
use serde::Serialize;
use std::collections::BTreeMap;

/// An arrow from one step to a later one of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// What passes along it.
    pub kind: LinkKind,
    /// Number of the step where it begins.
    pub from: usize,
    /// Number of the step where it ends.
    pub to: usize,
}

/// What passes from one step to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// A thread begins.
    Create,
    /// A thread has ended and is joined.
    Join,
    /// A lock changes hands.
    Lock,
    /// A waiter is woken.
    Wake,
    /// A value that one thread wrote is read by another.
    Data,
}

/// All links, in the order of where they end.
pub fn links(steps: &[Step]) -> Vec<Link> {
    let mut found = lives(steps);
    found.extend(handovers(steps));
    found.extend(wakes(steps));
    found.extend(gifts(steps));
    found.extend(values(steps));
    found.sort_by_key(|link| (link.to, link.from, link.kind));
    found
}

/// From creations to first steps, from last steps to joins.
fn lives(steps: &[Step]) -> Vec<Link> {
    let mut found = Vec::new();
    let mut created: BTreeMap<&str, usize> = BTreeMap::new();
    let mut last: BTreeMap<&str, usize> = BTreeMap::new();
    for step in steps {
        if let Some(from) = created.remove(step.thread.as_str()) {
            found.push(Link { kind: LinkKind::Create, from, to: step.step });
        }
        last.insert(&step.thread, step.step);
        let Some(event) = &step.event else { continue };
        match (event.kind, event.thread.as_deref()) {
            (EventKind::Create, Some(thread)) => {
                created.insert(thread, step.step);
            }
            (EventKind::Join, Some(thread)) if !event.waits => {
                let from = last.get(thread);
                found.extend(from.map(|&from| Link { kind: LinkKind::Join, from, to: step.step }));
            }
            _ => {}
        }
    }
    found
}

/// From the step that frees a lock to the one in which another thread takes it.
fn handovers(steps: &[Step]) -> Vec<Link> {
    let mut found = Vec::new();
    let mut holders: BTreeMap<u64, &str> = BTreeMap::new();
    let mut freed: BTreeMap<u64, (usize, &str)> = BTreeMap::new();
    for step in steps {
        for lock in &step.locks {
            let before = holders.remove(&lock.address);
            if let Some(holder) = &lock.holder {
                if let Some((from, giver)) = freed.remove(&lock.address)
                    && giver != holder
                {
                    found.push(Link { kind: LinkKind::Lock, from, to: step.step });
                }
                holders.insert(lock.address, holder);
            } else if let Some(giver) = before {
                freed.insert(lock.address, (step.step, giver));
            }
        }
    }
    found
}

/// From signals to the next steps of the threads that they wake.
fn wakes(steps: &[Step]) -> Vec<Link> {
    let mut found = Vec::new();
    let mut waiting: BTreeMap<&str, u64> = BTreeMap::new();
    // Signals that nobody has followed yet: the step, the condition, how many they wake.
    let mut open: Vec<(usize, u64, usize)> = Vec::new();
    for step in steps {
        if let Some(address) = waiting.remove(step.thread.as_str()) {
            let signal =
                open.iter_mut().find(|(_, signalled, left)| *signalled == address && 0 < *left);
            if let Some((from, _, left)) = signal {
                *left -= 1;
                found.push(Link { kind: LinkKind::Wake, from: *from, to: step.step });
            }
        }
        let Some(event) = &step.event else { continue };
        let Some(address) = event.address else { continue };
        let asleep = waiting.values().filter(|waited| **waited == address).count();
        match event.kind {
            EventKind::Wait if event.waits => {
                waiting.insert(&step.thread, address);
            }
            EventKind::Signal if 0 < asleep => open.push((step.step, address, 1)),
            EventKind::Broadcast if 0 < asleep => open.push((step.step, address, asleep)),
            _ => {}
        }
    }
    found
}

/// From giving to a semaphore to taking from it.
fn gifts(steps: &[Step]) -> Vec<Link> {
    let mut found = Vec::new();
    let mut given: BTreeMap<u64, Vec<&Step>> = BTreeMap::new();
    for step in steps {
        let Some(event) = &step.event else { continue };
        let Some(address) = event.address else { continue };
        match event.kind {
            EventKind::Give => given.entry(address).or_default().push(step),
            EventKind::Take if !event.waits => {
                let gifts = given.entry(address).or_default();
                if let Some(at) = gifts.iter().position(|gift| gift.thread != step.thread) {
                    let from = gifts.remove(at).step;
                    found.push(Link { kind: LinkKind::Wake, from, to: step.step });
                }
            }
            _ => {}
        }
    }
    found
}

/// From writes to the first reads of other threads.
fn values(steps: &[Step]) -> Vec<Link> {
    let mut found = Vec::new();
    let mut written: BTreeMap<u64, (usize, Vec<&str>)> = BTreeMap::new();
    for step in steps {
        let Some(event) = &step.event else { continue };
        let Some(address) = event.address else { continue };
        if matches!(event.kind, EventKind::Read | EventKind::Update)
            && let Some((from, known)) = written.get_mut(&address)
            && !known.contains(&step.thread.as_str())
        {
            known.push(&step.thread);
            found.push(Link { kind: LinkKind::Data, from: *from, to: step.step });
        }
        if matches!(event.kind, EventKind::Write | EventKind::Update) {
            written.insert(address, (step.step, vec![&step.thread]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::{Event, Handover};

    fn steps(list: Vec<(&str, Event)>) -> Vec<Step> {
        let step = |(index, (thread, event)): (usize, (&str, Event))| Step {
            step: index + 1,
            thread: thread.to_string(),
            event: Some(event),
            ..Step::default()
        };
        list.into_iter().enumerate().map(step).collect()
    }

    fn about(kind: EventKind, thread: &str) -> Event {
        Event::about(kind, Some(thread.to_string()))
    }

    fn found(steps: &[Step]) -> Vec<(LinkKind, usize, usize)> {
        links(steps).into_iter().map(|link| (link.kind, link.from, link.to)).collect()
    }

    #[test]
    fn threads_begin_and_are_joined() {
        let steps = steps(vec![
            ("main", about(EventKind::Create, "T1")),
            ("main", Event { waits: true, ..about(EventKind::Join, "T1") }),
            ("T1", Event::bare(EventKind::End)),
            ("main", about(EventKind::Join, "T1")),
        ]);
        assert_eq!(found(&steps), [(LinkKind::Create, 1, 3), (LinkKind::Join, 3, 4)]);
    }

    #[test]
    fn locks_pass_between_threads() {
        let mut steps = steps(vec![("T1", Event::bare(EventKind::Other)); 5]);
        let handover = |holder: Option<&str>| {
            vec![Handover { object: "m".into(), address: 8, holder: holder.map(str::to_string) }]
        };
        steps[0].locks = handover(Some("T1"));
        steps[1].locks = handover(None);
        steps[2].locks = handover(Some("T1"));
        steps[3].locks = handover(None);
        steps[4].locks = handover(Some("T2"));
        assert_eq!(found(&steps), [(LinkKind::Lock, 4, 5)]);
    }

    #[test]
    fn signals_wake_those_who_wait() {
        let wait = || Event { waits: true, ..Event::on(EventKind::Wait, "c", 8) };
        let signal = || Event::on(EventKind::Signal, "c", 8);
        let steps = steps(vec![
            ("main", signal()),
            ("T1", wait()),
            ("T2", wait()),
            ("main", signal()),
            ("T2", Event::bare(EventKind::Other)),
            ("T1", Event::bare(EventKind::Other)),
        ]);
        assert_eq!(found(&steps), [(LinkKind::Wake, 4, 5)], "the first signal is lost");
    }

    #[test]
    fn values_pass_to_others() {
        let on = |kind: EventKind| Event::on(kind, "x", 8);
        let steps = steps(vec![
            ("T1", on(EventKind::Write)),
            ("T1", on(EventKind::Read)),
            ("T2", on(EventKind::Read)),
            ("T2", on(EventKind::Read)),
            ("T2", on(EventKind::Update)),
            ("T1", on(EventKind::Update)),
        ]);
        assert_eq!(found(&steps), [(LinkKind::Data, 1, 3), (LinkKind::Data, 5, 6)]);
    }

    #[test]
    fn semaphores_pass_permits() {
        let on = |kind: EventKind| Event::on(kind, "s", 8);
        let steps = steps(vec![
            ("T1", on(EventKind::Give)),
            ("T1", on(EventKind::Take)),
            ("T2", on(EventKind::Take)),
        ]);
        assert_eq!(found(&steps), [(LinkKind::Wake, 1, 3)]);
    }
}
