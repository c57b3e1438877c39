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
use crate::store::{Coverage, Visited};

/// Bits that each state sets in the array of `--store bitstate`.
const POSITIONS: u32 = 3;
/// The array of bits takes at most this if nobody says how much memory there is.
const ARRAY_MAX: u64 = 1 << 30;
/// Less than this is not worth beginning.
const ARRAY_MIN: u64 = 1 << 16;

/// How states are told apart with a store, if not by what they are.
pub fn printed(plan: &Plan<'_>) -> Option<Printed> {
    let keep = match plan.options.store {
        StoreChoice::Exact => return None,
        StoreChoice::Compact | StoreChoice::Bitstate => false,
    };
    let method = plan.options.hash.map_or(Method::Incremental, |hash| hash.method());
    Some(Printed::new(0, method, keep))
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
    /// Bytes for the array of bits, if there is room for one. An eighth is left for moves and the
    /// path.
    fn array(&self) -> Option<u64> {
        let most = if self.given.is_some() { u64::MAX } else { ARRAY_MAX };
        let free = (self.limit - self.limit / 8).saturating_sub(self.taken).min(most);
        (ARRAY_MIN <= free).then_some(free)
    }

    /// Bytes for a table, also while it grows.
    fn table(&self) -> u64 {
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
        return search(space, Compact::new(room.table()), plan, stats, watchdog);
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
    stats.load_permille = (search.visited().load() * 1000.0) as u32;
    (round, Some(coverage))
}
