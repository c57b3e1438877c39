//! Micro-ops: what instructions are lowered to, 16 bytes each.
//!
//! A micro-op has at most one memory operand, `base + (index << scale) + disp`. Widths, forms and
//! the absence of flags are part of the operation, so that the execution loop decides nothing at
//! run time that the decoder knew. Rare operations share one [`Op`] and keep their kind in `aux`
//! or `imm`.
//!
//! Naming: `Rr` register and register, `Ri` register and immediate, `Rm` register and memory, `Mr`
//! memory and register, `Mi` memory and immediate, `Nf` leaves the flags alone, `B` address without
//! index, a number is the width in bits.

use crate::reg::Reg;

/// The operation of a [`Uop`].
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum Op {
    // Register moves: dst = src; 8 and 16 bits keep the upper bits, 32 bits clear them.
    MovRr8,
    MovRr16,
    MovRr32,
    MovRr64,
    MovI,
    MovI8,
    MovI16,
    Zx8,
    Zx16,
    Sx8to32,
    Sx8to64,
    Sx16to32,
    Sx16to64,
    Sx32to64,
    GetHigh,
    SetHigh,
    // Loads, zero-extended, sign-extended or merged into dst.
    Ld8,
    Ld16,
    Ld32,
    Ld64,
    Ld32B,
    Ld64B,
    Lds8to32,
    Lds8to64,
    Lds16to32,
    Lds16to64,
    Lds32to64,
    LdMerge8,
    LdMerge16,
    // Loads that a store to the same place follows: the place must be writable.
    LdW8,
    LdW16,
    LdW32,
    LdW64,
    // Stores of src, or of imm.
    St8,
    St16,
    St32,
    St64,
    St32B,
    St64B,
    StI8,
    StI16,
    StI32,
    StI64,
    // Address arithmetic.
    Lea64,
    Lea32,
    BitAddr,
    // Add.
    AddRr8,
    AddRr16,
    AddRr32,
    AddRr64,
    AddRi8,
    AddRi16,
    AddRi32,
    AddRi64,
    AddRm8,
    AddRm16,
    AddRm32,
    AddRm64,
    // Sub.
    SubRr8,
    SubRr16,
    SubRr32,
    SubRr64,
    SubRi8,
    SubRi16,
    SubRi32,
    SubRi64,
    SubRm8,
    SubRm16,
    SubRm32,
    SubRm64,
    // And.
    AndRr8,
    AndRr16,
    AndRr32,
    AndRr64,
    AndRi8,
    AndRi16,
    AndRi32,
    AndRi64,
    AndRm8,
    AndRm16,
    AndRm32,
    AndRm64,
    // Or.
    OrRr8,
    OrRr16,
    OrRr32,
    OrRr64,
    OrRi8,
    OrRi16,
    OrRi32,
    OrRi64,
    OrRm8,
    OrRm16,
    OrRm32,
    OrRm64,
    // Xor.
    XorRr8,
    XorRr16,
    XorRr32,
    XorRr64,
    XorRi8,
    XorRi16,
    XorRi32,
    XorRi64,
    XorRm8,
    XorRm16,
    XorRm32,
    XorRm64,
    // Cmp.
    CmpRr8,
    CmpRr16,
    CmpRr32,
    CmpRr64,
    CmpRi8,
    CmpRi16,
    CmpRi32,
    CmpRi64,
    CmpRm8,
    CmpRm16,
    CmpRm32,
    CmpRm64,
    // Test.
    TestRr8,
    TestRr16,
    TestRr32,
    TestRr64,
    TestRi8,
    TestRi16,
    TestRi32,
    TestRi64,
    // Adc.
    AdcRr8,
    AdcRr16,
    AdcRr32,
    AdcRr64,
    AdcRi8,
    AdcRi16,
    AdcRi32,
    AdcRi64,
    AdcRm8,
    AdcRm16,
    AdcRm32,
    AdcRm64,
    // Sbb.
    SbbRr8,
    SbbRr16,
    SbbRr32,
    SbbRr64,
    SbbRi8,
    SbbRi16,
    SbbRi32,
    SbbRi64,
    SbbRm8,
    SbbRm16,
    SbbRm32,
    SbbRm64,
    // The same without flags.
    AddNfRr32,
    AddNfRr64,
    AddNfRi32,
    AddNfRi64,
    SubNfRr32,
    SubNfRr64,
    SubNfRi32,
    SubNfRi64,
    AndNfRr32,
    AndNfRr64,
    AndNfRi32,
    AndNfRi64,
    OrNfRr32,
    OrNfRr64,
    OrNfRi32,
    OrNfRi64,
    XorNfRr32,
    XorNfRr64,
    XorNfRi32,
    XorNfRi64,
    // Memory operand with register or immediate.
    AddMr32,
    AddMr64,
    AddMi32,
    AddMi64,
    SubMr32,
    SubMr64,
    SubMi32,
    SubMi64,
    AndMr32,
    AndMr64,
    AndMi32,
    AndMi64,
    OrMr32,
    OrMr64,
    OrMi32,
    OrMi64,
    XorMr32,
    XorMr64,
    XorMi32,
    XorMi64,
    CmpMr8,
    CmpMr16,
    CmpMr32,
    CmpMr64,
    CmpMi8,
    CmpMi16,
    CmpMi32,
    CmpMi64,
    TestMr8,
    TestMr16,
    TestMr32,
    TestMr64,
    TestMi8,
    TestMi16,
    TestMi32,
    TestMi64,
    // One operand.
    Inc8,
    Inc16,
    Inc32,
    Inc64,
    Dec8,
    Dec16,
    Dec32,
    Dec64,
    Neg8,
    Neg16,
    Neg32,
    Neg64,
    Not8,
    Not16,
    Not32,
    Not64,
    // Shifts: fast forms without flags, then the general ones (aux = kind, scale = width).
    ShlNf32,
    ShlNf64,
    ShrNf32,
    ShrNf64,
    SarNf32,
    SarNf64,
    RolNf32,
    RolNf64,
    ShiftI,
    ShiftCl,
    ShiftDouble,
    // Multiplication and division.
    ImulNf32,
    ImulNf64,
    ImulINf32,
    ImulINf64,
    Imul,
    MulDiv,
    // Bits, conditions, widening (aux = kind or condition, scale = width).
    BitTest,
    BitScan,
    Bswap32,
    Bswap64,
    SetCc,
    Cmov32,
    Cmov64,
    Cmov16,
    Widen,
    FlagOp,
    GetFlags,
    SetFlags,
    Crc32,
    // Stack.
    Push,
    PushI,
    Pop,
    Leave,
    // Read-modify-write of memory in one piece (imm = kind).
    Rmw8,
    Rmw16,
    Rmw32,
    Rmw64,
    CmpxchgReg,
    Cmpxchg8b,
    Cmpxchg16b,
    // String operations (aux = kind, scale = width, imm = repetition).
    String,
    // Moves between vector registers and memory.
    VMov,
    VLd16,
    VLd16A,
    VLd8,
    VLd4,
    VSt16,
    VSt16A,
    VSt8,
    VSt4,
    // Other vector and x87 instructions (imm = index of the form in the block).
    Vector,
    X87,
    FxSave,
    FxRstor,
    // The machine itself.
    Syscall,
    Cpuid,
    TimeStamp,
    Fence,
    Hook,
    Breakpoint,
    Illegal,
    Unsupported,
    NoFetch,
    // Ends of a block.
    End,
    Jmp,
    JmpReg,
    Jcc,
    CmpJRr8,
    CmpJRr16,
    CmpJRr32,
    CmpJRr64,
    CmpJRi8,
    CmpJRi16,
    CmpJRi32,
    CmpJRi64,
    TestJRr8,
    TestJRr16,
    TestJRr32,
    TestJRr64,
    TestJRi8,
    TestJRi16,
    TestJRi32,
    TestJRi64,
    Jrcxz,
    Loop,
    Call,
    CallReg,
    Ret,
}

