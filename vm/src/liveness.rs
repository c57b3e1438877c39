//! Which registers and flags a thread can still read from where it stands.
//!
//! The code from an address on is followed, through branches and direct calls, until it leaves what
//! can be known without executing it; the usual backward analysis then says what is read on some
//! way before it is overwritten. Everything counts as live at an indirect branch, a return, a
//! hooked function, a system call, a request, an instruction that is not decoded, and where too
//! much code follows; nothing is assumed about calling conventions. Only a write of all of a
//! register makes it dead, and only flags that an instruction always sets.
//!
//! An answer holds at a boundary of instructions, for code that cannot be written to; answers are
//! kept with the decoded code and forgotten with it. It does not count as reading that a debugger,
//! or a handler of a signal by way of what the signal saved, can look at any register.
//!
//! Cost: some microseconds an address, once.

use crate::flags::{AF, ARITHMETIC, CF, OF, PF, SF, ZF};
use crate::lower::{self, request};
use crate::machine::Machine;
use crate::reg::Reg;
use ahash::{AHashMap, RandomState};
use iced_x86::{
    Decoder, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register,
    RflagsBits,
};
use std::collections::VecDeque;

/// Instructions that are followed at most.
const INSTRUCTIONS_MAX: usize = 400;
/// Longest instruction.
const INSTRUCTION_MAX: usize = 15;

/// What may still be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    /// General registers, one bit each in encoding order.
    pub registers: u16,
    /// Arithmetic flags, as bits of the flags register.
    pub flags: u64,
}

impl Live {
    /// Everything.
    pub const ALL: Live = Live { registers: u16::MAX, flags: ARITHMETIC };
    const NONE: Live = Live { registers: 0, flags: 0 };

    /// Whether a general register may be read.
    pub fn has(self, reg: Reg) -> bool {
        self.registers >> reg as u32 & 1 != 0
    }

    fn or(self, other: Live) -> Live {
        Live { registers: self.registers | other.registers, flags: self.flags | other.flags }
    }

    fn without(self, other: Live) -> Live {
        Live { registers: self.registers & !other.registers, flags: self.flags & !other.flags }
    }
}

/// One instruction of the code that is looked at.
struct Node {
    reads: Live,
    kills: Live,
    /// Where execution goes on, by address.
    next: [Option<u64>; 2],
    live: Live,
}

impl Machine {
    /// What may be read from the instruction at an address on; see the module head.
    pub fn live_at(&mut self, pc: u64) -> Live {
        if let Some(&live) = self.known_live(pc) {
            return live;
        }
        let (live, looked_at) = self.find_live(pc);
        for at in looked_at {
            self.memory.note_code(at, INSTRUCTION_MAX as u64);
        }
        self.note_live(pc, live);
        live
    }

    /// What is live at an address, and the instructions that were looked at.
    fn find_live(&self, pc: u64) -> (Live, Vec<u64>) {
        let mut nodes: Vec<Node> = Vec::new();
        let mut numbers: AHashMap<u64, usize> =
            AHashMap::with_hasher(RandomState::with_seeds(81, 82, 83, 84));
        let mut info = InstructionInfoFactory::new();
        // The nearest come first.
        let mut ahead = VecDeque::from([pc]);
        while let Some(at) = ahead.pop_front() {
            if numbers.contains_key(&at) || nodes.len() == INSTRUCTIONS_MAX {
                continue;
            }
            let Some(node) = self.node(at, &mut info) else { continue };
            ahead.extend(node.next.iter().flatten());
            numbers.insert(at, nodes.len());
            nodes.push(node);
        }
        let number = |at: u64| numbers.get(&at).copied();
        solve(&mut nodes, &number);
        let live = number(pc).map_or(Live::ALL, |first| nodes[first].live);
        (live, numbers.into_keys().collect())
    }

    /// The instruction at an address, if it is one that can be followed.
    fn node(&self, at: u64, info: &mut InstructionInfoFactory) -> Option<Node> {
        let (_, region) = self.memory.region_map().at(at)?;
        if self.is_hooked(at) || region.perms.write {
            return None;
        }
        let bytes = self.memory.fetch(at, INSTRUCTION_MAX);
        let instruction = Decoder::with_ip(64, bytes, at, lower::OPTIONS).decode();
        if instruction.is_invalid() || request::is_request(&instruction) {
            return None;
        }
        let behind = Some(instruction.next_ip());
        let target = Some(instruction.near_branch_target());
        let is_near = instruction.op0_kind() == iced_x86::OpKind::NearBranch64;
        let next = match instruction.flow_control() {
            FlowControl::Next => [behind, None],
            FlowControl::ConditionalBranch if is_near => [behind, target],
            FlowControl::UnconditionalBranch | FlowControl::Call if is_near => [target, None],
            _ => return None,
        };
        let (reads, kills) = effects(&instruction, info);
        Some(Node { reads, kills, next, live: Live::NONE })
    }
}

/// Goes backwards until nothing changes; what was not followed reads everything.
fn solve(nodes: &mut [Node], number: &dyn Fn(u64) -> Option<usize>) {
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..nodes.len()).rev() {
            let mut after = Live::NONE;
            for next in nodes[at].next.into_iter().flatten() {
                after = after.or(number(next).map_or(Live::ALL, |next| nodes[next].live));
            }
            let node = &mut nodes[at];
            let live = node.reads.or(after.without(node.kills));
            changed |= live != node.live;
            node.live = live;
        }
    }
}

/// What an instruction reads, and what it overwrites in every case.
fn effects(instruction: &Instruction, info: &mut InstructionInfoFactory) -> (Live, Live) {
    let (mut reads, mut kills) = (Live::NONE, Live::NONE);
    // The destination stays as it is if there is no bit to be found.
    let may_leave = matches!(instruction.mnemonic(), Mnemonic::Bsf | Mnemonic::Bsr);
    for used in info.info(instruction).used_registers() {
        let Some(bit) = general(used.register()) else { continue };
        match used.access() {
            OpAccess::None | OpAccess::NoMemAccess | OpAccess::CondWrite => {}
            OpAccess::Write if 4 <= used.register().size() && !may_leave => kills.registers |= bit,
            OpAccess::Write => {}
            _ => reads.registers |= bit,
        }
    }
    reads.flags = flags(instruction.rflags_read());
    if lower::always_writes_flags(instruction) {
        let set =
            instruction.rflags_written() | instruction.rflags_cleared() | instruction.rflags_set();
        kills.flags = flags(set);
    }
    (reads, kills)
}

/// The bit of a general register, whatever part of it is named.
fn general(register: Register) -> Option<u16> {
    let full = register.full_register();
    full.is_gpr64().then(|| 1 << full.number())
}

/// Flags in the machine's bits.
fn flags(bits: u32) -> u64 {
    [
        (RflagsBits::CF, CF),
        (RflagsBits::PF, PF),
        (RflagsBits::AF, AF),
        (RflagsBits::ZF, ZF),
        (RflagsBits::SF, SF),
        (RflagsBits::OF, OF),
    ]
    .into_iter()
    .filter_map(|(theirs, ours)| (bits & theirs != 0).then_some(ours))
    .sum()
}
