//! What each x87 operation does.
//!
//! Stack overflow and underflow are found here, before the host is asked; everything else about
//! exceptions follows from the status word the host shows.

use super::state::{C1, C2, F80_ONE, X87};
use super::{Pending, X87Op};
use crate::host_fp::x87 as host;

const CF: u64 = 1 << 0;
const PF: u64 = 1 << 2;
const ZF: u64 = 1 << 6;

/// What an operation does outside of the x87 unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing; a store whose exception is unmasked writes nothing either.
    Nothing,
    /// The low bytes go to the memory operand, or to AX.
    Store(u128),
    /// ZF, PF and CF at their rflags positions; OF, SF and AF become zero.
    Flags(u64),
}

/// Executes one operation.
///
/// `index` is the i of ST(i) where the operation has one; `operand` the bytes of the memory
/// operand that is read, zero-extended; `rflags` is looked at by conditional moves.
pub fn execute(
    op: X87Op,
    fpu: &mut X87,
    index: u8,
    operand: u128,
    rflags: u64,
) -> Result<Effect, Pending> {
    use X87Op::*;
    let (carry, zero, unordered) = (rflags & CF != 0, rflags & ZF != 0, rflags & PF != 0);
    if op.waits() {
        fpu.check_pending()?;
    }
    Ok(match op {
        // Loads.
        FldM32 => fpu.load(host::fld_m32, operand),
        FldM64 => fpu.load(host::fld_m64, operand),
        FildI16 => fpu.load(host::fild_m16, operand),
        FildI32 => fpu.load(host::fild_m32, operand),
        FildI64 => fpu.load(host::fild_m64, operand),
        Fbld => fpu.load(host::fbld, operand),
        Fldl2t => fpu.load(host::fldl2t, 0),
        Fldl2e => fpu.load(host::fldl2e, 0),
        Fldpi => fpu.load(host::fldpi, 0),
        Fldlg2 => fpu.load(host::fldlg2, 0),
        Fldln2 => fpu.load(host::fldln2, 0),
        FldM80 => fpu.load_exactly(operand),
        Fld1 => fpu.load_exactly(F80_ONE),
        Fldz => fpu.load_exactly(0),

        // Stores.
        FstM32 => fpu.store(host::fstp_m32, 32, false),
        FstM64 => fpu.store(host::fstp_m64, 64, false),
        FstpM32 => fpu.store(host::fstp_m32, 32, true),
        FstpM64 => fpu.store(host::fstp_m64, 64, true),
        FistI16 => fpu.store(host::fistp_m16, 16, false),
        FistI32 => fpu.store(host::fistp_m32, 32, false),
        FistpI16 => fpu.store(host::fistp_m16, 16, true),
        FistpI32 => fpu.store(host::fistp_m32, 32, true),
        FistpI64 => fpu.store(host::fistp_m64, 64, true),
        FisttpI16 => fpu.store(host::fisttp_m16, 16, true),
        FisttpI32 => fpu.store(host::fisttp_m32, 32, true),
        FisttpI64 => fpu.store(host::fisttp_m64, 64, true),
        Fbstp => fpu.store(host::fbstp, 80, true),
        FstpM80 => fpu.store_exactly(),
        Fnstcw => Effect::Store(fpu.control() as u128),
        Fnstsw => Effect::Store(fpu.status() as u128),

        // Arithmetic.
        Fadd => fpu.combine_top(host::fadd, index),
        Fmul => fpu.combine_top(host::fmul, index),
        Fsub => fpu.combine_top(host::fsub, index),
        Fsubr => fpu.combine_top(host::fsubr, index),
        Fdiv => fpu.combine_top(host::fdiv, index),
        Fdivr => fpu.combine_top(host::fdivr, index),
        FaddSti => fpu.combine_other(host::fadd_sti, index, false),
        FmulSti => fpu.combine_other(host::fmul_sti, index, false),
        FsubSti => fpu.combine_other(host::fsub_sti, index, false),
        FsubrSti => fpu.combine_other(host::fsubr_sti, index, false),
        FdivSti => fpu.combine_other(host::fdiv_sti, index, false),
        FdivrSti => fpu.combine_other(host::fdivr_sti, index, false),
        Faddp => fpu.combine_other(host::fadd_sti, index, true),
        Fmulp => fpu.combine_other(host::fmul_sti, index, true),
        Fsubp => fpu.combine_other(host::fsub_sti, index, true),
        Fsubrp => fpu.combine_other(host::fsubr_sti, index, true),
        Fdivp => fpu.combine_other(host::fdiv_sti, index, true),
        Fdivrp => fpu.combine_other(host::fdivr_sti, index, true),
        FaddM32 => fpu.with_memory(host::fadd_m32, operand),
        FmulM32 => fpu.with_memory(host::fmul_m32, operand),
        FsubM32 => fpu.with_memory(host::fsub_m32, operand),
        FsubrM32 => fpu.with_memory(host::fsubr_m32, operand),
        FdivM32 => fpu.with_memory(host::fdiv_m32, operand),
        FdivrM32 => fpu.with_memory(host::fdivr_m32, operand),
        FaddM64 => fpu.with_memory(host::fadd_m64, operand),
        FmulM64 => fpu.with_memory(host::fmul_m64, operand),
        FsubM64 => fpu.with_memory(host::fsub_m64, operand),
        FsubrM64 => fpu.with_memory(host::fsubr_m64, operand),
        FdivM64 => fpu.with_memory(host::fdiv_m64, operand),
        FdivrM64 => fpu.with_memory(host::fdivr_m64, operand),
        FaddI16 => fpu.with_memory(host::fadd_i16, operand),
        FmulI16 => fpu.with_memory(host::fmul_i16, operand),
        FsubI16 => fpu.with_memory(host::fsub_i16, operand),
        FsubrI16 => fpu.with_memory(host::fsubr_i16, operand),
        FdivI16 => fpu.with_memory(host::fdiv_i16, operand),
        FdivrI16 => fpu.with_memory(host::fdivr_i16, operand),
        FaddI32 => fpu.with_memory(host::fadd_i32, operand),
        FmulI32 => fpu.with_memory(host::fmul_i32, operand),
        FsubI32 => fpu.with_memory(host::fsub_i32, operand),
        FsubrI32 => fpu.with_memory(host::fsubr_i32, operand),
        FdivI32 => fpu.with_memory(host::fdiv_i32, operand),
        FdivrI32 => fpu.with_memory(host::fdivr_i32, operand),
        Fchs => fpu.change_sign(true),
        Fabs => fpu.change_sign(false),
        Fsqrt => fpu.unary(host::fsqrt, C1),
        Frndint => fpu.unary(host::frndint, C1),
        F2xm1 => fpu.unary(host::f2xm1, C1),
        Fsin => fpu.unary(host::fsin, C1 | C2),
        Fcos => fpu.unary(host::fcos, C1 | C2),
        Fscale => fpu.top_by_next(host::fscale),
        Fprem => fpu.remainder(host::fprem),
        Fprem1 => fpu.remainder(host::fprem1),
        Fyl2x => fpu.next_popping(host::fyl2x),
        Fyl2xp1 => fpu.next_popping(host::fyl2xp1),
        Fpatan => fpu.next_popping(host::fpatan),
        Fxtract => fpu.splitting(host::fxtract, C1),
        Fsincos => fpu.splitting(host::fsincos, C1 | C2),
        Fptan => fpu.splitting(host::fptan, C1 | C2),

        // Comparisons.
        Fcom => fpu.compare(host::fcom, index, 0),
        Fcomp => fpu.compare(host::fcom, index, 1),
        Fcompp => fpu.compare(host::fcom, index, 2),
        Fucom => fpu.compare(host::fucom, index, 0),
        Fucomp => fpu.compare(host::fucom, index, 1),
        Fucompp => fpu.compare(host::fucom, index, 2),
        FcomM32 => fpu.compare_memory(host::fcom_m32, operand, 0),
        FcomM64 => fpu.compare_memory(host::fcom_m64, operand, 0),
        FcomI16 => fpu.compare_memory(host::fcom_i16, operand, 0),
        FcomI32 => fpu.compare_memory(host::fcom_i32, operand, 0),
        FcompM32 => fpu.compare_memory(host::fcom_m32, operand, 1),
        FcompM64 => fpu.compare_memory(host::fcom_m64, operand, 1),
        FcompI16 => fpu.compare_memory(host::fcom_i16, operand, 1),
        FcompI32 => fpu.compare_memory(host::fcom_i32, operand, 1),
        Ftst => fpu.compare_memory(host::ftst, 0, 0),
        Fxam => fpu.examine(),
        Fcomi => fpu.compare_to_flags(host::fcom, index, false),
        Fcomip => fpu.compare_to_flags(host::fcom, index, true),
        Fucomi => fpu.compare_to_flags(host::fucom, index, false),
        Fucomip => fpu.compare_to_flags(host::fucom, index, true),

        // The register stack.
        Fld => fpu.load_register(index),
        Fst => fpu.store_register(index, false),
        Fstp => fpu.store_register(index, true),
        Fxch => fpu.exchange(index),
        Ffree => fpu.release(index, false),
        Fincstp => fpu.turn(1),
        Fdecstp => fpu.turn(-1),
        Fcmovb => fpu.move_if(carry, index),
        Fcmove => fpu.move_if(zero, index),
        Fcmovbe => fpu.move_if(carry || zero, index),
        Fcmovu => fpu.move_if(unordered, index),
        Fcmovnb => fpu.move_if(!carry, index),
        Fcmovne => fpu.move_if(!zero, index),
        Fcmovnbe => fpu.move_if(!(carry || zero), index),
        Fcmovnu => fpu.move_if(!unordered, index),
        Ffreep => fpu.release(index, true),

        // Control.
        Fldcw => fpu.quietly(|fpu| fpu.set_control(operand as u16)),
        Fnclex => fpu.quietly(X87::clear_exceptions),
        Fninit => fpu.quietly(|fpu| *fpu = X87::default()),
        Emms => fpu.quietly(X87::leave_mmx),
        Fnop | Wait => Effect::Nothing,
    })
}
