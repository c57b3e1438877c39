//! The real process, held by ptrace: at most one of its threads runs at any time, but for those
//! that sleep in the kernel, and these stop as soon as they wake.

use super::ptrace::{self, Registers, Resume, Status};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long a thread is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a thread has to lie still to count as asleep.
const STILL: Duration = Duration::from_millis(2);
/// Between two looks at a thread that does not answer at once.
const NAP: Duration = Duration::from_micros(50);
/// The breakpoint instruction.
const BREAKPOINT: u8 = 0xcc;

/// Why the real process cannot be held, or does not follow.
#[derive(Debug, Error)]
pub enum NativeError {
    /// The kernel refuses.
    #[error("the program cannot be traced on this machine: {0}")]
    Refused(io::Error),
    /// It went another way.
    #[error("the real process does not follow the trail: {0}")]
    Strays(String),
}

impl From<io::Error> for NativeError {
    fn from(error: io::Error) -> NativeError {
        NativeError::Refused(error)
    }
}

/// What to start.
#[derive(Debug)]
pub struct Start {
    /// The program's file.
    pub file: PathBuf,
    /// Its arguments, with its name.
    pub args: Vec<String>,
    /// Its environment.
    pub env: Vec<(String, String)>,
    /// Where the file's first instruction is, in the file's own addresses.
    pub entry: u64,
    /// Standard input.
    pub stdin: File,
    /// Where the output goes.
    pub output: File,
}

/// What comes of letting a thread go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It has met a breakpoint at this address of the process.
    Met(u64),
    /// It lies still in a system call.
    Asleep,
    /// A signal is about to be delivered.
    Signal(i32),
    /// The thread has ended.
    Gone,
    /// The process has ended with this status.
    Exited(i32),
    /// A signal has ended the process.
    Killed(i32),
    /// It works on and on.
    Busy,
}

#[derive(Debug)]
struct Thread {
    id: i32,
    /// Stopped by ptrace.
    held: bool,
    /// A system call has begun and not ended.
    in_call: bool,
    gone: bool,
    /// It was told to go on at least once.
    started: bool,
    /// What it has told and nobody has heard yet.
    told: VecDeque<Status>,
}

/// See the module head.
#[derive(Debug)]
pub struct NativeProcess {
    child: Child,
    memory: File,
    threads: Vec<Thread>,
    /// Added to the file's own addresses.
    bias: u64,
    /// What has been told by threads that are not known yet.
    early: Vec<(i32, Status)>,
    ended: Option<Happening>,
}

impl NativeProcess {
    /// Starts the program; it stands before its first instruction.
    pub fn start(start: &Start) -> Result<NativeProcess, NativeError> {
        let mut command = Command::new(&start.file);
        if let Some((name, args)) = start.args.split_first() {
            std::os::unix::process::CommandExt::arg0(&mut command, name);
            command.args(args);
        }
        command.env_clear().envs(start.env.iter().map(|(key, value)| (key, value)));
        command.stdin(start.stdin.try_clone()?);
        command.stdout(start.output.try_clone()?).stderr(start.output.try_clone()?);
        let child = ptrace::start(&mut command)?;
        let id = child.id() as i32;
        let begin = Instant::now();
        while ptrace::poll()?.is_none() {
            if PATIENCE < begin.elapsed() {
                return Err(NativeError::Strays("it does not start".to_string()));
            }
            std::thread::sleep(NAP);
        }
        ptrace::set_options(id)?;
        let memory = File::options().read(true).write(true).open(format!("/proc/{id}/mem"))?;
        let bias = entry(id)?.wrapping_sub(start.entry);
        let mut process = NativeProcess {
            child,
            memory,
            threads: Vec::new(),
            bias,
            early: Vec::new(),
            ended: None,
        };
        process.add(id);
        process.threads[0].held = true;
        Ok(process)
    }

    fn add(&mut self, id: i32) {
        let mut told = VecDeque::new();
        self.early.retain(|&(other, status)| {
            if other == id {
                told.push_back(status);
            }
            other != id
        });
        let (held, in_call, gone, started) = (false, false, false, false);
        self.threads.push(Thread { id, held, in_call, gone, started, told });
    }

    /// The address in the process of one of the file.
    pub fn address(&self, of_file: u64) -> u64 {
        of_file.wrapping_add(self.bias)
    }

    /// How the process has ended, if it has.
    pub fn ended(&self) -> Option<Happening> {
        self.ended
    }

    /// The same; if threads are gone already, waits for the kernel to tell how the process ended.
    pub fn end(&mut self) -> Result<Option<Happening>, NativeError> {
        let begin = Instant::now();
        while self.ended.is_none()
            && self.threads.iter().any(|thread| thread.gone)
            && begin.elapsed() < PATIENCE
        {
            self.listen()?;
            std::thread::sleep(NAP);
        }
        Ok(self.ended)
    }

