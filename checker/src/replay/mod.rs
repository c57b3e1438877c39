//! Recordings: a saved trail executed again, instruction by instruction, forwards and backwards.
//!
//! A [`Tape`] is what debuggers and the terminal walk on: positions are numbers of instructions
//! from the program's first to the one that goes wrong, and every position can be gone to.

mod approach;
pub mod command;
pub mod doing;
pub mod executable;
mod monitors;
pub mod part;
pub mod tape;
pub mod walk;

pub use approach::Approach;
pub use executable::Executable;
pub use part::Part;
pub use tape::Tape;
