//! When to give up: by the clock and by the memory that this process takes.

use super::lossy::Room;
use crate::run::limit::Limit;
use std::time::{Duration, Instant};

/// Time between two looks at the memory; asking the kernel is not free.
const MEMORY_EVERY: Duration = Duration::from_millis(100);
/// Of the memory that is free at the start, this many percent may be taken.
const MEMORY_PERCENT: u64 = 80;
/// Bytes in a page of the kernel's account.
const PAGE: u64 = 4096;

/// The limits of a search.
#[derive(Debug)]
pub struct Limits {
    /// Most steps on a path.
    pub depth: Option<u64>,
    time: Limit,
    seconds: f64,
    memory: Option<u64>,
    next_look: Instant,
}

impl Limits {
    /// These limits; without one for memory, most of what is free now.
    pub fn new(
        time: &Limit,
        given: Option<Duration>,
        memory: Option<u64>,
        depth: Option<u64>,
    ) -> Limits {
        let memory = memory.or_else(|| Some(available()? / 100 * MEMORY_PERCENT));
        let seconds = given.unwrap_or_default().as_secs_f64();
        Limits { depth, time: time.clone(), seconds, memory, next_look: Instant::now() }
    }

    /// Memory that a search may take.
    pub fn room(&self, given: Option<u64>) -> Room {
        let limit = self.memory.unwrap_or(u64::MAX);
        Room { given, limit, taken: resident().unwrap_or(0) }
    }

    /// The reason to stop, if there is one.
    pub fn reached(&mut self) -> Option<String> {
        if self.time.is_over() {
            return Some(format!("the time limit of {} s was reached", self.seconds));
        }
        let now = Instant::now();
        if now < self.next_look {
            return None;
        }
        self.next_look = now + MEMORY_EVERY;
        let memory = self.memory?;
        (memory <= resident()?)
            .then(|| format!("the memory limit of {} MiB was reached", memory >> 20))
    }
}

/// Bytes of memory that this process has.
fn resident() -> Option<u64> {
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
    fn only_limits_are_reached() {
        let never = Limit::new(None);
        assert_eq!(Limits::new(&never, None, Some(u64::MAX), None).reached(), None);
        let reason = Limits::new(&never, None, Some(1 << 20), None).reached();
        assert_eq!(reason.as_deref(), Some("the memory limit of 1 MiB was reached"));
        let over = Some(Duration::ZERO);
        let reason = Limits::new(&Limit::new(over), over, None, None).reached();
        assert_eq!(reason.as_deref(), Some("the time limit of 0 s was reached"));
    }
}
