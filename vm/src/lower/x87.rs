//! x87 instructions: each becomes a form in the block.

use super::emit::Emitter;
use crate::reg::Reg;
use crate::uop::Op;
use crate::x87::{X87Form, classify};

impl Emitter {
    /// Lowers an x87 instruction; `None` if it is none.
    pub(super) fn x87(&mut self) -> Option<()> {
        let form = classify(&self.instruction)?;
        self.uses_floating = true;
        let index = self.x87.len() as i32;
        self.x87.push(form);
        match form {
            X87Form::Load { .. } | X87Form::Store { .. } | X87Form::Image(_) => {
                let place = self.place();
                self.mem(Op::X87, (Reg::Zero, Reg::Zero), place, index);
            }
            _ => self.ri(Op::X87, Reg::Zero, index),
        }
        Some(())
    }
}
