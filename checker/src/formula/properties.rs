//! Invariants and goals of a check: what must hold in every state, and what is looked for.

use super::watched::merged;
use super::{Formula, FormulaError, Watched};
use samovar_runtime::Process;
use samovar_vm::debug::DebugModules;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The invariants and goals, tied to a program.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// What must hold in every state.
    pub invariants: Vec<Watched>,
    /// What is looked for.
    pub goals: Vec<Watched>,
}

/// Which property a state decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// An invariant does not hold; its number from 0.
    Invariant(usize),
    /// A goal holds; its number from 0.
    Goal(usize),
}

/// A property that a state decides, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Which one.
    pub property: Property,
    /// The formula as it was written.
    pub text: String,
    /// The variables it names, with their values in the state.
    pub values: Vec<(String, String)>,
}

impl Properties {
    /// Ties formulas to a program; the first one that does not fit it is complained about.
    pub fn resolve(
        invariants: &[Formula],
        goals: &[Formula],
        debug: &Arc<DebugModules>,
    ) -> Result<Properties, FormulaError> {
        let all = |formulas: &[Formula]| {
            formulas.iter().map(|formula| formula.resolve(debug)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Properties { invariants: all(invariants)?, goals: all(goals)? })
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.invariants.is_empty() && self.goals.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &Watched> {
        self.invariants.iter().chain(&self.goals)
    }

    /// The addresses of fixed places that the properties can depend on: threads must be switched
    /// at accesses to these. Sorted, without overlaps. See [`Watched::words`].
    pub fn words(&self) -> Vec<Range<u64>> {
        merged(self.all().flat_map(Watched::words).collect())
    }

    /// Whether [`Properties::words`] are all that the properties can depend on.
    pub fn is_fixed(&self) -> bool {
        self.all().all(Watched::is_fixed)
    }

    /// Whether a property can depend on registers and frames of threads.
    pub fn uses_locals(&self) -> bool {
        self.all().any(Watched::uses_locals)
    }

    /// The addresses that are read to evaluate the properties in the present state.
    pub fn words_now(&self, process: &Process) -> Vec<Range<u64>> {
        merged(self.all().flat_map(|watched| watched.words_now(process)).collect())
    }

    /// How far the present state is from one that decides a property: zero if and only if it does;
    /// as far as can be if there is none.
    pub fn distance(&self, process: &Process) -> u64 {
        let violated = self.invariants.iter().map(|watched| watched.distance_to(process, false));
        let reached = self.goals.iter().map(|watched| watched.distance_to(process, true));
        violated.chain(reached).min().unwrap_or(u64::MAX)
    }

    /// The first invariant that is violated in the present state, or else the first goal that is
    /// reached. What is undefined is neither.
    pub fn check(&self, process: &Process) -> Option<Broken> {
        let is_violated = |watched: &Watched| watched.holds(process) == Some(false);
        let is_reached = |watched: &Watched| watched.holds(process) == Some(true);
        let (property, watched) = match self.invariants.iter().position(is_violated) {
            Some(number) => (Property::Invariant(number), &self.invariants[number]),
            None => {
                let number = self.goals.iter().position(is_reached)?;
                (Property::Goal(number), &self.goals[number])
            }
        };
        let (text, values) = (watched.text().to_string(), watched.variables(process));
        Some(Broken { property, text, values })
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.property {
            Property::Invariant(_) => write!(f, "the invariant {} does not hold", self.text)?,
            Property::Goal(_) => write!(f, "the goal {} is reached", self.text)?,
        }
        for (index, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{} {name} = {value}", if index == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}
