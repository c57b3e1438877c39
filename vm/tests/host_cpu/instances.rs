//! Concrete instructions of a form: which registers, which way to address memory, which
//! immediate, which prefixes.
//!
//! The choices are structured first (special registers, the same register twice, every
//! addressing shape, corner immediates) and random after that. An instance that iced cannot
//! encode (say AH together with a REX prefix), or that decodes as another form, is dropped.

use iced_x86::{
    Code, Decoder, DecoderOptions, Encoder, FlowControl, Instruction, Mnemonic,
    OpCodeOperandKind as Kind, OpKind, Register,
};

use crate::arena::{Arena, Place, Slot};
use crate::forms::is_host_intel;
use crate::operands::{self, Operand};
use crate::rng::Rng;

/// How an instance addresses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Base,
    BaseDisp8,
    BaseIndexDisp32,
    IndexOnly,
    BaseTwice,
    StackPointer,
    RipRelative,
    Absolute,
    FsAbsolute,
    FsBaseIndex,
    Address32,
    Address32Index,
    /// The base is a register operand of the same instruction.
    BaseIsOperand,
}

impl Shape {
    pub const ALL: [Shape; 13] = [
        Shape::Base,
        Shape::BaseDisp8,
        Shape::BaseIndexDisp32,
        Shape::IndexOnly,
        Shape::BaseTwice,
        Shape::StackPointer,
        Shape::RipRelative,
        Shape::Absolute,
        Shape::FsAbsolute,
        Shape::FsBaseIndex,
        Shape::Address32,
        Shape::Address32Index,
        Shape::BaseIsOperand,
    ];

    fn place(self) -> Place {
        match self {
            Shape::Absolute | Shape::Address32 | Shape::Address32Index => Place::Low,
            _ => Place::High,
        }
    }
}

/// Repeat and lock prefixes of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    None,
    Lock,
    Rep,
    Repne,
}

/// Prefixes without a meaning for most instructions: segments that are flat, an operand size that
/// is fixed, REX prefixes that say nothing or are not the last prefix, repeat prefixes.
const NOISE: [&[u8]; 9] =
    [&[0x2e], &[0x3e], &[0x26], &[0x36, 0x48], &[0x66], &[0xf2], &[0xf3], &[0x40], &[0x66, 0x48]];

/// What to choose for one instance.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The addressing shape, or `None` for registers wherever the form allows them.
    pub shape: Option<Shape>,
    pub prefix: Prefix,
    /// Selects structured choices of registers and immediates while it is small.
    pub variant: usize,
}

/// Where an instance goes.
#[derive(Clone, Copy)]
pub struct Site {
    pub arena: Arena,
    pub slot: Slot,
    /// Bytes in front of it in the slot.
    pub offset: u64,
}

impl Site {
    fn address(self) -> u64 {
        self.slot.instruction() + self.offset
    }
}

/// An encoded instruction at its address.
pub struct Instance {
    pub instruction: Instruction,
    pub bytes: Vec<u8>,
    pub place: Place,
}

impl Instance {
    /// Builds an instance of `code` for a site.
    pub fn build(code: Code, plan: Plan, site: Site, rng: &mut Rng) -> Option<Self> {
        let mut draft = Draft { instruction: Instruction::default(), site, rng };
        draft.instruction.set_code(code);
        for (i, &kind) in code.op_code().op_kinds().iter().enumerate() {
            draft.operand(i as u32, kind, plan)?;
        }
        draft.prefixes(plan.prefix);
        if draft.is_wild_bit_test() {
            return None;
        }
        Instance::encode(&draft.instruction, site.address(), plan.place(code))
    }

