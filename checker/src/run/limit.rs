//! Limits by the host's clock and memory: what of the host moves by itself and a run looks at, and
//! only to give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Of the memory that is free at the start, this many percent may be taken.
const MEMORY_PERCENT: u64 = 80;
/// Bytes in a page of the kernel's account.
const PAGE: u64 = 4096;

/// A moment after which nothing more is done, or never, and perhaps so much memory that nothing
/// more is done.
#[derive(Clone, Debug)]
pub struct Limit {
    end: Option<Instant>,
    time: Duration,
    memory: Option<u64>,
    missed: Arc<AtomicBool>,
}

impl Limit {
    /// A limit from now on; `None` for no limit.
    pub fn new(time: Option<Duration>) -> Limit {
        // A limit too far away to be expressed is none.
        let end = time.and_then(|time| Instant::now().checked_add(time));
        Limit { end, time: time.unwrap_or_default(), memory: None, missed: Arc::default() }
    }

    /// The same with one for memory: this, or most of what is free now.
    pub fn with_memory(self, given: Option<u64>) -> Limit {
        let memory = given.or_else(|| Some(available()? / 100 * MEMORY_PERCENT));
        Limit { memory, ..self }
    }

    /// The same, but not before so much time from now, for what comes after the main thing.
    pub fn with_grace(&self, grace: Duration) -> Limit {
        let end = self.end.map(|end| end.max(Instant::now() + grace));
        Limit { end, ..self.clone() }
    }

    /// Bytes of memory that this process may take, if there is a limit.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// How much time is left; `None` for any amount.
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    /// The reason to stop by the clock, if there is one.
    pub fn out_of_time(&self) -> Option<String> {
        let seconds = self.time.as_secs_f64();
        self.is_over().then(|| format!("the time limit of {seconds} s was reached"))
    }

    /// The reason to stop by the memory that this process has, if there is one. Asks the kernel.
    pub fn out_of_memory(&self) -> Option<String> {
        let memory = self.memory?;
        (memory <= resident()?)
            .then(|| format!("the memory limit of {} MiB was reached", memory >> 20))
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

/// Bytes of memory that this process has.
pub fn resident() -> Option<u64> {
    let account = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = account.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

/// Bytes of memory that the machine can still give.
fn available() -> Option<u64> {
    let account = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = account.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
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
        assert!(!Limit::new(Some(Duration::ZERO)).with_grace(Duration::from_secs(3600)).is_over());
        assert!(Limit::new(Some(Duration::ZERO)).with_grace(Duration::ZERO).is_over());
        assert_eq!(Limit::new(None).with_grace(Duration::ZERO).left(), None);
    }

    #[test]
    fn reasons_name_the_limit() {
        let plenty = Limit::new(None).with_memory(Some(u64::MAX));
        assert_eq!((plenty.out_of_time(), plenty.out_of_memory()), (None, None));
        let little = Limit::new(Some(Duration::ZERO)).with_memory(Some(1 << 20));
        let reason = little.out_of_memory();
        assert_eq!(reason.as_deref(), Some("the memory limit of 1 MiB was reached"));
        assert_eq!(little.out_of_time().as_deref(), Some("the time limit of 0 s was reached"));
        assert!(Limit::new(None).with_memory(None).memory().is_some(), "most of what is free");
    }
}
