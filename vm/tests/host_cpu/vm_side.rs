//! The virtual machine as the other judge.

use std::ops::Range;
use std::sync::Arc;

use iced_x86::Instruction;
use samovar_vm::context::{Core, Floating};
use samovar_vm::cpuid::Profile;
use samovar_vm::lower::{self, Style};
use samovar_vm::machine::{Machine, ThreadId};
use samovar_vm::memory::journal::Mark;
use samovar_vm::memory::region::Perms;
use samovar_vm::monitor::{Access, Checked, Decision, Monitor, Unwatched};
use samovar_vm::reg::Reg;
use samovar_vm::stop::Stop;

use crate::arena::{Arena, CODE_LEN, DATA_LEN};
use crate::cpu::{Cpu, End, Fault, FxImage};

/// More stops than any one execution can need.
const STOPS_MAX: usize = 1000;
/// More instructions than any sequence has.
const BUDGET_MAX: u64 = 1000;

/// What the machine made of one execution.
pub enum Answer {
    Ended(End),
    /// It does not know the instruction, and says so.
    Unsupported(String),
}

/// How the machine executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As fast as it can.
    Plain,
    /// One instruction at a time, also through sequences.
    Stepped,
    /// With a journal, and every execution is undone after it was compared.
    Reversible,
    /// Stopping before every memory access.
    Interrupted,
    /// The same with nothing fused into one micro-op.
    InterruptedUnfused,
}

/// A machine with the same arenas mapped as the host has.
pub struct VmSide {
    machine: Machine,
    thread: ThreadId,
    mode: Mode,
    arenas: Vec<Arena>,
    before: Option<Before>,
}

/// What undo has to restore.
struct Before {
    mark: Mark,
    core: Core,
    floating: Floating,
    data: Vec<Vec<u8>>,
}

/// Stops before each access and lets it happen when asked about it again.
#[derive(Default)]
struct Interrupting {
    allowed: Vec<Access>,
}

impl Monitor for Interrupting {
    const JOURNAL: bool = false;
    const SHADOW: bool = false;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        if self.allowed.contains(&access) {
            return Decision::Proceed;
        }
        self.allowed.push(access);
        Decision::Stop
    }
}

impl VmSide {
    pub fn new(arenas: &[Arena], mode: Mode) -> VmSide {
        let mut machine = Machine::new(Profile::V2).expect("room for guest memory");
        for arena in arenas {
            let name: Arc<str> = "arena".into();
            machine.memory.map(arena.code(), CODE_LEN as u64, (Perms::RX, name.clone(), 0));
            machine.memory.map(arena.data(), DATA_LEN as u64, (Perms::RW, name, 0));
        }
        if mode == Mode::InterruptedUnfused {
            machine.set_style(Style {
                fuse_branches: false,
                fuse_memory: false,
                ..Style::default()
            });
        }
        let thread = machine.add_thread(Core::default(), Floating::default());
        VmSide { machine, thread, mode, arenas: arenas.to_vec(), before: None }
    }

    /// Whether the machine claims to implement an instruction.
    pub fn supports(instruction: &Instruction) -> bool {
        lower::is_supported(instruction, &Profile::V2)
    }

