//! Trails: the steps that lead to an error, executed again, named, shortened, saved and shown.
//!
//! A trail is a list of choices from a fixed start. Everything else about it is found by executing
//! the choices once more, so what a trail shows is what happens.

mod blocks;
pub mod changes;
mod chosen;
mod columns;
pub mod cost;
pub mod describe;
pub mod event;
pub mod fewest;
pub mod file;
mod fold;
pub mod freed;
pub mod headers;
pub mod interleaved;
pub mod links;
pub mod location;
mod locks;
pub mod names;
pub mod operation;
pub mod shorten;
pub mod source;
pub mod text;
pub mod walk;
pub mod words;

pub use describe::Step;
pub use event::{Event, EventKind, Handover};
pub use names::{Location, Names};
