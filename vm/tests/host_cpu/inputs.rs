//! Inputs for an instance: a full processor state and the memory around its operands.
//!
//! Registers and memory are filled with [`values`]; then whatever the instruction uses as a
//! pointer is aimed at the data pages (now and then at the end of them, so that it faults), and
//! a few instructions get what they need to do something interesting: divisions that do not
//! overflow, comparisons that are equal, return addresses that are landing pads.

use iced_x86::{Code, Instruction, MemorySize, Mnemonic, OpKind, Register};

use crate::arena::{Arena, DATA_LEN, Slot};
use crate::cpu::{Cpu, FxImage, flag, gpr};
use crate::instances::Instance;
use crate::rng::Rng;
use crate::values;

/// Where FS points, relative to the start of the data.
pub const FS_OFFSET: u64 = 0x600;
const STACK_OFFSET: u64 = 0x1800;
/// Nothing is mapped so near to the data pages.
const NEAR: u64 = 0x1_0000;

/// One input. Memory outside `patches` keeps what earlier executions left there.
pub struct Input {
    pub cpu: Cpu,
    pub patches: Vec<Patch>,
}

/// Bytes to be written to the data pages before the execution.
pub struct Patch {
    pub address: u64,
    pub bytes: Vec<u8>,
}

impl Input {
    pub fn new() -> Input {
        Input { cpu: Cpu::RESET, patches: Vec::new() }
    }
}

/// Makes inputs for the instance in one slot.
pub struct Inputs<'a> {
    pub instance: &'a Instance,
    pub arena: Arena,
    pub slot: Slot,
}

