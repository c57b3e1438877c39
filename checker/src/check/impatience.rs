//! Why nothing is proved where threads wait in loops that count their turns, and what helps.

use super::search::PATIENCE;
use crate::place::{Place, Places};
use samovar_runtime::Process;

/// Most loops that are named.
const NAMED_MAX: usize = 3;

/// A runtime whose threads go round for a set time before they sleep, by how its file is called,
/// and what makes them sleep at once.
const RUNTIME: (&str, &str) =
    ("libgomp", "--env OMP_WAIT_POLICY=passive makes threads of OpenMP sleep instead");

/// The reason, with the places of the loops.
pub fn reason(process: &Process, loops: &[u64]) -> String {
    let places = Places::of(process);
    // The address is the one behind the read.
    tell(&loops.iter().map(|pc| places.at(pc.saturating_sub(1))).collect::<Vec<_>>())
}

fn tell(places: &[Place]) -> String {
    let mut named: Vec<String> = Vec::new();
    for place in places.iter().map(|place| format!("{place:#}")) {
        if !named.contains(&place) && named.len() < NAMED_MAX {
            named.push(place);
        }
    }
    let (library, advice) = RUNTIME;
    let is_of = |place: &Place| place.module.as_ref().is_some_and(|it| it.starts_with(library));
    let hint = if places.iter().any(is_of) { format!("; {advice}") } else { String::new() };
    format!(
        "a thread waits in a loop that counts its turns ({}); it was followed for {PATIENCE} \
         rounds in which it saw nothing new, and what it does after more is not known; --patience \
         {PATIENCE} takes for granted that it waits on{hint}",
        named.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(function: &str, module: Option<&str>) -> Place {
        let function = Some((function.to_string(), 0));
        Place { function, module: module.map(str::to_string), ..Place::default() }
    }

    #[test]
    fn loops_are_named_once() {
        let own = [place("wait", None), place("wait", None), place("receive", None)];
        let text = tell(&own);
        assert!(text.contains("(in wait; in receive);"), "{text}");
        assert!(!text.contains("--env"), "{text}");
    }

    #[test]
    fn a_runtime_with_a_switch_for_it_is_known() {
        let text = tell(&[place("wait", None), place("do_wait", Some("libgomp.so.1"))]);
        assert!(text.contains("do_wait of libgomp.so.1"), "{text}");
        assert!(text.contains("--env OMP_WAIT_POLICY=passive"), "{text}");
    }
}
