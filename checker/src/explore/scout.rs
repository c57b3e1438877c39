//! Random walks before a search: most contended words show up on any path.
//!
//! Every word that joins the contended set during a search makes it begin anew. Finding the words
//! first, on a few short paths, costs next to nothing. Walks are random but the same every time.
//!
//! A walk tries the moves of all threads at each step. Where there are many threads, it comes to
//! nothing: then the program is run once, thread after thread, and whatever of its variables
//! several threads work on as an object is taken to be contended, without waiting for a state in
//! which two of them do.

use super::engine::{Engine, Expansion};
use super::space::Space;

/// Walks in vain before the search begins.
const WALKS_IN_VAIN: u32 = 3;
/// Walks at most.
const WALKS_MAX: u32 = 32;
/// Moves of one walk at most.
const MOVES_MAX: u32 = 1000;
/// Moves that may be tried in all walks: with many threads, there are many to try at each step.
const TRIED_MAX: u64 = 50_000;

/// So many threads are many.
const MANY: u32 = 24;
/// Moves of the run that is made for them, at most.
const REHEARSED_MAX: u32 = 100_000;

/// Walks from the start of a space and lets it learn what is contended, until it is time to stop.
pub fn scout(space: &mut Space<'_>, stops: &mut dyn FnMut() -> bool) {
    let mut random = 0x5eed_u64;
    let (mut in_vain, mut rehearsed) = (0, false);
    for _ in 0..WALKS_MAX {
        space.begin_round();
        match walk(space, &mut random, rehearsed, stops) {
            Walk::Learned => in_vain = 0,
            Walk::InVain => in_vain += 1,
            Walk::Over => return,
            Walk::Crowded => {
                space.rehearse(REHEARSED_MAX, stops);
                rehearsed = true;
            }
        }
        if in_vain == WALKS_IN_VAIN || TRIED_MAX <= space.work().0 {
            return;
        }
    }
}

/// What came of a walk.
enum Walk {
    /// Something new is contended.
    Learned,
    /// Nothing was learned.
    InVain,
    /// The search will find something wrong, or has no time.
    Over,
    /// There are many threads.
    Crowded,
}

fn walk(
    space: &mut Space<'_>,
    random: &mut u64,
    rehearsed: bool,
    stops: &mut dyn FnMut() -> bool,
) -> Walk {
    let mut learned = false;
    for _ in 0..MOVES_MAX {
        if !rehearsed && MANY <= space.thread_count() {
            return Walk::Crowded;
        }
        if stops() {
            return Walk::Over;
        }
        if TRIED_MAX <= space.work().0 {
            break;
        }
        match space.expand() {
            Expansion::Anew => {
                learned = true;
                continue;
            }
            Expansion::Successors => {}
            Expansion::Wrong(..) | Expansion::Unsupported(..) => return Walk::Over,
        }
        let successors = space.successors();
        if successors.is_empty() {
            break;
        }
        let choice = successors[next(random) as usize % successors.len()].choice;
        space.forward(choice);
    }
    if learned { Walk::Learned } else { Walk::InVain }
}

/// Marsaglia's shift-register generator: any sequence without a pattern does.
fn next(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random >> 11
}
