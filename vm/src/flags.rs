//! Arithmetic flags, evaluated when somebody looks.
//!
//! Most flags are overwritten unread, so an operation only notes its kind, width, result and second
//! operand; the first operand follows from these. Values are kept in the low bits; evaluation
//! shifts them to the top of 64 bits, where carry, sign and overflow of every width look the same.
//! Zero and sign need the result alone, whatever the operation was.
//!
//! Equality of two [`Flags`] is equality of representation, not of meaning; compare
//! [`Flags::bits`] for that.

/// Carry flag.
pub const CF: u64 = 1;
/// Parity flag.
pub const PF: u64 = 1 << 2;
/// Auxiliary carry flag.
pub const AF: u64 = 1 << 4;
/// Zero flag.
pub const ZF: u64 = 1 << 6;
/// Sign flag.
pub const SF: u64 = 1 << 7;
/// Overflow flag.
pub const OF: u64 = 1 << 11;
/// All arithmetic flags.
pub const ARITHMETIC: u64 = CF | PF | AF | ZF | SF | OF;

/// What set the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FlagKind {
    /// `result` holds the flags themselves.
    Eager,
    /// `result = a + b`.
    Add,
    /// `result = a - b`.
    Sub,
    /// A bitwise operation.
    Logic,
    /// An increment; `b` is the carry from before.
    Inc,
    /// A decrement; `b` is the carry from before.
    Dec,
    /// A shift or product; bit 0 of `b` is carry, bit 1 overflow.
    Carries,
}

/// See the module head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    kind: FlagKind,
    /// 64 minus the operand width.
    shift: u8,
    result: u64,
    b: u64,
}

impl Default for Flags {
    fn default() -> Flags {
        Flags::eager(0)
    }
}

/// The sixteen conditions of `jcc`, `setcc` and `cmovcc`, in encoding order.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Condition {
    O,
    No,
    B,
    Ae,
    E,
    Ne,
    Be,
    A,
    S,
    Ns,
    P,
    Np,
    L,
    Ge,
    Le,
    G,
}

impl Condition {
    /// The condition with this encoding; only the low four bits count.
    #[inline(always)]
    pub fn from_code(code: u8) -> Condition {
        use Condition::*;
        [O, No, B, Ae, E, Ne, Be, A, S, Ns, P, Np, L, Ge, Le, G][(code & 15) as usize]
    }
}

impl Flags {
    /// Flags given as bits of the flags register.
    #[inline(always)]
    pub fn eager(bits: u64) -> Flags {
        Flags { kind: FlagKind::Eager, shift: 0, result: bits & ARITHMETIC, b: 0 }
    }

    /// Flags of an operation of `bits` width; bits of the values beyond that do not count.
    #[inline(always)]
    pub fn lazy(kind: FlagKind, bits: u32, result: u64, b: u64) -> Flags {
        Flags { kind, shift: (64 - bits) as u8, result, b }
    }

    /// The result and the second operand, in the top bits.
    #[inline(always)]
    fn top(&self) -> (u64, u64) {
        (self.result << self.shift, self.b << self.shift)
    }

    /// Carry.
    #[inline(always)]
    pub fn carry(&self) -> bool {
        let (result, b) = self.top();
        match self.kind {
            FlagKind::Sub => result.wrapping_add(b) < b,
            FlagKind::Add => result < b,
            FlagKind::Eager => self.result & CF != 0,
            FlagKind::Logic => false,
            FlagKind::Inc | FlagKind::Dec | FlagKind::Carries => self.b & 1 != 0,
        }
    }

    /// Zero.
    #[inline(always)]
    pub fn zero(&self) -> bool {
        match self.kind {
            FlagKind::Eager => self.result & ZF != 0,
            _ => self.result << self.shift == 0,
        }
    }

    /// Sign.
    #[inline(always)]
    pub fn sign(&self) -> bool {
        match self.kind {
            FlagKind::Eager => self.result & SF != 0,
            _ => ((self.result << self.shift) as i64) < 0,
        }
    }

    /// Overflow.
    #[inline(always)]
    pub fn overflow(&self) -> bool {
        let (result, b) = self.top();
        match self.kind {
            FlagKind::Sub => self.less() != ((result as i64) < 0),
            FlagKind::Add => ((result.wrapping_sub(b) ^ result) & (b ^ result)) as i64 >> 63 != 0,
            FlagKind::Eager => self.result & OF != 0,
            FlagKind::Logic => false,
            FlagKind::Inc => result == 1 << 63,
            FlagKind::Dec => result == (u64::MAX << self.shift) ^ (1 << 63),
            FlagKind::Carries => self.b & 2 != 0,
        }
    }

    fn parity(&self) -> bool {
        match self.kind {
            FlagKind::Eager => self.result & PF != 0,
            _ => (self.result as u8).count_ones().is_multiple_of(2),
        }
    }

    fn auxiliary(&self) -> bool {
        let Flags { result, b, .. } = *self;
        match self.kind {
            FlagKind::Eager => result & AF != 0,
            FlagKind::Add => (result.wrapping_sub(b) ^ b ^ result) & 0x10 != 0,
            FlagKind::Sub => (result.wrapping_add(b) ^ b ^ result) & 0x10 != 0,
            FlagKind::Logic | FlagKind::Carries => false,
            FlagKind::Inc => result & 0xf == 0,
            FlagKind::Dec => result & 0xf == 0xf,
        }
    }

    /// The arithmetic flags as bits of the flags register.
    pub fn bits(&self) -> u64 {
        let flag = |on: bool, bit: u64| if on { bit } else { 0 };
        flag(self.carry(), CF)
            | flag(self.parity(), PF)
            | flag(self.auxiliary(), AF)
            | flag(self.zero(), ZF)
            | flag(self.sign(), SF)
            | flag(self.overflow(), OF)
    }

    /// Whether a condition holds.
    #[inline(always)]
    pub fn test(&self, condition: Condition) -> bool {
        match condition {
            Condition::O => self.overflow(),
            Condition::No => !self.overflow(),
            Condition::B => self.carry(),
            Condition::Ae => !self.carry(),
            Condition::E => self.zero(),
            Condition::Ne => !self.zero(),
            Condition::Be => self.carry() || self.zero(),
            Condition::A => !(self.carry() || self.zero()),
            Condition::S => self.sign(),
            Condition::Ns => !self.sign(),
            Condition::P => self.parity(),
            Condition::Np => !self.parity(),
            Condition::L => self.less(),
            Condition::Ge => !self.less(),
            Condition::Le => self.less() || self.zero(),
            Condition::G => !(self.less() || self.zero()),
        }
    }

    #[inline(always)]
    fn less(&self) -> bool {
        match self.kind {
            FlagKind::Sub => {
                let (result, b) = self.top();
                (result.wrapping_add(b) as i64) < b as i64
            }
            _ => self.sign() != self.overflow(),
        }
    }
}