impl Inputs<'_> {
    /// Fills `input` with the next input.
    pub fn fill(&self, input: &mut Input, rng: &mut Rng) {
        input.patches.clear();
        random_state(&mut input.cpu, rng);
        let instruction = &self.instance.instruction;
        let uses_fs = instruction.memory_segment() == Register::FS;
        input.cpu.fs_base = if uses_fs { self.arena.data() + FS_OFFSET } else { 0 };
        if instruction.is_stack_instruction() {
            input.cpu.gpr[gpr::RSP] = self.stack_address(rng);
            input.cpu.gpr[gpr::RBP] = self.stack_address(rng);
        }
        self.specialise(&mut input.cpu, rng);
        self.aim_pointers(&mut input.cpu, rng);
        self.patch_operands(input, rng);
    }

    fn data_address(&self, rng: &mut Rng) -> u64 {
        let misalignment = match rng.below(4) {
            0 => rng.below(64),
            _ => 0,
        };
        let offset = match rng.below(64) {
            0 if self.faults_cleanly() => DATA_LEN as u64 - rng.below(24),
            _ => 0x400 + 16 * rng.below(64) + misalignment,
        };
        self.arena.data() + offset
    }

    /// Not so where it is up to the processor what happens beyond the end: bytes that are masked
    /// out may fault, and a ten-byte store may leave eight bytes before it faults.
    fn faults_cleanly(&self) -> bool {
        use Mnemonic::*;
        let instruction = &self.instance.instruction;
        let is_in_pieces = instruction.memory_size().size() == 10
            && matches!(instruction.mnemonic(), Fstp | Fbstp);
        !is_in_pieces && !matches!(instruction.mnemonic(), Maskmovdqu | Maskmovq)
    }

    fn stack_address(&self, rng: &mut Rng) -> u64 {
        let misalignment = if rng.one_in(8) { rng.below(8) } else { 0 };
        self.arena.data() + STACK_OFFSET + 8 * rng.below(32) + misalignment
    }

    /// Gives base and index registers values that make the address land in the data pages.
    fn aim_pointers(&self, cpu: &mut Cpu, rng: &mut Rng) {
        let instruction = &self.instance.instruction;
        for i in 0..instruction.op_count() {
            match instruction.op_kind(i) {
                OpKind::Memory => self.aim_memory(cpu, rng),
                OpKind::MemorySegRSI | OpKind::MemorySegESI => {
                    let target = self.data_address(rng).wrapping_sub(cpu.fs_base);
                    set(cpu, gpr::RSI, target, instruction.op_kind(i) == OpKind::MemorySegESI, rng);
                }
                OpKind::MemoryESRDI | OpKind::MemoryESEDI => {
                    let target = self.data_address(rng);
                    set(cpu, gpr::RDI, target, instruction.op_kind(i) == OpKind::MemoryESEDI, rng);
                }
                OpKind::MemorySegRDI | OpKind::MemorySegEDI => {
                    let target = self.data_address(rng).wrapping_sub(cpu.fs_base);
                    set(cpu, gpr::RDI, target, instruction.op_kind(i) == OpKind::MemorySegEDI, rng);
                }
                _ => {}
            }
        }
    }

    fn aim_memory(&self, cpu: &mut Cpu, rng: &mut Rng) {
        let instruction = &self.instance.instruction;
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        let scale = u64::from(instruction.memory_index_scale());
        let is_32 = base.size() == 4 || index.size() == 4;
        let truncate = |value: u64| if is_32 { value & 0xffff_ffff } else { value };
        let segment = if instruction.memory_segment() == Register::FS { cpu.fs_base } else { 0 };
        let offset = instruction.memory_displacement64().wrapping_add(segment);
        let target = truncate(self.data_address(rng).wrapping_sub(offset));
        let is_stack_pointer = base == Register::RSP && instruction.is_stack_instruction();
        match (number(base), number(index)) {
            (_, None) if is_stack_pointer => {}
            (_, Some(index)) if is_stack_pointer => {
                let rest = target.wrapping_sub(cpu.gpr[gpr::RSP]) as i64;
                set(cpu, index, (rest / scale as i64) as u64, is_32, rng);
            }
            (None, None) => {}
            (Some(base), None) => set(cpu, base, target, is_32, rng),
            (None, Some(index)) => set(cpu, index, target / scale, is_32, rng),
            (Some(base), Some(index)) if base == index => {
                set(cpu, base, target / (1 + scale), is_32, rng);
            }
            (Some(base), Some(index)) => {
                let steps = match instruction.memory_index() {
                    Register::AL => cpu.gpr[index] & 0xff,
                    _ => truncate(cpu.gpr[index]),
                };
                let rest = truncate(target.wrapping_sub(steps.wrapping_mul(scale)));
                set(cpu, base, rest, is_32, rng);
            }
        }
    }

    fn specialise(&self, cpu: &mut Cpu, rng: &mut Rng) {
        use Mnemonic::*;
        let instruction = &self.instance.instruction;
        let is_repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        if instruction.is_string_instruction() && is_repeated {
            cpu.gpr[gpr::RCX] = rng.below(6);
            let is_32 = (0..instruction.op_count()).any(|i| {
                matches!(instruction.op_kind(i), OpKind::MemorySegESI | OpKind::MemoryESEDI)
            });
            if is_32 {
                cpu.gpr[gpr::RCX] |= rng.bits() << 32;
            }
        }
        match instruction.mnemonic() {
            Div | Idiv => self.tame_division(cpu, rng),
            Loop | Loope | Loopne | Jrcxz | Jecxz => {
                let keep = if rng.one_in(2) { 0xffff_ffff_0000_0000 } else { 0 };
                cpu.gpr[gpr::RCX] = cpu.gpr[gpr::RCX] & keep | rng.below(3);
            }
            Pcmpestri | Pcmpestrm => {
                let length = |rng: &mut Rng| rng.below(40).wrapping_sub(20);
                cpu.gpr[gpr::RAX] = length(rng);
                cpu.gpr[gpr::RDX] = length(rng);
            }
            Bt | Bts | Btr | Btc => self.tame_bit_offset(cpu, rng),
            // `call rsp` needs a stack more than a landing pad.
            Call | Jmp => {
                let is_call = instruction.is_stack_instruction();
                let target = self.gpr_operand(0).filter(|&it| !is_call || it != gpr::RSP);
                if let Some(register) = target {
                    cpu.gpr[register] = self.landing(rng);
                }
            }
            _ => {}
        }
    }

    /// Makes most quotients fit.
    fn tame_division(&self, cpu: &mut Cpu, rng: &mut Rng) {
        let is_signed = self.instance.instruction.mnemonic() == Mnemonic::Idiv;
        let bits = match self.instance.instruction.code() {
            Code::Div_rm8 | Code::Idiv_rm8 => 8,
            Code::Div_rm16 | Code::Idiv_rm16 => 16,
            Code::Div_rm32 | Code::Idiv_rm32 => 32,
            _ => 64,
        };
        let high = match rng.below(6) {
            0 | 1 => 0,
            2 | 3 if is_signed => ((cpu.gpr[gpr::RAX] << (64 - bits)) as i64 >> 63) as u64,
            2 | 3 => rng.below(4),
            4 => rng.bits() >> (64 - bits + rng.below(bits)),
            _ => return,
        };
        if bits == 8 {
            cpu.gpr[gpr::RAX] = cpu.gpr[gpr::RAX] & !0xff00 | (high & 0xff) << 8;
        } else {
            cpu.gpr[gpr::RDX] = high;
        }
    }

    /// Keeps bit offsets into memory small, since they reach as far as the offset says: into the
    /// data pages mostly, and never beyond the empty pages around them.
    fn tame_bit_offset(&self, cpu: &mut Cpu, rng: &mut Rng) {
        let is_memory = self.instance.instruction.op0_kind() == OpKind::Memory;
        if let Some(register) = self.gpr_operand(1).filter(|_| is_memory) {
            let reach = if rng.one_in(16) { 0x8_0000 } else { 0x800 };
            cpu.gpr[register] = rng.below(2 * reach).wrapping_sub(reach);
        }
    }

    /// Writes fresh bytes wherever the instruction is going to read.
    fn patch_operands(&self, input: &mut Input, rng: &mut Rng) {
        let instruction = &self.instance.instruction;
        if instruction.is_stack_instruction() {
            let address = match instruction.mnemonic() {
                Mnemonic::Leave | Mnemonic::Enter => input.cpu.gpr[gpr::RBP],
                _ => input.cpu.gpr[gpr::RSP],
            };
            let bytes = self.stack_bytes(rng);
            self.patch(input, address, bytes);
        }
        for i in 0..instruction.op_count() {
            let address = instruction
                .virtual_address(i, 0, |register, _, _| register_value(&input.cpu, register));
            if let Some(address) = address.filter(|_| is_memory(instruction.op_kind(i))) {
                assert!(self.is_near(address), "{instruction:?} would touch {address:#x}");
                let bytes = self.operand_bytes(&input.cpu, rng);
                self.patch(input, address, bytes);
            }
        }
    }

    /// What the stack pointer points to.
    fn stack_bytes(&self, rng: &mut Rng) -> Vec<u8> {
        let mut bytes = values::vector(rng).to_le_bytes();
        let low = match self.instance.instruction.mnemonic() {
            Mnemonic::Ret => self.landing(rng),
            Mnemonic::Popf | Mnemonic::Popfq => rng.bits() & flag::USER | flag::FIXED,
            _ => return bytes.to_vec(),
        };
        bytes[..8].copy_from_slice(&low.to_le_bytes());
        bytes.to_vec()
    }

    /// The contents of a memory operand.
    fn operand_bytes(&self, cpu: &Cpu, rng: &mut Rng) -> Vec<u8> {
        use Mnemonic::*;
        let instruction = &self.instance.instruction;
        if instruction.is_string_instruction() {
            // Few different bytes, so that comparisons find equal ones and different ones.
            let common = if rng.one_in(2) { cpu.gpr[gpr::RAX] as u8 } else { 0x41 };
            return (0..48).map(|_| if rng.one_in(6) { 0x42 } else { common }).collect();
        }
        match instruction.mnemonic() {
            Call | Jmp => self.landing(rng).to_le_bytes().to_vec(),
            Cmpxchg | Cmpxchg8b | Cmpxchg16b if rng.one_in(2) => comparand(instruction, cpu),
            Ldmxcsr => (rng.bits() as u32 >> rng.pick(&[0, 16, 16])).to_le_bytes().to_vec(),
            Fxrstor | Fxrstor64 => image_bytes(rng),
            Fldcw => (rng.bits() as u16).to_le_bytes().to_vec(),
            Fbld => values::decimal(rng).to_vec(),
            _ if instruction.memory_size() == MemorySize::Float80 => values::extended(rng).to_vec(),
            Fldenv | Frstor => environment_bytes(rng),
            _ => values::vector(rng).to_le_bytes().to_vec(),
        }
    }

    /// Whether an address is in the data pages or near enough to them to be nobody else's.
    fn is_near(&self, address: u64) -> bool {
        let is_load = self.instance.instruction.mnemonic() == Mnemonic::Lea;
        is_load || address.wrapping_sub(self.arena.data() - NEAR) < DATA_LEN as u64 + 2 * NEAR
    }

    /// Adds a patch, as much of it as lies in the data pages.
    fn patch(&self, input: &mut Input, address: u64, mut bytes: Vec<u8>) {
        let end = self.arena.data() + DATA_LEN as u64;
        if !(self.arena.data()..end).contains(&address) {
            return;
        }
        bytes.truncate((end - address) as usize);
        input.patches.push(Patch { address, bytes });
    }

    fn landing(&self, rng: &mut Rng) -> u64 {
        self.slot.pad(1 + rng.below(2) as u32)
    }

    /// The general register that is operand `i`.
    fn gpr_operand(&self, i: u32) -> Option<usize> {
        let instruction = &self.instance.instruction;
        let is_register = instruction.op_count() > i && instruction.op_kind(i) == OpKind::Register;
        if is_register { number(instruction.op_register(i)) } else { None }
    }
}

