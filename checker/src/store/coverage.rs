//! How much a search may have omitted that does not store states exactly.

use crate::run::stats::grouped;

/// See the module head. Probabilities are those of ideal hash functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coverage {
    /// States were told apart by 64-bit fingerprints.
    Compact {
        /// An upper bound on the probability that any state was omitted.
        omission: f64,
    },
    /// States were told apart by bits of an array.
    Bitstate {
        /// States that were visited.
        states: u64,
        /// The part of the states met that was not taken for visited by mistake, as estimated.
        share: f64,
        /// Bytes of the array.
        bytes: u64,
        /// Bits that each state sets.
        positions: u32,
        /// The part of the bits that is set.
        load: f64,
        /// Searches, each with another function.
        runs: u32,
    },
    /// Fingerprints were made of the registers alone, whose likeness says little.
    Registers,
}

impl Coverage {
    /// So many different fingerprints were met.
    pub fn compact(states: u64) -> Coverage {
        // Of so many pairs each has the same fingerprint with a probability of 2^-64.
        let states = states as f64;
        let pairs = states * (states - 1.0).max(0.0) / 2.0;
        Coverage::Compact { omission: (pairs / 2f64.powi(64)).min(1.0) }
    }

    /// So many states were visited, so many probably omitted.
    pub fn bitstate(states: u64, omitted: f64, bytes: u64, positions: u32, load: f64) -> Coverage {
        let all = states as f64 + omitted;
        let share = if all == 0.0 { 1.0 } else { states as f64 / all };
        Coverage::Bitstate { states, share, bytes, positions, load, runs: 1 }
    }

    /// After another search that covered this much, with another function.
    pub fn and(self, other: Coverage) -> Coverage {
        match (self, other) {
            (
                Coverage::Bitstate { states, share, bytes, positions, load, runs },
                Coverage::Bitstate { states: more, share: again, load: other_load, .. },
            ) => Coverage::Bitstate {
                states: states.max(more),
                // A state is missing if every search omitted it.
                share: 1.0 - (1.0 - share) * (1.0 - again),
                bytes,
                positions,
                load: load.max(other_load),
                runs: runs + 1,
            },
            _ => other,
        }
    }

    /// Why this proves nothing.
    pub fn reason(&self) -> String {
        match *self {
            Coverage::Compact { omission } => format!(
                "states were told apart by 64-bit fingerprints, probability of omission \
                 {omission:.1e}"
            ),
            Coverage::Bitstate { share, bytes, positions, load, runs, .. } => {
                let times = if runs == 1 { String::new() } else { format!(" in {runs} runs") };
                format!(
                    "states were told apart by {positions} of {} bits, {:.2}% of which are set, \
                     estimated coverage {}%{times}",
                    grouped(bytes * 8),
                    load * 100.0,
                    percent(share)
                )
            }
            Coverage::Registers => {
                "states whose general registers are the same were taken for the same".to_string()
            }
        }
    }
}

/// A share as percents, rounded down: only what is whole is 100.
fn percent(share: f64) -> f64 {
    if share < 1.0 { ((share * 1e6).floor() / 1e4).min(99.9999) } else { 100.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omission_grows_with_the_square_of_the_states() {
        let omission = |states| match Coverage::compact(states) {
            Coverage::Compact { omission } => omission,
            _ => f64::NAN,
        };
        assert_eq!((omission(0), omission(1)), (0.0, 0.0));
        assert!((omission(1 << 20) / 2f64.powi(-25) - 1.0).abs() < 1e-3);
        assert_eq!(omission(1 << 40), 1.0);
    }

    #[test]
    fn a_second_run_covers_more() {
        let one = Coverage::bitstate(900, 100.0, 64, 3, 0.5);
        let Coverage::Bitstate { share, runs, .. } = one.and(one) else { panic!("bitstate") };
        assert!((share - 0.99).abs() < 1e-9);
        assert_eq!(runs, 2);
        assert!(one.and(one).reason().ends_with("estimated coverage 99% in 2 runs"));
    }

    #[test]
    fn almost_all_is_not_all() {
        assert_eq!(percent(0.999_999_999_9), 99.9999);
        assert_eq!(percent(1.0), 100.0);
    }
}
