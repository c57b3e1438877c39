//! States of a process: recognised by contents, updated in the size of a change, stored in a few
//! bytes, and gone to by writing what differs.

mod contents;
pub mod dead;
mod jump;
pub mod key;
pub mod layout;
pub mod lesson;
pub mod looks;
pub mod memo;
mod parts;
pub mod pool;
pub mod printed;
pub mod reading;
pub mod reserve;
pub mod roster;
pub mod slots;
pub mod table;
#[cfg(test)]
mod table_tests;
pub mod tree;
pub mod unread;
pub mod vector;
pub mod worlds;

pub use tree::StateId;
pub use vector::{StateVector, VectorMark};