/// A state in which every register holds something.
pub fn random_state(cpu: &mut Cpu, rng: &mut Rng) {
    for register in &mut cpu.gpr {
        *register = values::integer(rng);
    }
    cpu.rflags = rng.bits() & flag::USER | flag::FIXED;
    for xmm in &mut cpu.fx.xmm {
        *xmm = values::vector(rng);
    }
    random_floating_point_control(&mut cpu.fx, rng);
    for i in 0..8 {
        // The machine forgets what an empty register held, so let it be nothing.
        cpu.fx.st[i] = [0; 16];
        if cpu.fx.is_occupied(i) {
            cpu.fx.st[i][..10].copy_from_slice(&values::extended(rng));
        }
    }
}

/// Rounding, precision and sticky bits; now and then some exceptions are not masked. Underflow of
/// SSE always is: the machine documents that it sees an exact tiny result otherwise.
fn random_floating_point_control(fx: &mut FxImage, rng: &mut Rng) {
    fx.mxcsr = 0x1f80;
    fx.control = 0x37f;
    if rng.one_in(2) {
        fx.mxcsr |= rng.bits() as u32 & 0xe07f;
        fx.control = (rng.pick(&[0u16, 2, 3]) << 8) | (rng.below(4) as u16) << 10 | 0x7f;
    }
    fx.status = (rng.bits() as u16) & 0x7f7f;
    if rng.one_in(8) {
        let unmasked = rng.bits() as u16 & 0x3f;
        fx.mxcsr &= !(u32::from(unmasked & !0x10) << 7);
        fx.control &= !unmasked;
        if rng.one_in(2) {
            fx.status &= !unmasked;
        }
    }
    // The summary of exceptions that are raised and not masked, twice.
    if fx.status & !fx.control & 0x3f != 0 {
        fx.status |= 0x8080;
    }
    fx.tags = match rng.below(4) {
        0 => rng.bits() as u8,
        1 => 0,
        _ => 0xff,
    };
}

