//! The registers of one thread.
//!
//! Split in two because most steps leave the floating-point half alone: [`Core`] is saved by every
//! journalled step, [`Floating`] only by steps that enter a block that uses it.

use crate::flags::Flags;
use crate::reg::{REG_COUNT, Reg};
use crate::x87::X87;
use std::ops::{Index, IndexMut};

/// General registers, program counter and flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Core {
    /// The register file, indexed by [`Reg`].
    pub regs: [u64; REG_COUNT],
    /// Address of the next instruction.
    pub pc: u64,
    /// Arithmetic flags, lazily evaluated.
    pub flags: Flags,
    /// Micro-ops of the instruction at `pc` that are already done.
    pub uops_done: u8,
    /// The direction flag: string operations go downwards.
    pub direction: bool,
    /// `ret` stops the thread once the stack pointer is above this; `u64::MAX` for never.
    pub return_watch: u64,
}

impl Default for Core {
    fn default() -> Core {
        Core {
            regs: [0; REG_COUNT],
            pc: 0,
            flags: Flags::default(),
            uops_done: 0,
            direction: false,
            return_watch: u64::MAX,
        }
    }
}

impl Core {
    /// The whole flags register, as `pushf` would store it.
    pub fn rflags(&self) -> u64 {
        self.flags.bits() | 0x202 | u64::from(self.direction) << 10
    }

    /// Sets the arithmetic flags and the direction flag.
    pub fn set_rflags(&mut self, bits: u64) {
        self.flags = Flags::eager(bits);
        self.direction = bits & (1 << 10) != 0;
    }

    /// Goes to an address, at an instruction boundary.
    pub fn jump(&mut self, pc: u64) {
        self.pc = pc;
        self.uops_done = 0;
    }
}

impl Index<Reg> for Core {
    type Output = u64;

    #[inline(always)]
    fn index(&self, reg: Reg) -> &u64 {
        &self.regs[reg as usize]
    }
}

impl IndexMut<Reg> for Core {
    #[inline(always)]
    fn index_mut(&mut self, reg: Reg) -> &mut u64 {
        &mut self.regs[reg as usize]
    }
}

/// Vector and x87 registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floating {
    /// The SSE registers.
    pub xmm: [u128; 16],
    /// Control and status of SSE floating point.
    pub mxcsr: u32,
    /// The x87 stack.
    pub x87: X87,
}

impl Default for Floating {
    fn default() -> Floating {
        Floating { xmm: [0; 16], mxcsr: 0x1f80, x87: X87::default() }
    }
}
