//! Distance from a formula: how far the variables are from reaching a goal or from violating an
//! invariant, whichever is nearest.

use super::Heuristic;
use crate::explore::view::View;
use crate::formula::Properties;

/// See the module head.
#[derive(Debug)]
pub struct FormulaDistance {
    properties: Properties,
}

impl FormulaDistance {
    /// The distance from these.
    pub fn new(properties: &Properties) -> FormulaDistance {
        FormulaDistance { properties: properties.clone() }
    }
}

impl Heuristic for FormulaDistance {
    fn value(&mut self, view: &View<'_>) -> i64 {
        i64::try_from(self.properties.distance(view.process())).unwrap_or(i64::MAX)
    }

    fn needs_process(&self) -> bool {
        true
    }
}