    /// Number of threads that were ever there.
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// Whether a thread has ended.
    pub fn is_gone(&self, thread: usize) -> bool {
        self.threads[thread].gone
    }

    /// Whether a thread is held and can be looked at.
    pub fn is_held(&self, thread: usize) -> bool {
        self.threads[thread].held
    }

    /// The registers of a thread that is held.
    pub fn registers(&self, thread: usize) -> Result<Registers, NativeError> {
        Ok(ptrace::registers(self.threads[thread].id)?)
    }

    /// Changes them.
    pub fn set_registers(&self, thread: usize, to: &Registers) -> Result<(), NativeError> {
        Ok(ptrace::set_registers(self.threads[thread].id, to)?)
    }

    /// Reads memory.
    pub fn read(&self, addr: u64, into: &mut [u8]) -> Result<(), NativeError> {
        Ok(self.memory.read_exact_at(into, addr)?)
    }

    /// Writes memory, code included.
    pub fn write(&self, addr: u64, bytes: &[u8]) -> Result<(), NativeError> {
        Ok(self.memory.write_all_at(bytes, addr)?)
    }

    /// Executes one instruction of a thread that is held; false if a signal came of it.
    pub fn step(&mut self, thread: usize) -> Result<bool, NativeError> {
        ptrace::resume(self.threads[thread].id, Resume::Step, 0)?;
        self.threads[thread].held = false;
        match self.next(thread, true)? {
            None => Ok(false),
            Some(Status::Signal(libc::SIGTRAP)) => Ok(true),
            Some(Status::Signal(signal)) => {
                self.threads[thread].told.push_front(Status::Signal(signal));
                Ok(false)
            }
            Some(_) => Ok(true),
        }
    }

    /// Lets a thread go until it meets one of these breakpoints, lies still in the kernel, gets a
    /// signal, or ends.
    ///
    /// Who sleeps with a limit counts as asleep unless `outlasts`: then the limit is waited for.
    pub fn go(
        &mut self,
        thread: usize,
        breakpoints: &[u64],
        outlasts: bool,
    ) -> Result<Happening, NativeError> {
        let mut saved = Vec::new();
        for &addr in breakpoints {
            let mut byte = [0];
            self.read(addr, &mut byte)?;
            saved.push((addr, byte[0]));
        }
        for &addr in breakpoints {
            self.write(addr, &[BREAKPOINT])?;
        }
        let happening = self.go_guarded(thread, breakpoints, outlasts);
        if self.ended.is_none() {
            for (addr, byte) in saved {
                self.write(addr, &[byte])?;
            }
        }
        happening
    }

    fn go_guarded(
        &mut self,
        thread: usize,
        stops: &[u64],
        outlasts: bool,
    ) -> Result<Happening, NativeError> {
        if !self.threads[thread].started {
            // A new thread stops once before its first instruction.
            self.threads[thread].started = true;
            if 0 < thread {
                self.next(thread, outlasts)?;
                self.threads[thread].held = true;
            }
        }
        loop {
            if let Some(ended) = self.ended {
                return Ok(ended);
            }
            if self.threads[thread].gone {
                return Ok(Happening::Gone);
            }
            if self.threads[thread].held && self.threads[thread].told.is_empty() {
                ptrace::resume(self.threads[thread].id, Resume::Call, 0)?;
                self.threads[thread].held = false;
            }
            let Some(status) = self.next(thread, outlasts)? else {
                let happening = match (self.ended, self.threads[thread].gone) {
                    (Some(ended), _) => ended,
                    (None, true) => Happening::Gone,
                    (None, false) if self.threads[thread].in_call => Happening::Asleep,
                    (None, false) => Happening::Busy,
                };
                return Ok(happening);
            };
            match status {
                Status::Call => {
                    let thread = &mut self.threads[thread];
                    thread.in_call = !thread.in_call;
                }
                Status::Signal(libc::SIGTRAP) => {
                    let mut registers = self.registers(thread)?;
                    let at = registers.rip.wrapping_sub(1);
                    if stops.contains(&at) {
                        registers.rip = at;
                        self.set_registers(thread, &registers)?;
                        return Ok(Happening::Met(at));
                    }
                }
                Status::Signal(libc::SIGSTOP) => {}
                Status::Signal(signal) => return Ok(Happening::Signal(signal)),
                Status::Cloned(_) | Status::Event | Status::Exited(_) | Status::Killed(_) => {}
            }
        }
    }

