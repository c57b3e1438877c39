//! What a running thread looks like to the debug information: memory and registers on one side,
//! the place of a variable in them on the other.

use std::sync::Arc;

use super::error::Unavailable;
use super::types::{BitRange, TypeId};

/// A thread's view of the machine. Implemented by whoever has a state to show.
pub trait State {
    /// Reads guest memory; false (and unspecified contents) if any byte is unreadable.
    fn read(&self, addr: u64, buf: &mut [u8]) -> bool;

    /// A register by its DWARF number: 0 to 15 are rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to
    /// r15; 16 is the instruction pointer; from 17 on the low halves of xmm0 and so on.
    fn register(&self, dwarf_register: u16) -> Option<u64>;

    /// The thread pointer.
    fn fs_base(&self) -> Option<u64>;
}

/// DWARF numbers of the registers that unwinding cares about.
pub(super) mod register {
    pub(crate) const RBX: u16 = 3;
    pub(crate) const RBP: u16 = 6;
    pub(crate) const RSP: u16 = 7;
    pub(crate) const R12: u16 = 12;
    pub(crate) const R15: u16 = 15;
    pub(crate) const RIP: u16 = 16;
}

/// A part of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Number of bytes; the last piece may claim more than is left.
    pub size: u64,
    /// Where they are.
    pub source: Source,
}

/// Where the bytes of a piece are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// At a guest address.
    Memory(u64),
    /// In a register (DWARF number), from its least significant byte on.
    Register(u16),
    /// Nowhere: the compiler knew the value.
    Constant(Arc<[u8]>),
    /// Nowhere, for the reason given.
    Missing(Unavailable),
}

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// In memory, at a guest address.
    Memory(u64),
    /// In pieces, starting `offset` bytes into them.
    Pieces {
        /// The pieces, in order of the object's bytes.
        pieces: Arc<[Piece]>,
        /// Where the object starts in them.
        offset: u64,
    },
}

impl Storage {
    /// An object that lies in one piece somewhere.
    pub fn single(source: Source) -> Storage {
        match source {
            Source::Memory(addr) => Storage::Memory(addr),
            source => {
                Storage::Pieces { pieces: Arc::new([Piece { size: u64::MAX, source }]), offset: 0 }
            }
        }
    }

    /// The object's address, if it has one.
    pub fn addr(&self) -> Option<u64> {
        match self {
            Storage::Memory(addr) => Some(*addr),
            Storage::Pieces { .. } => None,
        }
    }

    /// The storage of a part that starts `bytes` further on.
    pub fn at(&self, bytes: u64) -> Storage {
        match self {
            Storage::Memory(addr) => Storage::Memory(addr.wrapping_add(bytes)),
            Storage::Pieces { pieces, offset } => {
                Storage::Pieces { pieces: pieces.clone(), offset: offset.saturating_add(bytes) }
            }
        }
    }

    /// Reads the first bytes of the object.
    pub fn read(&self, state: &dyn State, buf: &mut [u8]) -> Result<(), Unavailable> {
        match self {
            Storage::Memory(addr) => read_memory(state, *addr, buf),
            Storage::Pieces { pieces, offset } => read_pieces(state, pieces, *offset, buf),
        }
    }
}

fn read_memory(state: &dyn State, addr: u64, buf: &mut [u8]) -> Result<(), Unavailable> {
    if buf.is_empty() || state.read(addr, buf) { Ok(()) } else { Err(Unavailable::Memory(addr)) }
}

fn read_pieces(
    state: &dyn State,
    pieces: &[Piece],
    mut skip: u64,
    mut buf: &mut [u8],
) -> Result<(), Unavailable> {
    for piece in pieces {
        if buf.is_empty() {
            return Ok(());
        }
        if skip >= piece.size {
            skip -= piece.size;
            continue;
        }
        let count = usize::try_from(piece.size - skip).unwrap_or(usize::MAX).min(buf.len());
        let (part, rest) = buf.split_at_mut(count);
        read_source(state, &piece.source, skip, part)?;
        buf = rest;
        skip = 0;
    }
    if buf.is_empty() { Ok(()) } else { Err(Unavailable::OptimisedOut) }
}

fn read_source(
    state: &dyn State,
    source: &Source,
    skip: u64,
    buf: &mut [u8],
) -> Result<(), Unavailable> {
    let mut copy = |bytes: &[u8]| {
        let bytes = usize::try_from(skip).ok().and_then(|skip| bytes.get(skip..));
        let bytes = bytes.and_then(|bytes| bytes.get(..buf.len()));
        buf.copy_from_slice(bytes.ok_or(Unavailable::OptimisedOut)?);
        Ok(())
    };
    match source {
        Source::Memory(addr) => read_memory(state, addr.wrapping_add(skip), buf),
        Source::Register(number) => {
            let value = state.register(*number).ok_or(Unavailable::Register(*number))?;
            copy(&value.to_le_bytes())
        }
        Source::Constant(bytes) => copy(bytes),
        Source::Missing(why) => Err(why.clone()),
    }
}

/// An object of the program: where it is and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where it is.
    pub storage: Storage,
    /// What it is.
    pub ty: TypeId,
    /// Which bits of it, for bit-fields.
    pub bits: Option<BitRange>,
}

impl Place {
    /// An object in memory.
    pub fn memory(addr: u64, ty: TypeId) -> Place {
        Place { storage: Storage::Memory(addr), ty, bits: None }
    }

    /// The object's address; None if it lives in registers, or is a bit-field.
    pub fn addr(&self) -> Option<u64> {
        if self.bits.is_some() { None } else { self.storage.addr() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bare;
    impl State for Bare {
        fn read(&self, addr: u64, buf: &mut [u8]) -> bool {
            for (index, byte) in buf.iter_mut().enumerate() {
                *byte = (addr as u8).wrapping_add(index as u8);
            }
            addr < 0x1000
        }
        fn register(&self, dwarf_register: u16) -> Option<u64> {
            (dwarf_register == 3).then_some(0x8877_6655_4433_2211)
        }
        fn fs_base(&self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn pieces_are_read_across_their_borders() {
        let pieces: Arc<[Piece]> = Arc::new([
            Piece { size: 2, source: Source::Register(3) },
            Piece { size: 3, source: Source::Memory(0x10) },
            Piece { size: 1, source: Source::Constant(Arc::new([0xaa])) },
            Piece { size: 1, source: Source::Missing(Unavailable::OptimisedOut) },
        ]);
        let storage = Storage::Pieces { pieces, offset: 0 };
        let mut buf = [0; 6];
        assert_eq!(storage.read(&Bare, &mut buf), Ok(()));
        assert_eq!(buf, [0x11, 0x22, 0x10, 0x11, 0x12, 0xaa]);
        let mut buf = [0; 2];
        assert_eq!(storage.at(1).read(&Bare, &mut buf), Ok(()));
        assert_eq!(buf, [0x22, 0x10]);
        assert_eq!(storage.at(5).read(&Bare, &mut buf), Err(Unavailable::OptimisedOut));
        assert_eq!(storage.at(7).read(&Bare, &mut buf), Err(Unavailable::OptimisedOut));
        let register = Storage::single(Source::Register(9));
        assert_eq!(register.read(&Bare, &mut buf), Err(Unavailable::Register(9)));
        let wild = Storage::Memory(0x2000);
        assert_eq!(wild.read(&Bare, &mut buf), Err(Unavailable::Memory(0x2000)));
    }
}
