//! Call frame information (`.eh_frame`): the canonical frame address and the caller of a frame.
//!
//! The table of frame descriptions is indexed once; the row for an address is computed once and
//! cached, because every local at -O0 is found through it. Addresses inside are addresses of the
//! file; the interface speaks guest addresses.

use std::sync::{Arc, PoisonError};

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, EhFrameOffset, Expression, LittleEndian,
    RegisterRule, UnwindContext, UnwindExpression, UnwindSection,
};

use super::DebugInfo;
use super::elf::Image;
use super::fuel::Fuel;
use super::location::evaluate_simple;
use super::sections::Slice;
use super::state::{State, register};

/// Registers that are followed through frames: the sixteen general ones and the return address.
pub(super) const REGISTERS: usize = 17;
/// Rows kept.
const ROWS_MAX: usize = 1 << 16;

/// The registers of a frame, by DWARF number; None where the value was lost.
pub(super) type Registers = [Option<u64>; REGISTERS];

/// One frame description: where it applies and where it is in the section.
#[derive(Debug, Clone, Copy)]
struct Description {
    begin: u64,
    end: u64,
    offset: usize,
}

/// All frame descriptions of a module, by address.
#[derive(Debug, Default)]
pub(super) struct FrameTable {
    descriptions: Vec<Description>,
}

/// How the caller's registers are found at one address.
#[derive(Debug)]
pub(super) struct Row {
    cfa: CfaRule<usize>,
    rules: Vec<(u16, RegisterRule<usize>)>,
    /// True in the code that a signal handler returns to.
    is_signal_frame: bool,
    return_register: u16,
}

/// The caller of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller {
    /// None if this is the outermost frame.
    pub(super) return_address: Option<u64>,
    pub(super) registers: Registers,
    /// True if the return address is where a signal struck, not behind a call.
    pub(super) was_interrupted: bool,
}

impl FrameTable {
    /// Indexes the section.
    pub(super) fn load(image: &Image, fuel: &Fuel) -> FrameTable {
        let (section, bases) = eh_frame(image);
        let mut descriptions = Vec::new();
        let mut entries = section.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            if !fuel.spend(16) {
                break;
            }
            let CieOrFde::Fde(partial) = entry else { continue };
            let offset = partial.offset();
            let Ok(description) = partial.parse(EhFrame::cie_from_offset) else { continue };
            let (begin, size) = (description.initial_address(), description.len());
            if let Some(end) = begin.checked_add(size).filter(|_| image.is_code(begin)) {
                descriptions.push(Description { begin, end, offset });
            }
        }
        descriptions.sort_by_key(|description| description.begin);
        FrameTable { descriptions }
    }

    fn at(&self, addr: u64) -> Option<Description> {
        let after = self.descriptions.partition_point(|description| description.begin <= addr);
        let found = *self.descriptions.get(after.checked_sub(1)?)?;
        (addr < found.end).then_some(found)
    }
}

fn eh_frame(image: &Image) -> (EhFrame<Slice<'_>>, BaseAddresses) {
    let section = image.section(".eh_frame");
    let addr_of = |name| image.section(name).map_or(0, |section| section.addr);
    let bases = BaseAddresses::default()
        .set_eh_frame(section.map_or(0, |section| section.addr))
        .set_text(addr_of(".text"))
        .set_got(addr_of(".got"));
    let bytes = section.map_or(&[][..], |section| image.data(section));
    let mut frames = EhFrame::new(bytes, LittleEndian);
    frames.set_address_size(8);
    (frames, bases)
}

impl DebugInfo {
    /// The canonical frame address (the stack pointer before the call) of the frame that `state`
    /// shows, whose instruction pointer is `pc`.
    pub fn cfa(&self, pc: u64, state: &dyn State) -> Option<u64> {
        let row = self.unwind_row(self.to_file(pc))?;
        self.row_cfa(&row, state)
    }

