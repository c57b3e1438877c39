//! The words of a step where there is little room: operation and value changes in one phrase.

use super::changes::Change;
use super::describe::Step;
use super::event::EventKind;
use crate::page::TIED;

/// What a step does, the change of the variable that it is about included: `writes x: 0 -> 1`.
pub fn deed(step: &Step) -> String {
    match own_change(step) {
        Some(change) => format!("{}: {}", step.operation, values(change)),
        None => step.operation.clone(),
    }
}

/// Changes beyond that of the variable that the step is about, and what it frees.
pub fn further_changes(step: &Step) -> impl Iterator<Item = String> + '_ {
    let own = own_change(step).map(|change| change.name.as_str());
    let others = step.changes.iter().filter(move |change| Some(change.name.as_str()) != own);
    let frees = step.frees.iter().map(|freed| {
        let place = freed.location.short().unwrap_or_else(|| freed.location.to_string());
        format!("frees {} ({place})", freed.block)
    });
    others.map(|change| format!("{}: {}", change.name, values(change))).chain(frees)
}

/// Old and new value, which belong on one line if they are short.
fn values(change: &Change) -> String {
    format!("{}{TIED}->{TIED}{}", change.old, change.new)
}

/// The change of the variable that a step writes.
fn own_change(step: &Step) -> Option<&Change> {
    let event = step.event.as_ref()?;
    if !matches!(event.kind, EventKind::Write | EventKind::Update) {
        return None;
    }
    let object = event.object.as_deref()?;
    // A step that turned out to be the error says something else.
    let is_said = step.operation.ends_with(object);
    step.changes.iter().find(|change| is_said && change.name == object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::Event;

    #[test]
    fn a_write_tells_its_values() {
        let change = |name: &str| Change { name: name.into(), old: "0".into(), new: "1".into() };
        let step = Step {
            operation: "writes x".into(),
            event: Some(Event::on(EventKind::Write, "x", 8)),
            changes: vec![change("x"), change("y")],
            ..Step::default()
        };
        assert_eq!(deed(&step), "writes x: 0\u{a0}->\u{a0}1");
        assert_eq!(further_changes(&step).collect::<Vec<_>>(), ["y: 0\u{a0}->\u{a0}1"]);
        let failed = Step { operation: "assertion fails".into(), ..step };
        assert_eq!(deed(&failed), "assertion fails");
        assert_eq!(further_changes(&failed).count(), 2);
    }
}
