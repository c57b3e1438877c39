//! The user-visible state of an x86-64 processor, in the layout the processor itself uses.
//!
//! Both judges speak this language: the native side loads it with `fxrstor64` and plain moves,
//! the virtual side copies it field by field. Left out: segment selectors, AVX state and the
//! x87 instruction and data pointers (`fop`, `fip`, `fdp` are stored but never compared).

/// Names of the general registers in encoding order.
pub const GPR_NAMES: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15",
];

/// Indices into [`Cpu::gpr`].
pub mod gpr {
    pub const RAX: usize = 0;
    pub const RCX: usize = 1;
    pub const RDX: usize = 2;
    pub const RBX: usize = 3;
    pub const RSP: usize = 4;
    pub const RBP: usize = 5;
    pub const RSI: usize = 6;
    pub const RDI: usize = 7;
}

/// Bits of RFLAGS.
pub mod flag {
    pub const CF: u64 = 1;
    pub const PF: u64 = 1 << 2;
    pub const AF: u64 = 1 << 4;
    pub const ZF: u64 = 1 << 6;
    pub const SF: u64 = 1 << 7;
    pub const DF: u64 = 1 << 10;
    pub const OF: u64 = 1 << 11;
    /// The arithmetic flags.
    pub const STATUS: u64 = CF | PF | AF | ZF | SF | OF;
    /// Everything a program can set and see without side effects.
    pub const USER: u64 = STATUS | DF;
    /// The bits that are always one in user mode: the reserved bit 1 and IF.
    pub const FIXED: u64 = 0x202;
}

/// The 512-byte memory image of `fxsave64`.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct FxImage {
    pub control: u16,
    pub status: u16,
    /// One bit per physical register, set when it is not empty.
    pub tags: u8,
    pub reserved: u8,
    pub opcode: u16,
    pub instruction_pointer: u64,
    pub data_pointer: u64,
    pub mxcsr: u32,
    pub mxcsr_mask: u32,
    /// ST(0) to ST(7): ten bytes each, padded to sixteen.
    pub st: [[u8; 16]; 8],
    pub xmm: [u128; 16],
    pub unused: [u8; 96],
}

const _: () = assert!(size_of::<FxImage>() == 512);

impl FxImage {
    /// The state after `fninit` with all vector registers zero.
    pub const RESET: FxImage = FxImage {
        control: 0x37f,
        status: 0,
        tags: 0,
        reserved: 0,
        opcode: 0,
        instruction_pointer: 0,
        data_pointer: 0,
        mxcsr: 0x1f80,
        mxcsr_mask: 0xffff,
        st: [[0; 16]; 8],
        xmm: [0; 16],
        unused: [0; 96],
    };

    /// Number of the physical register that is ST(0).
    pub fn top(&self) -> usize {
        usize::from(self.status >> 11 & 7)
    }

    /// Whether ST(`i`) holds a value.
    pub fn is_occupied(&self, i: usize) -> bool {
        self.tags >> ((self.top() + i) & 7) & 1 == 1
    }
}

/// Everything an instruction can read or change besides memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Cpu {
    pub gpr: [u64; 16],
    pub rflags: u64,
    pub fs_base: u64,
    pub fx: FxImage,
}

impl Cpu {
    /// All registers zero, floating point in its reset state.
    pub const RESET: Cpu =
        Cpu { gpr: [0; 16], rflags: flag::FIXED, fs_base: 0, fx: FxImage::RESET };
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The instruction completed and execution continues here.
    At(u64),
    /// The instruction raised this exception instead.
    Fault(Fault),
}

/// Exceptions, as far as a program can tell them apart by the signal it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// #DE
    Divide,
    /// #BP
    Breakpoint,
    /// #UD
    InvalidOpcode,
    /// #PF, #GP, #SS or #AC: an access that is not possible.
    Memory,
    /// #MF or #XM
    FloatingPoint,
    /// Anything else, by vector.
    Other(u8),
}

impl Fault {
    /// The class of an exception vector.
    pub fn from_vector(vector: u8) -> Fault {
        match vector {
            0 => Fault::Divide,
            3 => Fault::Breakpoint,
            6 => Fault::InvalidOpcode,
            12 | 13 | 14 | 17 => Fault::Memory,
            16 | 19 => Fault::FloatingPoint,
            other => Fault::Other(other),
        }
    }
}
