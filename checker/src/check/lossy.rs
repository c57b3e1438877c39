//! One round of a search whose store may omit states.

use super::search::Plan;
use crate::cli::StoreChoice;
use crate::explore::choice::{Found, Stats};
use crate::explore::dfs::{Round, Watchdog};
use crate::explore::lossy::LossyDepthFirst;
use crate::explore::space::Space;
use crate::state::printed::{Method, Printed};
use crate::store::bitstate::Bitstate;
use crate::store::compact::Compact;
use crate::store::mini::MiniStates;
use crate::store::{Coverage, Visited};

/// Levels between two with key states.
const KEY_EVERY: u32 = 64;
/// Bits that each state sets in the array of `--store bitstate`.
const POSITIONS: u32 = 3;
/// The array of bits takes at most this if nobody says how much memory there is.
const ARRAY_MAX: u64 = 1 << 30;
/// What is left for everything else, at most.
const REST_MAX: u64 = 3 << 29;
/// Less than this is not worth beginning.
const ARRAY_MIN: u64 = 1 << 16;

/// A space that remembers states as a plan wants it.
pub fn storing<'a>(space: Space<'a>, plan: &Plan<'_>) -> Space<'a> {
    let method = plan.options.hash.map_or(Method::Incremental, |hash| hash.method());
    let printed = |keep: bool| Printed::new(0, method, keep);
    match plan.options.store {
        StoreChoice::Exact => space,
        StoreChoice::Compact | StoreChoice::Bitstate => space.printing(printed(false)),
        StoreChoice::Reconstruct => {
            let every = plan.options.key_every.unwrap_or(KEY_EVERY);
            space.rebuilding(printed(true), MiniStates::new(every))
        }
    }
}

/// Memory that a search may take, and that is taken already.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// What was asked for, in bytes.
    pub given: Option<u64>,
    /// The limit, given or not.
    pub limit: u64,
    /// Taken before the search.
    pub taken: u64,
}

impl Room {
    /// Bytes for the array of bits, if there is room for one. Something is left for components,
    /// remembered moves and the path.
    fn array(&self) -> Option<u64> {
        let most = if self.given.is_some() { u64::MAX } else { ARRAY_MAX };
        let free = self.free();
        let bytes = (free - (free / 2).min(REST_MAX)).min(most);
        (ARRAY_MIN <= bytes).then_some(bytes)
    }

    /// Bytes that are not taken yet.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.taken)
    }
}

/// One round of a depth-first search over a space that has just begun it, and what it covered.
pub fn round(
    space: &mut Space<'_>,
    plan: &Plan<'_>,
    room: Room,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> (Round, Option<Coverage>) {
    if plan.options.store == StoreChoice::Compact {
        return search(space, Compact::new(room.free()), plan, stats, watchdog);
    }
    let Some(bytes) = room.array() else {
        let reason = format!(
            "the memory limit of {} MiB leaves no room for an array of bits: {} MiB are taken \
             before the search",
            room.limit >> 20,
            room.taken.div_ceil(1 << 20)
        );
        return (Round::Over(Found::Stopped { reason }), None);
    };
    let positions = plan.options.positions.unwrap_or(POSITIONS);
    search(space, Bitstate::new(bytes, positions), plan, stats, watchdog)
}

fn search<V: Visited>(
    space: &mut Space<'_>,
    visited: V,
    plan: &Plan<'_>,
    stats: &mut Stats,
    watchdog: &mut Watchdog<'_>,
) -> (Round, Option<Coverage>) {
    let depth = plan.options.depth.unwrap_or(u64::MAX);
    let mut search = LossyDepthFirst::new(space, visited, depth);
    let round = search.run(stats, watchdog);
    let coverage = match plan.options.hash.map(|hash| hash.method()) {
        Some(Method::Partial) => Coverage::Registers,
        _ => search.visited().coverage(),
    };
    stats.visited_bytes = search.visited().bytes() as u64;
    stats.table_load = search.visited().load();
    (round, Some(coverage))
}
