//! Reads of uninitialised memory that decide something.
//!
//! Memory that a program has got and not written yet, fresh heap blocks and frames of functions,
//! may hold anything. The search takes it as it comes, zeros or what was there before: that is one
//! of the possible worlds; nothing tells states apart that does not differ in that world, because
//! dead stack really is overwritten with zeros and freed blocks cannot be read (see
//! [`crate::state::dead`]). What remains to be shown is that the other worlds look the same. So the
//! program is executed several times in lock-step ([`legs`]), each time with such memory filled
//! otherwise: wherever the legs end a move differently, write to other places or make other output,
//! uninitialised memory has decided something, and two concrete executions witness it. That is no
//! false alarm: nothing but fillings differs. Memory that is read but decides nothing (a function
//! of the library that reads whole words, a structure that is copied with its padding, a comparison
//! whose result is not used) makes no difference and is not reported.
//!
//! It is a test and no proof. What it leaves out: decisions that come out the same for all of
//! [`FILLINGS`] (`x == 5`); blocks of an allocator that is not modelled; registers that were not
//! set; and of a large space of states all but a part, whose size the report tells.
//!
//! Cost: nothing during the search. Afterwards a depth-first search of its own over the legs, as
//! long as that takes a small part of what the search took.

mod legs;
mod locate;
mod lockstep;

use super::kind::ErrorKind;
use super::prefix::Prefix;
use super::setting::Setting;
use super::state_error::StateError;
use super::verdict::{Finding, Verdict};
use super::{Outcome, last_step};
use crate::cli::ReduceChoice;
use crate::error::CommandError;
use crate::explore::choice::Choice;
use crate::explore::moves::Sight;
use crate::explore::word::Word;
use crate::program::Program;
use crate::run::limit::Limit;
use crate::trail::file::SavedTrail;
use crate::trail::{Names, Step, describe, walk};
use legs::{Differs, Legs};
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;

/// What fresh memory is filled with, as words of four bytes.
pub const FILLINGS: [u32; 4] = [0, u32::MAX, 0x7f7f_7f7f, 1];
/// Instructions before the first thread beyond which nothing is tried.
const PREFIX_MAX: u64 = 32 << 20;
/// Moves that are always tried.
const MOVES_MIN: u64 = 1000;
/// Of the moves that the search made, one in so many is tried.
const SHARE: u64 = 24;

/// What is executed.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// What decides its execution.
    pub setting: &'a Setting,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// Words at which threads are switched.
    pub contended: Vec<Word>,
}

/// How much was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Moves made with all fillings.
    pub moves: u64,
    /// These were all that there are.
    pub whole: bool,
}

impl Subject<'_> {
    fn sight(&self, process: &Process) -> Sight {
        let reduce = self.setting.reduce().unwrap_or(ReduceChoice::Auto);
        walk::sight(process, reduce, self.contended.iter().copied())
    }
}

/// Tries the fillings after a search that found nothing wrong; it made `executed` moves, after so
/// many `instructions`. Notes in the outcome how much was tried, or what was found.
pub fn look(
    subject: &Subject<'_>,
    (instructions, executed): (u64, u64),
    limit: &Limit,
    outcome: &mut Outcome,
) -> Result<(), CommandError> {
    if PREFIX_MAX < instructions || limit.is_over() || limit.out_of_memory().is_some() {
        outcome.fillings = Some(Coverage { moves: 0, whole: false });
        return Ok(());
    }
    let mut legs = Legs::load(subject, &FILLINGS)?;
    let prefix = match legs.run_prefix(limit) {
        Ok(prefix) => prefix,
        Err(differs) => return found(subject, legs, differs, Vec::new(), outcome),
    };
    if prefix != Prefix::Threads {
        let whole = matches!(prefix, Prefix::Over(_) | Prefix::Deadlock);
        outcome.fillings = Some(Coverage { moves: 0, whole });
        return Ok(());
    }
    let sight = subject.sight(&legs.processes[0]).within(limit.clone());
    let budget = (executed / SHARE).max(MOVES_MIN);
    match lockstep::search(&mut legs, &sight, budget, limit) {
        Ok(coverage) => outcome.fillings = Some(coverage),
        Err((differs, path)) => return found(subject, legs, differs, path, outcome),
    }
    Ok(())
}

