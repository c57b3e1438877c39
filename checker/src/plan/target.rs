//! What a plan is for: formulas that say whether a state is a goal, how far the goal is, and what
//! it costs to have come there.

use crate::cli::PlanOptions;
use crate::error::CommandError;
use crate::explore::space::Appraisal;
use crate::formula::{Formula, Value, Watched};
use crate::place;
use samovar_runtime::Process;
use std::ops::Range;
use std::sync::Arc;

/// See the module head.
#[derive(Clone, Debug)]
pub struct Target {
    /// One of these has to hold.
    pub goals: Vec<Watched>,
    /// How far the goal is, if somebody knows better than the goals' own distance.
    pub estimate: Option<Watched>,
    /// What is to be kept small, if it is not the number of steps.
    pub cost: Option<Watched>,
    /// Whether estimates are wanted at all.
    pub is_directed: bool,
}

impl Target {
    /// Ties the formulas of the options to a loaded program.
    pub fn of(options: &PlanOptions, process: &Process) -> Result<Target, CommandError> {
        let debug = Arc::new(place::debug_of(process));
        for goal in &options.goal {
            goal.require_condition()?;
        }
        let tie = |formula: &Formula| formula.resolve(&debug);
        Ok(Target {
            goals: options.goal.iter().map(tie).collect::<Result<_, _>>()?,
            estimate: options.estimate.as_ref().map(tie).transpose()?,
            cost: options.minimise.as_ref().map(tie).transpose()?,
            is_directed: true,
        })
    }

    /// The goals alone, as a saved plan has them.
    pub fn of_goals(goals: &[String], process: &Process) -> Result<Target, CommandError> {
        let debug = Arc::new(place::debug_of(process));
        let mut tied = Vec::new();
        for goal in goals {
            tied.push(Formula::parse(goal)?.resolve(&debug)?);
        }
        Ok(Target { goals: tied, estimate: None, cost: None, is_directed: false })
    }

    /// Whether the state where the process stands is a goal.
    pub fn is_reached(&self, process: &Process) -> bool {
        self.goals.iter().any(|goal| goal.holds(process) == Some(true))
    }

    /// What the state where the process stands is worth.
    pub fn appraise(&self, process: &Process) -> Appraisal {
        let is_goal = self.is_reached(process);
        let estimate = match (&self.estimate, is_goal || !self.is_directed) {
            (_, true) => 0,
            (Some(estimate), _) => far(estimate.value(process)),
            (None, _) => {
                let distances = self.goals.iter().map(|goal| goal.distance(process));
                distances.min().unwrap_or(u64::MAX)
            }
        };
        let cost = self.cost.as_ref().map_or(0, |cost| number(cost.value(process)));
        Appraisal { is_goal, estimate, cost, actions: 0 }
    }

    /// Whether locals of threads decide.
    pub fn uses_locals(&self) -> bool {
        self.goals.iter().any(Watched::uses_locals)
    }

    /// Whether [`Target::words`] are all that the goals can depend on.
    pub fn is_fixed(&self) -> bool {
        self.goals.iter().all(Watched::is_fixed)
    }

    /// Addresses of fixed places that decide whether a state is a goal.
    pub fn words(&self) -> Vec<Range<u64>> {
        self.goals.iter().flat_map(Watched::words).collect()
    }

    /// Addresses that decide it in the present state.
    pub fn words_now(&self, process: &Process) -> Vec<Range<u64>> {
        self.goals.iter().flat_map(|goal| goal.words_now(process)).collect()
    }

    /// The goals in one line.
    pub fn text(&self) -> String {
        let goals: Vec<&str> = self.goals.iter().map(Watched::text).collect();
        if goals.is_empty() { "the end of the program".to_string() } else { goals.join(", or ") }
    }
}

/// A distance: what is unknown is as far as can be, what is negative is there.
fn far(value: Value) -> u64 {
    match value {
        Value::Undefined => u64::MAX,
        Value::Integer(value) => u64::try_from(value.max(0)).unwrap_or(u64::MAX),
        Value::Float(value) => value.max(0.0) as u64,
    }
}

/// A whole number; what is unknown is as much as can be.
pub fn number(value: Value) -> i64 {
    match value {
        Value::Undefined => i64::MAX,
        Value::Integer(value) => {
            i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
        }
        Value::Float(value) => value as i64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_far_and_dear() {
        assert_eq!(far(Value::Undefined), u64::MAX);
        assert_eq!(far(Value::Integer(-3)), 0);
        assert_eq!(far(Value::Float(2.5)), 2);
        assert_eq!(far(Value::Float(f64::NAN)), 0);
        assert_eq!(number(Value::Undefined), i64::MAX);
        assert_eq!(number(Value::Integer(i128::from(i64::MIN) - 1)), i64::MIN);
    }
}
