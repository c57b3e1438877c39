//! Integer arithmetic: results and flags of every operation, on values alone.

use crate::context::Core;
use crate::exec::width::Width;
use crate::flags::{AF, CF, FlagKind, Flags, OF, ZF};
use crate::kind::{BitScan, BitTest, Shift};

/// A two-operand operation.
pub(crate) trait Alu {
    /// Whether the destination is written.
    const WRITES: bool = true;

    /// The result; the flags of `core` are set.
    fn apply<W: Width>(core: &mut Core, a: W, b: W) -> W;
}

macro_rules! alu {
    ($name:ident, |$a:ident, $b:ident| $result:expr, $kind:ident) => {
        pub(crate) struct $name;
        impl Alu for $name {
            #[inline(always)]
            fn apply<W: Width>(core: &mut Core, a: W, b: W) -> W {
                let ($a, $b) = (a.wide(), b.wide());
                let result = $result;
                core.flags = Flags::lazy(FlagKind::$kind, W::BITS, result, $b);
                W::of(result)
            }
        }
    };
    (quiet $name:ident, |$a:ident, $b:ident| $result:expr) => {
        pub(crate) struct $name;
        impl Alu for $name {
            #[inline(always)]
            fn apply<W: Width>(_core: &mut Core, a: W, b: W) -> W {
                let ($a, $b) = (a.wide(), b.wide());
                W::of($result)
            }
        }
    };
}

alu!(Add, |a, b| a.wrapping_add(b), Add);
alu!(Sub, |a, b| a.wrapping_sub(b), Sub);
alu!(And, |a, b| a & b, Logic);
alu!(Or, |a, b| a | b, Logic);
alu!(Xor, |a, b| a ^ b, Logic);
alu!(quiet AddNf, |a, b| a.wrapping_add(b));
alu!(quiet SubNf, |a, b| a.wrapping_sub(b));
alu!(quiet AndNf, |a, b| a & b);
alu!(quiet OrNf, |a, b| a | b);
alu!(quiet XorNf, |a, b| a ^ b);
alu!(quiet MulNf, |a, b| a.wrapping_mul(b));

/// Subtraction for its flags.
pub(crate) struct Cmp;
impl Alu for Cmp {
    const WRITES: bool = false;

    #[inline(always)]
    fn apply<W: Width>(core: &mut Core, a: W, b: W) -> W {
        let result = a.wide().wrapping_sub(b.wide());
        core.flags = Flags::lazy(FlagKind::Sub, W::BITS, result, b.wide());
        a
    }
}

/// Bitwise and for its flags.
pub(crate) struct Test;
impl Alu for Test {
    const WRITES: bool = false;

    #[inline(always)]
    fn apply<W: Width>(core: &mut Core, a: W, b: W) -> W {
        core.flags = Flags::lazy(FlagKind::Logic, W::BITS, a.wide() & b.wide(), 0);
        a
    }
}

/// Addition with carry.
pub(crate) struct Adc;
impl Alu for Adc {
    #[inline]
    fn apply<W: Width>(core: &mut Core, a: W, b: W) -> W {
        let carry = u128::from(core.flags.carry());
        let (a, b) = (a.wide(), b.wide());
        let sum = u128::from(a) + u128::from(b) + carry;
        let result = W::of(sum as u64);
        let overflow = (a ^ result.wide()) & (b ^ result.wide()) & sign_bit::<W>() != 0;
        core.flags = with_carries(result, sum >> W::BITS != 0, overflow, a ^ b);
        result
    }
}

/// Subtraction with borrow.
pub(crate) struct Sbb;
impl Alu for Sbb {
    #[inline]
    fn apply<W: Width>(core: &mut Core, a: W, b: W) -> W {
        let borrow = u128::from(core.flags.carry());
        let (a, b) = (a.wide(), b.wide());
        let difference = u128::from(a).wrapping_sub(u128::from(b)).wrapping_sub(borrow);
        let result = W::of(difference as u64);
        let overflow = (a ^ b) & (a ^ result.wide()) & sign_bit::<W>() != 0;
        core.flags = with_carries(result, u128::from(a) < u128::from(b) + borrow, overflow, a ^ b);
        result
    }
}

fn sign_bit<W: Width>() -> u64 {
    1 << (W::BITS - 1)
}

fn with_carries<W: Width>(result: W, carry: bool, overflow: bool, mixed: u64) -> Flags {
    let logic = Flags::lazy(FlagKind::Logic, W::BITS, result.wide(), 0).bits();
    let half = (mixed ^ result.wide()) & AF;
    Flags::eager(logic | half | flag(carry, CF) | flag(overflow, OF))
}

fn flag(on: bool, bit: u64) -> u64 {
    if on { bit } else { 0 }
}

