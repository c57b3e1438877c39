//! A server for gdb's remote protocol: a stock gdb looks at a recorded execution and goes through
//! it in both directions.
//!
//! gdb gets the truth about threads, registers and memory at the present position of a [`Tape`];
//! symbols, source lines and the layout of variables it finds itself, in the program's file. Which
//! thread runs when is the trail's decision, so gdb's wish to run one thread only means to go to
//! where that thread has made a step. Nothing can be changed: a recording is what happened.
//!
//! [`Tape`]: crate::replay::Tape

mod link;
mod packet;
mod registers;
mod resume;
mod session;
mod threads;
mod tls;
mod transfer;

pub use link::{Address, Link, LinkError};
pub use session::{Session, Story};
pub use transfer::auxiliary_vector;

/// gdb's own number of a signal of Linux.
pub fn signal_number(signal: u32) -> u32 {
    match signal {
        7 => 10,
        10 => 30,
        12 => 31,
        17 => 20,
        other => other,
    }
}
