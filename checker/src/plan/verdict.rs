//! What planning came to.

use super::interleave::Written;
use super::search::Unit;
use super::steps::{PlanStep, Scene};
use crate::explore::choice::{Choice, Stats};
use crate::trail::names::Location;
use samovar_runtime::Unsupported;
use serde::{Deserialize, Serialize};

/// The result of planning.
#[derive(Debug)]
pub enum Verdict {
    /// A plan was found.
    Plan(Plan),
    /// The whole space was searched, and the goal is nowhere.
    NoPlan,
    /// Something ended the search before.
    Incomplete {
        /// What.
        reason: String,
    },
    /// The program asks for something that does not exist here.
    Unsupported {
        /// What it is.
        what: Unsupported,
        /// Where the program asks for it.
        location: Location,
    },
}

impl Verdict {
    /// The name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Plan(_) => "plan",
            Verdict::NoPlan => "no-plan",
            Verdict::Incomplete { .. } => "incomplete",
            Verdict::Unsupported { .. } => "unsupported",
        }
    }
}

/// A plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its actions.
    pub steps: Vec<PlanStep>,
    /// What it costs: steps, or what `--minimise` says.
    pub cost: i64,
    /// What the cost is counted in.
    pub unit: String,
    /// Why there is none that costs less; `None` if there may be.
    pub optimal: Option<String>,
    /// What there is to see.
    pub scene: Scene,
    /// How it came about, if planning and simulation took turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation: Option<Simulation>,
}

/// A plan that is the course of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// Rounds in which agents moved.
    pub parallel_steps: u64,
    /// Time spent on planning.
    pub planning_seconds: f64,
    /// Searches for a plan.
    pub phases: u64,
    /// Steps of agents tried out in these.
    pub tried: u64,
    /// Suggestions, by round.
    pub written: Vec<Written>,
    /// Each round: the threads in their order, with what they chose.
    pub rounds: Vec<Vec<(u32, Vec<u32>)>>,
}

/// Everything that a report tells.
#[derive(Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The moves of the plan.
    pub path: Vec<Choice>,
    /// Numbers about the search.
    pub stats: Stats,
    /// Addresses of the words at which threads were switched.
    pub contended: Vec<u64>,
}

impl Outcome {
    /// A verdict that took no search.
    pub fn of(verdict: Verdict) -> Outcome {
        let stats = Stats { states: 1, rounds: 1, ..Stats::default() };
        Outcome { verdict, path: Vec::new(), stats, contended: Vec::new() }
    }
}

/// What a cost is counted in.
pub(crate) fn unit_name(unit: Unit, formula: Option<&str>) -> String {
    match (unit, formula) {
        (Unit::Formula, Some(formula)) => formula.to_string(),
        (Unit::Actions, _) => "actions".to_string(),
        _ => "steps".to_string(),
    }
}
