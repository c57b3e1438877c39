//! What a choice of the program came to, in words.

use crate::explore::choice::Choice;
use samovar_runtime::request::number;
use samovar_runtime::{Observer, Process};
use samovar_vm::monitor::Monitor;
use samovar_vm::reg::Reg;

/// Makes the choice that a thread stands before, to see what comes of it.
pub fn chosen(process: &mut Process, choice: Choice) -> String {
    let core = process.machine.core(choice.thread);
    let (request, class, bits) = (core[Reg::Rax] as u32, core[Reg::Rsi], core[Reg::Rdx]);
    let kind = process.machine.memory.read_c_string(core[Reg::Rdi], 64).unwrap_or_default();
    let mut chooser = Chooser { alternative: choice.alternative, alternatives: 1 };
    process.step(choice.thread, 1, &mut chooser);
    let value = process.machine.core(choice.thread)[Reg::Rax];
    if request == number::CHOOSE {
        return format!("chooses {value} of {} alternatives", chooser.alternatives);
    }
    let value = match (class, bits) {
        (0, 8 | 16 | 32 | 64) => ((value as i64) << (64 - bits) >> (64 - bits)).to_string(),
        (3, 32) => f32::from_bits(value as u32).to_string(),
        (3, _) => f64::from_bits(value).to_string(),
        _ => value.to_string(),
    };
    format!("takes {value} as a value of {}", String::from_utf8_lossy(&kind))
}

/// Lets everything happen and chooses as told.
struct Chooser {
    alternative: u32,
    alternatives: u32,
}

impl Monitor for Chooser {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;
}

impl Observer for Chooser {
    fn choose(&mut self, alternatives: u32) -> u32 {
        self.alternatives = alternatives;
        self.alternative.min(alternatives.saturating_sub(1))
    }
}
