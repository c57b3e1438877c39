//! From a decoded instruction to an x87 operation and its operands.

use iced_x86::{Code, Instruction};

use super::{Image, X87Op};

/// What an x87 instruction does, and with which operands. The address of a memory operand is in
/// the instruction, and the caller's business; no alignment is demanded except for FXSAVE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum X87Form {
    /// On registers only.
    Registers {
        /// The operation.
        op: X87Op,
        /// The i of ST(i), or zero.
        index: u8,
    },
    /// Like `Registers`, and the effect is flags.
    Flags {
        /// The operation.
        op: X87Op,
        /// The i of ST(i).
        index: u8,
    },
    /// Like `Registers`, and looks at rflags.
    Conditional {
        /// The operation.
        op: X87Op,
        /// The i of ST(i).
        index: u8,
    },
    /// Reads a memory operand.
    Load {
        /// The operation.
        op: X87Op,
        /// Width of the operand in memory.
        bytes: u8,
    },
    /// Writes a memory operand, if the effect is a store.
    Store {
        /// The operation.
        op: X87Op,
        /// Width of the operand in memory.
        bytes: u8,
    },
    /// FNSTSW AX.
    StoreAx {
        /// The operation.
        op: X87Op,
    },
    /// Stores or loads a whole image.
    Image(Image),
}

/// The form of an x87 instruction; `None` if it is none, or one this unit does not know.
pub fn classify(instruction: &Instruction) -> Option<X87Form> {
    let code = instruction.code();
    if let Some((op, bytes)) = load(code) {
        return Some(X87Form::Load { op, bytes });
    }
    if let Some((op, bytes)) = store(code) {
        return Some(X87Form::Store { op, bytes });
    }
    if let Some(image) = image(code) {
        return Some(X87Form::Image(image));
    }
    if let Some(op) = plain(code) {
        return Some(X87Form::Registers { op, index: if two_operands(op) { 1 } else { 0 } });
    }
    if code == Code::Fnstsw_AX {
        return Some(X87Form::StoreAx { op: X87Op::Fnstsw });
    }
    let index = stack_index(instruction);
    if let Some(op) = register(code) {
        return Some(X87Form::Registers { op, index });
    }
    if let Some(op) = flags(code) {
        return Some(X87Form::Flags { op, index });
    }
    conditional(code).map(|op| X87Form::Conditional { op, index })
}

/// The i of the ST(i) operand: the one that is not ST(0), if there is any.
fn stack_index(instruction: &Instruction) -> u8 {
    let numbers = (0..instruction.op_count()).map(|i| instruction.op_register(i).number() as u8);
    numbers.max().unwrap_or(0)
}

/// Operations whose second operand is always ST(1).
fn two_operands(op: X87Op) -> bool {
    matches!(op, X87Op::Fcompp | X87Op::Fucompp)
}

