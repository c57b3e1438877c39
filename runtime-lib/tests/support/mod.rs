//! Compiling guests, running them natively, and running them as a process with a small scheduler.

use samovar_runtime::{
    DirEntry, Errno, Event, FileStat, FileTime, FileType, HostFiles, LoadOptions, Model, Observer,
    Process, ThreadState,
};
use samovar_vm::machine::ThreadId;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirEntryExt, FileTypeExt, MetadataExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// How a guest is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Linkage {
    Dynamic,
    Static,
    Musl,
}

/// Compiles a guest; `None` if there is no compiler for this linkage.
pub fn compile(name: &str, linkage: Linkage) -> Option<PathBuf> {
    // Tests run side by side and share programs: each is compiled once.
    static DONE: Mutex<BTreeMap<(String, Linkage), Option<PathBuf>>> = Mutex::new(BTreeMap::new());
    let mut done = DONE.lock().expect("no test panics while compiling, except by failing");
    let key = (name.to_string(), linkage);
    done.entry(key).or_insert_with(|| compile_now(name, linkage)).clone()
}

fn compile_now(name: &str, linkage: Linkage) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/guests/{name}.c"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{linkage:?}"));
    let (compiler, flags): (&str, &[&str]) = match linkage {
        Linkage::Dynamic => ("cc", &[]),
        Linkage::Static => ("cc", &["-static"]),
        Linkage::Musl => ("musl-gcc", &["-static"]),
    };
    let mut command = Command::new(compiler);
    command.args(["-O1", "-w", "-pthread", "-o"]).arg(&target).arg(source).args(flags);
    match command.status() {
        Ok(status) => {
            assert!(status.success(), "{name} does not compile");
            Some(target)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && linkage == Linkage::Musl => None,
        Err(error) => panic!("{compiler}: {error}"),
    }
}

/// What a run leaves behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Result {
    pub stdout: String,
    /// Exit status, or the negated signal.
    pub status: i32,
}

/// Runs a program on the host.
pub fn run_natively(program: &Path, args: &[&str]) -> Result {
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the program has just been compiled");
    let status = output.status.code().or(output.status.signal().map(|signal| -signal));
    Result {
        stdout: String::from_utf8(output.stdout).expect("guests write text"),
        status: status.expect("a process ends one way or the other"),
    }
}

/// A process about to run a program.
pub fn load(program: &Path, args: &[&str], model: Model, exact_heap: bool) -> Process {
    let path = program.as_os_str().as_bytes();
    let bytes = fs::read(program).expect("the program has just been compiled");
    let mut options = LoadOptions::new(path, bytes.into());
    options.args.extend(args.iter().map(|arg| arg.as_bytes().to_vec()));
    options.env = vec![b"PATH=/usr/bin:/bin".to_vec()];
    options.files = Arc::new(RealFiles);
    options.model = model;
    options.exact_heap = exact_heap;
    // The guest is told the same as natively.
    let owner = fs::metadata("/proc/self").expect("Linux has /proc");
    options.user = (owner.uid(), owner.gid());
    Process::new(options).expect("the program loads")
}

/// Chooses threads: in turns without a seed, at random with one.
#[derive(Debug)]
pub struct Scheduler {
    random: Option<u64>,
    last: u32,
}

impl Scheduler {
    pub fn new(seed: Option<u64>) -> Scheduler {
        Scheduler { random: seed, last: 0 }
    }

    fn draw(&mut self) -> Option<u64> {
        let state = self.random.as_mut()?;
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        Some(*state >> 33)
    }

    /// The next thread and its budget; lets time pass if nobody can run.
    pub fn pick(&mut self, process: &mut Process) -> (ThreadId, u64) {
        let mut threads: Vec<ThreadId> = process.runnable().collect();
        while threads.is_empty() {
            let deadline = process.next_deadline();
            let states: Vec<&ThreadState> = process.threads().iter().map(|t| &t.state).collect();
            process.wake_due(deadline.unwrap_or_else(|| panic!("deadlock: {states:?}")));
            threads = process.runnable().collect();
        }
        let (thread, budget) = match self.draw() {
            Some(random) => {
                let thread = threads[random as usize % threads.len()];
                (thread, 1 + self.draw().unwrap_or(0) % 200)
            }
            None => {
                let next = threads.iter().find(|thread| thread.0 > self.last);
                (*next.unwrap_or(&threads[0]), 20_000)
            }
        };
        self.last = thread.0;
        (thread, budget)
    }
}