/// The value that a compare-and-exchange compares with.
fn comparand(instruction: &Instruction, cpu: &Cpu) -> Vec<u8> {
    let (low, high) = (cpu.gpr[gpr::RAX], cpu.gpr[gpr::RDX]);
    match instruction.mnemonic() {
        Mnemonic::Cmpxchg8b => (low & 0xffff_ffff | high << 32).to_le_bytes().to_vec(),
        _ => (u128::from(low) | u128::from(high) << 64).to_le_bytes().to_vec(),
    }
}

/// A valid `fxsave` image.
fn image_bytes(rng: &mut Rng) -> Vec<u8> {
    let mut cpu = Cpu::RESET;
    random_state(&mut cpu, rng);
    let fx = &cpu.fx;
    let mut bytes = Vec::with_capacity(512);
    bytes.extend((rng.bits() as u16).to_le_bytes());
    bytes.extend((rng.bits() as u16).to_le_bytes());
    bytes.extend([fx.tags, 0]);
    bytes.extend([0; 18]);
    bytes.extend(fx.mxcsr.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(fx.st.iter().flatten());
    bytes.extend(fx.xmm.iter().flat_map(|xmm| xmm.to_le_bytes()));
    bytes.resize(512, 0);
    bytes
}

/// A 28-byte protected-mode x87 environment and the eight registers after it.
fn environment_bytes(rng: &mut Rng) -> Vec<u8> {
    let mut cpu = Cpu::RESET;
    random_state(&mut cpu, rng);
    let mut bytes = Vec::with_capacity(108);
    let tags = rng.bits() as u16;
    for word in [rng.bits() as u16, 0xffff, rng.bits() as u16, 0xffff, tags, 0xffff] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0; 16]);
    bytes.extend(cpu.fx.st.iter().flat_map(|st| &st[..10]));
    bytes
}

/// Sets a register; when only its low half counts, the high half is noise.
fn set(cpu: &mut Cpu, register: usize, value: u64, is_32: bool, rng: &mut Rng) {
    cpu.gpr[register] = if is_32 { value & 0xffff_ffff | rng.bits() << 32 } else { value };
}

fn is_memory(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        Memory
            | MemorySegRSI
            | MemorySegESI
            | MemoryESRDI
            | MemoryESEDI
            | MemorySegRDI
            | MemorySegEDI
    )
}

/// The index of a general register, also for its parts.
pub fn number(register: Register) -> Option<usize> {
    register.is_gpr().then(|| register.full_register().number())
}

/// What iced asks for when it computes an address.
pub fn register_value(cpu: &Cpu, register: Register) -> Option<u64> {
    if register.is_segment_register() {
        return Some(if register == Register::FS { cpu.fs_base } else { 0 });
    }
    let value = cpu.gpr[number(register)?];
    Some(match register.size() {
        1 => value & 0xff,
        4 => value & 0xffff_ffff,
        _ => value,
    })
}
