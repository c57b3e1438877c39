//! One line on a terminal that says how far a search is; nothing anywhere else.

use crate::explore::choice::Stats;
use crate::run::stats::grouped;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// Time between two lines.
const EVERY: Duration = Duration::from_millis(200);

/// See the module head. The line is gone when this is.
#[derive(Debug)]
pub struct Progress {
    is_wanted: bool,
    begin: Instant,
    next: Instant,
    is_shown: bool,
    /// States of the rounds before this one.
    states_before: u64,
    last: Stats,
}

impl Progress {
    /// Shows something if that is wanted and there is somebody to see it.
    pub fn new(is_wanted: bool) -> Progress {
        let begin = Instant::now();
        Progress {
            is_wanted: is_wanted && stderr().is_terminal(),
            begin,
            next: begin + EVERY,
            is_shown: false,
            states_before: 0,
            last: Stats::default(),
        }
    }

    /// Shows the numbers, if it is time.
    pub fn show(&mut self, stats: &Stats) {
        if !self.is_wanted {
            return;
        }
        if stats.rounds != self.last.rounds {
            self.states_before += self.last.states;
        }
        self.last = *stats;
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + EVERY;
        self.is_shown = true;
        let seconds = (now - self.begin).as_secs_f64();
        let rate = (self.states_before + stats.states) as f64 / seconds.max(1e-3);
        // Nobody has to see this.
        let _ = write!(
            stderr(),
            "\r\x1b[K{} states, {} a second, depth {}, round {}",
            grouped(stats.states),
            grouped(rate as u64),
            grouped(stats.depth),
            stats.rounds,
        );
        let _ = stderr().flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
