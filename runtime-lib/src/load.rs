//! From a program's bytes to a process that stands before its first instruction.

use crate::elapse::ClockLook;
use crate::files::{Files, resolve_program};
use crate::globals;
use crate::host::{HostFiles, Input, NoFiles, Stdin};
use crate::models;
use crate::module::Module;
use crate::origin::Origins;
use crate::os::{Brk, Os, PID};
use crate::process::{Config, Process};
use crate::random::Random;
use crate::request::{self, Choices, Privileges};
use crate::signal::Action;
use crate::thread::Thread;
use samovar_vm::context::{Core, Floating};
use samovar_vm::cpuid::Profile;
use samovar_vm::loader::{self, Image, PlanOptions};
use samovar_vm::machine::Machine;
use samovar_vm::memory::region::Perms;
use samovar_vm::reg::Reg;
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use thiserror::Error;

/// How library functions are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// Functions known by symbol are modelled or run atomically.
    #[default]
    Full,
    /// Everything runs as real code, down to the system calls.
    None,
}

/// What to load and what its world looks like.
#[derive(Debug)]
pub struct LoadOptions {
    /// Path of the program as the user gave it.
    pub path: Vec<u8>,
    /// The program's bytes.
    pub program: Arc<[u8]>,
    /// The arguments, the program's name first.
    pub args: Vec<Vec<u8>>,
    /// The environment, `NAME=value` each.
    pub env: Vec<Vec<u8>>,
    /// Absolute path of the working directory.
    pub cwd: Vec<u8>,
    /// Standard input.
    pub stdin: Stdin,
    /// The host's files, read only.
    pub files: Arc<dyn HostFiles>,
    /// What `cpuid` answers.
    pub profile: Profile,
    /// How library functions are treated.
    pub model: Model,
    /// Modelled heap blocks are objects with exact bounds and are never reused; for checking.
    pub exact_heap: bool,
    /// Fresh heap blocks of the exact heap are filled with this, instead of zeros.
    pub heap_fill: u32,
    /// Heap blocks that nothing refers to when the process ends are a violation; only where heap
    /// blocks are exact.
    pub leaks: bool,
    /// Misuse of locks is an event; otherwise the guest goes on as it would natively.
    pub judge_locks: bool,
    /// A panic of Rust that nobody handles is a violation; otherwise it is what it is natively.
    pub judge_panics: bool,
    /// A signal whose handler would interrupt another thread than the sender is refused: where
    /// threads are switched now and then only, it could not come at every point.
    pub refuse_interruptions: bool,
    /// Waits on condition variables may end without a signal.
    pub spurious_wakeups: bool,
    /// Decides all random numbers of the guest.
    pub seed: u64,
    /// Seconds since 1970 that the wall clock shows when the guest starts.
    pub wall_clock: u64,
    /// Number of processors that the guest is told.
    pub cpus: u32,
    /// User and group that the guest is told.
    pub user: (u32, u32),
    /// Which of standard input, output and error are terminals.
    pub terminals: [bool; 3],
    /// Which values the program's open values may take.
    pub choices: Choices,
    /// Names of verification benchmarks that a program imports weakly and may do without are
    /// there; natively they are not.
    pub weak_names: bool,
}

impl LoadOptions {
    /// Options for a program without arguments, files and input.
    pub fn new(path: &[u8], program: Arc<[u8]>) -> LoadOptions {
        LoadOptions {
            path: path.to_vec(),
            program,
            args: vec![path.to_vec()],
            env: Vec::new(),
            cwd: b"/".to_vec(),
            stdin: Stdin::Bytes(Vec::new()),
            files: Arc::new(NoFiles),
            profile: Profile::default(),
            model: Model::default(),
            exact_heap: false,
            heap_fill: 0,
            leaks: false,
            judge_locks: false,
            judge_panics: false,
            refuse_interruptions: false,
            spurious_wakeups: false,
            seed: 0,
            wall_clock: WALL_CLOCK,
            cpus: 4,
            user: (1000, 1000),
            terminals: [false; 3],
            choices: Choices::default(),
            weak_names: true,
        }
    }
}

/// The default wall clock: 1 January 2024.
const WALL_CLOCK: u64 = 1_704_067_200;
/// The latest start: the year 2500.
const WALL_CLOCK_MAX: u64 = 16_725_225_600;