    /// The same instruction with a meaningless prefix in front, if that is possible. Prefixes come
    /// first and the rest is encoded for the address behind them, so that it ends at the same
    /// place.
    pub fn with_noise(code: Code, site: Site, rng: &mut Rng) -> Option<Self> {
        let noise = rng.pick(&NOISE);
        // Some makes of processors cut the target to 16 bits, or turn `loope` into `loopne`.
        let says_nothing = |byte| !matches!(byte, 0x66 | 0xf2 | 0xf3);
        let is_branch = code.flow_control() != FlowControl::Next;
        if is_branch && !is_host_intel() && !noise.iter().all(|&byte| says_nothing(byte)) {
            return None;
        }
        let has_memory = !plans(code, 0).iter().all(|plan| plan.shape.is_none());
        let shape = (has_memory && rng.one_in(2)).then_some(Shape::RipRelative);
        let plan = Plan { shape, prefix: Prefix::None, variant: rng.below(24) as usize };
        let behind = Site { offset: site.offset + noise.len() as u64, ..site };
        let rest = Instance::build(code, plan, behind, rng)?;
        let bytes = [noise, &rest.bytes].concat();
        let instruction = decode(&bytes, site.address());
        let is_same = instruction.code() == code && instruction.len() == bytes.len();
        is_same.then_some(Instance { instruction, bytes, place: Place::High })
    }

    /// Encodes an instruction for an address; `None` if there is no encoding of just this form.
    fn encode(draft: &Instruction, address: u64, place: Place) -> Option<Instance> {
        let mut encoder = Encoder::new(64);
        encoder.encode(draft, address).ok()?;
        let bytes = encoder.take_buffer();
        let instruction = decode(&bytes, address);
        let is_same = instruction.code() == draft.code() && instruction.len() == bytes.len();
        is_same.then_some(Instance { instruction, bytes, place })
    }
}

impl Plan {
    /// Where an instance of this plan has to live.
    pub fn place(self, code: Code) -> Place {
        let is_direct = code.op_code().op_kinds().iter().any(|&kind| is_branch(kind));
        match self.shape {
            Some(shape) => shape.place(),
            None if is_direct && self.variant % 2 == 1 => Place::Low,
            None => Place::High,
        }
    }
}

/// All plans that make sense for a form.
pub fn plans(code: Code, random: usize) -> Vec<Plan> {
    let info = code.op_code();
    let kinds = info.op_kinds();
    let has_register_form = !kinds.iter().any(|&kind| is_memory_only(kind));
    let has_memory_form = kinds.iter().any(|&kind| is_memory_only(kind) || may_be_memory(kind));
    let mut plans = Vec::new();
    if has_register_form {
        let is_fixed = kinds.iter().all(|&kind| operands::is_fixed(kind));
        let variants = if is_fixed { 1 } else { operands::STRUCTURED + random };
        for variant in 0..variants {
            plans.push(Plan { shape: None, prefix: Prefix::None, variant });
        }
    }
    let shapes: &[Shape] = match () {
        () if has_memory_form && kinds.contains(&Kind::mem_offs) => {
            &[Shape::Base, Shape::FsAbsolute]
        }
        () if has_memory_form => &Shape::ALL,
        () if kinds.iter().any(|&kind| is_string(kind)) => {
            &[Shape::Base, Shape::Address32, Shape::FsAbsolute]
        }
        () => &[],
    };
    for (i, &shape) in shapes.iter().enumerate() {
        for variant in [0, operands::STRUCTURED + i] {
            plans.push(Plan { shape: Some(shape), prefix: Prefix::None, variant });
            if info.can_use_lock_prefix() {
                plans.push(Plan { shape: Some(shape), prefix: Prefix::Lock, variant });
            }
            if info.can_use_rep_prefix() && kinds.iter().any(|&kind| is_string(kind)) {
                plans.push(Plan { shape: Some(shape), prefix: Prefix::Rep, variant });
                plans.push(Plan { shape: Some(shape), prefix: Prefix::Repne, variant });
            }
        }
    }
    plans
}

/// Decodes one instruction at its address.
pub fn decode(bytes: &[u8], address: u64) -> Instruction {
    Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode()
}

