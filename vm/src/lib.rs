//! The virtual CPU: an x86-64 machine that loads ELF programs, decodes them once into compact
//! micro-ops, executes one thread at a time as told, and can undo every step.
//!
//! This crate never schedules, never searches, never prints and never touches the host's files:
//! callers hand it bytes and decide what happens next.

pub mod host_fp;
pub mod loader;
pub mod vector;
