//! The native certificate: the schedule of a trail forced onto the real program, on the real
//! processor, to see whether it fails the same way.
//!
//! The virtual machine and the real one agree on the program's own code, instruction for
//! instruction; they differ in addresses and inside of libraries, part of which are modelled. So a
//! schedule is told in the program's own instructions: after every move, a thread stands before
//! the n-th of them, or inside of a library call behind it ([`itinerary`]). The real process is
//! held by ptrace, all threads but one at a time ([`process`]), and each is let go to where the
//! trail says, by breakpoints that count ([`force`]). What happens then is judged by what the
//! kernel says ([`evidence`]).
//!
//! What it leaves out: errors without a symptom that a kernel could see, such as misuse of locks.

mod certificate;
mod evidence;
mod force;
mod itinerary;
mod process;
mod ptrace;

pub use certificate::{Certificate, certify};
pub use evidence::Expected;
pub use itinerary::Itinerary;
pub use process::{NativeError, Start};
