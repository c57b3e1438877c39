//! Where a module's thread-local variables are, in the layout of x86-64 (variant II): below the
//! thread pointer for everything loaded at the start, through the thread vector for the rest.

use super::DebugInfo;
use super::error::Unavailable;
use super::state::State;

/// How to find the thread-local block of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsBlock {
    /// The module is the program itself: its block ends at the thread pointer.
    Program,
    /// The block starts so many bytes below the thread pointer (ld.so's `l_tls_offset`).
    Below(u64),
    /// The block is the one with this number (from 1) in the dynamic thread vector at `fs:8`.
    Vector(u64),
    /// Not known.
    Unknown,
}

impl DebugInfo {
    /// Says where the thread-local block is. Executables know by themselves.
    pub fn set_tls(&mut self, block: TlsBlock) {
        self.tls = block;
    }

    /// The address of the variable at an offset of the thread-local block.
    pub(super) fn tls_address(&self, offset: u64, state: &dyn State) -> Result<u64, Unavailable> {
        self.tls_start(state).map(|start| start.wrapping_add(offset)).ok_or(Unavailable::Tls)
    }

    /// The start of the thread-local block of the state's thread.
    pub(super) fn tls_start(&self, state: &dyn State) -> Option<u64> {
        let thread = state.fs_base()?;
        match self.tls {
            TlsBlock::Program => {
                Some(thread.wrapping_sub(self.image.tls.and_then(|tls| tls.first_offset())?))
            }
            TlsBlock::Below(distance) => Some(thread.wrapping_sub(distance)),
            TlsBlock::Vector(number) => {
                let vector = word(state, thread.wrapping_add(8))?;
                let start = word(state, vector.wrapping_add(number.checked_mul(16)?))?;
                // An entry that is not allocated yet is all ones.
                (start != u64::MAX).then_some(start)
            }
            TlsBlock::Unknown => None,
        }
    }
}

fn word(state: &dyn State, addr: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    state.read(addr, &mut bytes).then(|| u64::from_le_bytes(bytes))
}
