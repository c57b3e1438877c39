//! Random straight code of a few instructions: judges what single instructions cannot show, that
//! is flags evaluated late or not at all, comparisons fused with branches, and values carried
//! from one instruction to the next.
//!
//! Memory operands are rip-relative or on the stack, and nothing but stack instructions touches
//! `rsp`, so that no access faults whatever the registers hold. A sequence never reads a flag that
//! an earlier instruction of it left undefined; a branch may end it.

use iced_x86::{
    Code, CpuidFeature, FlowControl, Instruction, Mnemonic, OpCodeOperandKind, Register, RflagsBits,
};

use crate::arena::{Arena, INSTRUCTION_LEN_MAX};
use crate::cpu::{flag, gpr};
use crate::forms::{self, Verdict};
use crate::inputs::{Input, Patch, random_state};
use crate::instances::{Instance, Plan, Prefix, Shape, Site};
use crate::rng::Rng;
use crate::undefined::Slack;
use crate::values;
use crate::vm_side::VmSide;

const LEN_MAX: u64 = 8;

/// A sequence ready to be installed.
pub struct Sequence {
    pub instructions: Vec<Instruction>,
    pub bytes: Vec<u8>,
    /// Flags that are undefined at the end.
    pub slack: Slack,
}

/// The forms that sequences are made of.
pub struct Ingredients {
    plain: Vec<Code>,
    /// Integer instructions that write flags, and those that read them: they deserve more.
    writers: Vec<Code>,
    readers: Vec<Code>,
    branches: Vec<Code>,
}

impl Ingredients {
    /// All forms that fit a sequence.
    pub fn new() -> Ingredients {
        let fits = |&code: &Code| forms::verdict(code) == Verdict::Judge;
        let all: Vec<Code> = Code::values().filter(fits).collect();
        let flow = |code: &Code| code.flow_control();
        let branches =
            all.iter().copied().filter(|c| flow(c) == FlowControl::ConditionalBranch).collect();
        let plain: Vec<Code> =
            all.into_iter().filter(|c| flow(c) == FlowControl::Next && is_plain(*c)).collect();
        let info = |code: &Code| {
            let mut instruction = Instruction::default();
            instruction.set_code(*code);
            (instruction.rflags_modified(), instruction.rflags_read())
        };
        let writers = plain.iter().copied().filter(|c| info(c).0 != 0).collect();
        let readers = plain.iter().copied().filter(|c| info(c).1 != 0).collect();
        Ingredients { plain, writers, readers, branches }
    }

    /// How many forms take part.
    pub fn len(&self) -> usize {
        self.plain.len() + self.branches.len()
    }

    /// A random sequence for a site.
    pub fn sequence(&self, site: Site, rng: &mut Rng) -> Sequence {
        let mut sequence =
            Sequence { instructions: Vec::new(), bytes: Vec::new(), slack: Slack::default() };
        let mut undefined = 0;
        let length = 2 + rng.below(LEN_MAX - 1);
        for i in 0..length {
            let pool = match rng.below(8) {
                0..=2 => &self.writers,
                3 | 4 => &self.readers,
                5 if i + 1 == length => &self.branches,
                _ => &self.plain,
            };
            let code = rng.pick(pool);
            let Some(instance) =
                build(code, Site { offset: sequence.bytes.len() as u64, ..site }, rng)
            else {
                continue;
            };
            let instruction = &instance.instruction;
            if !VmSide::supports(instruction) {
                continue;
            }
            let fits = sequence.bytes.len() + instance.bytes.len() <= INSTRUCTION_LEN_MAX;
            if !fits || instruction.rflags_read() & undefined != 0 {
                continue;
            }
            undefined = undefined_after(instruction, undefined);
            sequence.bytes.extend(&instance.bytes);
            sequence.instructions.push(*instruction);
            if instruction.flow_control() != FlowControl::Next {
                break;
            }
        }
        sequence.slack.rflags = crate::undefined::rflags(undefined);
        // Flags that are overwritten later are not computed, even if a fault comes in between.
        sequence.slack.rflags_at_fault = flag::STATUS;
        sequence
    }
}

/// Fills an input for a sequence.
pub fn fill(input: &mut Input, arena: Arena, rng: &mut Rng) {
    random_state(&mut input.cpu, rng);
    input.cpu.gpr[gpr::RSP] = arena.data() + 0x1800 + 8 * rng.below(16);
    input.patches.clear();
    let bytes = (0..64).flat_map(|_| values::vector(rng).to_le_bytes()).collect();
    input.patches.push(Patch { address: arena.data() + 0x600, bytes });
}

fn build(code: Code, site: Site, rng: &mut Rng) -> Option<Instance> {
    let needs_memory = code.op_code().op_kinds().contains(&OpCodeOperandKind::mem);
    let shape = (needs_memory || rng.one_in(3)).then_some(Shape::RipRelative);
    let plan = Plan { shape, prefix: Prefix::None, variant: 100 + rng.below(4) as usize };
    let instance = Instance::build(code, plan, site, rng)?;
    let instruction = &instance.instruction;
    let is_stack = instruction.is_stack_instruction();
    let uses_rsp = (0..instruction.op_count())
        .any(|i| instruction.op_register(i).full_register() == Register::RSP);
    if uses_rsp || (is_stack && !matches!(instruction.mnemonic(), Mnemonic::Push | Mnemonic::Pop)) {
        return None;
    }
    Some(instance)
}

/// Instructions that cannot fault, whatever the registers hold, and have no operands that only
/// some values of which are valid.
fn is_plain(code: Code) -> bool {
    use Mnemonic::*;
    let is_float = code.cpuid_features().iter().any(|feature| {
        use CpuidFeature::*;
        matches!(feature, FPU | FPU287 | FPU387 | MMX | FXSR)
    });
    let mnemonic = code.mnemonic();
    let may_fault = matches!(
        mnemonic,
        Div | Idiv | Enter | Leave | Popf | Popfq | Xlatb | Ldmxcsr | Maskmovdqu | Clflush
    );
    let is_special = matches!(mnemonic, Ud0 | Ud1 | Ud2 | Int3 | Shld | Shrd);
    let mut instruction = Instruction::default();
    instruction.set_code(code);
    let reaches_far = matches!(mnemonic, Bt | Bts | Btr | Btc);
    !is_float && !may_fault && !is_special && !reaches_far && !instruction.is_string_instruction()
}

/// The flags undefined after an instruction, as iced's bits. Conservative: a shift by a count in
/// `cl` may leave everything as it was, or not.
fn undefined_after(instruction: &Instruction, before: u32) -> u32 {
    use Mnemonic::*;
    match instruction.mnemonic() {
        Shl | Sal | Shr => return before | RflagsBits::OF | RflagsBits::AF | RflagsBits::CF,
        Sar => return before | RflagsBits::OF | RflagsBits::AF,
        Rol | Ror | Rcl | Rcr => return before | RflagsBits::OF,
        _ => {}
    }
    let defined =
        instruction.rflags_written() | instruction.rflags_cleared() | instruction.rflags_set();
    before & !defined | instruction.rflags_undefined()
}
