//! Statistics of a run, for `--stats`.

use samovar_runtime::Process;
use std::io::{Write, stderr};
use std::time::Instant;

/// Measures from the first instruction on.
#[derive(Debug)]
pub struct Stopwatch {
    start: Instant,
}

impl Stopwatch {
    /// Starts measuring.
    pub fn start() -> Stopwatch {
        Stopwatch { start: Instant::now() }
    }

    /// Writes the statistics to the standard error stream.
    pub fn report(&self, process: &Process) {
        let seconds = self.start.elapsed().as_secs_f64();
        let instructions = process.machine.instructions();
        let rate = instructions as f64 / seconds.max(1e-9) / 1e6;
        let mut lines = vec![
            ("instructions", grouped(instructions)),
            ("time", format!("{seconds:.3} s")),
            ("speed", format!("{rate:.1} million instructions a second")),
            ("threads", grouped(process.threads().len() as u64)),
        ];
        if let Some(kibibytes) = peak_memory_kib() {
            lines.push(("peak memory", format!("{:.1} MiB", kibibytes as f64 / 1024.0)));
        }
        let mut text = String::from("samovar: statistics\n");
        for (name, value) in lines {
            text += &format!("  {name:<14}{value}\n");
        }
        // There is nowhere else to say that this failed.
        let _ = stderr().write_all(text.as_bytes());
    }
}

/// The largest amount of memory that this process had, as the kernel tells it.
pub(crate) fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A number with commas between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if 0 < index && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }
}
