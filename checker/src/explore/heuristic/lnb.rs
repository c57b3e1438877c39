//! Lock and block: the more threads are blocked and the more locks are held, the better.
//!
//! StEAM counts the threads that are not blocked and the resources that are not locked. How many
//! of either there will ever be is not known here, so the others are counted, downwards: beginning
//! a thread is neither good nor bad. A thread that holds several locks and can go on is likely to
//! give them back, so that only one lock of it counts.

use super::Heuristic;
use crate::explore::view::View;

/// See the module head.
#[derive(Debug)]
pub struct LockAndBlock;

impl Heuristic for LockAndBlock {
    fn value(&mut self, view: &View<'_>) -> i64 {
        let weight = |blocked: bool, holds: u32| match blocked {
            true => 1 + i64::from(holds),
            false => i64::from(holds.min(1)),
        };
        let threads = view.threads.iter().filter(|thread| thread.is_alive());
        -threads.map(|thread| weight(thread.is_blocked(), thread.holds)).sum::<i64>()
    }
}
