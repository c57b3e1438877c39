//! Byte arithmetic, all of it: every pair of operands with carry clear and set.
//!
//! The other flags start as the opposite of the carry, so that a flag left over from before is
//! told apart from one that was computed. Both operands are registers; that the other widths and
//! memory operands agree is judged by sampling elsewhere.

use crate::arena::Place;
use crate::compare::{Outcome, describe, differences};
use crate::cpu::{Cpu, flag, gpr};
use crate::inputs::Input;
use crate::instances::decode;
use crate::judge::text;
use crate::native::Native;
use crate::undefined::slack;
use crate::vm_side::{Answer, Mode, VmSide};

/// `op al, cl` and `op cl`: name and encoding.
const OPERATIONS: [(&str, &[u8]); 25] = [
    ("add", &[0x00, 0xc8]),
    ("or", &[0x08, 0xc8]),
    ("adc", &[0x10, 0xc8]),
    ("sbb", &[0x18, 0xc8]),
    ("and", &[0x20, 0xc8]),
    ("sub", &[0x28, 0xc8]),
    ("xor", &[0x30, 0xc8]),
    ("cmp", &[0x38, 0xc8]),
    ("test", &[0x84, 0xc8]),
    ("xadd", &[0x0f, 0xc0, 0xc8]),
    ("cmpxchg", &[0x0f, 0xb0, 0xca]),
    ("inc", &[0xfe, 0xc0]),
    ("dec", &[0xfe, 0xc8]),
    ("not", &[0xf6, 0xd0]),
    ("neg", &[0xf6, 0xd8]),
    ("rol", &[0xd2, 0xc0]),
    ("ror", &[0xd2, 0xc8]),
    ("rcl", &[0xd2, 0xd0]),
    ("rcr", &[0xd2, 0xd8]),
    ("shl", &[0xd2, 0xe0]),
    ("shr", &[0xd2, 0xe8]),
    ("sar", &[0xd2, 0xf8]),
    ("mul", &[0xf6, 0xe1]),
    ("imul", &[0xf6, 0xe9]),
    ("div", &[0xf6, 0xf1]),
];
const IDIV: (&str, &[u8]) = ("idiv", &[0xf6, 0xf9]);

#[test]
fn every_pair_of_bytes() {
    let mut bench = Bench::new();
    for (name, code) in OPERATIONS.into_iter().chain([IDIV]) {
        let is_division = matches!(name, "div" | "idiv");
        bench.load(name, code);
        for pair in 0..0x1_0000u64 {
            let (left, right) = (pair & 0xff, pair >> 8);
            for carry in [0, 1] {
                if is_division {
                    bench.divide(left, right, carry);
                } else {
                    bench.judge(left, right, carry);
                }
            }
        }
    }
    println!("{} byte operations, {} executions", OPERATIONS.len() + 1, bench.executions);
    assert!(bench.executions >= 26 * 2 * 0x1_0000);
}

struct Bench {
    native: Native,
    vm: VmSide,
    slot: crate::arena::Slot,
    instruction: iced_x86::Instruction,
    executions: u64,
}

const PLACE: Place = Place::High;

impl Bench {
    fn new() -> Bench {
        let native = Native::new();
        let vm = VmSide::new(&[native.arena(PLACE)], Mode::Plain);
        let slot = native.next_slot(PLACE);
        Bench { native, vm, slot, instruction: Default::default(), executions: 0 }
    }

    fn load(&mut self, name: &str, code: &[u8]) {
        let (slot, contents) = self.native.install(PLACE, code);
        self.vm.write(slot.start, &contents);
        self.slot = slot;
        self.instruction = decode(code, slot.instruction());
        assert_eq!(format!("{:?}", self.instruction.mnemonic()).to_lowercase(), name);
    }

    /// The dividend is AX: its high byte is chosen around the border of overflow.
    fn divide(&mut self, left: u64, right: u64, carry: u64) {
        let high = match (carry, left & 1) {
            (0, _) => 0,
            (_, 0) => right.wrapping_sub(1 + left / 2 % 4) & 0xff,
            _ => (left as i8 as u64) >> 8 & 0xff,
        };
        self.judge(left | high << 8, right, carry);
    }

    fn judge(&mut self, left: u64, right: u64, carry: u64) {
        let mut cpu = Cpu::RESET;
        cpu.gpr[gpr::RAX] = 0x1122_3344_5566_0000 | left;
        cpu.gpr[gpr::RCX] = 0x99aa_bbcc_ddee_ff00 | right;
        cpu.gpr[gpr::RDX] = left.wrapping_mul(3) ^ right;
        cpu.rflags = flag::FIXED | if carry == 1 { flag::CF } else { flag::STATUS & !flag::CF };
        let mut native_cpu = cpu;
        let next = self.instruction.next_ip();
        let native_end = self.native.run(PLACE, self.slot, next, &mut native_cpu);
        let mut vm_cpu = cpu;
        let vm_end = match self.vm.run(self.slot.instruction()..next, 1, &mut vm_cpu) {
            Answer::Ended(end) => end,
            Answer::Unsupported(why) => panic!("{}: unsupported: {why}", text(&self.instruction)),
        };
        self.executions += 1;
        let native = Outcome { end: native_end, cpu: &native_cpu, data: &[] };
        let vm = Outcome { end: vm_end, cpu: &vm_cpu, data: &[] };
        let lines = differences(&native, &vm, 0, slack(&self.instruction, &cpu));
        let input = Input { cpu, patches: Vec::new() };
        let text = text(&self.instruction);
        assert!(lines.is_empty(), "{text}\n{}\nfrom\n{}", lines.join("\n"), describe(&input));
    }
}
