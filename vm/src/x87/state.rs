//! The registers of the x87 unit, and what every instruction does to them.
//!
//! Invariant: an empty register holds zero, so that machines in equal situations are equal. The
//! hardware keeps the old value; a program could see it by marking a register as used again
//! through FLDENV, or in the registers of an FXSAVE image that are marked empty.

/// The invalid-operation exception.
pub(super) const INVALID: u16 = 1 << 0;
/// Exceptions found before computing: unmasked, they suppress the result.
const EARLY: u16 = 0b111;
/// All exception flags.
const EXCEPTIONS: u16 = 0x3f;
/// Stack fault: tells an invalid operation on the stack from an arithmetic one.
pub(super) const STACK_FAULT: u16 = 1 << 6;
/// Summary of unmasked exceptions, and its copy, the busy bit.
const SUMMARY: u16 = 1 << 7 | 1 << 15;
/// Condition codes.
pub(super) const C0: u16 = 1 << 8;
/// Rounded up, or overflow rather than underflow of the stack.
pub(super) const C1: u16 = 1 << 9;
pub(super) const C2: u16 = 1 << 10;
pub(super) const C3: u16 = 1 << 14;
/// All condition codes.
pub(super) const CODES: u16 = C0 | C1 | C2 | C3;
const TOP_SHIFT: u16 = 11;

/// Control bits that can be changed, and the one that always reads as set.
const CONTROL_WRITABLE: u16 = 0x1f3f;
const CONTROL_FIXED: u16 = 0x40;

/// The quiet NaN that invalid operations deliver.
pub(super) const INDEFINITE: u128 = 0xffff_c000_0000_0000_0000;
/// One as an 80-bit value.
pub(super) const F80_ONE: u128 = 0x3fff_8000_0000_0000_0000;
/// The sign of an 80-bit value.
pub(super) const F80_SIGN: u128 = 1 << 79;
/// The bits of an 80-bit value.
pub(super) const F80_BITS: u128 = (1 << 80) - 1;

/// An unmasked exception of an earlier instruction is reported now: #MF.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unmasked x87 floating-point exception, status {status:#06x}")]
pub struct Pending {
    /// The status word.
    pub status: u16,
}

/// The state of the x87 unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct X87 {
    /// By physical number; 80-bit values.
    registers: [u128; 8],
    /// One bit per physical register in use.
    used: u8,
    /// The physical number of ST(0).
    top: u8,
    control: u16,
    /// The status word with TOP as zero.
    status: u16,
}

impl Default for X87 {
    /// As FNINIT leaves it, and as a program finds it.
    fn default() -> X87 {
        X87 { registers: [0; 8], used: 0, top: 0, control: 0x37f, status: 0 }
    }
}

impl X87 {
    /// ST(index), if it is in use.
    #[inline]
    pub fn st(&self, index: u8) -> Option<u128> {
        let place = self.place(index);
        (self.used >> place & 1 == 1).then_some(self.registers[place])
    }

    /// Puts an 80-bit value into ST(index), which is in use then.
    #[inline]
    pub fn set_st(&mut self, index: u8, value: u128) {
        let place = self.place(index);
        self.registers[place] = value & F80_BITS;
        self.used |= 1 << place;
    }

    /// Marks ST(index) as empty.
    pub fn free(&mut self, index: u8) {
        let place = self.place(index);
        self.registers[place] = 0;
        self.used &= !(1 << place);
    }

    /// EMMS: marks all registers as empty, the stack starts anew.
    pub(super) fn leave_mmx(&mut self) {
        self.set_used(0);
        self.top = 0;
    }

    /// The control word.
    pub fn control(&self) -> u16 {
        self.control
    }

    /// Loads the control word; reserved bits stay as they are.
    pub fn set_control(&mut self, control: u16) {
        self.control = control & CONTROL_WRITABLE | CONTROL_FIXED;
        self.summarize();
    }

    /// The status word with TOP.
    pub fn status(&self) -> u16 {
        self.status | (self.top as u16) << TOP_SHIFT
    }

    /// Loads the status word with TOP; the summary follows from flags and masks.
    pub fn set_status(&mut self, status: u16) {
        self.top = (status >> TOP_SHIFT & 7) as u8;
        self.status = status & (EXCEPTIONS | STACK_FAULT | CODES);
        self.summarize();
    }

    /// One bit per physical register in use, as FXSAVE stores it.
    pub fn used(&self) -> u8 {
        self.used
    }

    /// Marks the physical registers in use; those that are not become zero.
    pub fn set_used(&mut self, used: u8) {
        self.used = used;
        for (place, register) in self.registers.iter_mut().enumerate() {
            if used >> place & 1 == 0 {
                *register = 0;
            }
        }
    }

    /// The physical number of ST(0).
    pub fn top(&self) -> u8 {
        self.top
    }

    /// An error if an unmasked exception waits to be reported.
    #[inline]
    pub fn check_pending(&self) -> Result<(), Pending> {
        match self.status & SUMMARY {
            0 => Ok(()),
            _ => Err(Pending { status: self.status() }),
        }
    }

    /// Forgets exceptions (FNCLEX).
    pub fn clear_exceptions(&mut self) {
        self.status &= CODES;
    }

    /// Moves TOP by `delta` registers.
    pub(super) fn rotate(&mut self, delta: i8) {
        self.top = self.top.wrapping_add_signed(delta) & 7;
    }

    pub(super) fn push(&mut self, value: u128) {
        self.rotate(-1);
        self.set_st(0, value);
    }

    pub(super) fn pop(&mut self) {
        self.free(0);
        self.rotate(1);
    }

    pub(super) fn set_codes(&mut self, mask: u16, codes: u16) {
        self.status = self.status & !mask | codes & mask;
    }

    /// A stack fault; true if it is masked, so that the instruction goes on with a NaN.
    pub(super) fn stack_fault(&mut self, overflow: bool) -> bool {
        self.set_codes(C1, if overflow { C1 } else { 0 });
        self.status |= INVALID | STACK_FAULT;
        self.summarize();
        self.control & INVALID != 0
    }

    /// Takes over exceptions and condition codes of an instruction that the host ran; true if its
    /// result counts, that is, no exception found before computing is unmasked.
    pub(super) fn conclude(&mut self, status: u16, codes: u16) -> bool {
        self.set_codes(codes, status);
        self.status |= status & EXCEPTIONS;
        self.summarize();
        self.unmasked(status) & EARLY == 0
    }

    /// The exceptions among `status` that the guest does not mask.
    pub(super) fn unmasked(&self, status: u16) -> u16 {
        status & EXCEPTIONS & !self.control
    }

    fn summarize(&mut self) {
        self.status &= !SUMMARY;
        if self.unmasked(self.status) != 0 {
            self.status |= SUMMARY;
        }
    }

    fn place(&self, index: u8) -> usize {
        (self.top.wrapping_add(index) & 7) as usize
    }
}
