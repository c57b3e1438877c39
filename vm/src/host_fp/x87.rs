//! x87 instructions on the host's FPU, one at a time, operands by value.
//!
//! The operands are loaded bit by bit (80-bit loads and stores change nothing and raise nothing),
//! the guest's control word goes in, the instruction runs, the status word is read and cleared.
//! The guest's exception masks are in force: an unmasked exception is only pending when the status
//! is read, and cleared before any instruction that would report it. So the host shows by itself
//! which results are suppressed and how they are scaled.
//!
//! Invariants: the register stack is empty and the control word the ABI's when a function returns.
//! What is on the guest's stack, and what happens when it overflows, is the caller's business.

use core::arch::asm;

/// The control word as the host's ABI wants it.
static HOST_CONTROL: u16 = 0x37f;
/// Where TOP sits in a status word.
const TOP_SHIFT: u16 = 11;

/// Operands and results of one instruction; 80-bit values in the low bits of `u128`.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// The top of the stack, in and out.
    pub st0: u128,
    /// The other register operand, in and out.
    pub st1: u128,
    /// The operand in memory, in or out.
    pub memory: u128,
    /// The guest's control word.
    pub control: u16,
    /// The status word after the instruction; TOP tells the depth of the host's stack.
    pub status: u16,
}

impl Frame {
    /// How many registers were in use on the host's stack after the instruction.
    pub fn depth(&self) -> u16 {
        (8 - (self.status >> TOP_SHIFT & 7)) & 7
    }
}

/// Runs assembly with the frame's address in `{frame}`, on an empty FPU that it leaves empty.
macro_rules! on_fpu {
    ($frame:ident, $($line:expr),* $(,)?) => {
        // SAFETY: all x87 registers are declared clobbered, so the stack is empty at entry; the
        // lines pop what is on it at the end, and restore the control word. Memory is touched
        // inside of the frame only. Exceptions are cleared before they could be reported.
        unsafe {
            asm!(
                $($line,)*
                "fldcw word ptr [{host}]",
                frame = in(reg) &raw mut *$frame,
                host = in(reg) &raw const HOST_CONTROL,
                out("ax") _, out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            )
        }
    };
}

/// Instructions on `st0`, `st1` and maybe `memory` that neither push nor pop.
macro_rules! in_place {
    ($($name:ident = $instruction:literal;)*) => {$(
        #[doc = concat!("`", $instruction, "`; `frame + 32` is the memory operand.")]
        pub fn $name(frame: &mut Frame) {
            on_fpu!(
                frame,
                "fnclex",
                "fld tbyte ptr [{frame} + 16]",
                "fld tbyte ptr [{frame}]",
                "fldcw word ptr [{frame} + 48]",
                $instruction,
                "fnstsw word ptr [{frame} + 50]",
                "fnclex",
                "fstp tbyte ptr [{frame}]",
                "fstp tbyte ptr [{frame} + 16]",
            );
        }
    )*};
}

/// Instructions that start with `$loads` on the stack and may push, pop or store.
macro_rules! moving {
    ($([$($load:literal)*] $name:ident = $instruction:literal;)*) => {$(
        #[doc = concat!("`", $instruction, "`; `frame + 32` is the memory operand.")]
        pub fn $name(frame: &mut Frame) {
            on_fpu!(
                frame,
                "fnclex",
                $($load,)*
                "fldcw word ptr [{frame} + 48]",
                $instruction,
                "fnstsw ax",
                "fnclex",
                "mov word ptr [{frame} + 50], ax",
                // TOP is 0, 7 or 6 with none, one or two registers in use.
                "test ah, 0x38",
                "jz 2f",
                "fstp tbyte ptr [{frame}]",
                "test ah, 0x08",
                "jnz 2f",
                "fstp tbyte ptr [{frame} + 16]",
                "2:",
            );
        }
    )*};
}

