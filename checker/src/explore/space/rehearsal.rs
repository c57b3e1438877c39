//! One run of the program, thread after thread, to see what threads share.
//!
//! Each thread goes on as long as it can, or as long as it may so that others have a turn, then the
//! next one does. Only the moves that are made are executed, so this costs the length of the run,
//! however many threads there are.

use super::{Space, Survey};
use crate::explore::choice::Choice;
use crate::explore::engine::Engine;
use crate::explore::known::Outcome;
use crate::explore::word::Word;
use samovar_runtime::{Process, ThreadState};
use samovar_vm::machine::ThreadId;
use std::ops::Range;

/// Moves of a thread before others have a turn.
const IN_A_ROW: u32 = 32;

/// The variables of the program itself.
fn program_data(process: &Process) -> Vec<Range<u64>> {
    let module = process.modules().iter().take(1);
    let segments = module.flat_map(|module| {
        let writable = module.image.segments().iter().filter(|segment| segment.perms.write);
        writable.map(|segment| module.bias + segment.vaddr..module.bias + segment.end())
    });
    segments.collect()
}

impl Space<'_> {
    /// Runs the program from the start for up to `moves_max` moves, or until it is time to stop,
    /// and makes every object among its variables and blocks visible that several threads work on,
    /// one changing it. A round has to begin afterwards.
    pub fn rehearse(&mut self, moves_max: u32, stops: &mut dyn FnMut() -> bool) {
        self.begin_round();
        let (mut at, mut in_a_row, mut executed) = (0, 0, None);
        for _ in 0..moves_max {
            if stops() {
                break;
            }
            self.refresh_known();
            if in_a_row == IN_A_ROW {
                (at, in_a_row) = (at + 1, 0);
            }
            let count = self.thread_count();
            let threads = (at..count).chain(0..at.min(count)).map(ThreadId);
            let Some(next) = { threads }.find(|thread| self.can_make(*thread)) else { break };
            if next.0 < at && executed.replace(self.stats.executed) == Some(self.stats.executed) {
                // All had a turn, and did nothing new.
                break;
            }
            in_a_row = if at == next.0 { in_a_row + 1 } else { 1 };
            at = next.0;
            self.forward(Choice { thread: next, alternative: 0 });
            if count < self.thread_count() {
                // Whoever creates threads should create them all first.
                in_a_row = 0;
            }
        }
        let data = program_data(self.process);
        let objects = self.process.machine.memory.objects();
        let is_own = |word: &Word| {
            data.iter().any(|range| range.contains(&word.address()))
                || objects.at(word.address()).is_some()
        };
        for word in self.touches.common_objects().filter(is_own) {
            self.sight.visible.add(word);
        }
    }

    /// Whether a thread's next move leads somewhere.
    fn can_make(&mut self, thread: ThreadId) -> bool {
        if self.vector.os().threads()[thread.0 as usize].state != ThreadState::Runnable {
            return false;
        }
        let mut survey = Survey { muted: true, ..Survey::default() };
        let found = self.made(Choice { thread, alternative: 0 }, &mut survey);
        self.known.get(found.which).outcome == Outcome::Done
    }
}
