//! Names of the registers that micro-ops refer to.
//!
//! The sixteen general registers come first, in x86 encoding order; the rest are the machine's
//! own: a constant zero, segment bases, the start of the current block and temporaries that
//! carry a value from one micro-op of an instruction to the next. There are exactly 32 of them,
//! so that indexing a 32-entry register file with a [`Reg`] never needs a bounds check.

/// Number of entries of a register file.
pub const REG_COUNT: usize = 32;

/// One entry of the register file.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Reg {
    Rax,
    Rcx,
    Rdx,
    Rbx,
    Rsp,
    Rbp,
    Rsi,
    Rdi,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
    /// Always zero: stands for an absent base or index.
    Zero,
    /// Base of the `fs` segment: the thread pointer.
    FsBase,
    /// Base of the `gs` segment.
    GsBase,
    /// Address of the block being executed; `rip`-relative operands are relative to it.
    BlockStart,
    /// First temporary.
    T0,
    /// Second temporary.
    T1,
    /// Third temporary.
    T2,
    /// Fourth temporary.
    T3,
    /// The calls that the thread has not returned from; see [`crate::memory::frames`].
    Frame,
    #[doc(hidden)]
    Spare25,
    #[doc(hidden)]
    Spare26,
    #[doc(hidden)]
    Spare27,
    #[doc(hidden)]
    Spare28,
    #[doc(hidden)]
    Spare29,
    #[doc(hidden)]
    Spare30,
    #[doc(hidden)]
    Spare31,
}

impl Reg {
    /// The general registers in encoding order.
    pub const GENERAL: [Reg; 16] = [
        Reg::Rax,
        Reg::Rcx,
        Reg::Rdx,
        Reg::Rbx,
        Reg::Rsp,
        Reg::Rbp,
        Reg::Rsi,
        Reg::Rdi,
        Reg::R8,
        Reg::R9,
        Reg::R10,
        Reg::R11,
        Reg::R12,
        Reg::R13,
        Reg::R14,
        Reg::R15,
    ];

    /// The lower-case name of a general register, for messages.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 16] = [
            "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11",
            "r12", "r13", "r14", "r15",
        ];
        NAMES.get(self as usize).copied().unwrap_or("internal")
    }
}

const _: () = assert!(Reg::Spare31 as usize + 1 == REG_COUNT);
