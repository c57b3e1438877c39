//! The native run against the run inside the virtual CPU.

use crate::child::{Job, Outcome};
use std::fmt;

/// The ways `samovar run` is asked to run a program.
pub const MODELS: &[(&str, &[&str])] =
    &[("full", &["--model", "full"]), ("none", &["--model", "none"])];

/// Random schedules on top of these, for programs with threads.
pub const SEEDED: &[(&str, &[&str])] = &[
    ("full seed 1", &["--model", "full", "--seed", "1"]),
    ("none seed 2", &["--model", "none", "--seed", "2"]),
];

/// What came of one comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Same output, same errors, same ending.
    Identical,
    /// The virtual CPU gave up on something it named.
    Unsupported(String),
    /// Anything else; the text shows where.
    Differs(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Identical => f.write_str("identical"),
            Verdict::Unsupported(what) => write!(f, "unsupported ({what})"),
            Verdict::Differs(how) => write!(f, "differs: {how}"),
        }
    }
}

/// Compares an outcome with the native one.
pub fn judge(native: &Outcome, guest: &Outcome) -> Verdict {
    let said = guest.stderr_text();
    let refusal = said.lines().find(|line| line.starts_with("samovar"));
    if guest.status.code() == Some(2) && guest.stderr != native.stderr {
        let line = refusal.or(said.lines().last()).unwrap_or("no message").to_string();
        return Verdict::Unsupported(line);
    }
    let mut how = Vec::new();
    if guest.hung || guest.status != native.status {
        how.push(format!("ended by {}, natively {}", guest.ending(), native.ending()));
    }
    how.extend(first_difference("stdout", &native.stdout, &guest.stdout));
    how.extend(first_difference("stderr", &native.stderr, &guest.stderr));
    if how.is_empty() { Verdict::Identical } else { Verdict::Differs(how.join("; ")) }
}

/// Where two byte strings part, with a little of both.
fn first_difference(what: &str, native: &[u8], guest: &[u8]) -> Option<String> {
    if native == guest {
        return None;
    }
    let at = native.iter().zip(guest).take_while(|(a, b)| a == b).count();
    let from = at.saturating_sub(20);
    let show = |bytes: &[u8]| {
        let end = bytes.len().min(at + 60);
        format!("{:?}", String::from_utf8_lossy(&bytes[from.min(end)..end]))
    };
    let (n, g) = (show(native), show(guest));
    Some(format!(
        "{what} at byte {at}: natively {n} ({} bytes), here {g} ({} bytes)",
        native.len(),
        guest.len()
    ))
}

/// Runs a job in every given way and lists what is not identical, one line each.
pub fn complaints(job: &Job, native: &Outcome, ways: &[(&str, &[&str])]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, options) in ways {
        let guest = job.under_samovar(options);
        let verdict = judge(native, &guest.run());
        if verdict != Verdict::Identical {
            lines.push(format!("[{name}] {verdict}\n    {}", guest.command_line()));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn shell(script: &str) -> Outcome {
        Job::new(Path::new("/bin/sh"), &["-c", script]).run()
    }

    #[test]
    fn tells_output_errors_and_endings_apart() {
        let one = shell("echo a; echo b >&2; exit 3");
        assert_eq!(judge(&one, &shell("echo a; echo b >&2; exit 3")), Verdict::Identical);
        let others = [
            "echo A; echo b >&2; exit 3",
            "echo a; echo B >&2; exit 3",
            "echo a; echo b >&2; exit 4",
            "echo a; echo b >&2; kill -3 $$",
        ];
        for script in others {
            assert!(matches!(judge(&one, &shell(script)), Verdict::Differs(_)), "{script}");
        }
        let refused = judge(&one, &shell("echo samovar: no >&2; exit 2"));
        assert_eq!(refused, Verdict::Unsupported("samovar: no".to_string()));
    }
}
