//! About how many states there are: capture and recapture.
//!
//! A search that was stopped has seen some states. Random walks from the start see others, and some
//! of the same: if the share of known states among those on the walks is the share of known states
//! among all, the number of all follows. Walks stay nearer to the start than most states are, so
//! this says too little rather than too much; it decides about the order of searches only.

use crate::explore::dfs::Suspended;
use crate::explore::engine::{Engine, Expansion};
use crate::explore::space::Space;
use crate::run::random::Random;
use crate::state::StateId;
use std::collections::BTreeSet;

/// States on all walks, at most.
const STATES_MAX: usize = 400;
/// Moves of one walk, at most.
const MOVES_MAX: usize = 100;

/// What walks have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// States that there are, about.
    pub states: u64,
    /// States that the walks have seen.
    pub probed: u64,
}

/// Estimates the number of states of a space in which a search was stopped; `None` if what is
/// visible has changed, and everything has to begin anew.
pub fn estimate(space: &mut Space<'_>, search: &Suspended, seed: u64) -> Option<Estimate> {
    let mut random = Random::new(seed);
    let mut seen = BTreeSet::new();
    let mut moves = 0;
    while moves < STATES_MAX {
        space.jump_to_start();
        for _ in 0..MOVES_MAX {
            moves += 1;
            seen.insert(space.state());
            match space.expand() {
                Expansion::Anew => return None,
                Expansion::Successors if !space.successors().is_empty() => {}
                _ => break,
            }
            let successors = space.successors();
            let choice = successors[random.below(successors.len() as u64) as usize].choice;
            space.forward(choice);
        }
    }
    Some(recapture(search.stats().states, &seen, |state| search.has_entered(state)))
}

fn recapture(known: u64, seen: &BTreeSet<StateId>, is_known: impl Fn(StateId) -> bool) -> Estimate {
    let probed = seen.len() as u64;
    let again = seen.iter().filter(|state| is_known(**state)).count() as u64;
    // Chapman's form, which has no zero below the line.
    let states = (known + 1).saturating_mul(probed + 1) / (again + 1);
    Estimate { states: states.max(known), probed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_known_states_tells_how_many_there_are() {
        let seen: BTreeSet<StateId> = (0..100).map(|state| StateId(state * 10)).collect();
        let about = |known: u32| recapture(known.into(), &seen, |state| state.0 < known).states;
        for known in [100, 500, 900] {
            assert!((900..=1100).contains(&about(known)), "{known}: {}", about(known));
        }
        assert_eq!(recapture(50, &seen, |_| true).states, 51, "all are known");
        assert!(5000 <= recapture(50, &seen, |_| false).states, "none is");
    }
}
