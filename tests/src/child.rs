//! Running one process to its end: given arguments, environment and input; captured output,
//! status and peak memory; a guard against hanging.
//!
//! The environment is fixed, not inherited, so that a run depends on the test alone. The C
//! library is told to leave the FMA variants of its mathematical functions alone: they round
//! differently in the last bit, and the virtual CPU is a plain one.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Far beyond what any test needs: it only keeps a hang from being endless.
pub const HANG: Duration = Duration::from_secs(240);

/// The variables every tested program sees.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", "/usr/bin:/bin"),
    ("LC_ALL", "C.UTF-8"),
    ("HOME", "/"),
    ("TZ", "UTC"),
    ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX512F"),
];

/// A process to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program file.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables on top of the fixed environment.
    pub env: Vec<(String, String)>,
    /// What it reads from standard input.
    pub stdin: Vec<u8>,
    /// Where it runs; the tests' own directory if absent.
    pub directory: Option<PathBuf>,
    /// When to give up.
    pub hang: Duration,
    /// Seconds of processor time after which the kernel ends it, if there is a limit.
    pub processor: Option<u64>,
}

/// How a process ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Exit status or signal.
    pub status: ExitStatus,
    /// Everything written to standard output.
    pub stdout: Vec<u8>,
    /// Everything written to standard error.
    pub stderr: Vec<u8>,
    /// It did not end by itself and was killed.
    pub hung: bool,
    /// From start to end.
    pub time: Duration,
    /// Processor time in user mode.
    pub user: Duration,
    /// The largest resident size in bytes.
    pub peak: u64,
}

impl Job {
    /// A job with arguments, nothing on standard input.
    pub fn new<S: ToString>(program: &Path, args: &[S]) -> Job {
        Job {
            program: program.to_path_buf(),
            args: args.iter().map(S::to_string).collect(),
            env: Vec::new(),
            stdin: Vec::new(),
            directory: None,
            hang: HANG,
            processor: None,
        }
    }

    /// The same job with something on standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Job {
        self.stdin = bytes.into();
        self
    }

    /// The same job with one more environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Job {
        self.env.push((name.to_string(), value.to_string()));
        self
    }

    /// The same job in another working directory.
    pub fn directory(mut self, path: &Path) -> Job {
        self.directory = Some(path.to_path_buf());
        self
    }

    /// The same job inside the virtual CPU, with options of `samovar run`.
    pub fn under_samovar(&self, options: &[&str]) -> Job {
        let mut args = vec!["run".to_string()];
        args.extend(options.iter().map(|option| option.to_string()));
        args.push(self.program.display().to_string());
        args.extend(self.args.iter().cloned());
        Job { program: crate::binary::samovar().to_path_buf(), args, ..self.clone() }
    }

    /// Runs the job. Panics if it cannot be started at all.
    pub fn run(&self) -> Outcome {
        let start = Instant::now();
        let mut child = self.start();
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let mut out = child.stdout.take().expect("stdout is piped");
        let mut err = child.stderr.take().expect("stderr is piped");
        std::thread::scope(|scope| {
            // A child that does not read its input makes this write fail: its right.
            scope.spawn(move || stdin.write_all(&self.stdin).ok());
            let stdout = scope.spawn(move || drain(&mut out));
            let stderr = scope.spawn(move || drain(&mut err));
            let mut outcome = reap(child, start, self.hang);
            outcome.stdout = stdout.join().expect("reading stdout");
            outcome.stderr = stderr.join().expect("reading stderr");
            outcome
        })
    }

    fn start(&self) -> Child {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(ENVIRONMENT.iter().copied());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.directory.as_deref().unwrap_or(crate::binary::workspace()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(seconds) = self.processor {
            limit_processor(&mut command, seconds);
        }
        command.spawn().unwrap_or_else(|e| panic!("{} starts: {e}", self.program.display()))
    }

    /// The job as one could type it.
    pub fn command_line(&self) -> String {
        let quoted = self.args.iter().map(|arg| match arg.as_str() {
            plain if !plain.is_empty() && plain.bytes().all(is_plain) => plain.to_string(),
            other => format!("'{}'", other.replace('\'', "'\\''")),
        });
        std::iter::once(self.program.display().to_string())
            .chain(quoted)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

impl Outcome {
    /// "exit status 3", "signal 11" or "hang".
    pub fn ending(&self) -> String {
        match (self.hung, self.status.code(), self.status.signal()) {
            (true, ..) => "hang".to_string(),
            (_, Some(code), _) => format!("exit status {code}"),
            (_, _, Some(signal)) => format!("signal {signal}"),
            _ => format!("{:?}", self.status),
        }
    }

    /// Standard error as text.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Standard output as text.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Has the kernel kill the process that a command starts once it has taken so much processor time.
fn limit_processor(command: &mut Command, seconds: u64) {
    let limit = libc::rlimit { rlim_cur: seconds, rlim_max: seconds };
    let set = move || {
        // SAFETY: the structure is alive, and the call is one that a forked child may make.
        match unsafe { libc::setrlimit(libc::RLIMIT_CPU, &limit) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: what runs between fork and exec makes one system call and allocates nothing.
    unsafe { command.pre_exec(set) };
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&byte)
}

fn drain(from: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    bytes
}

/// Waits for the child, killing it after `hang`. wait4 rather than `Child::wait`, for the peak
/// memory; the output is filled in by the caller.
fn reap(mut child: Child, start: Instant, hang: Duration) -> Outcome {
    let pid = child.id().cast_signed();
    let (mut pause, mut hung) = (Duration::from_micros(200), false);
    loop {
        let (mut raw, mut usage) = (0, empty_usage());
        // SAFETY: pid is our unreaped child; both pointers lead to live locals of the right type.
        let got = unsafe { libc::wait4(pid, &mut raw, libc::WNOHANG, &mut usage) };
        if got == pid {
            return Outcome {
                status: ExitStatus::from_raw(raw),
                stdout: Vec::new(),
                stderr: Vec::new(),
                hung,
                time: start.elapsed(),
                user: Duration::from_secs(usage.ru_utime.tv_sec.unsigned_abs())
                    + Duration::from_micros(usage.ru_utime.tv_usec.unsigned_abs()),
                peak: usage.ru_maxrss.unsigned_abs() * 1024,
            };
        }
        if start.elapsed() > hang && !hung {
            hung = true;
            let _ = child.kill();
        }
        std::thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(5));
    }
}

fn empty_usage() -> libc::rusage {
    // SAFETY: rusage is a plain structure of integers, for which all zeros is a value.
    unsafe { std::mem::zeroed() }
}
