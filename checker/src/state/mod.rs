//! States of a process: recognised by contents, updated in the size of a change.

pub mod dead;
pub mod intern;
pub mod vector;
pub mod worlds;

pub use vector::{StateVector, VectorMark};
