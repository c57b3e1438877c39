//! Kinds of the general micro-ops, kept in `aux` or `imm` of a [`crate::uop::Uop`].
//!
//! Each enum converts from its number by table, so a damaged number is a panic, never a wrong
//! operation.

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name { $($variant),* }

        impl $name {
            const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The kind with this number.
            #[inline(always)]
            pub fn from_number(number: u8) -> $name {
                Self::ALL[number as usize]
            }
        }
    };
}

kinds! {
    /// Shifts and rotations.
    Shift { Rol, Ror, Rcl, Rcr, Shl, Shr, Sar }
}
kinds! {
    /// Multiplications and divisions with implicit `rdx:rax`.
    MulDiv { Mul, Imul, Div, Idiv }
}
kinds! {
    /// What a bit test does to the bit.
    BitTest { Test, Set, Reset, Complement }
}
kinds! {
    /// Searching and counting bits.
    BitScan { Forward, Reverse, TrailingZeros, LeadingZeros, Population }
}
kinds! {
    /// Sign extensions between implicit registers.
    Widen { Cbw, Cwde, Cdqe, Cwd, Cdq, Cqo }
}
kinds! {
    /// Direct changes of single flags.
    FlagOp { Clc, Stc, Cmc, Cld, Std, Lahf, Sahf }
}
kinds! {
    /// Read-modify-write operations on memory.
    Rmw { Add, Or, Adc, Sbb, And, Sub, Xor, Xchg, Xadd, Cmpxchg, Inc, Dec, Neg, Not, Bts, Btr, Btc }
}
kinds! {
    /// String operations.
    Str { Movs, Stos, Lods, Cmps, Scas }
}
kinds! {
    /// How a string operation repeats.
    Repeat { Once, While, Until }
}
kinds! {
    /// `loop` and its conditions.
    Loop { Always, Equal, NotEqual }
}
