//! SSE floating-point instructions under the guest's MXCSR.
//!
//! Loading MXCSR and reading it back costs about 40 ns on current hosts, reading it alone below
//! 1 ns. So if the guest's control bits are the default, which the host keeps too, an instruction
//! first runs under the host's MXCSR, bracketed by two reads. If the host's sticky flags were a
//! subset of the guest's, then the flags afterwards are exactly what the guest has to gain, and
//! the result stands. Otherwise the instruction is run (again) between two loads of MXCSR; that
//! leaves the host's flags clear, so the next attempt is quick again.
//!
//! Exceptions are always masked on the host; `vector::mxcsr` turns raised flags into traps.

use core::arch::asm;

use super::{bits, vector};

/// The exception flags of MXCSR (sticky).
const FLAGS: u32 = 0x3f;
/// The exception masks of MXCSR.
const MASKS: u32 = 0x1f80;
/// MXCSR as the host's ABI wants it: all exceptions masked, round to nearest, flags clear.
static HOST_DEFAULT: u32 = MASKS;

/// True if the guest's rounding and flushing are the host's default; masks do not matter.
#[inline(always)]
fn is_default(guest: u32) -> bool {
    guest & 0xe040 == 0
}

/// True if a run under the host's `host` tells the guest's flags: control as expected, and no
/// flag that the guest lacks.
#[inline(always)]
fn host_agrees(host: u32, guest: u32) -> bool {
    host & !FLAGS == MASKS && host & !guest & FLAGS == 0
}

/// Runs one instruction under the guest's MXCSR; the operands after it are those of `asm!`.
macro_rules! under_guest_mxcsr {
    ($mxcsr:ident, $instruction:expr, $($operand:tt)*) => {'done: {
        let mut probe = [0u32; 2];
        if is_default(*$mxcsr) {
            // SAFETY: writes only `probe` and the declared outputs; MXCSR control stays as it is.
            unsafe {
                asm!(
                    "stmxcsr dword ptr [{probe}]",
                    $instruction,
                    "stmxcsr dword ptr [{probe} + 4]",
                    probe = in(reg) probe.as_mut_ptr(),
                    $($operand)*
                    options(nostack),
                );
            }
            if host_agrees(probe[0], *$mxcsr) {
                *$mxcsr |= probe[1] & FLAGS;
                break 'done;
            }
        }
        probe[0] = *$mxcsr & 0xffff | MASKS;
        // SAFETY: the value loaded has no reserved bit and every exception masked, so nothing
        // faults; MXCSR is back at the host's default before the block ends.
        unsafe {
            asm!(
                "ldmxcsr dword ptr [{probe}]",
                $instruction,
                "stmxcsr dword ptr [{probe}]",
                "ldmxcsr dword ptr [{host}]",
                probe = in(reg) probe.as_mut_ptr(),
                host = in(reg) &raw const HOST_DEFAULT,
                $($operand)*
                options(nostack),
            );
        }
        *$mxcsr |= probe[0] & FLAGS;
    }};
}

/// `name(dst, src, mxcsr)`: the instruction `name dst, src` on two XMM registers.
macro_rules! binary {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), " dst, src`.")]
        #[inline]
        pub fn $name(dst: u128, src: u128, mxcsr: &mut u32) -> u128 {
            let (dst, src) = (vector(dst), vector(src));
            let mut result;
            under_guest_mxcsr!(mxcsr, concat!(stringify!($name), " {dst}, {src}"),
                dst = inout(xmm_reg) dst => result, src = in(xmm_reg) src,);
            bits(result)
        }
    )*};
}

binary! {
    addps addpd addss addsd subps subpd subss subsd
    mulps mulpd mulss mulsd divps divpd divss divsd
    minps minpd minss minsd maxps maxpd maxss maxsd
    sqrtps sqrtpd sqrtss sqrtsd rcpps rcpss rsqrtps rsqrtss
    addsubps addsubpd haddps haddpd hsubps hsubpd
    cvtps2pd cvtpd2ps cvtss2sd cvtsd2ss
    cvtdq2ps cvtdq2pd cvtps2dq cvttps2dq cvtpd2dq cvttpd2dq
}

