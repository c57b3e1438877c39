//! A saved trail as a tape: every instruction up to the one that goes wrong, to be gone through in
//! both directions.
//!
//! At the end every thread stands where the report says: at the access of a race, in the call that
//! never returns, at the instruction that goes wrong.

use super::prefix::{self, Prefix};
use super::setup;
use super::state_error::StateError;
use super::verdict::Finding;
use crate::cli::ReduceChoice;
use crate::error::CommandError;
use crate::explore::moves::Sight;
use crate::explore::visible::Visible;
use crate::program::Program;
use crate::replay::{Approach, Tape};
use crate::run::limit::Limit;
use crate::trail::file::SavedTrail;
use crate::trail::{Names, walk};
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use serde_json::{Value, json};

use super::kind::ErrorKind;

/// Loads the program of a trail once more.
pub fn load(saved: &SavedTrail, program: &Program) -> Result<Process, CommandError> {
    let input = setup::InputFrom::Saved(saved.stdin.clone());
    Ok(setup::load(program, &saved.setting, input, None)?.0)
}

/// What the search that found the trail saw; needs a process of its own to look at.
pub fn sight(saved: &SavedTrail, program: &Program) -> Result<Sight, CommandError> {
    let mut process = load(saved, program)?;
    match prefix::run(&mut process, &Limit::new(None)) {
        Prefix::Threads => {
            let reduce = saved.setting.reduce().unwrap_or(ReduceChoice::Auto);
            Ok(walk::sight(&process, reduce, saved.words()))
        }
        _ => Ok(Sight::new(&process, Visible::none_yet())),
    }
}

/// Records the whole trail; the tape stands at its end.
pub fn record(tape: &mut Tape<'_>, saved: &SavedTrail, finding: &Finding) {
    if !tape.record_opening() {
        tape.begin_here(|process| {
            prefix::run(process, &Limit::new(None));
        });
    }
    let path = saved.path();
    for (number, &choice) in path.iter().enumerate() {
        let is_last = number + 1 == path.len();
        let endless = is_last && saved.state_error.is_none() && finding.kind == ErrorKind::Livelock;
        tape.record_move(number, choice, endless);
    }
    match saved.state_error {
        Some(StateError::Deadlock | StateError::Stuck(_)) => tape.record_waits(),
        Some(StateError::Race(word)) => {
            let names = Names::of(tape.process());
            for access in &finding.accesses {
                if let Some(thread) = thread_named(tape.process(), &names, &access.thread) {
                    let pc = access.location.address;
                    tape.record_approach(Approach { thread, word, pc });
                }
            }
        }
        _ => {}
    }
}

/// The thread of a name in reports.
pub fn thread_named(process: &Process, names: &Names, name: &str) -> Option<ThreadId> {
    let mut all = (0..process.machine.thread_count()).map(ThreadId);
    all.find(|thread| names.thread(*thread) == name)
}

/// The registers of a thread, in the order in which one looks at them, with the thread's name.
pub fn registers(process: &Process, name: &str, thread: ThreadId) -> Value {
    let core = process.machine.core(thread);
    let mut all = vec![("rip", core.pc), ("eflags", core.rflags())];
    all.extend(Reg::GENERAL.map(|reg| (reg.name(), core[reg])));
    let values = all.into_iter().map(|(name, value)| json!([name, format!("{value:#x}")]));
    json!({ "thread": name, "values": values.collect::<Vec<_>>() })
}