/// See the module head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Uop {
    /// What to do.
    pub op: Op,
    /// Destination, and first source where the operation has two.
    pub dst: Reg,
    /// Second source.
    pub src: Reg,
    /// Base of the memory operand.
    pub base: Reg,
    /// Index of the memory operand.
    pub index: Reg,
    /// Shift of the index; or the width (log2 of bytes) of a general operation without memory.
    pub scale: u8,
    /// Condition, kind or immediate byte.
    pub aux: u8,
    /// Displacement of the memory operand; upper half of a 64-bit immediate.
    pub disp: i32,
    /// Immediate, or its lower half.
    pub imm: i32,
}

const _: () = assert!(size_of::<Uop>() == 16);

impl Uop {
    /// A micro-op without operands.
    pub const fn new(op: Op) -> Uop {
        Uop {
            op,
            dst: Reg::Zero,
            src: Reg::Zero,
            base: Reg::Zero,
            index: Reg::Zero,
            scale: 0,
            aux: 0,
            disp: 0,
            imm: 0,
        }
    }

    /// The 64-bit immediate kept in `disp` and `imm`.
    #[inline(always)]
    pub fn imm64(&self) -> u64 {
        (self.disp as u32 as u64) << 32 | self.imm as u32 as u64
    }

    /// Sets the 64-bit immediate.
    pub fn with_imm64(mut self, value: u64) -> Uop {
        self.disp = (value >> 32) as i32;
        self.imm = value as i32;
        self
    }

    /// Width in bits of a general operation.
    #[inline(always)]
    pub fn bits(&self) -> u32 {
        8 << self.scale
    }
}
