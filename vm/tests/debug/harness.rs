//! Compiles a program, runs it natively up to its first `int3`, and shows the stopped process as
//! a [`State`].

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use samovar_vm::debug::{DebugInfo, DebugModules, State};

/// A compiled program.
pub struct Program {
    pub path: PathBuf,
    pub bytes: Arc<[u8]>,
}

impl Program {
    /// Compiles `source` (a file in `programs/`) with the words of `command`; panics if the
    /// compiler does not like it. None if there is no such compiler.
    pub fn compile(command: &str, source: &str) -> Option<Program> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let stem = source.split('.').next().unwrap_or(source);
        let process = std::process::id();
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{stem}-{process}-{number}"));
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debug/programs");
        let mut words = command.split_whitespace();
        let compiler = words.next().expect("a compiler");
        let mut command = Command::new(compiler);
        command.args(words).arg("-o").arg(&path).arg(source).current_dir(&directory);
        match command.output() {
            Ok(output) => {
                let complaint = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{command:?}: {complaint}");
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                eprintln!("skipped: {compiler} is not installed");
                return None;
            }
            Err(error) => panic!("{command:?}: {error}"),
        }
        let bytes = fs::read(&path).expect("the compiled program").into();
        Some(Program { path, bytes })
    }

    /// The program's own debug information, unloaded.
    pub fn debug_info(&self) -> DebugInfo {
        DebugInfo::new(self.bytes.clone(), 0).expect("an ELF file")
    }

    /// Runs the program up to its first `int3`.
    pub fn stop(&self) -> Stopped {
        let mut command = Command::new(&self.path);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: between fork and exec only this system call is made.
        unsafe {
            command.pre_exec(|| {
                let null = std::ptr::null_mut::<libc::c_void>();
                libc::ptrace(libc::PTRACE_TRACEME, 0, null, null);
                Ok(())
            });
        }
        let child = command.spawn().expect("the program starts");
        let pid = child.id() as libc::pid_t;
        assert_eq!(wait(pid), libc::SIGTRAP, "stops after exec");
        resume(pid);
        assert_eq!(wait(pid), libc::SIGTRAP, "stops at its int3");
        Stopped::new(child, &self.path)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn wait(pid: libc::pid_t) -> i32 {
    let mut status = 0;
    // SAFETY: `status` is a valid place for the result.
    let waited = unsafe { libc::waitpid(pid, &mut status, 0) };
    assert_eq!(waited, pid);
    assert!(libc::WIFSTOPPED(status), "the program ended early: status {status:#x}");
    libc::WSTOPSIG(status)
}

fn resume(pid: libc::pid_t) {
    let null = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: continues a stopped child of ours.
    let result = unsafe { libc::ptrace(libc::PTRACE_CONT, pid, null, null) };
    assert_eq!(result, 0);
}

/// A process that stands behind its `int3`.
pub struct Stopped {
    child: Child,
    memory: File,
    registers: libc::user_regs_struct,
    pc: u64,
    /// The program and the shared libraries, where they are loaded.
    pub modules: DebugModules,
}

impl Stopped {
    fn new(child: Child, program: &Path) -> Stopped {
        let pid = child.id();
        let memory = File::open(format!("/proc/{pid}/mem")).expect("the memory");
        // SAFETY: the structure is plain old data, for which all zeros are valid.
        let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        let null = std::ptr::null_mut::<libc::c_void>();
        // SAFETY: the child is stopped and `registers` has the layout that the call fills in.
        let result = unsafe {
            libc::ptrace(libc::PTRACE_GETREGS, pid as libc::pid_t, null, &raw mut registers)
        };
        assert_eq!(result, 0);
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("the mappings");
        let pc = registers.rip - 1;
        Stopped { child, memory, registers, pc, modules: load_modules(&maps, program) }
    }

    /// The address of the `int3`.
    pub fn pc(&self) -> u64 {
        self.pc
    }

    /// The same, standing behind the `int3` as a debugger sees it.
    pub fn behind_trap(self) -> Stopped {
        let mut stopped = self;
        stopped.pc = stopped.registers.rip;
        stopped
    }
}

impl State for Stopped {
    fn read(&self, addr: u64, buf: &mut [u8]) -> bool {
        self.memory.read_exact_at(buf, addr).is_ok()
    }

    fn register(&self, dwarf_register: u16) -> Option<u64> {
        let all = &self.registers;
        let general = [
            all.rax,
            all.rdx,
            all.rcx,
            all.rbx,
            all.rsi,
            all.rdi,
            all.rbp,
            all.rsp,
            all.r8,
            all.r9,
            all.r10,
            all.r11,
            all.r12,
            all.r13,
            all.r14,
            all.r15,
            self.pc(),
        ];
        general.get(usize::from(dwarf_register)).copied()
    }

    fn fs_base(&self) -> Option<u64> {
        Some(self.registers.fs_base)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The modules in the list of mappings, the program first.
fn load_modules(maps: &str, program: &Path) -> DebugModules {
    let mut files: Vec<(PathBuf, u64)> = Vec::new();
    for line in maps.lines() {
        let Some(path) = line.split_whitespace().nth(5).filter(|path| path.starts_with('/')) else {
            continue;
        };
        let path = PathBuf::from(path);
        let start = line.split('-').next().and_then(|hex| u64::from_str_radix(hex, 16).ok());
        if !files.iter().any(|(known, _)| *known == path) {
            files.push((path, start.expect("a start address")));
        }
    }
    let program = program.canonicalize().expect("the program exists");
    files.sort_by_key(|(path, _)| *path != program);
    let mut modules = DebugModules::new();
    for (path, start) in files {
        let Ok(bytes) = fs::read(&path) else { continue };
        let Ok(info) = DebugInfo::new(bytes.clone().into(), 0) else { continue };
        // Programs with fixed addresses are not moved; the others start at their first page.
        let first_page = info.extent().start & !0xfff;
        let bytes: Arc<[u8]> = bytes.into();
        let bias = start - first_page;
        let path = path.to_str().expect("a plain path");
        let separate = info
            .debug_file_candidates(path, "/usr/lib/debug")
            .iter()
            .find_map(|candidate| fs::read(&candidate.path).ok())
            .and_then(|file| DebugInfo::with_debug_file(bytes.clone(), file.into(), bias).ok());
        let plain = || DebugInfo::new(bytes.clone(), bias).expect("parsed before");
        modules.add(separate.unwrap_or_else(plain));
    }
    modules
}

/// A program that is not running: nothing can be read.
pub struct Frozen;

impl State for Frozen {
    fn read(&self, _: u64, _: &mut [u8]) -> bool {
        false
    }

    fn register(&self, _: u16) -> Option<u64> {
        None
    }

    fn fs_base(&self) -> Option<u64> {
        None
    }
}