/// Why there is no process.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The program or its dynamic linker cannot be loaded.
    #[error(transparent)]
    Image(#[from] loader::LoadError),
    /// The dynamic linker that the program asks for cannot be read.
    #[error("{program}: its dynamic linker {path} cannot be read: {errno}")]
    Interpreter {
        /// The program.
        program: String,
        /// The dynamic linker.
        path: String,
        /// Why.
        errno: crate::Errno,
    },
    /// The host gives no address space.
    #[error("cannot reserve the guest's address space: {0}")]
    AddressSpace(#[from] io::Error),
}

impl Process {
    /// Loads a program and its dynamic linker.
    pub fn new(options: LoadOptions) -> Result<Process, LoadError> {
        let name = String::from_utf8_lossy(&options.path).into_owned();
        let main = Image::parse(Arc::clone(&options.program), &name)?;
        let mut random = Random::new(options.seed);
        let mut files = Files::new(options.cwd.clone());
        let host = Arc::clone(&options.files);
        let interpreter = match main.interpreter() {
            Some(path) => Some(read_interpreter(&name, path, &mut files, &*host)?),
            None => None,
        };
        let mut plan_options = PlanOptions::new(&options.path);
        random.fill(&mut plan_options.random);
        let (uid, gid) = options.user;
        (plan_options.uid, plan_options.euid) = (uid.into(), uid.into());
        (plan_options.gid, plan_options.egid) = (gid.into(), gid.into());
        let args = &options.args;
        let plan = loader::plan(&main, interpreter.as_ref(), args, &options.env, &plan_options)?;

        let exe = resolve_program(&mut files, &*host, &options.path);
        files.exe = exe.clone();
        let mut machine = Machine::new(options.profile)?;
        map_plan(&mut machine, &plan, (&name, &String::from_utf8_lossy(&exe)));
        if options.weak_names {
            request::weak::define(&mut machine.memory, &main, plan.main_bias);
        }
        let mut core = Core::default();
        core[Reg::Rsp] = plan.rsp;
        core.jump(plan.entry);
        machine.add_thread(core, Floating::default());

        let os = Os {
            threads: [Thread::new(PID, thread_name(&exe))].into_iter().collect(),
            ended: None,
            now_ns: 0,
            brk: Brk { start: plan.brk_start, end: plan.brk_start },
            files: Arc::new(files),
            shared: Arc::default(),
            actions: Arc::new([Action::DEFAULT; 64]),
            pending: Arc::default(),
            output: Arc::default(),
            random,
            modules: Arc::default(),
            privileges: Privileges::default(),
            ignored: Arc::default(),
            suggestions: Arc::default(),
            evaluation: None,
        };
        let config = Config {
            model: options.model,
            exact_heap: options.exact_heap,
            heap_fill: options.heap_fill,
            leaks: options.leaks && options.exact_heap,
            judge_locks: options.judge_locks,
            judge_panics: options.judge_panics,
            refuse_interruptions: options.refuse_interruptions,
            spurious_wakeups: options.spurious_wakeups,
            wall_clock_ns: options.wall_clock.min(WALL_CLOCK_MAX) * 1_000_000_000,
            cpus: options.cpus.max(1),
            uid,
            gid,
            terminals: options.terminals,
            choices: options.choices,
            command_line: joined(args),
            environment: joined(&options.env),
            stack: (plan.stack.low, plan.stack.high),
            exe,
        };
        let input = Input::new(options.stdin);
        let mut process = Process {
            machine,
            os: Arc::new(os),
            host,
            input,
            config,
            boundary_types: BTreeSet::new(),
            served: 0,
            origins: Origins::default(),
            clock_look: ClockLook::default(),
            is_stirred: false,
            models_heap: false,
        };
        let path = String::from_utf8_lossy(&process.config.exe).into_owned();
        let program = Module::new(path, plan.main_bias, main);
        if options.exact_heap {
            globals::guard(&mut process.machine.memory, &program);
        }
        process.add_module(program);
        if let (Some(image), Some(bias)) = (interpreter, plan.interpreter_bias) {
            let path = image.name().to_string();
            process.add_module(Module::new(path, bias, image));
        }
        Ok(process)
    }

    /// Notes a module and hooks its functions.
    pub(crate) fn add_module(&mut self, module: Module) {
        if self.config.model == Model::Full {
            self.models_heap |= models::install(&mut self.machine, &module, self.config.leaks);
            models::install_rust(&mut self.machine, &module);
        }
        models::install_verifier(&mut self.machine, &module);
        if self.config.judge_panics {
            models::install_panics(&mut self.machine, &module);
        }
        Arc::make_mut(&mut self.os_mut().modules).push(Arc::new(module));
    }
}

fn read_interpreter(
    program: &str,
    path: &str,
    files: &mut Files,
    host: &dyn HostFiles,
) -> Result<Image, LoadError> {
    let bytes = files.read_whole(host, path.as_bytes()).map_err(|errno| {
        LoadError::Interpreter { program: program.to_string(), path: path.to_string(), errno }
    })?;
    Ok(Image::parse(bytes, path)?)
}

/// Maps what was planned; the program's pages bear its absolute path instead of the given one.
fn map_plan(machine: &mut Machine, plan: &loader::Plan, (given, absolute): (&str, &str)) {
    let perms =
        |perms: loader::Perms| Perms { read: perms.read, write: perms.write, exec: perms.exec };
    for mapping in &plan.mappings {
        let offset = mapping.file_offset.unwrap_or(0);
        let name = if mapping.name == given { absolute } else { &mapping.name };
        let region = (perms(mapping.perms), name.into(), offset);
        machine.memory.map(mapping.addr, mapping.len, region);
        machine.memory.write_any(mapping.addr, mapping.bytes());
    }
    let stack = &plan.stack;
    let region = (perms(stack.perms), "[stack]".into(), 0);
    machine.memory.map(stack.low, stack.high - stack.low, region);
    machine.memory.write_any(stack.rsp, &stack.contents);
}

/// The first fifteen bytes of the last component of a path.
fn thread_name(path: &[u8]) -> [u8; 16] {
    let last = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let mut name = [0; 16];
    let len = last.len().min(15);
    name[..len].copy_from_slice(&last[..len]);
    name
}

/// Strings one after the other, each with a final zero.
fn joined(strings: &[Vec<u8>]) -> Vec<u8> {
    strings.iter().flat_map(|string| string.iter().copied().chain([0])).collect()
}