/// Operations that read memory, and how many bytes.
fn load(code: Code) -> Option<(X87Op, u8)> {
    use X87Op::*;
    Some(match code {
        Code::Fadd_m32fp => (FaddM32, 4),
        Code::Fmul_m32fp => (FmulM32, 4),
        Code::Fcom_m32fp => (FcomM32, 4),
        Code::Fcomp_m32fp => (FcompM32, 4),
        Code::Fsub_m32fp => (FsubM32, 4),
        Code::Fsubr_m32fp => (FsubrM32, 4),
        Code::Fdiv_m32fp => (FdivM32, 4),
        Code::Fdivr_m32fp => (FdivrM32, 4),
        Code::Fld_m32fp => (FldM32, 4),
        Code::Fadd_m64fp => (FaddM64, 8),
        Code::Fmul_m64fp => (FmulM64, 8),
        Code::Fcom_m64fp => (FcomM64, 8),
        Code::Fcomp_m64fp => (FcompM64, 8),
        Code::Fsub_m64fp => (FsubM64, 8),
        Code::Fsubr_m64fp => (FsubrM64, 8),
        Code::Fdiv_m64fp => (FdivM64, 8),
        Code::Fdivr_m64fp => (FdivrM64, 8),
        Code::Fld_m64fp => (FldM64, 8),
        Code::Fld_m80fp => (FldM80, 10),
        Code::Fbld_m80bcd => (Fbld, 10),
        Code::Fiadd_m16int => (FaddI16, 2),
        Code::Fimul_m16int => (FmulI16, 2),
        Code::Ficom_m16int => (FcomI16, 2),
        Code::Ficomp_m16int => (FcompI16, 2),
        Code::Fisub_m16int => (FsubI16, 2),
        Code::Fisubr_m16int => (FsubrI16, 2),
        Code::Fidiv_m16int => (FdivI16, 2),
        Code::Fidivr_m16int => (FdivrI16, 2),
        Code::Fiadd_m32int => (FaddI32, 4),
        Code::Fimul_m32int => (FmulI32, 4),
        Code::Ficom_m32int => (FcomI32, 4),
        Code::Ficomp_m32int => (FcompI32, 4),
        Code::Fisub_m32int => (FsubI32, 4),
        Code::Fisubr_m32int => (FsubrI32, 4),
        Code::Fidiv_m32int => (FdivI32, 4),
        Code::Fidivr_m32int => (FdivrI32, 4),
        Code::Fild_m16int => (FildI16, 2),
        Code::Fild_m32int => (FildI32, 4),
        Code::Fild_m64int => (FildI64, 8),
        Code::Fldcw_m2byte => (Fldcw, 2),
        _ => return None,
    })
}

/// Operations that write memory, and how many bytes.
fn store(code: Code) -> Option<(X87Op, u8)> {
    use X87Op::*;
    Some(match code {
        Code::Fst_m32fp => (FstM32, 4),
        Code::Fst_m64fp => (FstM64, 8),
        Code::Fstp_m32fp => (FstpM32, 4),
        Code::Fstp_m64fp => (FstpM64, 8),
        Code::Fstp_m80fp => (FstpM80, 10),
        Code::Fist_m16int => (FistI16, 2),
        Code::Fist_m32int => (FistI32, 4),
        Code::Fistp_m16int => (FistpI16, 2),
        Code::Fistp_m32int => (FistpI32, 4),
        Code::Fistp_m64int => (FistpI64, 8),
        Code::Fisttp_m16int => (FisttpI16, 2),
        Code::Fisttp_m32int => (FisttpI32, 4),
        Code::Fisttp_m64int => (FisttpI64, 8),
        Code::Fbstp_m80bcd => (Fbstp, 10),
        Code::Fnstcw_m2byte => (Fnstcw, 2),
        Code::Fnstsw_m2byte => (Fnstsw, 2),
        _ => return None,
    })
}

/// Operations without explicit operands.
fn plain(code: Code) -> Option<X87Op> {
    use X87Op::*;
    Some(match code {
        Code::Fchs => Fchs,
        Code::Fabs => Fabs,
        Code::Ftst => Ftst,
        Code::Fxam => Fxam,
        Code::Fld1 => Fld1,
        Code::Fldl2t => Fldl2t,
        Code::Fldl2e => Fldl2e,
        Code::Fldpi => Fldpi,
        Code::Fldlg2 => Fldlg2,
        Code::Fldln2 => Fldln2,
        Code::Fldz => Fldz,
        Code::F2xm1 => F2xm1,
        Code::Fyl2x => Fyl2x,
        Code::Fptan => Fptan,
        Code::Fpatan => Fpatan,
        Code::Fxtract => Fxtract,
        Code::Fprem1 => Fprem1,
        Code::Fdecstp => Fdecstp,
        Code::Fincstp => Fincstp,
        Code::Fprem => Fprem,
        Code::Fyl2xp1 => Fyl2xp1,
        Code::Fsqrt => Fsqrt,
        Code::Fsincos => Fsincos,
        Code::Frndint => Frndint,
        Code::Fscale => Fscale,
        Code::Fsin => Fsin,
        Code::Fcos => Fcos,
        Code::Fucompp => Fucompp,
        Code::Fcompp => Fcompp,
        Code::Fnclex => Fnclex,
        Code::Fninit => Fninit,
        Code::Fnop => Fnop,
        Code::Wait => Wait,
        Code::Emms => Emms,
        _ => return None,
    })
}

