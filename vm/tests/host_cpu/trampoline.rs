//! The machine code around an instruction under test: load the whole processor state, jump, and
//! save the whole state on the way back. Emitted byte by byte, because neither the loads nor the
//! saves may disturb anything, and no compiler promises that.
//!
//! The code talks to the host through one [`Control`] block at a fixed address near it:
//! - *entry* (a C function without arguments) saves the callee-saved registers, installs the FS
//!   base when asked to, loads the state in `Control::input` and jumps to `Control::target`;
//! - *exit* stores the state into `Control::output`, puts the host's state back and returns from
//!   the call of entry. It is reached by a plain jump, or by the signal handler, in which case
//!   all registers are those at the fault.

use std::mem::offset_of;

use crate::cpu::Cpu;

/// The mailbox between the host and the trampoline.
#[repr(C)]
pub struct Control {
    pub host_rsp: u64,
    /// The host's FS base, or zero when the run leaves FS alone.
    pub host_fs: u64,
    /// Where entry jumps to.
    pub target: u64,
    /// Which landing pad was reached; see [`landing_pad`].
    pub landed: u64,
    /// Set by the signal handler: exception vector plus one; zero means no exception.
    pub trap: u64,
    /// Address of the instruction that faulted.
    pub trap_rip: u64,
    /// The host's MXCSR.
    pub host_mxcsr: u32,
    pub reserved: u32,
    pub input: Cpu,
    pub output: Cpu,
}

/// Where the pieces of an emitted trampoline are.
pub struct Trampoline {
    pub bytes: Vec<u8>,
    /// Offset of the exit code; entry is at offset zero.
    pub exit: usize,
}

/// Emits entry and exit for a control block at `control`, to be placed at `address`.
pub fn emit(address: u64, control: u64) -> Trampoline {
    let mut asm = Assembler { bytes: Vec::new(), address, control };
    asm.entry();
    let exit = asm.bytes.len();
    asm.exit();
    Trampoline { bytes: asm.bytes, exit }
}

/// Code for a place that tests jump to: notes `number` in `Control::landed` and leaves. It
/// changes neither registers nor flags, and is at most [`LANDING_PAD_LEN`] bytes long.
pub fn landing_pad(address: u64, number: u32, control: u64, exit: u64) -> Vec<u8> {
    let mut bytes = vec![0xc7, 0x05]; // mov dword [rip+disp32], imm32
    let landed = control + offset_of!(Control, landed) as u64;
    bytes.extend(relative(landed, address + 10));
    bytes.extend(number.to_le_bytes());
    bytes.extend(jump(address + 10, exit));
    bytes
}

/// Length of [`landing_pad`].
pub const LANDING_PAD_LEN: usize = 15;

/// `jmp rel32` at `address`.
pub fn jump(address: u64, to: u64) -> [u8; 5] {
    let displacement = relative(to, address + 5);
    [0xe9, displacement[0], displacement[1], displacement[2], displacement[3]]
}

fn relative(to: u64, next: u64) -> [u8; 4] {
    let distance = to.wrapping_sub(next) as i64;
    i32::try_from(distance).expect("the pieces of an arena are near each other").to_le_bytes()
}

const RAX: u8 = 0;
const RCX: u8 = 1;
const RSP: u8 = 4;
const RSI: u8 = 6;
const CALLEE_SAVED: [u8; 6] = [3, 5, 12, 13, 14, 15];

struct Assembler {
    bytes: Vec<u8>,
    address: u64,
    control: u64,
}

