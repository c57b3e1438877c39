//! Why nothing is proved where threads wait in loops that count their turns, and what helps.

use super::search::PATIENCE;
use crate::place::{Place, Places};
use samovar_runtime::Process;

/// Most loops that are named.
const NAMED_MAX: usize = 3;

/// Runtimes whose threads go round for a set time before they sleep, by how their files are called,
/// and what makes them sleep at once.
const RUNTIMES: [(&str, &str); 2] = [
    ("libgomp", "--env OMP_WAIT_POLICY=passive makes threads of OpenMP sleep instead"),
    ("libomp", "--env KMP_BLOCKTIME=0 makes threads of OpenMP sleep sooner"),
];

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
    let is_of = |name: &str| {
        let module = |place: &Place| place.module.as_ref().is_some_and(|it| it.starts_with(name));
        places.iter().any(module)
    };
    let hint = RUNTIMES.iter().find(|runtime| is_of(runtime.0));
    let hint = hint.map_or_else(String::new, |runtime| format!("; {}", runtime.1));
    format!(
        "a thread waits in a loop that counts its turns ({}); it was followed for {PATIENCE} rounds \
         in which it saw nothing new, and what it does after more is not known; --patience \
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
    fn runtimes_with_a_switch_for_it_are_known() {
        let text = tell(&[place("wait", None), place("do_wait", Some("libgomp.so.1"))]);
        assert!(text.contains("do_wait of libgomp.so.1"), "{text}");
        assert!(text.contains("--env OMP_WAIT_POLICY=passive"), "{text}");
    }
}
