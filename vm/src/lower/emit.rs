//! The emitter: operands of an instruction become registers, temporaries and memory references.

use super::{Style, table};
use crate::code::Block;
use crate::cpuid::Profile;
use crate::reg::Reg;
use crate::uop::{Op, Uop};
use crate::vector::VecForm;
use crate::x87::X87Form;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// A width as an index: 0 for 8 bits to 3 for 64.
pub(super) type WidthIndex = usize;

/// An operand of the instruction at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// A register from its low end.
    Low(Reg, WidthIndex),
    /// `ah`, `ch`, `dh` or `bh`.
    High(Reg),
    /// Memory of this width.
    Memory(WidthIndex),
    /// An immediate, sign-extended.
    Immediate(i64),
    /// Anything else, such as segment registers.
    Other,
}

/// A memory operand in micro-op form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub base: Reg,
    pub index: Reg,
    pub scale: u8,
    pub disp: i32,
}

impl Place {
    /// The memory that a register points to.
    pub fn at(base: Reg, disp: i32) -> Place {
        Place { base, index: Reg::Zero, scale: 1, disp }
    }
}

/// Builds one block.
pub(super) struct Emitter {
    start: u64,
    pub style: Style,
    pub profile: Profile,
    pub instruction: Instruction,
    pub flags_dead: bool,
    pub uops: Vec<Uop>,
    starts: Vec<u16>,
    offsets: Vec<u16>,
    pub taken: u64,
    pub vectors: Vec<VecForm>,
    pub x87: Vec<X87Form>,
    pub uses_floating: bool,
    place: Option<Place>,
    /// The register whose value the zero and sign flags describe, if one does.
    pub flags_of: Option<(Reg, WidthIndex)>,
}

impl Emitter {
    pub fn new(start: u64, style: Style, profile: Profile) -> Emitter {
        Emitter {
            start,
            style,
            profile,
            instruction: Instruction::default(),
            flags_dead: false,
            uops: Vec::new(),
            starts: Vec::new(),
            offsets: Vec::new(),
            taken: 0,
            vectors: Vec::new(),
            x87: Vec::new(),
            uses_floating: false,
            place: None,
            flags_of: None,
        }
    }

    /// Turns to the next instruction.
    pub fn begin(&mut self, instruction: &Instruction, flags_dead: bool) {
        self.flags_of = self.described();
        self.instruction = *instruction;
        self.flags_dead = flags_dead;
        self.starts.push(self.uops.len() as u16);
        self.offsets.push((instruction.ip().wrapping_sub(self.start)) as u16);
        self.place = None;
    }

    /// The register that the flags of the instruction just lowered describe.
    fn described(&self) -> Option<(Reg, WidthIndex)> {
        use Mnemonic as M;
        let sets = matches!(
            self.instruction.mnemonic(),
            M::Add | M::Sub | M::And | M::Or | M::Xor | M::Inc | M::Dec | M::Neg
        );
        match self.operand(0) {
            Operand::Low(reg, width @ 2..) if sets => Some((reg, width)),
            _ => None,
        }
    }

    /// The finished block.
    pub fn finish(mut self, fall: u64) -> Block {
        let ended = self.uops.last().is_some_and(|uop| is_end(uop.op));
        if !ended {
            self.uops.push(Uop::new(Op::End));
        }
        Block {
            start: self.start,
            length: self.starts.len() as u16,
            links: [None; 2],
            uops: self.uops.into(),
            starts: self.starts.into(),
            offsets: self.offsets.into(),
            fall,
            taken: self.taken,
            vectors: self.vectors.into(),
            x87: self.x87.into(),
            uses_floating: self.uses_floating,
        }
    }

    pub fn push(&mut self, uop: Uop) {
        self.uops.push(uop);
    }

    /// `op dst, src`.
    pub fn rr(&mut self, op: Op, dst: Reg, src: Reg) {
        self.push(Uop { dst, src, ..Uop::new(op) });
    }

    /// `op dst, imm`.
    pub fn ri(&mut self, op: Op, dst: Reg, imm: i32) {
        self.push(Uop { dst, imm, ..Uop::new(op) });
    }

    /// A general operation with its kind and width.
    pub fn general(&mut self, op: Op, (dst, src): (Reg, Reg), aux: u8, width: WidthIndex) {
        self.push(Uop { dst, src, aux, scale: width as u8, ..Uop::new(op) });
    }

    /// An operation with a memory operand.
    pub fn mem(&mut self, op: Op, (dst, src): (Reg, Reg), place: Place, imm: i32) {
        let Place { base, index, scale, disp } = place;
        self.push(Uop { op, dst, src, base, index, scale, aux: 0, disp, imm });
    }

    pub fn unsupported(&mut self) {
        self.push(Uop::new(Op::Unsupported));
    }

    /// An operand by number.
    pub fn operand(&self, number: u32) -> Operand {
        let instruction = &self.instruction;
        match instruction.op_kind(number) {
            OpKind::Register => register(instruction.op_register(number)),
            OpKind::Memory => match memory_width(instruction) {
                Some(width) => Operand::Memory(width),
                None => Operand::Other,
            },
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => Operand::Other,
            _ => match instruction.try_immediate(number) {
                Ok(value) => Operand::Immediate(value as i64),
                Err(_) => Operand::Other,
            },
        }
    }

    /// The memory operand; computed once per instruction.
    pub fn place(&mut self) -> Place {
        if let Some(place) = self.place {
            return place;
        }
        let place = self.address();
        self.place = Some(place);
        place
    }

