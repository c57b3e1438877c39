//! Planning and simulation in turn.
//!
//! The simulation makes rounds: one step of every agent, in random order. Before a round a phase
//! of planning may be due, during which time stands still; what it finds are suggestions, which
//! are written into the cells where agents look for them. Plans by simulation reach to the end of
//! the program: they are kept, and the next suggestion is taken from there as long as agents do
//! what was suggested. A new search is made when one does something else.

use super::agents::{Course, Decision, Over, is_idle};
use super::ahead::Ahead;
use super::phase;
use super::rollout::{Budget, Rollouts};
use super::target::{Target, number};
use crate::cli::{PhaseChoice, PlanOptions};
use crate::formula::Watched;
use crate::run::limit::Limit;
use crate::run::random::Random;
use samovar_runtime::Process;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Later searches get this part of the first one's budget.
const LATER: u64 = 8;
/// Rounds without any step of time before a simulation counts as stuck.
const PREPARATIONS_MAX: u64 = 100_000;

/// How good a state is.
#[derive(Debug)]
pub struct Evaluation {
    /// `--evaluate`.
    pub formula: Option<Watched>,
    /// `--goal`: the simulation is over there.
    pub target: Target,
}

impl Evaluation {
    /// The greatest is the best.
    pub fn value(&self, process: &Process) -> i64 {
        match &self.formula {
            Some(formula) => number(formula.value(process)),
            None => process.evaluation().unwrap_or(0),
        }
    }

    /// Whether all states are as good, as far as can be known beforehand.
    pub fn is_trivial(&self) -> bool {
        self.formula.is_none()
    }

    /// Whether the goal is reached.
    pub fn is_reached(&self, process: &Process) -> bool {
        self.target.is_reached(process)
    }
}

/// Something written into a cell before a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Number of the round.
    pub round: usize,
    /// Address of the cell.
    pub addr: u64,
    /// Its bytes.
    pub len: u32,
    /// What is in it now.
    pub value: u64,
}

/// A simulation that is over.
#[derive(Debug)]
pub struct Simulated {
    /// What happened.
    pub course: Course,
    /// Suggestions.
    pub written: Vec<Written>,
    /// How it ended; `None` if a limit ended it.
    pub over: Option<Over>,
    /// The goal was reached.
    pub reached: bool,
    /// Time spent on planning.
    pub planning: Duration,
    /// Searches for a plan.
    pub phases: u64,
    /// Steps of agents tried out.
    pub tried: u64,
}

/// Planning and simulating from where the process stands; the journal must be on.
pub fn run(
    process: &mut Process,
    options: &PlanOptions,
    evaluation: &Evaluation,
    limit: &Limit,
) -> Simulated {
    let mut random = Random::new(options.seed);
    // Planning does not know what the simulation will draw.
    let mut chance = Random::new(!options.seed);
    let mut course = Course::listening();
    let mut ahead = Ahead::default();
    let mut simulated = Simulated {
        course: Course::default(),
        written: Vec::new(),
        over: None,
        reached: false,
        planning: Duration::ZERO,
        phases: 0,
        tried: 0,
    };
    let mut next_phase = 0;
    loop {
        if limit.is_over() || options.steps <= course.time {
            break;
        }
        if PREPARATIONS_MAX < course.script.rounds.len() as u64 - course.time {
            simulated.over = Some(Over::Stuck);
            break;
        }
        if !options.simulate && next_phase <= course.time && is_due(process, options) {
            next_phase = course.time + options.every;
            let decided = course.decisions.len();
            let chance = &mut chance;
            plan(process, options, evaluation, (&mut ahead, decided), chance, &mut simulated);
            let round = course.script.rounds.len();
            let written = &mut simulated.written;
            ahead.suggest(process, |addr, len, value| {
                written.push(Written { round, addr, len, value });
            });
        }
        simulated.over = course.round(process, &mut random);
        ahead.follow(&course);
        simulated.reached = evaluation.is_reached(process);
        if simulated.over.is_some() || simulated.reached {
            break;
        }
    }
    simulated.course = course;
    simulated
}

/// Whether enough agents are idle for a phase of planning.
fn is_due(process: &Process, options: &PlanOptions) -> bool {
    let idle = process.suggestions().iter().filter(|cell| is_idle(process, cell)).count();
    0 < idle && options.idle as usize <= idle
}

/// A phase of planning, unless what was planned before still holds.
fn plan(
    process: &mut Process,
    options: &PlanOptions,
    evaluation: &Evaluation,
    (ahead, decided): (&mut Ahead, usize),
    chance: &mut Random,
    simulated: &mut Simulated,
) {
    if ahead.is_valid && options.phase == PhaseChoice::Rollouts {
        return;
    }
    let begin = Instant::now();
    let share = if simulated.phases == 0 { 1 } else { LATER };
    let steps = options.phase_states / share;
    let cells = process.suggestions().len();
    match options.phase {
        PhaseChoice::Rollouts => {
            let time = options.phase_time.map(|time| time / share as u32);
            let budget = Budget { steps, time: Limit::new(time), rounds: options.steps };
            let mut rollouts = Rollouts::new(process, evaluation, chance, budget);
            let decisions = rollouts.run();
            simulated.tried += rollouts.steps;
            *ahead = Ahead::new(&decisions, cells, decided);
        }
        PhaseChoice::Bfs => {
            let (values, states) = phase::search(process, evaluation, steps, &options.prune);
            let decided_now = |(cell, value)| Decision { cell, value, round: 0 };
            let decisions: Vec<_> = values.into_iter().enumerate().map(decided_now).collect();
            *ahead = Ahead::new(&decisions, cells, decided);
            simulated.tried += states;
        }
    }
    simulated.phases += 1;
    simulated.planning += begin.elapsed();
}