/// `name(predicate, dst, src, mxcsr)`: the comparison `name dst, src, predicate`.
macro_rules! compare {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), " dst, src, predicate`; low three bits count.")]
        #[inline]
        pub fn $name(predicate: u8, dst: u128, src: u128, mxcsr: &mut u32) -> u128 {
            compare!(@dispatch $name predicate dst src mxcsr 0 1 2 3 4 5 6 7)
        }
    )*};
    (@dispatch $name:ident $predicate:ident $dst:ident $src:ident $mxcsr:ident
     $($value:literal)*) => {{
        let (dst, src) = (vector($dst), vector($src));
        let mut result;
        match $predicate & 7 {
            $($value => under_guest_mxcsr!($mxcsr,
                concat!(stringify!($name), " {dst}, {src}, ", $value),
                dst = inout(xmm_reg) dst => result, src = in(xmm_reg) src,),)*
            _ => unreachable!("three bits"),
        }
        bits(result)
    }};
}

compare! { cmpps cmppd cmpss cmpsd }

/// `name(dst, src, mxcsr)`: a scalar comparison into ZF, PF and CF (rflags positions).
macro_rules! flags {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), " dst, src`: ZF, PF, CF at their rflags bits.")]
        #[inline]
        pub fn $name(dst: u128, src: u128, mxcsr: &mut u32) -> u64 {
            let (dst, src) = (vector(dst), vector(src));
            let mut flags: u64;
            under_guest_mxcsr!(mxcsr,
                concat!(stringify!($name), " {dst}, {src}\n lahf\n movzx {flags:e}, ah"),
                dst = in(xmm_reg) dst, src = in(xmm_reg) src,
                flags = out(reg) flags, out("rax") _,);
            flags &= 0x45;
            flags
        }
    )*};
}

flags! { comiss comisd ucomiss ucomisd }

/// `name(src, mxcsr)`: a scalar conversion to a general register of the given width.
macro_rules! to_integer {
    ($($name:ident = $mnemonic:literal $modifier:literal;)*) => {$(
        #[doc = concat!("`", $mnemonic, "` to the register width in the name.")]
        #[inline]
        pub fn $name(src: u128, mxcsr: &mut u32) -> u64 {
            let src = vector(src);
            let mut result: u64;
            under_guest_mxcsr!(mxcsr, concat!($mnemonic, " {result", $modifier, "}, {src}"),
                result = out(reg) result, src = in(xmm_reg) src,);
            result
        }
    )*};
}

to_integer! {
    cvtss2si_32 = "cvtss2si" ":e"; cvtss2si_64 = "cvtss2si" ":r";
    cvtsd2si_32 = "cvtsd2si" ":e"; cvtsd2si_64 = "cvtsd2si" ":r";
    cvttss2si_32 = "cvttss2si" ":e"; cvttss2si_64 = "cvttss2si" ":r";
    cvttsd2si_32 = "cvttsd2si" ":e"; cvttsd2si_64 = "cvttsd2si" ":r";
}

/// `name(dst, src, mxcsr)`: a conversion from a general register of the given width.
macro_rules! from_integer {
    ($($name:ident = $mnemonic:literal $modifier:literal;)*) => {$(
        #[doc = concat!("`", $mnemonic, "` from the register width in the name.")]
        #[inline]
        pub fn $name(dst: u128, src: u64, mxcsr: &mut u32) -> u128 {
            let dst = vector(dst);
            let mut result;
            under_guest_mxcsr!(mxcsr, concat!($mnemonic, " {dst}, {src", $modifier, "}"),
                dst = inout(xmm_reg) dst => result, src = in(reg) src,);
            bits(result)
        }
    )*};
}

from_integer! {
    cvtsi2ss_32 = "cvtsi2ss" ":e"; cvtsi2ss_64 = "cvtsi2ss" ":r";
    cvtsi2sd_32 = "cvtsi2sd" ":e"; cvtsi2sd_64 = "cvtsi2sd" ":r";
}
