//! The virtual CPU: an x86-64 machine that loads ELF programs, decodes them once into compact
//! micro-ops, executes one thread at a time as told, and can undo every step.
//!
//! This crate never schedules, never searches, never prints and never touches the host's files:
//! callers hand it bytes and decide what happens next.

pub mod code;
pub mod context;
pub mod cpuid;
pub mod debug;
mod exec;
pub mod fault;
pub mod flags;
pub mod host_fp;
mod kind;
pub mod liveness;
pub mod loader;
pub mod lower;
pub mod machine;
pub mod memory;
pub mod monitor;
pub mod reg;
pub mod stop;
pub mod uop;
pub mod vector;
pub mod view;
pub mod x87;