/// One turn of one thread; `None` while the process goes on.
pub fn turn<M: Observer>(
    process: &mut Process,
    scheduler: &mut Scheduler,
    monitor: &mut M,
) -> Option<Event> {
    let (thread, budget) = scheduler.pick(process);
    let before = process.machine.instructions();
    let event = process.step(thread, budget, monitor);
    let spent = process.machine.instructions() - before;
    process.wake_due(process.now_ns() + spent);
    match event {
        Event::Budget | Event::Yielded | Event::Blocked | Event::ThreadExited => None,
        other => Some(other),
    }
}

/// Runs a process to its end.
pub fn run<M: Observer>(process: &mut Process, seed: Option<u64>, monitor: &mut M) -> Result {
    let mut scheduler = Scheduler::new(seed);
    let event = loop {
        if let Some(event) = turn(process, &mut scheduler, monitor) {
            break event;
        }
    };
    let output = process.take_output();
    let stdout: Vec<u8> =
        output.into_iter().filter(|piece| piece.fd == 1).flat_map(|piece| piece.bytes).collect();
    let stdout = String::from_utf8(stdout).expect("guests write text");
    let status = match event {
        Event::ProcessExited(status) => status,
        Event::Killed(signal) => -(signal.number() as i32),
        other => panic!("{other:?}, after writing:\n{stdout}"),
    };
    Result { stdout, status }
}

/// The host's files, read only.
#[derive(Debug)]
struct RealFiles;

fn errno(error: io::Error) -> Errno {
    Errno(error.raw_os_error().unwrap_or(5) as u16)
}

fn kind_of(kind: fs::FileType) -> FileType {
    match kind {
        _ if kind.is_dir() => FileType::Directory,
        _ if kind.is_symlink() => FileType::Symlink,
        _ if kind.is_file() => FileType::Regular,
        _ if kind.is_fifo() => FileType::Fifo,
        _ if kind.is_socket() => FileType::Socket,
        _ if kind.is_block_device() => FileType::BlockDevice,
        _ => FileType::CharDevice,
    }
}

impl HostFiles for RealFiles {
    fn stat(&self, path: &Path) -> std::result::Result<FileStat, Errno> {
        let facts = fs::symlink_metadata(path).map_err(errno)?;
        let time =
            |seconds, nanoseconds: i64| FileTime { seconds, nanoseconds: nanoseconds as u32 };
        Ok(FileStat {
            kind: kind_of(facts.file_type()),
            mode: facts.mode() & 0o7777,
            size: facts.size(),
            links: facts.nlink(),
            uid: facts.uid(),
            gid: facts.gid(),
            inode: facts.ino(),
            device: facts.dev(),
            special: facts.rdev(),
            accessed: time(facts.atime(), facts.atime_nsec()),
            modified: time(facts.mtime(), facts.mtime_nsec()),
            changed: time(facts.ctime(), facts.ctime_nsec()),
        })
    }

    fn read(&self, path: &Path) -> std::result::Result<Arc<[u8]>, Errno> {
        Ok(fs::read(path).map_err(errno)?.into())
    }

    fn list(&self, path: &Path) -> std::result::Result<Vec<DirEntry>, Errno> {
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry.map_err(errno)?;
            let kind = kind_of(entry.file_type().map_err(errno)?).entry_type();
            let name = entry.file_name().as_bytes().to_vec();
            Ok(DirEntry { name, inode: entry.ino(), kind })
        };
        fs::read_dir(path).map_err(errno)?.map(entry).collect()
    }

    fn read_link(&self, path: &Path) -> std::result::Result<Vec<u8>, Errno> {
        Ok(fs::read_link(path).map_err(errno)?.as_os_str().as_bytes().to_vec())
    }
}