/// Tells a path at the end of which two legs differ. They stand at the start of the search, unless
/// they differ before.
fn found(
    subject: &Subject<'_>,
    mut legs: Legs,
    Differs(leg): Differs,
    path: Vec<Choice>,
    outcome: &mut Outcome,
) -> Result<(), CommandError> {
    let filling = FILLINGS[leg];
    let mut names = Names::of(&legs.processes[0]);
    let pair = (0, leg);
    let (finding, steps) = explain(subject, &mut legs, pair, filling, &path, &mut names)?;
    let threads = (0..legs.processes[0].machine.thread_count()).map(ThreadId);
    outcome.threads = threads
        .map(|thread| (names.thread(thread), names.start_of(thread).map(str::to_string)))
        .collect();
    outcome.path = path;
    outcome.state_error = Some(StateError::Uninitialised(filling));
    outcome.steps = steps;
    outcome.verdict = Verdict::Error(finding);
    Ok(())
}

/// Executes a trail at the end of which two legs differ.
pub fn replay(
    subject: &Subject<'_>,
    saved: &SavedTrail,
    filling: u32,
    names: &mut Names,
) -> Result<(Vec<Step>, Option<Finding>), CommandError> {
    let limit = Limit::new(None);
    let mut legs = Legs::load(subject, &[0, filling])?;
    let path = saved.path();
    let prefix = legs.run_prefix(&limit);
    let differs = match prefix {
        Err(_) => path.is_empty(),
        Ok(Prefix::Threads) => {
            let marks = legs.mark();
            let sight = subject.sight(&legs.processes[0]);
            let differs = lockstep::follow(&mut legs, &sight, &path);
            legs.undo_to(&marks);
            differs
        }
        Ok(_) => false,
    };
    if !differs {
        return Ok((Vec::new(), None));
    }
    let (finding, steps) = explain(subject, &mut legs, (0, 1), filling, &path, names)?;
    Ok((steps, Some(finding)))
}

/// What it is that the end of a path depends on, and the steps of the path.
fn explain(
    subject: &Subject<'_>,
    legs: &mut Legs,
    (one, other): (usize, usize),
    filling: u32,
    path: &[Choice],
    names: &mut Names,
) -> Result<(Finding, Vec<Step>), CommandError> {
    let Some(&last) = path.last() else {
        // From the very beginning: what was executed cannot be undone.
        let mut fresh = Legs::load(subject, &[0, filling])?;
        let main = Choice { thread: ThreadId(0), alternative: 0 };
        let [a, b] = fresh.processes.as_mut_slice() else { unreachable!("two were loaded") };
        let finding = locate::locate(a, b, main, names);
        let steps = vec![last_step(&finding)];
        return Ok((finding, steps));
    };
    let marks = legs.mark();
    let sight = subject.sight(&legs.processes[0]);
    lockstep::follow(legs, &sight, &path[..path.len() - 1]);
    let [first, rest @ ..] = &mut legs.processes[one..] else { unreachable!("there are legs") };
    names.refresh(first);
    let finding = locate::locate(first, &mut rest[other - one - 1], last, names);
    legs.undo_to(&marks);
    let mut steps = describe::tell(&mut legs.processes[0], &sight, path, names).steps;
    if let Some(last) = steps.last_mut() {
        last.operation = finding.message.clone();
        if let Some(location) = &finding.location {
            last.location = location.clone();
        }
        last.event = None;
        last.changes.clear();
    }
    Ok((finding, steps))
}

/// A finding of this sort.
fn finding(message: String) -> Finding {
    Finding {
        detail: Some("uninitialised".to_string()),
        ..Finding::new(ErrorKind::Memory, message)
    }
}
