//! The list of x87 operations.
//!
//! The suffix of a name tells the operand: `M32`, `M64`, `M80` a float in memory, `I16`, `I32`,
//! `I64` an integer in memory, `Sti` that ST(i) is the destination, `p` that the stack is popped
//! after. Without a suffix the operands are ST(0) and, if there are two, ST(i).

macro_rules! x87_ops {
    ($($name:ident),* $(,)?) => {
        /// One x87 operation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum X87Op {
            $(
                #[doc = concat!("The operation of `", stringify!($name), "`.")]
                $name,
            )*
        }

        impl X87Op {
            /// All operations, in the order of their indices.
            pub const ALL: &'static [X87Op] = &[$(X87Op::$name),*];
        }
    };
}

x87_ops! {
    // Loads and constants.
    FldM32, FldM64, FldM80, FildI16, FildI32, FildI64, Fbld, Fld,
    Fld1, Fldz, Fldl2t, Fldl2e, Fldpi, Fldlg2, Fldln2,

    // Stores.
    FstM32, FstM64, FstpM32, FstpM64, FstpM80, FistI16, FistI32, FistpI16, FistpI32, FistpI64,
    FisttpI16, FisttpI32, FisttpI64, Fbstp, Fst, Fstp,

    // Arithmetic of two operands.
    Fadd, Fmul, Fsub, Fsubr, Fdiv, Fdivr,
    FaddSti, FmulSti, FsubSti, FsubrSti, FdivSti, FdivrSti,
    Faddp, Fmulp, Fsubp, Fsubrp, Fdivp, Fdivrp,
    FaddM32, FmulM32, FsubM32, FsubrM32, FdivM32, FdivrM32,
    FaddM64, FmulM64, FsubM64, FsubrM64, FdivM64, FdivrM64,
    FaddI16, FmulI16, FsubI16, FsubrI16, FdivI16, FdivrI16,
    FaddI32, FmulI32, FsubI32, FsubrI32, FdivI32, FdivrI32,

    // Arithmetic of the top of the stack.
    Fchs, Fabs, Fsqrt, Frndint, F2xm1, Fsin, Fcos, Fscale, Fprem, Fprem1,
    Fyl2x, Fyl2xp1, Fpatan, Fxtract, Fsincos, Fptan,

    // Comparisons.
    Fcom, Fcomp, Fcompp, Fucom, Fucomp, Fucompp, Fcomi, Fcomip, Fucomi, Fucomip, Ftst, Fxam,
    FcomM32, FcomM64, FcomI16, FcomI32, FcompM32, FcompM64, FcompI16, FcompI32,

    // The register stack.
    Fxch, Ffree, Ffreep, Fincstp, Fdecstp,
    Fcmovb, Fcmove, Fcmovbe, Fcmovu, Fcmovnb, Fcmovne, Fcmovnbe, Fcmovnu,

    // Control.
    Fldcw, Fnstcw, Fnstsw, Fnclex, Fninit, Fnop, Wait, Emms,
}

impl X87Op {
    /// The operation with this index.
    ///
    /// # Panics
    /// If no operation has the index: it did not come from [`X87Op::index`].
    #[inline]
    pub fn from_index(index: u8) -> X87Op {
        X87Op::ALL[index as usize]
    }

    /// The operation's place in [`X87Op::ALL`].
    #[inline]
    pub fn index(self) -> u8 {
        self as u8
    }

    /// True if a pending exception is reported before the operation.
    pub(super) fn waits(self) -> bool {
        !matches!(self, X87Op::Fnstcw | X87Op::Fnstsw | X87Op::Fnclex | X87Op::Fninit)
    }
}