/// Operations with an ST(i).
fn register(code: Code) -> Option<X87Op> {
    use X87Op::*;
    Some(match code {
        Code::Fadd_st0_sti => Fadd,
        Code::Fadd_sti_st0 => FaddSti,
        Code::Faddp_sti_st0 => Faddp,
        Code::Fmul_st0_sti => Fmul,
        Code::Fmul_sti_st0 => FmulSti,
        Code::Fmulp_sti_st0 => Fmulp,
        Code::Fsub_st0_sti => Fsub,
        Code::Fsub_sti_st0 => FsubSti,
        Code::Fsubp_sti_st0 => Fsubp,
        Code::Fsubr_st0_sti => Fsubr,
        Code::Fsubr_sti_st0 => FsubrSti,
        Code::Fsubrp_sti_st0 => Fsubrp,
        Code::Fdiv_st0_sti => Fdiv,
        Code::Fdiv_sti_st0 => FdivSti,
        Code::Fdivp_sti_st0 => Fdivp,
        Code::Fdivr_st0_sti => Fdivr,
        Code::Fdivr_sti_st0 => FdivrSti,
        Code::Fdivrp_sti_st0 => Fdivrp,
        Code::Fcom_st0_sti | Code::Fcom_st0_sti_DCD0 => Fcom,
        Code::Fcomp_st0_sti | Code::Fcomp_st0_sti_DCD8 | Code::Fcomp_st0_sti_DED0 => Fcomp,
        Code::Fucom_st0_sti => Fucom,
        Code::Fucomp_st0_sti => Fucomp,
        Code::Fld_sti => Fld,
        Code::Fst_sti => Fst,
        Code::Fstp_sti | Code::Fstp_sti_DFD0 | Code::Fstp_sti_DFD8 => Fstp,
        Code::Fxch_st0_sti | Code::Fxch_st0_sti_DDC8 | Code::Fxch_st0_sti_DFC8 => Fxch,
        Code::Ffree_sti => Ffree,
        Code::Ffreep_sti => Ffreep,
        _ => return None,
    })
}

/// Comparisons into rflags.
fn flags(code: Code) -> Option<X87Op> {
    use X87Op::*;
    Some(match code {
        Code::Fcomi_st0_sti => Fcomi,
        Code::Fcomip_st0_sti => Fcomip,
        Code::Fucomi_st0_sti => Fucomi,
        Code::Fucomip_st0_sti => Fucomip,
        _ => return None,
    })
}

/// Moves by a condition in rflags.
fn conditional(code: Code) -> Option<X87Op> {
    use X87Op::*;
    Some(match code {
        Code::Fcmovb_st0_sti => Fcmovb,
        Code::Fcmove_st0_sti => Fcmove,
        Code::Fcmovbe_st0_sti => Fcmovbe,
        Code::Fcmovu_st0_sti => Fcmovu,
        Code::Fcmovnb_st0_sti => Fcmovnb,
        Code::Fcmovne_st0_sti => Fcmovne,
        Code::Fcmovnbe_st0_sti => Fcmovnbe,
        Code::Fcmovnu_st0_sti => Fcmovnu,
        _ => return None,
    })
}

/// Whole images.
fn image(code: Code) -> Option<Image> {
    Some(match code {
        Code::Fnstenv_m28byte => Image::Fnstenv,
        Code::Fldenv_m28byte => Image::Fldenv,
        Code::Fnsave_m108byte => Image::Fnsave,
        Code::Frstor_m108byte => Image::Frstor,
        Code::Fxsave_m512byte | Code::Fxsave64_m512byte => Image::Fxsave,
        Code::Fxrstor_m512byte | Code::Fxrstor64_m512byte => Image::Fxrstor,
        _ => return None,
    })
}