/// Increment or decrement; carry stays.
#[inline(always)]
pub(crate) fn step<W: Width>(core: &mut Core, a: W, up: bool) -> W {
    let carry = u64::from(core.flags.carry());
    let (kind, by) = if up { (FlagKind::Inc, 1) } else { (FlagKind::Dec, u64::MAX) };
    let result = W::of(a.wide().wrapping_add(by));
    core.flags = Flags::lazy(kind, W::BITS, result.wide(), carry);
    result
}

/// Two's complement.
pub(crate) fn negate<W: Width>(core: &mut Core, a: W) -> W {
    Sub::apply(core, W::of(0), a)
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Shifts and rotations of `bits` width; the count is taken modulo 32 or 64 as the CPU does.
pub(crate) fn shift(core: &mut Core, kind: Shift, bits: u32, a: u64, count: u64) -> u64 {
    let count = (count & if bits == 64 { 63 } else { 31 }) as u32;
    if count == 0 {
        return a & mask(bits);
    }
    let a = a & mask(bits);
    match kind {
        Shift::Shl | Shift::Shr | Shift::Sar => plain_shift(core, kind, bits, a, count),
        _ => rotate(core, kind, bits, a, count),
    }
}

fn plain_shift(core: &mut Core, kind: Shift, bits: u32, a: u64, count: u32) -> u64 {
    let top = 1 << (bits - 1);
    let (result, carry, overflow) = match kind {
        Shift::Shl => {
            let wide = u128::from(a) << count;
            let result = wide as u64 & mask(bits);
            let carry = wide >> bits & 1 != 0;
            (result, carry, (result & top != 0) != carry)
        }
        Shift::Shr => {
            let carry = count <= bits && a >> (count - 1) & 1 != 0;
            (if count < 64 { a >> count } else { 0 }, carry, a & top != 0)
        }
        _ => {
            let signed = ((a << (64 - bits)) as i64) >> (64 - bits);
            let carry = signed >> (count - 1).min(63) & 1 != 0;
            ((signed >> count.min(63)) as u64 & mask(bits), carry, false)
        }
    };
    set_carries(core, bits, result, carry, overflow);
    result
}

/// Flags of a shift or product.
fn set_carries(core: &mut Core, bits: u32, result: u64, carry: bool, overflow: bool) {
    let carries = u64::from(carry) | u64::from(overflow) << 1;
    core.flags = Flags::lazy(FlagKind::Carries, bits, result, carries);
}

fn rotate(core: &mut Core, kind: Shift, bits: u32, a: u64, count: u32) -> u64 {
    let old = core.flags.bits();
    let top = |value: u64| value >> (bits - 1) & 1 != 0;
    let (result, carry) = match kind {
        Shift::Rol | Shift::Ror => {
            let left = if matches!(kind, Shift::Rol) {
                count % bits
            } else {
                (bits - count % bits) % bits
            };
            let result = if left == 0 { a } else { (a << left | a >> (bits - left)) & mask(bits) };
            let carry = if matches!(kind, Shift::Rol) { result & 1 != 0 } else { top(result) };
            (result, carry)
        }
        _ => {
            let total = bits + 1;
            let count = count % total;
            if count == 0 {
                (a, old & CF != 0)
            } else {
                let ring = u128::from(old & CF) << bits | u128::from(a);
                let left = if matches!(kind, Shift::Rcl) { count } else { total - count };
                let turned = (ring << left | ring >> (total - left)) & ((1 << total) - 1);
                (turned as u64 & mask(bits), turned >> bits & 1 != 0)
            }
        }
    };
    let overflow = match kind {
        Shift::Rol | Shift::Rcl => top(result) != carry,
        _ => top(result) != (result >> (bits - 2) & 1 != 0),
    };
    core.flags = Flags::eager(old & !(CF | OF) | flag(carry, CF) | flag(overflow, OF));
    result
}

/// `shld` and `shrd`: bits of `b` follow those of `a`.
pub(crate) fn shift_double(
    core: &mut Core,
    left: bool,
    bits: u32,
    (a, b): (u64, u64),
    count: u64,
) -> u64 {
    let count = (count & if bits == 64 { 63 } else { 31 }) as u32;
    let (a, b) = (a & mask(bits), b & mask(bits));
    if count == 0 {
        return a;
    }
    let (result, carry) =
        if left { double_left(a, b, bits, count) } else { double_right(a, b, bits, count) };
    set_carries(core, bits, result, carry, (a ^ result) >> (bits - 1) & 1 != 0);
    result
}

fn double_left(a: u64, b: u64, bits: u32, count: u32) -> (u64, bool) {
    if bits == 16 && count > 16 {
        let wide = (u128::from(b) << 16 | u128::from(a)) << (count - 16);
        return (((wide >> 16) & 0xffff) as u64, wide >> 32 & 1 != 0);
    }
    let wide = (u128::from(a) << bits | u128::from(b)) << (count - 1);
    let carry = wide >> (2 * bits - 1) & 1 != 0;
    (((wide << 1) >> bits) as u64 & mask(bits), carry)
}

fn double_right(a: u64, b: u64, bits: u32, count: u32) -> (u64, bool) {
    if bits == 16 && count > 16 {
        let wide = (u128::from(a) << 16 | u128::from(b)) >> (count - 16 - 1);
        return ((wide >> 1) as u64 & 0xffff, wide & 1 != 0);
    }
    let wide = (u128::from(b) << bits | u128::from(a)) >> (count - 1);
    ((wide >> 1) as u64 & mask(bits), wide & 1 != 0)
}

/// Signed multiplication that keeps the low half.
pub(crate) fn imul(core: &mut Core, bits: u32, a: u64, b: u64) -> u64 {
    let sign = |value: u64| i128::from(((value << (64 - bits)) as i64) >> (64 - bits));
    let product = sign(a) * sign(b);
    let result = product as u64 & mask(bits);
    let spills = sign(result) != product;
    set_carries(core, bits, result, spills, spills);
    result
}

/// Full product of `a` and `b` as (low, high).
pub(crate) fn multiply(core: &mut Core, signed: bool, bits: u32, a: u64, b: u64) -> (u64, u64) {
    if signed {
        let sign = |value: u64| i128::from(((value << (64 - bits)) as i64) >> (64 - bits));
        let product = sign(a) * sign(b);
        let (low, high) = (product as u64 & mask(bits), (product >> bits) as u64 & mask(bits));
        let spills = sign(low) != product;
        set_carries(core, bits, low, spills, spills);
        (low, high)
    } else {
        let product = u128::from(a & mask(bits)) * u128::from(b & mask(bits));
        let (low, high) = (product as u64 & mask(bits), (product >> bits) as u64 & mask(bits));
        set_carries(core, bits, low, high != 0, high != 0);
        (low, high)
    }
}

/// Quotient and remainder of `high:low / divisor`; `None` where the CPU raises a divide error.
pub(crate) fn divide(
    signed: bool,
    bits: u32,
    (low, high): (u64, u64),
    divisor: u64,
) -> Option<(u64, u64)> {
    let dividend = u128::from(high & mask(bits)) << bits | u128::from(low & mask(bits));
    if !signed {
        let divisor = u128::from(divisor & mask(bits));
        let quotient = dividend.checked_div(divisor)?;
        let remainder = dividend % divisor;
        return (quotient <= u128::from(mask(bits))).then_some((quotient as u64, remainder as u64));
    }
    let dividend = (dividend << (128 - 2 * bits)) as i128 >> (128 - 2 * bits);
    let divisor = i128::from(((divisor << (64 - bits)) as i64) >> (64 - bits));
    let quotient = dividend.checked_div(divisor)?;
    let remainder = dividend % divisor;
    let limit = 1i128 << (bits - 1);
    (-limit..limit)
        .contains(&quotient)
        .then_some((quotient as u64 & mask(bits), remainder as u64 & mask(bits)))
}

/// Tests bit `bit` (modulo the width) into carry and changes it.
pub(crate) fn bit_test(core: &mut Core, kind: BitTest, bits: u32, a: u64, bit: u64) -> u64 {
    let bit = 1u64 << (bit & u64::from(bits - 1));
    core.flags = Flags::eager(core.flags.bits() & !CF | flag(a & bit != 0, CF));
    match kind {
        BitTest::Test => a,
        BitTest::Set => a | bit,
        BitTest::Reset => a & !bit,
        BitTest::Complement => a ^ bit,
    }
}

/// Searches or counts bits; `old` is the destination, which a failing scan leaves alone.
pub(crate) fn bit_scan(core: &mut Core, kind: BitScan, bits: u32, a: u64, old: u64) -> u64 {
    let a = a & mask(bits);
    let leading = u64::from(a.leading_zeros() - (64 - bits));
    let trailing = u64::from(a.trailing_zeros().min(bits));
    let (result, flags) = match kind {
        BitScan::Forward if a == 0 => (old, ZF),
        BitScan::Forward => (trailing, 0),
        BitScan::Reverse if a == 0 => (old, ZF),
        BitScan::Reverse => (u64::from(bits) - 1 - leading, 0),
        BitScan::TrailingZeros => (trailing, flag(a == 0, CF) | flag(trailing == 0, ZF)),
        BitScan::LeadingZeros => (leading, flag(a == 0, CF) | flag(leading == 0, ZF)),
        BitScan::Population => (u64::from(a.count_ones()), flag(a == 0, ZF)),
    };
    core.flags = Flags::eager(flags);
    result
}
