//! The `samovar` command from the outside: what a shell sees of `run` and `inspect`.
//!
//! That programs compute what they compute natively is tested elsewhere; here it is about
//! everything around them: arguments, streams, endings, limits, schedules and messages.

mod endings;
mod inspect;
mod messages;
mod schedules;
mod streams;
mod usage;

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory with a program in it, gone when dropped.
struct Guest {
    directory: PathBuf,
}

impl Guest {
    /// Writes the program as `guest.c`.
    fn new(source: &str) -> Guest {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("samovar-command-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir(&directory).expect("a directory for a guest");
        std::fs::write(directory.join("guest.c"), source).expect("the source of a guest");
        Guest { directory }
    }

    /// Compiles the program, so that running it does not.
    fn compiled(source: &str) -> Guest {
        let guest = Guest::new(source);
        let status = Command::new("cc")
            .args(["-g", "-O1", "-pthread", "guest.c", "-o", "guest"])
            .current_dir(&guest.directory)
            .status();
        assert!(status.expect("cc can be started").success());
        guest
    }

    /// `samovar` in the program's directory.
    fn samovar(&self, words: &[&str]) -> Command {
        let mut command = samovar(words);
        command.current_dir(&self.directory);
        command
    }

    /// Runs `samovar run OPTIONS ./guest ARGUMENTS`.
    fn run(&self, options: &[&str], arguments: &[&str]) -> Ended {
        let words = [&["run"], options, &["./guest"], arguments].concat();
        Ended::of(&mut self.samovar(&words))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // What is left behind is cleared with the temporary directory.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// The command under test, with nothing on its standard input.
fn samovar(words: &[&str]) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_samovar")));
    command.args(words).stdin(std::process::Stdio::null());
    command
}

/// How a command ended, and what it said.
#[derive(Debug)]
struct Ended {
    /// Exit status; `None` if a signal killed it.
    status: Option<i32>,
    /// The signal that killed it.
    signal: Option<i32>,
    core_dumped: bool,
    stdout: String,
    stderr: String,
}

impl Ended {
    fn of(command: &mut Command) -> Ended {
        Ended::from(command.output().expect("samovar can be started"))
    }

    /// The one sentence of a command that cannot do what was asked.
    fn refusal(&self) -> &str {
        assert_eq!(self.status, Some(2), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        self.stderr.strip_prefix("samovar: ").unwrap_or_else(|| panic!("{self:?}"))
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        Ended {
            status: output.status.code(),
            signal: output.status.signal(),
            core_dumped: output.status.core_dumped(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