    /// Puts bytes into guest memory.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        self.machine.memory.write_any(address, bytes);
    }

    /// The data pages of an arena.
    pub fn data(&self, arena: Arena) -> &[u8] {
        let data = self.machine.memory.slice(arena.data(), DATA_LEN as u64);
        data.expect("the arena is mapped")
    }

    /// Executes `code`, which has `count` instructions; `cpu` becomes the state afterwards. A
    /// single instruction is executed as such; more run until a breakpoint outside of `code`.
    pub fn run(&mut self, code: Range<u64>, count: usize, cpu: &mut Cpu) -> Answer {
        self.load(code.start, cpu);
        if self.mode == Mode::Reversible {
            self.remember();
        }
        let stop = self.until_done(&code, count);
        self.store(cpu);
        let pc = self.machine.core(self.thread).pc;
        Answer::Ended(match stop {
            Stop::Budget => End::At(pc),
            Stop::Breakpoint if !code.contains(&(pc - 1)) => End::At(pc - 1),
            Stop::Fault(_) => End::Fault(Fault::Memory),
            Stop::DivideError => End::Fault(Fault::Divide),
            Stop::FloatingPointError => End::Fault(Fault::FloatingPoint),
            Stop::Breakpoint => End::Fault(Fault::Breakpoint),
            Stop::IllegalInstruction => End::Fault(Fault::InvalidOpcode),
            other => return Answer::Unsupported(format!("{other:?}")),
        })
    }

    /// Runs through all stops that do not end the execution.
    fn until_done(&mut self, code: &Range<u64>, count: usize) -> Stop {
        let mut interrupting = Interrupting::default();
        let budget = if count == 1 || self.mode == Mode::Stepped { 1 } else { BUDGET_MAX };
        for _ in 0..STOPS_MAX {
            let stop = match self.mode {
                Mode::Plain | Mode::Stepped => {
                    self.machine.run(self.thread, budget, &mut Unwatched)
                }
                Mode::Reversible => self.machine.run(self.thread, budget, &mut Checked),
                Mode::Interrupted | Mode::InterruptedUnfused => {
                    self.machine.run(self.thread, budget, &mut interrupting)
                }
            };
            let pc = self.machine.core(self.thread).pc;
            match stop {
                Stop::Access(_) => {}
                // Amid a repeated instruction, or a sequence.
                Stop::Budget if pc == code.start => {}
                Stop::Budget if self.mode == Mode::Stepped && code.contains(&pc) => {}
                stop => return stop,
            }
        }
        Stop::Budget
    }

    fn load(&mut self, address: u64, cpu: &Cpu) {
        let core = self.machine.core_mut(self.thread);
        core.regs[..16].copy_from_slice(&cpu.gpr);
        core[Reg::FsBase] = cpu.fs_base;
        core.set_rflags(cpu.rflags);
        core.jump(address);
        let floating = self.machine.floating_mut(self.thread);
        floating.xmm = cpu.fx.xmm;
        floating.mxcsr = cpu.fx.mxcsr;
        load_x87(floating, &cpu.fx);
    }

    fn store(&self, cpu: &mut Cpu) {
        let core = self.machine.core(self.thread);
        cpu.gpr.copy_from_slice(&core.regs[..16]);
        cpu.rflags = core.rflags();
        let floating = self.machine.floating(self.thread);
        cpu.fx.xmm = floating.xmm;
        cpu.fx.mxcsr = floating.mxcsr;
        store_x87(floating, &mut cpu.fx);
    }
}

impl VmSide {
    /// Starts a step that can be undone.
    fn remember(&mut self) {
        self.machine.memory.journal.set_on(true);
        let mark = self.machine.mark();
        let core = *self.machine.core(self.thread);
        let floating = self.machine.floating(self.thread).clone();
        let memory = &self.machine.memory;
        let read = |&arena: &Arena| memory.slice(arena.data(), DATA_LEN as u64).map(<[u8]>::to_vec);
        let data = self.arenas.iter().map(|arena| read(arena).expect("the arena is mapped"));
        self.before = Some(Before { mark, core, floating, data: data.collect() });
    }

    /// Undoes the last execution if the mode is reversible, and tells what is not as it was.
    pub fn undo(&mut self) -> Vec<String> {
        let Some(before) = self.before.take() else { return Vec::new() };
        self.machine.undo_to(before.mark);
        self.machine.memory.journal.set_on(false);
        let mut lines = Vec::new();
        if *self.machine.core(self.thread) != before.core {
            lines.push("undo does not restore the integer registers".into());
        }
        if *self.machine.floating(self.thread) != before.floating {
            lines.push("undo does not restore the floating-point registers".into());
        }
        for (&arena, data) in self.arenas.iter().zip(&before.data) {
            if self.data(arena) != data {
                lines.push("undo does not restore memory".into());
            }
        }
        lines
    }
}

fn load_x87(floating: &mut Floating, image: &FxImage) {
    let x87 = &mut floating.x87;
    x87.set_control(image.control);
    x87.set_status(image.status);
    for (i, bytes) in (0..8).zip(&image.st) {
        if image.is_occupied(usize::from(i)) {
            x87.set_st(i, u128::from_le_bytes(*bytes));
        }
    }
    x87.set_used(image.tags);
}

fn store_x87(floating: &Floating, image: &mut FxImage) {
    let x87 = &floating.x87;
    image.control = x87.control();
    image.status = x87.status();
    image.tags = x87.used();
    for (i, bytes) in (0..8).zip(&mut image.st) {
        *bytes = x87.st(i).unwrap_or(0).to_le_bytes();
    }
}
