//! Runs of neighbouring threads, by number, that have something in common.

use crate::explore::view::ThreadStanding;

/// The sum over all runs of neighbouring threads that have some weight of the square of what the
/// run weighs: one long run weighs more than several short ones.
pub fn weigh(threads: &[ThreadStanding], weight: impl Fn(ThreadStanding) -> i64) -> i64 {
    let (mut sum, mut run) = (0i64, 0i64);
    for weight in threads.iter().map(|&thread| weight(thread)).chain([0]) {
        if weight == 0 {
            sum = sum.saturating_add(run.saturating_mul(run));
            run = 0;
        } else {
            run += weight;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::view::Standing;

    #[test]
    fn long_runs_weigh_more() {
        let holding = |holds: &[u32]| -> Vec<ThreadStanding> {
            let one = |&holds| ThreadStanding { standing: Standing::Free, wants: None, holds };
            holds.iter().map(one).collect()
        };
        let weight = |holds: &[u32]| weigh(&holding(holds), |thread| thread.holds.into());
        assert_eq!(weight(&[]), 0);
        assert_eq!(weight(&[0, 0]), 0);
        assert_eq!(weight(&[1, 0, 1]), 2);
        assert_eq!(weight(&[0, 1, 1]), 4);
        assert_eq!(weight(&[2, 1, 0, 3]), 18);
    }
}
