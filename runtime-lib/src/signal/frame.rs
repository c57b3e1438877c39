//! The frame of a signal handler, as Linux lays it out on x86-64 (`struct rt_sigframe`): return
//! address, `ucontext`, `siginfo`, and above them the floating-point state in FXSAVE form. A
//! handler may change the saved registers; `rt_sigreturn` takes them from here.

use super::{Payload, Siginfo, Signal, SignalSet, SignalStack};
use crate::process::Process;
use samovar_vm::context::Floating;
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use samovar_vm::x87::{fxrstor, fxsave};

/// Offset of `uc_mcontext` in the frame: return address, flags, link, stack.
const REGISTERS_AT: u64 = 8 + 8 + 8 + 24;
/// Number of words of `struct sigcontext`.
const REGISTER_WORDS: usize = 32;
/// Offset of the mask.
const MASK_AT: u64 = REGISTERS_AT + REGISTER_WORDS as u64 * 8;
/// Offset of `siginfo`.
const INFO_AT: u64 = MASK_AT + 8;
/// Size of the frame without the floating-point state.
const FRAME_SIZE: u64 = INFO_AT + 128;
/// Size of the floating-point state.
const FXSAVE_SIZE: u64 = 512;
/// Bytes below the stack pointer that the program may be using.
const RED_ZONE: u64 = 128;

/// The registers in the order of `struct sigcontext`.
const ORDER: [Reg; 16] = [
    Reg::R8,
    Reg::R9,
    Reg::R10,
    Reg::R11,
    Reg::R12,
    Reg::R13,
    Reg::R14,
    Reg::R15,
    Reg::Rdi,
    Reg::Rsi,
    Reg::Rbp,
    Reg::Rbx,
    Reg::Rdx,
    Reg::Rax,
    Reg::Rcx,
    Reg::Rsp,
];

/// What a handler is called with.
pub(super) struct Delivery {
    pub info: Siginfo,
    pub handler: u64,
    pub restorer: u64,
    /// The mask to return to.
    pub mask: SignalSet,
    /// Run on this stack, unless already there.
    pub stack: Option<SignalStack>,
}

/// Builds the frame and sends the thread to its handler.
pub(super) fn push(
    process: &mut Process,
    thread: ThreadId,
    delivery: &Delivery,
) -> Result<(), Fault> {
    let core = *process.machine.core(thread);
    let old_stack = process.os.thread(thread).signal_stack;
    let mut top = core[Reg::Rsp].wrapping_sub(RED_ZONE);
    if let Some(stack) = delivery.stack {
        top = stack.base.wrapping_add(stack.size);
    }
    let floating = top.wrapping_sub(FXSAVE_SIZE) & !63;
    // As after a call: the stack pointer is eight below a multiple of sixteen.
    let frame = (floating.wrapping_sub(FRAME_SIZE) & !15).wrapping_sub(8);

    let image = fxsave_image(process, thread);
    let signal = delivery.info.signal;
    let mut words = vec![delivery.restorer, 0, 0];
    words.extend([old_stack.base, u64::from(old_stack.flags), old_stack.size]);
    words.extend(ORDER.map(|reg| core[reg]));
    words.extend([core.pc, core.rflags(), SEGMENTS]);
    words.extend(trap_words(&delivery.info, delivery.mask));
    words.push(floating);
    words.extend([0; 8]);
    words.push(delivery.mask.0);
    debug_assert_eq!(words.len() as u64 * 8, INFO_AT);
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(siginfo_bytes(&delivery.info));

    let memory = &mut process.machine.memory;
    memory.write(floating, &image)?;
    memory.write(frame, &bytes)?;
    let core = process.machine.core_mut(thread);
    core[Reg::Rsp] = frame;
    core[Reg::Rdi] = u64::from(signal.number());
    core[Reg::Rsi] = frame + INFO_AT;
    core[Reg::Rdx] = frame + 8;
    core[Reg::Rax] = 0;
    core.set_rflags(0);
    core.jump(delivery.handler);
    // A handler starts with a fresh floating-point unit.
    *process.machine.floating_mut(thread) = Floating::default();
    Ok(())
}

/// `cs`, `gs`, `fs` and `ss` of a 64-bit program.
const SEGMENTS: u64 = 0x33 | 0x2b << 48;

/// Error code, trap number, old mask and faulting address.
fn trap_words(info: &Siginfo, mask: SignalSet) -> [u64; 4] {
    let (trap, address) = match (info.signal, info.payload) {
        (Signal::SEGV, Payload::Address(address)) => (14, address),
        (Signal::FPE, Payload::Address(_)) => (0, 0),
        (Signal::ILL, Payload::Address(_)) => (6, 0),
        (Signal::TRAP, Payload::Address(_)) => (3, 0),
        _ => (0, 0),
    };
    [if trap == 14 { 4 } else { 0 }, trap, mask.0, address]
}

/// The kernel's `siginfo_t`.
pub(crate) fn siginfo_bytes(info: &Siginfo) -> [u8; 128] {
    let mut bytes = [0; 128];
    bytes[..4].copy_from_slice(&info.signal.number().to_le_bytes());
    bytes[8..12].copy_from_slice(&info.code.to_le_bytes());
    match info.payload {
        Payload::Sender { pid, uid, value } => {
            bytes[16..20].copy_from_slice(&pid.to_le_bytes());
            bytes[20..24].copy_from_slice(&uid.to_le_bytes());
            bytes[24..32].copy_from_slice(&value.to_le_bytes());
        }
        Payload::Address(address) => bytes[16..24].copy_from_slice(&address.to_le_bytes()),
    }
    bytes
}

/// Goes back to what the frame at the stack pointer says; the return address has been popped.
pub(crate) fn pop(process: &mut Process, thread: ThreadId) -> Result<(), Fault> {
    let frame = process.machine.core(thread)[Reg::Rsp].wrapping_sub(8);
    let memory = &process.machine.memory;
    let word = |index: u64| memory.read_u64(frame.wrapping_add(REGISTERS_AT + index * 8));
    let mut values = [0; ORDER.len()];
    for (index, value) in values.iter_mut().enumerate() {
        *value = word(index as u64)?;
    }
    let (pc, flags, floating) = (word(16)?, word(17)?, word(23)?);
    let mask = SignalSet(memory.read_u64(frame.wrapping_add(MASK_AT))?);
    let mut image = [0; FXSAVE_SIZE as usize];
    if floating != 0 {
        memory.read(floating, &mut image)?;
        restore_fxsave(process, thread, &image);
    }
    let core = process.machine.core_mut(thread);
    for (reg, value) in ORDER.into_iter().zip(values) {
        core[reg] = value;
    }
    core.set_rflags(flags);
    core.jump(pc);
    process.os_mut().thread_mut(thread).blocked = mask.blockable();
    Ok(())
}

fn fxsave_image(process: &Process, thread: ThreadId) -> [u8; FXSAVE_SIZE as usize] {
    let Floating { x87, xmm, mxcsr } = process.machine.floating(thread);
    fxsave(x87, xmm, *mxcsr)
}

/// An image that no processor would load is left alone.
fn restore_fxsave(process: &mut Process, thread: ThreadId, image: &[u8; FXSAVE_SIZE as usize]) {
    if let Some((x87, xmm, mxcsr)) = fxrstor(image) {
        *process.machine.floating_mut(thread) = Floating { xmm, mxcsr, x87 };
    }
}