impl Assembler {
    fn entry(&mut self) {
        for register in CALLEE_SAVED {
            self.push(register);
        }
        self.set_fs(offset_of!(Control, input.fs_base));
        self.load_control_address();
        self.store(RSP, offset_of!(Control, host_rsp));
        self.bytes([0x48, 0x0f, 0xae, 0x88]); // fxrstor64 [rax+disp32]
        self.displacement(offset_of!(Control, input.fx));
        self.bytes([0xff, 0xb0]); // push qword [rax+disp32]
        self.displacement(offset_of!(Control, input.rflags));
        self.bytes([0x9d]); // popfq
        for register in (RCX..16).chain([RAX]) {
            self.load(register, offset_of!(Control, input.gpr) + 8 * usize::from(register));
        }
        self.bytes([0xff, 0x25]); // jmp [rip+disp32]
        let next = self.address + self.bytes.len() as u64 + 4;
        self.bytes(relative(self.control + offset_of!(Control, target) as u64, next));
    }

    fn exit(&mut self) {
        self.bytes([0x48, 0xa3]); // mov [moffs64], rax
        self.bytes((self.control + offset_of!(Control, output.gpr) as u64).to_le_bytes());
        self.load_control_address();
        for register in RCX..16 {
            self.store(register, offset_of!(Control, output.gpr) + 8 * usize::from(register));
        }
        self.load(RSP, offset_of!(Control, host_rsp));
        self.bytes([0x9c, 0x8f, 0x80]); // pushfq; pop qword [rax+disp32]
        self.displacement(offset_of!(Control, output.rflags));
        self.bytes([0x68, 0x02, 0x02, 0, 0, 0x9d]); // push 0x202; popfq
        self.bytes([0x48, 0x0f, 0xae, 0x80]); // fxsave64 [rax+disp32]
        self.displacement(offset_of!(Control, output.fx));
        self.bytes([0xdb, 0xe3]); // fninit
        self.bytes([0x0f, 0xae, 0x90]); // ldmxcsr [rax+disp32]
        self.displacement(offset_of!(Control, host_mxcsr));
        self.set_fs(offset_of!(Control, host_fs));
        for register in CALLEE_SAVED.into_iter().rev() {
            self.pop(register);
        }
        self.bytes([0xc3]);
    }

    /// `arch_prctl(ARCH_SET_FS, [control+offset])`, skipped when `Control::host_fs` is zero.
    fn set_fs(&mut self, offset: usize) {
        self.load_control_address();
        self.bytes([0x48, 0x83, 0xb8]); // cmp qword [rax+disp32], 0
        self.displacement(offset_of!(Control, host_fs));
        self.bytes([0]);
        self.bytes([0x74, 0]); // je past the system call
        let from = self.bytes.len();
        self.load(RSI, offset);
        self.bytes([0xbf, 0x02, 0x10, 0, 0]); // mov edi, ARCH_SET_FS
        self.bytes([0xb8, 158, 0, 0, 0]); // mov eax, SYS_arch_prctl
        self.bytes([0x0f, 0x05]); // syscall
        self.bytes[from - 1] = (self.bytes.len() - from) as u8;
    }

    fn load_control_address(&mut self) {
        self.bytes([0x48, 0xb8]); // mov rax, imm64
        self.bytes(self.control.to_le_bytes());
    }

    /// `mov register, [rax+offset]`
    fn load(&mut self, register: u8, offset: usize) {
        self.bytes([0x48 | (register >> 3) << 2, 0x8b, 0x80 | (register & 7) << 3]);
        self.displacement(offset);
    }

    /// `mov [rax+offset], register`
    fn store(&mut self, register: u8, offset: usize) {
        self.bytes([0x48 | (register >> 3) << 2, 0x89, 0x80 | (register & 7) << 3]);
        self.displacement(offset);
    }

    fn push(&mut self, register: u8) {
        self.bytes([0x40 | register >> 3, 0x50 | (register & 7)]);
    }

    fn pop(&mut self, register: u8) {
        self.bytes([0x40 | register >> 3, 0x58 | (register & 7)]);
    }

    fn displacement(&mut self, offset: usize) {
        self.bytes((offset as u32).to_le_bytes());
    }

    fn bytes(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.bytes.extend(bytes);
    }
}
