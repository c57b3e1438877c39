//! A thread as debug information sees it: registers by their DWARF numbers, and memory.

use crate::debug::State;
use crate::machine::{Machine, ThreadId};
use crate::reg::Reg;

/// The general registers in the order of their DWARF numbers, which is not that of encodings.
const DWARF_ORDER: [Reg; 16] = [
    Reg::Rax,
    Reg::Rdx,
    Reg::Rcx,
    Reg::Rbx,
    Reg::Rsi,
    Reg::Rdi,
    Reg::Rbp,
    Reg::Rsp,
    Reg::R8,
    Reg::R9,
    Reg::R10,
    Reg::R11,
    Reg::R12,
    Reg::R13,
    Reg::R14,
    Reg::R15,
];

/// DWARF number of the program counter; the SSE registers follow it.
const RETURN_ADDRESS: u16 = 16;

/// One thread of a machine.
#[derive(Clone, Copy, Debug)]
pub struct ThreadView<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The thread.
    pub thread: ThreadId,
}

impl State for ThreadView<'_> {
    fn read(&self, addr: u64, buf: &mut [u8]) -> bool {
        self.machine.memory.read(addr, buf).is_ok()
    }

    fn register(&self, dwarf_register: u16) -> Option<u64> {
        let core = self.machine.core(self.thread);
        let number = usize::from(dwarf_register);
        match dwarf_register {
            0..RETURN_ADDRESS => Some(core[DWARF_ORDER[number]]),
            RETURN_ADDRESS => Some(core.pc),
            _ => {
                let xmm = self.machine.floating(self.thread).xmm;
                xmm.get(number - usize::from(RETURN_ADDRESS) - 1).map(|&value| value as u64)
            }
        }
    }

    fn fs_base(&self) -> Option<u64> {
        Some(self.machine.core(self.thread)[Reg::FsBase])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Core, Floating};
    use crate::cpuid::Profile;

    #[test]
    fn registers_have_their_dwarf_numbers() {
        let mut machine = Machine::new(Profile::V1).unwrap();
        let mut core = Core { pc: 99, ..Core::default() };
        for (number, reg) in Reg::GENERAL.into_iter().enumerate() {
            core[reg] = number as u64;
        }
        core[Reg::FsBase] = 77;
        let mut floating = Floating::default();
        floating.xmm[15] = 55 | 1 << 64;
        let thread = machine.add_thread(core, floating);
        let view = ThreadView { machine: &machine, thread };
        let numbers: Vec<u64> = (0..17).filter_map(|number| view.register(number)).collect();
        assert_eq!(numbers, [0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15, 99]);
        assert_eq!(view.register(32), Some(55));
        assert_eq!(view.register(33), None);
        assert_eq!(view.fs_base(), Some(77));
        assert!(!view.read(0, &mut [0; 8]));
    }
}
