//! An error in one paragraph: what every thread has and wants, or who changed what in between.
//!
//! Every sentence is a fact of the trail.

use super::excerpt::Mark;
use crate::check::verdict::{Finding, RaceAccess, Wait};
use crate::trail::changes::Change;
use crate::trail::interleaved::{Shape, most_telling, names, root};
use crate::trail::links::{Link, LinkKind, links};
use crate::trail::names::is_own_file;
use crate::trail::{EventKind, Location, Step, words};
use std::collections::BTreeMap;

/// Most sentences about single variables.
const VARIABLES_MAX: usize = 3;
/// Most changes of one variable that are told; of more, the last ones.
const CHANGES_MAX: usize = 4;

/// An error in words, and the lines of source that belong to it.
#[derive(Debug, Default)]
pub struct Explanation {
    /// Sentences.
    pub sentences: Vec<String>,
    /// Lines worth looking at; the first one is to blame.
    pub marks: Vec<Mark>,
}

/// Explains an error by the steps that lead to it.
pub fn explain(finding: &Finding, steps: &[Step]) -> Explanation {
    let mut explanation = Explanation::default();
    if finding.waits.is_empty() {
        happened(&mut explanation, finding, steps);
    } else {
        waiting(&mut explanation, finding, steps);
    }
    explanation
}

impl Explanation {
    /// Marks a line to blame; what happens there comes last.
    fn blame(&mut self, location: &Location, note: String) {
        self.marks.extend(Mark::new(location, true, usize::MAX, note));
    }

    fn mark_step(&mut self, step: &Step) {
        let note = format!("{} {} (step {})", step.thread, words::deed(step), step.step);
        self.note(step, note);
    }

    fn note(&mut self, step: &Step, note: String) {
        self.marks.extend(Mark::new(&step.location, false, step.step, note));
    }
}

/// Nobody can go on: who holds what and waits for what, those in the circle first.
fn waiting(explanation: &mut Explanation, finding: &Finding, steps: &[Step]) {
    let held = held(steps);
    let rank = |wait: &&Wait| finding.cycle.iter().position(|thread| *thread == wait.thread);
    let mut waits: Vec<&Wait> = finding.waits.iter().collect();
    waits.sort_by_key(|wait| rank(wait).unwrap_or(usize::MAX));
    let is_circle = !finding.cycle.is_empty();
    let mut clauses = Vec::new();
    for wait in waits {
        let is_part = !is_circle || rank(&wait).is_some();
        let mut clause = wait.thread.clone();
        let mine: Vec<_> =
            held.iter().filter(|(_, (_, step))| step.thread == wait.thread).collect();
        if !mine.is_empty() {
            let locks: Vec<&str> = mine.iter().map(|(_, (name, _))| name.as_str()).collect();
            clause += &format!(" holds {} and", locks.join(", "));
        }
        clause += &format!(" waits for {}", wait.object);
        if let Some(line) = wait.location.short() {
            clause += &format!(" ({line})");
        }
        clauses.push(clause);
        // Whoever waits for a thread's end is not to blame for it.
        let is_join = wait.object.starts_with("the end of ") && rank(&wait).is_none();
        if is_part && !is_join {
            let note = format!("{} waits for {}", wait.thread, wait.object);
            explanation.blame(&wait.location, note);
            for (_, (_, step)) in mine {
                explanation.mark_step(step);
            }
        }
    }
    explanation.sentences.push(clauses.join("; ") + ".");
    for wait in &finding.waits {
        missed(explanation, wait, steps);
    }
}

/// The locks that are held at the end: the name, and the step in which each was taken.
fn held(steps: &[Step]) -> BTreeMap<u64, (String, &Step)> {
    let mut held = BTreeMap::new();
    for step in steps {
        for lock in &step.locks {
            match &lock.holder {
                Some(holder) if *holder == step.thread => {
                    held.insert(lock.address, (lock.object.clone(), step));
                }
                _ => {
                    held.remove(&lock.address);
                }
            }
        }
    }
    held
}

