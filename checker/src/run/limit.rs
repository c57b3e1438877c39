//! The time limit of a run, by the host's clock: the one thing of the host that moves by itself and
//! that a run looks at, and only to give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A moment after which nothing more is done; or never.
#[derive(Clone, Debug)]
pub struct Limit {
    end: Option<Instant>,
    missed: Arc<AtomicBool>,
}

impl Limit {
    /// A limit from now on; `None` for no limit.
    pub fn new(time: Option<Duration>) -> Limit {
        // A limit too far away to be expressed is none.
        let end = time.and_then(|time| Instant::now().checked_add(time));
        Limit { end, missed: Arc::default() }
    }

    /// How much time is left; `None` for any amount.
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    /// Notes that something did not happen because the time was over.
    pub fn miss(&self) {
        self.missed.store(true, Ordering::Relaxed);
    }

    /// Whether something did not happen because the time was over. Does not look at the clock.
    pub fn was_missed(&self) -> bool {
        self.missed.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limit_ends() {
        assert!(Limit::new(Some(Duration::ZERO)).is_over());
        assert!(!Limit::new(Some(Duration::MAX)).is_over());
        assert!(!Limit::new(Some(Duration::from_secs(3600))).is_over());
        assert!(!Limit::new(None).is_over());
    }
}
