//! From a simulation to a verdict, and a saved one again.

use super::agents::{Course, Over, Script};
use super::interleave::{self, Evaluation, Simulated};
use super::schedule;
use super::target::Target;
use super::verdict::{Outcome, Plan, Simulation, Verdict};
use crate::cli::PlanOptions;
use crate::error::CommandError;
use crate::explore::choice::Stats;
use crate::place;
use crate::run::limit::Limit;
use crate::trail::Names;
use samovar_runtime::{Mark, Process};
use samovar_vm::machine::ThreadId;
use std::sync::Arc;

/// What the cost of a simulation is counted in.
const UNIT: &str = "parallel steps";

/// Plans and simulates from where the process stands; the journal must be on.
pub fn simulate(
    process: &mut Process,
    options: &PlanOptions,
    (target, before): (&Target, &[Mark]),
    limit: &Limit,
) -> Result<Outcome, CommandError> {
    let debug = Arc::new(place::debug_of(process));
    let formula = options.evaluate.as_ref().map(|formula| formula.resolve(&debug)).transpose()?;
    let evaluation = Evaluation { formula, target: target.clone() };
    let simulated = interleave::run(process, options, &evaluation, limit);
    let is_reached = simulated.reached || options.goal.is_empty();
    let verdict = match &simulated.over {
        None if simulated.reached => Verdict::Plan(plan_of(process, &simulated, before)),
        Some(Over::Exited(0)) if is_reached => Verdict::Plan(plan_of(process, &simulated, before)),
        Some(Over::Unsupported(thread, what)) => Verdict::Unsupported {
            what: what.clone(),
            location: Names::of(process).standpoint(process, *thread),
        },
        over => Verdict::Incomplete { reason: why(process, options, over.as_ref()) },
    };
    let stats = Stats {
        states: simulated.tried + simulated.course.script.steps.len() as u64,
        transitions: simulated.course.script.steps.len() as u64,
        depth: simulated.course.time,
        rounds: 1,
        ..Stats::default()
    };
    Ok(Outcome { verdict, path: Vec::new(), stats, contended: Vec::new() })
}

/// Why a simulation is no plan.
fn why(process: &Process, options: &PlanOptions, over: Option<&Over>) -> String {
    match over {
        None if options.time.is_some() => "the simulation took too long".to_string(),
        None => format!("the simulation was given up after {} parallel steps", options.steps),
        Some(Over::Stuck) => "the simulation is stuck: nobody can go on".to_string(),
        Some(Over::Exited(0)) => "the program has ended, and the goal was not reached".to_string(),
        Some(Over::Exited(status)) => format!("the program has ended with status {status}"),
        Some(Over::Failed(thread, what)) => {
            format!("{what}, {}", Names::of(process).standpoint(process, *thread))
        }
        Some(Over::Unsupported(_, what)) => what.to_string(),
    }
}

fn plan_of(process: &Process, simulated: &Simulated, before: &[Mark]) -> Plan {
    let course = &simulated.course;
    let (steps, scene) = schedule::schedule(process, course, before);
    let last = steps.iter().map(|step| step.end).max();
    let mut rounds = Vec::new();
    let (mut step, mut choice) = (0, 0);
    for &end in &course.script.rounds {
        let mut round = Vec::new();
        for &(thread, choices) in &course.script.steps[step..end] {
            round.push((thread.0, course.script.choices[choice..choices].to_vec()));
            choice = choices;
        }
        step = end;
        rounds.push(round);
    }
    let simulation = Simulation {
        parallel_steps: course.time,
        planning_seconds: simulated.planning.as_secs_f64(),
        phases: simulated.phases,
        tried: simulated.tried,
        written: simulated.written.clone(),
        rounds,
    };
    let cost = last.unwrap_or(course.time) as i64;
    let unit = UNIT.to_string();
    Plan { steps, cost, unit, optimal: None, scene, simulation: Some(simulation) }
}

/// Executes a saved simulation again; whether it is the same and reaches the goal. The journal
/// must be on.
pub fn replay(process: &mut Process, target: &Target, plan: &Plan, before: &[Mark]) -> bool {
    let Some(simulation) = &plan.simulation else { return false };
    let mut script = Script::default();
    for round in &simulation.rounds {
        for (thread, choices) in round {
            script.choices.extend(choices);
            script.steps.push((ThreadId(*thread), script.choices.len()));
        }
        script.rounds.push(script.steps.len());
    }
    let mut course = Course::listening();
    let mut over = None;
    for round in 0..script.rounds.len() {
        if over.is_some() {
            return false;
        }
        for written in simulation.written.iter().filter(|written| written.round == round) {
            process.set_cell(written.addr, written.len, written.value);
        }
        over = course.again(process, &script, round);
    }
    let is_over = match over {
        None => !target.goals.is_empty() && target.is_reached(process),
        Some(Over::Exited(0)) => target.goals.is_empty() || target.is_reached(process),
        Some(_) => false,
    };
    is_over && schedule::schedule(process, &course, before).0 == plan.steps
}