/// A signal that came before its waiter.
fn missed(explanation: &mut Explanation, wait: &Wait, steps: &[Step]) {
    let kind = |step: &Step| step.event.as_ref().map(|event| event.kind);
    let address = |step: &Step| step.event.as_ref().and_then(|event| event.address);
    let asleep = steps.iter().rposition(|step| step.thread == wait.thread);
    let Some(asleep) = asleep.filter(|&last| kind(&steps[last]) == Some(EventKind::Wait)) else {
        return;
    };
    let is_signal = |step: &&Step| {
        matches!(kind(step), Some(EventKind::Signal | EventKind::Broadcast))
            && address(step) == address(&steps[asleep])
    };
    let after = steps[asleep..].iter().find(is_signal);
    let before = steps[..asleep].iter().rev().find(is_signal);
    let condition = steps[asleep].event.as_ref().and_then(|event| event.object.clone());
    let condition = condition.unwrap_or_else(|| "it".to_string());
    match (before, after) {
        (_, Some(_)) => {}
        (Some(signal), None) => {
            let place = brief(&signal.location);
            let (who, step) = (&signal.thread, signal.step);
            let again = steps[asleep].step;
            let mut wakes = links(steps).into_iter().filter(|link| link.kind == LinkKind::Wake);
            let sentence = match wakes.find(|link| link.from == step) {
                Some(link) => format!(
                    "The last signal on {condition}, by {who} in step {step} ({place}), wakes {}; \
                     {} waits in step {again}, and nobody signals it again.",
                    steps[link.to - 1].thread,
                    wait.thread
                ),
                None => format!(
                    "{who} signals {condition} in step {step} ({place}), before {} waits in step \
                     {again}; nobody signals it again.",
                    wait.thread
                ),
            };
            explanation.sentences.push(sentence);
            explanation.mark_step(signal);
        }
        (None, None) => {
            let sentence = format!("Nobody signals {condition} on this way.");
            if !explanation.sentences.contains(&sentence) {
                explanation.sentences.push(sentence);
            }
        }
    }
}

/// Something happened that must not.
fn happened(explanation: &mut Explanation, finding: &Finding, steps: &[Step]) {
    let thread = finding.thread.as_deref().unwrap_or("the program");
    if let Some(location) = &finding.location {
        let note = format!("{thread}: {}", finding.message);
        let is_own = |step: &&Step| step.thread == thread && step.location.line.is_some();
        // In code without source the last line before it has to do.
        let before = steps.iter().rev().find(is_own).filter(|_| location.line.is_none());
        let place = before.and_then(|step| step.location.short());
        let after = place.map_or_else(String::new, |place| format!(", some time after {place}"));
        explanation.sentences.push(format!("It happens in {thread}, {location}{after}."));
        explanation.blame(before.map_or(location, |step| &step.location), note);
    }
    explanation.sentences.extend(sides(&finding.accesses));
    for step in steps {
        let Some(freed) = &step.frees else { continue };
        let place = brief(&freed.location);
        explanation.sentences.push(format!(
            "{} frees {} in step {} ({place}).",
            step.thread, freed.block, step.step
        ));
        let note = format!("{} frees it (step {})", step.thread, step.step);
        explanation.marks.extend(Mark::new(&freed.location, false, step.step, note));
    }
    histories(explanation, finding, steps);
    overtaken(explanation, finding, steps);
    let Some(found) = most_telling(steps, &finding.message) else { return };
    let (first, other, second) = (&steps[found.first], &steps[found.other], &steps[found.second]);
    let object = first.event.as_ref().and_then(|event| event.object.as_deref()).unwrap_or("it");
    let (mine, theirs) = (&first.thread, &other.thread);
    let (one, two, three) = (first.step, other.step, second.step);
    explanation.sentences.push(match found.shape {
        Shape::LostUpdate => format!(
            "{mine} reads {object} in step {one} and writes it in step {three}; in between, in \
             step {two}, {theirs} writes it too, and that is lost."
        ),
        Shape::ReadThenUpdate => format!(
            "{mine} reads {object} in step {one} and updates it in step {three}; in between, in \
             step {two}, {theirs} writes it."
        ),
        Shape::ChangedBetweenReads => format!(
            "{mine} reads {object} in step {one} and again in step {three}; in between, in step \
             {two}, {theirs} writes it."
        ),
        Shape::Overwritten => format!(
            "{mine} writes {object} in step {one} and reads it in step {three}; in between, in \
             step {two}, {theirs} writes it."
        ),
    });
    for step in [first, other, second] {
        explanation.mark_step(step);
    }
}