fn is_memory_only(kind: Kind) -> bool {
    matches!(kind, Kind::mem | Kind::mem_offs)
}

fn may_be_memory(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, r8_or_mem | r16_or_mem | r32_or_mem | r64_or_mem | mm_or_mem | xmm_or_mem)
}

fn is_string(kind: Kind) -> bool {
    matches!(kind, Kind::seg_rSI | Kind::es_rDI | Kind::seg_rDI | Kind::seg_rBX_al)
}

fn is_branch(kind: Kind) -> bool {
    matches!(kind, Kind::br64_1 | Kind::br64_4)
}

struct Draft<'a> {
    instruction: Instruction,
    site: Site,
    rng: &'a mut Rng,
}

impl Draft<'_> {
    fn operand(&mut self, i: u32, kind: Kind, plan: Plan) -> Option<()> {
        let wants_memory = is_memory_only(kind) || (may_be_memory(kind) && plan.shape.is_some());
        if kind == Kind::mem_offs {
            self.offset_memory(i, plan.shape?);
            return Some(());
        }
        if wants_memory {
            self.memory(i, plan);
            return Some(());
        }
        if is_string(kind) {
            self.string(i, kind, plan);
            return Some(());
        }
        match operands::choose(kind, i as usize, plan.variant, self.rng)? {
            Operand::Register(register) => {
                self.instruction.set_op_kind(i, OpKind::Register);
                self.instruction.set_op_register(i, register);
            }
            Operand::Immediate(op_kind, value) => {
                // `enter` is the only instruction with two immediates.
                let is_second = i == 1 && self.instruction.op_kind(0) == OpKind::Immediate16;
                let op_kind = if is_second { OpKind::Immediate8_2nd } else { op_kind };
                self.instruction.set_op_kind(i, op_kind);
                self.instruction.set_immediate_u64(i, value);
            }
            Operand::Branch => {
                self.instruction.set_op_kind(i, OpKind::NearBranch64);
                let pad = 1 + (plan.variant / 2 % 2) as u32;
                self.instruction.set_near_branch64(self.site.slot.pad(pad));
            }
        }
        Some(())
    }

    /// An address in the operand page that is good for a fixed operand.
    fn fixed_address(&mut self) -> u64 {
        let misalignment = if self.rng.one_in(4) { self.rng.below(64) } else { 0 };
        self.site.arena.data() + 0x400 + 64 * self.rng.below(32) + misalignment
    }

    fn memory(&mut self, i: u32, plan: Plan) {
        let shape = plan.shape.unwrap_or(Shape::Base);
        let is_plain = plan.variant == 0;
        let base = if is_plain { Register::RBX } else { self.any_gpr() };
        let index = if is_plain { Register::RSI } else { self.any_index() };
        let scale = 1 << self.rng.below(4);
        let small = self.rng.bits() as i8 as i64 as u64;
        let large = self.rng.bits() as i32 as i64 as u64;
        let data = self.fixed_address();
        let none = Register::None;
        let (base, index, scale, displacement, size) = match shape {
            Shape::Base => (base, none, 1, 0, 0),
            Shape::BaseDisp8 => (base, none, 1, small, 1),
            Shape::BaseIndexDisp32 | Shape::FsBaseIndex => (base, index, scale, large, 8),
            Shape::IndexOnly => (none, index, scale.max(2), large, 8),
            Shape::BaseTwice => (index, index, scale, small, 1),
            Shape::StackPointer => (Register::RSP, none, 1, small & 0x78, 1),
            Shape::RipRelative => (Register::RIP, none, 1, data, 8),
            Shape::Absolute => (none, none, 1, data, 8),
            Shape::FsAbsolute => (none, none, 1, small & 0x78, 8),
            Shape::Address32 => (gpr32(base), none, 1, small & 0x7f, 1),
            Shape::Address32Index => (gpr32(base), gpr32(index), scale, large & 0x7fff_ffff, 4),
            Shape::BaseIsOperand => (self.operand_register().unwrap_or(base), none, 1, small, 1),
        };
        if matches!(shape, Shape::FsAbsolute | Shape::FsBaseIndex) {
            self.instruction.set_segment_prefix(Register::FS);
        }
        self.instruction.set_op_kind(i, OpKind::Memory);
        self.instruction.set_memory_base(base);
        self.instruction.set_memory_index(index);
        self.instruction.set_memory_index_scale(scale);
        self.instruction.set_memory_displacement64(displacement);
        self.instruction.set_memory_displ_size(size);
    }

    fn offset_memory(&mut self, i: u32, shape: Shape) {
        self.instruction.set_op_kind(i, OpKind::Memory);
        self.instruction.set_memory_displ_size(8);
        let address = self.fixed_address();
        if shape == Shape::FsAbsolute {
            self.instruction.set_segment_prefix(Register::FS);
        }
        let offset = if shape == Shape::FsAbsolute { 0x10 } else { address };
        self.instruction.set_memory_displacement64(offset);
    }

    fn string(&mut self, i: u32, kind: Kind, plan: Plan) {
        let is_32 = plan.shape == Some(Shape::Address32);
        let has_segment = kind != Kind::es_rDI && plan.shape == Some(Shape::FsAbsolute);
        if has_segment {
            self.instruction.set_segment_prefix(Register::FS);
        }
        if kind == Kind::seg_rBX_al {
            let base = if is_32 { Register::EBX } else { Register::RBX };
            self.instruction.set_op_kind(i, OpKind::Memory);
            self.instruction.set_memory_base(base);
            self.instruction.set_memory_index(Register::AL);
            return;
        }
        self.instruction.set_op_kind(
            i,
            match (kind, is_32) {
                (Kind::seg_rSI, false) => OpKind::MemorySegRSI,
                (Kind::seg_rSI, true) => OpKind::MemorySegESI,
                (Kind::es_rDI, false) => OpKind::MemoryESRDI,
                (Kind::es_rDI, true) => OpKind::MemoryESEDI,
                (_, false) => OpKind::MemorySegRDI,
                (_, true) => OpKind::MemorySegEDI,
            },
        );
    }

    fn prefixes(&mut self, prefix: Prefix) {
        match prefix {
            Prefix::None => {}
            Prefix::Lock => self.instruction.set_has_lock_prefix(true),
            Prefix::Rep => self.instruction.set_has_rep_prefix(true),
            Prefix::Repne => self.instruction.set_has_repne_prefix(true),
        }
    }

    /// A bit test whose offset is the pointer itself: there is no telling where that reaches.
    fn is_wild_bit_test(&self) -> bool {
        use Mnemonic::*;
        let it = &self.instruction;
        let offset = it.op1_register().full_register();
        matches!(it.mnemonic(), Bt | Bts | Btr | Btc)
            && it.op0_kind() == OpKind::Memory
            && it.op1_kind() == OpKind::Register
            && [it.memory_base(), it.memory_index()].iter().any(|r| r.full_register() == offset)
    }

    fn any_gpr(&mut self) -> Register {
        self.rng.pick(&operands::GPR64)
    }

    fn any_index(&mut self) -> Register {
        loop {
            let register = self.any_gpr();
            if register != Register::RSP {
                return register;
            }
        }
    }

    /// A general register that an operand set so far (or to come) uses.
    fn operand_register(&self) -> Option<Register> {
        (0..self.instruction.op_count())
            .filter(|&i| self.instruction.op_kind(i) == OpKind::Register)
            .map(|i| self.instruction.op_register(i))
            .find(|register| register.is_gpr())
            .map(Register::full_register)
    }
}

fn gpr32(register: Register) -> Register {
    register.full_register32()
}