in_place! {
    fadd = "fadd st, st(1)"; fadd_sti = "fadd st(1), st";
    fmul = "fmul st, st(1)"; fmul_sti = "fmul st(1), st";
    fsub = "fsub st, st(1)"; fsub_sti = "fsub st(1), st";
    fsubr = "fsubr st, st(1)"; fsubr_sti = "fsubr st(1), st";
    fdiv = "fdiv st, st(1)"; fdiv_sti = "fdiv st(1), st";
    fdivr = "fdivr st, st(1)"; fdivr_sti = "fdivr st(1), st";

    fadd_m32 = "fadd dword ptr [{frame} + 32]"; fadd_m64 = "fadd qword ptr [{frame} + 32]";
    fmul_m32 = "fmul dword ptr [{frame} + 32]"; fmul_m64 = "fmul qword ptr [{frame} + 32]";
    fsub_m32 = "fsub dword ptr [{frame} + 32]"; fsub_m64 = "fsub qword ptr [{frame} + 32]";
    fsubr_m32 = "fsubr dword ptr [{frame} + 32]"; fsubr_m64 = "fsubr qword ptr [{frame} + 32]";
    fdiv_m32 = "fdiv dword ptr [{frame} + 32]"; fdiv_m64 = "fdiv qword ptr [{frame} + 32]";
    fdivr_m32 = "fdivr dword ptr [{frame} + 32]"; fdivr_m64 = "fdivr qword ptr [{frame} + 32]";
    fadd_i16 = "fiadd word ptr [{frame} + 32]"; fadd_i32 = "fiadd dword ptr [{frame} + 32]";
    fmul_i16 = "fimul word ptr [{frame} + 32]"; fmul_i32 = "fimul dword ptr [{frame} + 32]";
    fsub_i16 = "fisub word ptr [{frame} + 32]"; fsub_i32 = "fisub dword ptr [{frame} + 32]";
    fsubr_i16 = "fisubr word ptr [{frame} + 32]"; fsubr_i32 = "fisubr dword ptr [{frame} + 32]";
    fdiv_i16 = "fidiv word ptr [{frame} + 32]"; fdiv_i32 = "fidiv dword ptr [{frame} + 32]";
    fdivr_i16 = "fidivr word ptr [{frame} + 32]"; fdivr_i32 = "fidivr dword ptr [{frame} + 32]";

    fcom = "fcom st(1)"; fucom = "fucom st(1)"; ftst = "ftst"; fxam = "fxam";
    fcom_m32 = "fcom dword ptr [{frame} + 32]"; fcom_m64 = "fcom qword ptr [{frame} + 32]";
    fcom_i16 = "ficom word ptr [{frame} + 32]"; fcom_i32 = "ficom dword ptr [{frame} + 32]";

    fsqrt = "fsqrt"; frndint = "frndint"; f2xm1 = "f2xm1"; fsin = "fsin"; fcos = "fcos";
    fscale = "fscale"; fprem = "fprem"; fprem1 = "fprem1";
}

moving! {
    [] fld_m32 = "fld dword ptr [{frame} + 32]";
    [] fld_m64 = "fld qword ptr [{frame} + 32]";
    [] fild_m16 = "fild word ptr [{frame} + 32]";
    [] fild_m32 = "fild dword ptr [{frame} + 32]";
    [] fild_m64 = "fild qword ptr [{frame} + 32]";
    [] fbld = "fbld tbyte ptr [{frame} + 32]";
    [] fldl2t = "fldl2t";
    [] fldl2e = "fldl2e";
    [] fldpi = "fldpi";
    [] fldlg2 = "fldlg2";
    [] fldln2 = "fldln2";

    ["fld tbyte ptr [{frame}]"] fstp_m32 = "fstp dword ptr [{frame} + 32]";
    ["fld tbyte ptr [{frame}]"] fstp_m64 = "fstp qword ptr [{frame} + 32]";
    ["fld tbyte ptr [{frame}]"] fistp_m16 = "fistp word ptr [{frame} + 32]";
    ["fld tbyte ptr [{frame}]"] fistp_m32 = "fistp dword ptr [{frame} + 32]";
    ["fld tbyte ptr [{frame}]"] fistp_m64 = "fistp qword ptr [{frame} + 32]";
    ["fld tbyte ptr [{frame}]"] fisttp_m16 = "fisttp word ptr [{frame} + 32]";
    ["fld tbyte ptr [{frame}]"] fisttp_m32 = "fisttp dword ptr [{frame} + 32]";
    ["fld tbyte ptr [{frame}]"] fisttp_m64 = "fisttp qword ptr [{frame} + 32]";
    ["fld tbyte ptr [{frame}]"] fbstp = "fbstp tbyte ptr [{frame} + 32]";

    ["fld tbyte ptr [{frame}]"] fxtract = "fxtract";
    ["fld tbyte ptr [{frame}]"] fsincos = "fsincos";
    ["fld tbyte ptr [{frame}]"] fptan = "fptan";

    ["fld tbyte ptr [{frame} + 16]" "fld tbyte ptr [{frame}]"] fyl2x = "fyl2x";
    ["fld tbyte ptr [{frame} + 16]" "fld tbyte ptr [{frame}]"] fyl2xp1 = "fyl2xp1";
    ["fld tbyte ptr [{frame} + 16]" "fld tbyte ptr [{frame}]"] fpatan = "fpatan";
}
