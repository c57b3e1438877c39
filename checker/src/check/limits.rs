//! When to give up: by the clock and by the memory that this process takes.

use super::lossy::Room;
use crate::run::limit::{Limit, resident};
use std::time::{Duration, Instant};

/// Time between two looks at the memory; asking the kernel is not free.
const MEMORY_EVERY: Duration = Duration::from_millis(100);

/// The limits of a search.
#[derive(Debug)]
pub struct Limits {
    /// Most steps on a path.
    pub depth: Option<u64>,
    host: Limit,
    next_look: Instant,
}

impl Limits {
    /// These limits.
    pub fn new(host: &Limit, depth: Option<u64>) -> Limits {
        Limits { depth, host: host.clone(), next_look: Instant::now() }
    }

    /// The limits of the host.
    pub fn host(&self) -> &Limit {
        &self.host
    }

    /// Memory that a search may take.
    pub fn room(&self, given: Option<u64>) -> Room {
        let limit = self.host.memory().unwrap_or(u64::MAX);
        Room { given, limit, taken: resident().unwrap_or(0) }
    }

    /// The reason to stop, if there is one, looking at everything now.
    pub fn reached_now(&self) -> Option<String> {
        self.host.out_of_time().or_else(|| self.host.out_of_memory())
    }

    /// The reason to stop, if there is one.
    pub fn reached(&mut self) -> Option<String> {
        if let Some(reason) = self.host.out_of_time() {
            return Some(reason);
        }
        let now = Instant::now();
        if now < self.next_look {
            return None;
        }
        self.next_look = now + MEMORY_EVERY;
        self.host.out_of_memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_limits_are_reached() {
        let reached = |limit: Limit| Limits::new(&limit, None).reached();
        assert_eq!(reached(Limit::new(None).with_memory(Some(u64::MAX))), None);
        let little = Limit::new(None).with_memory(Some(1 << 20));
        assert_eq!(reached(little).as_deref(), Some("the memory limit of 1 MiB was reached"));
        let over = Limit::new(Some(Duration::ZERO));
        assert_eq!(reached(over).as_deref(), Some("the time limit of 0 s was reached"));
    }
}
