//! One-time initialisation: a guard in front of the library's own code.
//!
//! The word is 2 once the initialisation is over, and has its lowest bit set while a thread is at
//! it. The first thread runs the library's code with scheduling points, because the program's
//! function is called from there; others wait here, and go on when the library wakes them up.

use super::{Answer, ModelCall};
use crate::thread::WaitFor;

const IN_PROGRESS: u32 = 1;
const DONE: u32 = 2;

pub(super) fn once(call: &mut ModelCall<'_>) -> Answer {
    let addr = call.arg(0);
    match call.word(addr) {
        Ok(word) if word & DONE != 0 => Answer::Return(0),
        Ok(word) if word & IN_PROGRESS != 0 => Answer::Wait(WaitFor::Once { addr }),
        _ => Answer::Plain,
    }
}