    /// The next thing that a thread has to tell; none if it lies still, works on and on, or has
    /// ended.
    fn next(&mut self, thread: usize, outlasts: bool) -> Result<Option<Status>, NativeError> {
        let begin = Instant::now();
        let mut still_since: Option<Instant> = None;
        loop {
            self.listen()?;
            if let Some(status) = self.threads[thread].told.pop_front() {
                self.threads[thread].held = true;
                return Ok(Some(status));
            }
            if self.ended.is_some() || self.threads[thread].gone {
                return Ok(None);
            }
            let (state, _) = self.kernel_state(thread);
            match state {
                Some('S') if self.threads[thread].in_call => {
                    let since = *still_since.get_or_insert_with(Instant::now);
                    if STILL < since.elapsed() && !(outlasts && self.has_limit(thread)) {
                        return Ok(None);
                    }
                }
                Some('Z' | 'X') => {
                    self.threads[thread].gone = true;
                    return Ok(None);
                }
                _ => still_since = None,
            }
            if PATIENCE < begin.elapsed() {
                return Ok(None);
            }
            std::thread::sleep(NAP);
        }
    }

    /// Takes in what all threads have told.
    fn listen(&mut self) -> Result<(), NativeError> {
        loop {
            let (id, status) = match ptrace::poll() {
                Ok(Some(told)) => told,
                Ok(None) => return Ok(()),
                // No thread is left.
                Err(error) if error.raw_os_error() == Some(libc::ECHILD) => {
                    self.ended.get_or_insert(Happening::Gone);
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            };
            if let Status::Cloned(new) = status {
                self.add(new);
            }
            let is_process = id == self.child.id() as i32;
            match status {
                Status::Exited(code) if is_process => self.ended = Some(Happening::Exited(code)),
                Status::Killed(signal) if is_process => {
                    self.ended = Some(Happening::Killed(signal))
                }
                _ => {}
            }
            match self.threads.iter_mut().find(|thread| thread.id == id) {
                Some(thread) if matches!(status, Status::Exited(_) | Status::Killed(_)) => {
                    thread.gone = true;
                }
                Some(thread) => thread.told.push_back(status),
                None => self.early.push((id, status)),
            }
        }
    }

    /// The kernel's letter for what a thread does, and the number of its system call.
    fn kernel_state(&self, thread: usize) -> (Option<char>, Option<u64>) {
        let about = |name: &str| {
            let id = self.threads[thread].id;
            fs::read_to_string(format!("/proc/{}/task/{id}/{name}", self.child.id())).ok()
        };
        // The name in parentheses may contain anything.
        let state = about("stat").and_then(|it| it.rsplit(") ").next()?.chars().next());
        let call = about("syscall").and_then(|it| it.split(' ').next()?.parse().ok());
        (state, call)
    }

    /// Whether a thread sleeps with a limit, so that it wakes by itself.
    fn has_limit(&self, thread: usize) -> bool {
        let id = self.threads[thread].id;
        let file = format!("/proc/{}/task/{id}/syscall", self.child.id());
        let text = fs::read_to_string(file).unwrap_or_default();
        let mut words = text.split(' ');
        match words.next().and_then(|it| it.parse::<i64>().ok()) {
            Some(libc::SYS_futex) => words.nth(3).is_some_and(|limit| limit != "0x0"),
            Some(libc::SYS_nanosleep | libc::SYS_clock_nanosleep) => true,
            _ => false,
        }
    }

    /// Whether a thread sleeps in a futex for as long as nobody wakes it.
    pub fn sleeps_for_ever(&self, thread: usize) -> bool {
        let (state, call) = self.kernel_state(thread);
        state == Some('S') && call == Some(libc::SYS_futex as u64) && !self.has_limit(thread)
    }

    /// Whether a single instruction of a thread that is held accesses these bytes, says the
    /// processor.
    pub fn touches(&mut self, thread: usize, addr: u64, len: u64) -> Result<bool, NativeError> {
        let id = self.threads[thread].id;
        ptrace::watch(id, addr, len)?;
        self.step(thread)?;
        Ok(ptrace::has_watched(id)?)
    }
}

impl Drop for NativeProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let begin = Instant::now();
        // All threads have to be reaped before the process is gone.
        while self.ended.is_none() && begin.elapsed() < PATIENCE {
            if self.listen().is_err() {
                break;
            }
            std::thread::sleep(NAP);
        }
    }
}

/// Where the program's first instruction is, as the kernel told the process.
fn entry(id: i32) -> Result<u64, NativeError> {
    const ENTRY: u64 = 9;
    let vector = fs::read(format!("/proc/{id}/auxv"))?;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
    let pairs = vector.chunks_exact(16).map(|pair| (word(&pair[..8]), word(&pair[8..])));
    let found = pairs.into_iter().find(|(key, _)| *key == ENTRY);
    found.map(|(_, value)| value).ok_or_else(|| NativeError::Strays("it has no entry".to_string()))
}
