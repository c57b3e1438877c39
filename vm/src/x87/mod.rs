//! The x87 floating-point unit.

/// The x87 registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct X87 {}

/// An x87 instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct X87Form {}
