//! `samovar plan`: what the program leaves open, and the order of its threads, decided so that a
//! goal is reached.
//!
//! The program is the model: choices (`RANGE`, `samovar_choose`) and schedules are what a planner
//! may decide, formulas over the program's variables say what it is for. A step of a program
//! without threads leads from one choice to the next, and the goal is looked at there; with
//! threads, everything that the goal names is visible, as for `check --goal`, so that no state
//! outside of an atomic region is missed. Errors of the program are dead ends here: `check` is for
//! these.
//!
//! Without a goal, planning and simulation take turns ([`interleave`]).

mod agents;
mod ahead;
mod called;
mod goal;
mod html;
pub mod interleave;
mod json;
mod phase;
mod replay;
mod rollout;
mod schedule;
mod search;
mod simulation;
pub mod steps;
mod target;
mod tell;
mod text;
pub mod verdict;

pub use replay::replay;

use crate::check::limits::Limits;
use crate::check::prefix::{self, Prefix};
use crate::check::setting::Setting;
use crate::check::setup;
use crate::cli::{PlanOptions, PlanSearch, ReportFormat};
use crate::ending::{self, Ending as ProcessEnding};
use crate::error::CommandError;
use crate::explore::moves::Ending;
use crate::message::Messages;
use crate::outputs::{self, Output};
use crate::program;
use crate::run::limit::Limit;
use crate::trail::file::{self, SavedTrail, fingerprints};
use crate::trail::{Names, walk};
use goal::Explored;
use samovar_runtime::{Mark, Process};
use samovar_vm::machine::ThreadId;
use search::{Found, Unit};
use std::path::{Path, PathBuf};
use std::time::Instant;
use target::Target;
use verdict::{Outcome, Plan, Verdict, unit_name};

/// What a report is about.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    options: &'a PlanOptions,
    setting: &'a Setting,
    target: &'a Target,
    outcome: &'a Outcome,
    seconds: f64,
    instructions: u64,
    /// Where the plan was saved.
    file: Option<PathBuf>,
}

/// Obeys `samovar plan`.
pub fn plan(options: &PlanOptions) -> Result<ProcessEnding, CommandError> {
    if let Some((option, searches)) = options.idle_option() {
        return Err(CommandError::IdleOption { option, searches });
    }
    let messages = Messages::new(options.loudness());
    let limit = Limit::new(options.time).with_memory(options.memory);
    let setting = Setting::of_plan(options);
    let program = setup::read(&setting, &messages)?;
    look_at_files(options, &setting)?;
    let input = setup::InputFrom::Host(&limit);
    let (mut process, consumed) = setup::load(&program, &setting, input, None)?;
    let mut target = Target::of(options, &process)?;
    target.is_directed = matches!(options.search, PlanSearch::Astar | PlanSearch::BestFirst);
    let begin = Instant::now();
    let outcome = examine(&mut process, options, &target, &limit, &messages)?;
    let seconds = begin.elapsed().as_secs_f64();
    let (mut file, mut unsaved) = (None, None);
    if let Verdict::Plan(plan) = &outcome.verdict {
        let mut saved = SavedTrail::of_plan(&setting, plan.clone(), &target.text());
        saved.stdin = consumed.bytes();
        saved.modules = fingerprints(&process);
        saved.contended = outcome.contended.clone();
        saved.choices = outcome.path.iter().map(|step| (step.thread.0, step.alternative)).collect();
        let name = options.trail.clone().unwrap_or_else(|| default_file(&setting));
        match saved.write(&name) {
            Ok(()) => file = Some(name),
            Err(error) => unsaved = Some(error),
        }
    }
    let instructions = process.machine.instructions();
    let (outcome, target) = (&outcome, &target);
    let setting = &setting;
    let report = Report { options, setting, target, outcome, seconds, instructions, file };
    let page = options.html.as_ref();
    let page = page.map_or(Ok(()), |file| crate::report::save(file, &html::page(&report)));
    match options.format {
        ReportFormat::Text => text::print(&report)?,
        ReportFormat::Json => json::print(&report)?,
    }
    file::tell_unsaved(unsaved, options.trail.is_some(), &messages)?;
    page?;
    Ok(status(&outcome.verdict, &messages))
}

/// Looks whether what the options want written can be written without harm.
fn look_at_files(options: &PlanOptions, setting: &Setting) -> Result<(), CommandError> {
    let default = default_file(setting);
    let program = program::find(Path::new(&setting.program));
    let trail = Output::or("--trail", options.trail.as_ref(), &default);
    let page = Output::named("--html", options.html.as_ref());
    let files: Vec<Output<'_>> = page.into_iter().chain([trail]).collect();
    outputs::check(&files, &[("the program", &program)])
}

/// The exit status, and for what is unsupported the message.
fn status(verdict: &Verdict, messages: &Messages) -> ProcessEnding {
    ProcessEnding::Status(match verdict {
        Verdict::Plan(_) => 0,
        Verdict::NoPlan => ending::FOUND,
        Verdict::Incomplete { .. } => ending::INCOMPLETE,
        Verdict::Unsupported { what, location } => {
            messages.error(&format_args!("{what}, {location}"));
            ending::UNUSABLE
        }
    })
}

/// `eight.plan.json` in the working directory.
fn default_file(setting: &Setting) -> PathBuf {
    let mut file = Path::new(&setting.program).file_stem().unwrap_or_default().to_os_string();
    file.push(".plan.json");
    file.into()
}

