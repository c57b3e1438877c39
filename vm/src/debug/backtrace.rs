//! Who called whom: the frames of a thread, innermost first.
//!
//! Each step uses call frame information where there is some, and the chain of frame pointers
//! otherwise. The walk ends at the outermost frame, at anything that looks like garbage (stack
//! pointers must grow, return addresses must be code), and after a bounded number of frames.

use super::DebugModules;
use super::state::{State, register};
use super::unwind::{Caller, REGISTERS, Registers};

/// One function activation of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFrame {
    /// Where execution is, or will go on after the call returns.
    pub pc: u64,
    /// The address to look functions, lines and variables up with: in a caller, the call itself.
    pub lookup: u64,
    /// The canonical frame address; None where there is no call frame information.
    pub cfa: Option<u64>,
    registers: Registers,
}

impl CallFrame {
    /// A register as it was in this frame, by DWARF number; None if its value was lost.
    pub fn register(&self, dwarf_register: u16) -> Option<u64> {
        self.registers.get(usize::from(dwarf_register)).copied().flatten()
    }
}

/// The state as one of the thread's outer frames sees it.
#[derive(Clone, Copy)]
pub struct FrameState<'a> {
    state: &'a dyn State,
    frame: &'a CallFrame,
}

impl<'a> FrameState<'a> {
    /// The view from a frame that [`DebugModules::backtrace`] found in `state`.
    pub fn new(state: &'a dyn State, frame: &'a CallFrame) -> FrameState<'a> {
        FrameState { state, frame }
    }
}

impl State for FrameState<'_> {
    fn read(&self, addr: u64, buf: &mut [u8]) -> bool {
        self.state.read(addr, buf)
    }

    fn register(&self, dwarf_register: u16) -> Option<u64> {
        self.frame.register(dwarf_register)
    }

    fn fs_base(&self) -> Option<u64> {
        self.state.fs_base()
    }
}

impl DebugModules {
    /// The frames of the thread that `state` shows, innermost first; at most `frames_max` of
    /// them. Empty only if the instruction pointer is unknown.
    pub fn backtrace(&self, state: &dyn State, frames_max: usize) -> Vec<CallFrame> {
        let mut frames = Vec::new();
        let Some(pc) = state.register(register::RIP) else { return frames };
        let mut registers: Registers = [None; REGISTERS];
        for (number, value) in registers.iter_mut().enumerate() {
            *value = state.register(number as u16);
        }
        let mut frame = CallFrame { pc, lookup: pc, cfa: None, registers };
        while frames.len() < frames_max {
            let next = self.step(&mut frame, state);
            let stack = |frame: &CallFrame| frame.register(register::RSP);
            let before = stack(&frame);
            frames.push(frame);
            match next {
                // A signal handler may run on a stack of its own.
                Some(caller) if stack(&caller) > before || caller.lookup == caller.pc => {
                    frame = caller;
                }
                _ => break,
            }
        }
        frames
    }

    /// Fills in the frame's address and finds its caller.
    fn step(&self, frame: &mut CallFrame, state: &dyn State) -> Option<CallFrame> {
        let module = self.module_at(frame.lookup);
        let described =
            module.and_then(|module| module.caller(frame.lookup, &FrameState::new(state, frame)));
        let caller = match described {
            Some((cfa, caller)) => {
                frame.cfa = Some(cfa);
                caller
            }
            None => self.frame_pointer_caller(frame, state)?,
        };
        let pc = caller.return_address?;
        let home = self.module_at(pc.wrapping_sub(1)).or_else(|| self.module_at(pc))?;
        if !home.is_code(pc.wrapping_sub(1)) && !home.is_code(pc) {
            return None;
        }
        let lookup = if caller.was_interrupted { pc } else { pc.wrapping_sub(1) };
        let mut registers = caller.registers;
        registers[usize::from(register::RIP)] = Some(pc);
        Some(CallFrame { pc, lookup, cfa: None, registers })
    }

    /// The caller by the frame-pointer convention, or by the return address on top of the stack
    /// if the function has not started yet, or is one that calls none and keeps nothing there: the
    /// libraries do not describe how to leave the function that makes a thread.
    fn frame_pointer_caller(&self, frame: &CallFrame, state: &dyn State) -> Option<Caller> {
        let word = |addr: u64| {
            let mut bytes = [0; 8];
            state.read(addr, &mut bytes).then(|| u64::from_le_bytes(bytes))
        };
        let stack = frame.register(register::RSP)?;
        let mut registers: Registers = [None; REGISTERS];
        for number in [register::RBX, register::R12, 13, 14, register::R15] {
            registers[usize::from(number)] = frame.register(number);
        }
        let is_at_entry =
            self.module_at(frame.pc).is_some_and(|module| module.is_function_entry(frame.pc));
        let is_leaf = || {
            let top = word(stack).filter(|_| frame.lookup == frame.pc);
            top.is_some_and(|top| self.follows_call(top, state))
        };
        let (return_slot, base) = if is_at_entry || is_leaf() {
            (stack, frame.register(register::RBP))
        } else {
            let base = frame.register(register::RBP)?;
            if base < stack || !base.is_multiple_of(8) {
                return None;
            }
            (base.checked_add(8)?, word(base))
        };
        registers[usize::from(register::RBP)] = base;
        registers[usize::from(register::RSP)] = Some(return_slot.checked_add(8)?);
        let return_address = Some(word(return_slot)?);
        Some(Caller { return_address, registers, was_interrupted: false })
    }

    /// Whether an address is that of code, just behind a call.
    fn follows_call(&self, addr: u64, state: &dyn State) -> bool {
        let mut bytes = [0; 6];
        let is_code = self.module_at(addr).is_some_and(|module| module.is_code(addr));
        // By distance, or through a table of addresses.
        is_code
            && state.read(addr.wrapping_sub(6), &mut bytes)
            && (bytes[1] == 0xe8 || bytes[..2] == [0xff, 0x15])
    }
}