    fn address(&mut self) -> Place {
        let instruction = self.instruction;
        let segment = match instruction.segment_prefix() {
            Register::FS => Reg::FsBase,
            Register::GS => Reg::GsBase,
            _ => Reg::Zero,
        };
        if instruction.is_ip_rel_memory_operand() {
            return self.absolute(instruction.ip_rel_memory_address(), segment);
        }
        let narrow = self.has_narrow_address();
        let base = general(instruction.memory_base());
        let index = general(instruction.memory_index());
        let scale = instruction.memory_index_scale() as u8;
        let disp = instruction.memory_displacement64();
        let Ok(near) = i32::try_from(disp as i64) else {
            return self.far(disp, base, segment);
        };
        let place = Place { base, index, scale, disp: near };
        let bare = base == Reg::Zero && index == Reg::Zero;
        if narrow {
            self.mem(Op::Lea32, (Reg::T3, Reg::Zero), place, 0);
            return Place { base: segment, index: Reg::T3, scale: 1, disp: 0 };
        }
        match segment {
            Reg::Zero => place,
            segment if bare => Place { base: segment, ..place },
            segment if index == Reg::Zero => {
                Place { base: segment, index: base, scale: 1, disp: near }
            }
            segment => {
                self.mem(Op::Lea64, (Reg::T3, Reg::Zero), place, 0);
                Place { base: segment, index: Reg::T3, scale: 1, disp: 0 }
            }
        }
    }

    /// Whether the memory operand's address wraps at 32 bits.
    pub fn has_narrow_address(&self) -> bool {
        is_narrow(self.instruction.memory_base()) || is_narrow(self.instruction.memory_index())
    }

    /// An address known now: relative to the block if near enough.
    fn absolute(&mut self, addr: u64, segment: Reg) -> Place {
        let distance = addr.wrapping_sub(self.start) as i64;
        match i32::try_from(distance) {
            Ok(disp) => Place { base: Reg::BlockStart, index: segment, scale: 1, disp },
            Err(_) => self.far(addr, Reg::Zero, segment),
        }
    }

    fn far(&mut self, disp: u64, base: Reg, segment: Reg) -> Place {
        self.push(Uop { dst: Reg::T3, ..Uop::new(Op::MovI) }.with_imm64(disp));
        if segment != Reg::Zero {
            self.rr(Op::AddNfRr64, Reg::T3, segment);
        }
        Place { base, index: Reg::T3, scale: 1, disp: 0 }
    }

    /// A register whose low bits hold the operand: the operand itself, or `temp` after a load.
    pub fn read(&mut self, number: u32, temp: Reg) -> Option<Reg> {
        match self.operand(number) {
            Operand::Low(reg, _) => return Some(reg),
            Operand::High(reg) => self.rr(Op::GetHigh, temp, reg),
            Operand::Memory(width) => {
                let place = self.place();
                self.mem(table::LOAD[width], (temp, Reg::Zero), place, 0);
            }
            Operand::Immediate(value) => self.constant(temp, value as u64),
            Operand::Other => return None,
        }
        Some(temp)
    }

    /// Loads a constant.
    pub fn constant(&mut self, dst: Reg, value: u64) {
        self.push(Uop { dst, ..Uop::new(Op::MovI) }.with_imm64(value));
    }

    /// Writes the low bits of a register to an operand.
    pub fn write(&mut self, number: u32, from: Reg) {
        match self.operand(number) {
            Operand::Low(reg, width) => self.rr(table::MOVE[width], reg, from),
            Operand::High(reg) => self.rr(Op::SetHigh, reg, from),
            Operand::Memory(width) => {
                let place = self.place();
                self.mem(table::STORE[width], (Reg::Zero, from), place, 0);
            }
            Operand::Immediate(_) | Operand::Other => self.unsupported(),
        }
    }

    /// Width of an operand, if it has one.
    pub fn width(&self, number: u32) -> Option<WidthIndex> {
        match self.operand(number) {
            Operand::Low(_, width) | Operand::Memory(width) => Some(width),
            Operand::High(_) => Some(0),
            Operand::Immediate(_) | Operand::Other => None,
        }
    }
}

/// Whether a micro-op ends its block; [`Op`] keeps those at its end.
fn is_end(op: Op) -> bool {
    use Op::*;
    op as u16 >= End as u16
        || matches!(op, Syscall | Request | TimeStamp | Breakpoint | Hook | Illegal | NoFetch)
}

fn is_narrow(register: Register) -> bool {
    register.is_gpr32() || register == Register::EIP
}

/// The general register behind any of its parts, or the zero register.
pub(super) fn general(register: Register) -> Reg {
    let full = register.full_register();
    if full.is_gpr64() { Reg::GENERAL[full.number()] } else { Reg::Zero }
}

fn register(register: Register) -> Operand {
    let reg = general(register);
    match register {
        Register::AH | Register::CH | Register::DH | Register::BH => Operand::High(reg),
        _ if register.is_gpr8() => Operand::Low(reg, 0),
        _ if register.is_gpr16() => Operand::Low(reg, 1),
        _ if register.is_gpr32() => Operand::Low(reg, 2),
        _ if register.is_gpr64() => Operand::Low(reg, 3),
        _ => Operand::Other,
    }
}

fn memory_width(instruction: &Instruction) -> Option<WidthIndex> {
    match instruction.memory_size().size() {
        1 => Some(0),
        2 => Some(1),
        4 => Some(2),
        8 => Some(3),
        _ => None,
    }
}