/// Runs the prefix, searches the rest, and tells what was found.
fn examine(
    process: &mut Process,
    options: &PlanOptions,
    target: &Target,
    limit: &Limit,
    messages: &Messages,
) -> Result<Outcome, CommandError> {
    let (prefix, marks) = prefix::run_listening(process, limit);
    let instructions = process.machine.instructions();
    messages.detail(&format_args!("{instructions} instructions before the first choice"));
    let incomplete = |reason: String| Ok(Outcome::of(Verdict::Incomplete { reason }));
    match prefix {
        Prefix::Threads => {}
        Prefix::Over(Ending::Unsupported(what)) => {
            let location = Names::of(process).standpoint(process, ThreadId(0));
            return Ok(Outcome::of(Verdict::Unsupported { what, location }));
        }
        Prefix::Over(Ending::Diverges) => {
            return incomplete("the program works on without end and without a choice".into());
        }
        Prefix::Over(ending) => {
            let is_end = matches!(ending, Ending::Exited(_));
            let is_reached = options.goal.is_empty() || target.is_reached(process);
            return Ok(Outcome::of(if is_end && is_reached {
                Verdict::Plan(plan_of(tell::Told::default(), 0, Unit::Moves, options, false))
            } else {
                Verdict::NoPlan
            }));
        }
        Prefix::Deadlock => return Ok(Outcome::of(Verdict::NoPlan)),
        Prefix::Stopped(reason) => {
            return incomplete(format!("{reason} before the first choice"));
        }
        Prefix::TooLong(count) => {
            return incomplete(format!(
                "the program has executed {count} instructions before its first choice; with \
                 --time it may go on"
            ));
        }
    }
    process.take_output();
    process.machine.memory.journal.set_on(true);
    if options.is_interleaved() {
        return simulation::simulate(process, options, (target, &marks), limit);
    }
    let limits = Limits::new(limit, options.depth);
    let explored = goal::explore(process, options, target, limits);
    if explored.has_threads && target.uses_locals() {
        return Err(CommandError::LocalsNeedAll);
    }
    Ok(conclude(process, options, (target, &marks), explored))
}

/// From what a search found to a verdict.
fn conclude(
    process: &mut Process,
    options: &PlanOptions,
    (target, marks): (&Target, &[Mark]),
    explored: Explored,
) -> Outcome {
    let Explored { found, stats, contended, unit, cost_fell, .. } = explored;
    let start = process.mark();
    let sight = walk::sight(process, options.reduce, contended.iter().copied());
    let sight = sight.with_choices_first();
    let mut plan_path = Vec::new();
    let verdict = match found {
        Found::Plan { path, cost } => {
            let told = tell::tell(process, &sight, &path, (target, marks));
            assert!(told.reached, "internal error: a plan does not lead to its goal");
            plan_path = path;
            let cost = match unit {
                Unit::Moves => i64::from(cost.moves),
                _ => cost.counted,
            };
            Verdict::Plan(plan_of(told, cost, unit, options, cost_fell))
        }
        Found::Nothing if 0 < stats.cut => Verdict::Incomplete {
            reason: format!(
                "the bound of {} steps cut {} paths off",
                options.depth.unwrap_or_default(),
                stats.cut
            ),
        },
        Found::Nothing => match boundary_types(process) {
            Some(reason) => Verdict::Incomplete { reason },
            None => Verdict::NoPlan,
        },
        Found::Stopped { reason } => Verdict::Incomplete { reason },
        Found::Endless { path } => {
            walk::follow(process, &sight, &path);
            let thread = path.last().map_or(ThreadId(0), |choice| choice.thread);
            let place = Names::of(process).standpoint(process, thread);
            let reason = format!("the program works on without end and without a choice, {place}");
            Verdict::Incomplete { reason }
        }
        Found::Unsupported { path, what } => {
            walk::follow(process, &sight, &path);
            let thread = path.last().map_or(ThreadId(0), |choice| choice.thread);
            let location = Names::of(process).standpoint(process, thread);
            Verdict::Unsupported { what, location }
        }
        Found::Anew => unreachable!("a search that begins anew is not over"),
    };
    process.undo_to(&start);
    let contended = contended.iter().map(|word| word.address()).collect();
    Outcome { verdict, path: plan_path, stats, contended }
}

/// Why nothing is proved, if only some of the possible values were tried.
fn boundary_types(process: &Process) -> Option<String> {
    let types: Vec<&str> = process.boundary_types().collect();
    let types = types.join(", ");
    (!types.is_empty())
        .then(|| format!("only boundary values were tried for open values of {types}"))
}

/// A plan that was told, and what is known of its cost.
fn plan_of(
    told: tell::Told,
    cost: i64,
    unit: Unit,
    options: &PlanOptions,
    cost_fell: bool,
) -> Plan {
    let formula = options.minimise.as_ref().map(|formula| formula.text());
    let name = unit_name(unit, formula);
    let optimal = match (options.search, formula) {
        (PlanSearch::BestFirst, _) => None,
        (_, Some(_)) if cost_fell => None,
        (PlanSearch::Auto | PlanSearch::Bfs, None) => {
            Some(format!("no plan has fewer {name}: states were visited in that order"))
        }
        (PlanSearch::Auto | PlanSearch::Bfs, Some(cost)) => {
            Some(format!("no plan is cheaper if {cost} never falls, and it did not where looked"))
        }
        (PlanSearch::Astar, _) if 1 < options.weight.unwrap_or(1) => None,
        (PlanSearch::Astar, _) => {
            Some("no plan is cheaper if the estimate is never too high".to_string())
        }
    };
    let (steps, scene) = (told.steps, told.scene);
    Plan { steps, cost, unit: name, optimal, scene, simulation: None }
}