/// What the threads of a data race hold, and who has called them there.
fn sides(accesses: &[RaceAccess]) -> Vec<String> {
    let mut sentences = Vec::new();
    let of_c = |access: &RaceAccess| !place_of(access).ends_with(".rs");
    if accesses.iter().any(|access| !access.locks.is_empty()) || accesses.iter().any(of_c) {
        let clauses: Vec<String> = accesses.iter().map(RaceAccess::holds).collect();
        sentences.push(clauses.join("; ") + ".");
    }
    for access in accesses {
        let own = |place: &&Location| place.file.as_deref().is_some_and(is_own_file);
        let callers: Vec<String> =
            access.stack.iter().filter(own).skip(1).filter_map(called).collect();
        if !callers.is_empty() {
            let function = access.location.function.as_deref().unwrap_or("there");
            let callers = callers.join(", ");
            sentences.push(format!("{} is in {function}, called by {callers}.", access.thread));
        }
    }
    sentences
}

fn place_of(access: &RaceAccess) -> &str {
    access.location.file.as_deref().unwrap_or_default()
}

/// A caller: `main (a.c:3)`.
fn called(place: &Location) -> Option<String> {
    Some(format!("{} ({})", place.function.as_ref()?, place.short()?))
}

/// For the variables that the message names: how they came to their values.
fn histories(explanation: &mut Explanation, finding: &Finding, steps: &[Step]) {
    let mut known: Vec<&str> = Vec::new();
    for name in names(&finding.message) {
        let changes = steps.iter().flat_map(|step| step.changes.iter().map(move |it| (step, it)));
        let mut changes: Vec<_> = changes.filter(|(_, it)| root(&it.name) == name).collect();
        if changes.is_empty() || known.contains(&name) || known.len() == VARIABLES_MAX {
            continue;
        }
        known.push(name);
        let earlier = changes.len().saturating_sub(CHANGES_MAX);
        changes.drain(..earlier);
        let clause = |(step, change): &(&Step, &Change)| {
            let place = brief(&step.location);
            format!(
                "{} -> {} in step {} ({}, {place})",
                change.old, change.new, step.step, step.thread
            )
        };
        let is_one = changes.iter().all(|(_, change)| change.name == changes[0].1.name);
        let clauses: Vec<String> = if is_one {
            changes.iter().map(clause).collect()
        } else {
            changes.iter().map(|change| format!("{} {}", change.1.name, clause(change))).collect()
        };
        let name = if is_one { changes[0].1.name.as_str() } else { name };
        let dots = if 0 < earlier { "... " } else { "" };
        explanation.sentences.push(format!("{name}: {dots}{}.", clauses.join(", ")));
        for (step, change) in changes {
            let object = step.event.as_ref().and_then(|event| event.object.as_ref());
            if object == Some(&change.name) {
                explanation.mark_step(step);
                continue;
            }
            let note = format!(
                "{}: {} {} -> {} (step {})",
                step.thread, change.name, change.old, change.new, step.step
            );
            explanation.note(step, note);
        }
    }
}

/// A wake-up after which somebody else had the lock first.
fn overtaken(explanation: &mut Explanation, finding: &Finding, steps: &[Step]) {
    let thread = finding.thread.as_deref().unwrap_or_default();
    let mut wakes = links(steps).into_iter().filter(|link| link.kind == LinkKind::Wake);
    let last = wakes.rfind(|link| steps[link.to - 1].thread == thread);
    let Some(Link { from, to, .. }) = last else { return };
    let (signal, woken) = (&steps[from - 1], &steps[to - 1]);
    let has_lock = |step: &&Step| {
        let is_other = step.thread != thread && step.thread != signal.thread;
        is_other && step.locks.iter().any(|lock| lock.holder.as_deref() == Some(&step.thread))
    };
    let Some(other) = steps[from..to - 1].iter().find(has_lock) else { return };
    let lock = other.locks.first().map_or("", |lock| lock.object.as_str());
    explanation.sentences.push(format!(
        "{} wakes {thread} in step {from}, but {} takes {lock} in step {}, before {thread} goes on \
         in step {to}.",
        signal.thread, other.thread, other.step
    ));
    for step in [signal, other, woken] {
        explanation.mark_step(step);
    }
}

/// Where something is, as short as it is clear.
fn brief(location: &Location) -> String {
    location.short().unwrap_or_else(|| location.to_string())
}