    /// Unwinds one frame by its call frame information.
    pub(super) fn caller(&self, pc: u64, state: &dyn State) -> Option<(u64, Caller)> {
        let row = self.unwind_row(self.to_file(pc))?;
        let cfa = self.row_cfa(&row, state)?;
        let mut registers: Registers = [None; REGISTERS];
        for number in 0..REGISTERS as u16 {
            registers[usize::from(number)] = self.saved(&row, number, cfa, state);
        }
        let rule = |number| row.rules.iter().find(|(at, _)| *at == number).map(|(_, rule)| rule);
        let return_register = row.return_register;
        let is_outermost = matches!(rule(return_register), Some(RegisterRule::Undefined));
        let slot = usize::from(return_register);
        let return_address = registers.get(slot).copied().flatten().filter(|_| !is_outermost);
        Some((cfa, Caller { return_address, registers, was_interrupted: row.is_signal_frame }))
    }

    /// The cached row for an address of the file.
    fn unwind_row(&self, addr: u64) -> Option<Arc<Row>> {
        let rows = self.unwind_rows.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = rows.get(&addr) {
            return row.clone();
        }
        drop(rows);
        let row = self.compute_row(addr).map(Arc::new);
        let mut rows = self.unwind_rows.write().unwrap_or_else(PoisonError::into_inner);
        if rows.len() < ROWS_MAX {
            rows.insert(addr, row.clone());
        }
        row
    }

    fn compute_row(&self, addr: u64) -> Option<Row> {
        let frames = self.frames.get_or_init(|| FrameTable::load(&self.image, &self.fuel));
        let description = frames.at(addr)?;
        let (section, bases) = eh_frame(&self.image);
        let offset = EhFrameOffset(description.offset);
        let partial = section.partial_fde_from_offset(&bases, offset).ok()?;
        let description = partial.parse(EhFrame::cie_from_offset).ok()?;
        let mut context = UnwindContext::new();
        let row = description.unwind_info_for_address(&section, &bases, &mut context, addr).ok()?;
        Some(Row {
            cfa: row.cfa().clone(),
            rules: row.registers().map(|(number, rule)| (number.0, rule.clone())).collect(),
            is_signal_frame: description.is_signal_trampoline(),
            return_register: description.cie().return_address_register().0,
        })
    }

    fn row_cfa(&self, row: &Row, state: &dyn State) -> Option<u64> {
        match &row.cfa {
            CfaRule::RegisterAndOffset { register, offset } => {
                Some(state.register(register.0)?.wrapping_add_signed(*offset))
            }
            CfaRule::Expression(expression) => self.evaluate_cfi(expression, None, state),
        }
    }

    /// The value that a register had in the caller.
    fn saved(&self, row: &Row, number: u16, cfa: u64, state: &dyn State) -> Option<u64> {
        let rule = row.rules.iter().find(|(at, _)| *at == number).map(|(_, rule)| rule);
        let read = |addr| {
            let mut bytes = [0; 8];
            state.read(addr, &mut bytes).then(|| u64::from_le_bytes(bytes))
        };
        match rule {
            None | Some(RegisterRule::Undefined) if number == register::RSP => Some(cfa),
            None if is_preserved(number) => state.register(number),
            None | Some(RegisterRule::Undefined) => None,
            Some(RegisterRule::SameValue) => state.register(number),
            Some(RegisterRule::Offset(offset)) => read(cfa.wrapping_add_signed(*offset)),
            Some(RegisterRule::ValOffset(offset)) => Some(cfa.wrapping_add_signed(*offset)),
            Some(RegisterRule::Register(other)) => state.register(other.0),
            Some(RegisterRule::Expression(expression)) => {
                read(self.evaluate_cfi(expression, Some(cfa), state)?)
            }
            Some(RegisterRule::ValExpression(expression)) => {
                self.evaluate_cfi(expression, Some(cfa), state)
            }
            Some(RegisterRule::Constant(value)) => Some(*value),
            Some(_) => None,
        }
    }

    fn evaluate_cfi(
        &self,
        expression: &UnwindExpression<usize>,
        initial: Option<u64>,
        state: &dyn State,
    ) -> Option<u64> {
        let (section, _) = eh_frame(&self.image);
        let expression: Expression<Slice<'_>> = expression.get(&section).ok()?;
        evaluate_simple(expression, initial, state)
    }
}

/// Registers that a function of the System V ABI hands back unchanged.
fn is_preserved(number: u16) -> bool {
    matches!(number, register::RBX | register::RBP | register::R12..=register::R15)
}
