//! A plan as people read it: actions of agents, and where things are.

use samovar_runtime::Mark;
use serde::{Deserialize, Serialize};

/// One action of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// Position, counted from one.
    pub step: usize,
    /// Who acts.
    pub agent: String,
    /// What is done.
    pub action: String,
    /// With what.
    pub arguments: Vec<i64>,
    /// When it begins, in steps or in parallel steps.
    pub start: u64,
    /// When it is over.
    pub end: u64,
    /// Where in the source, if nothing else tells what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

impl PlanStep {
    /// Name and numbers: `move 3 4`.
    pub fn words(&self) -> String {
        let numbers = self.arguments.iter().map(|number| format!(" {number}"));
        std::iter::once(self.action.clone()).chain(numbers).collect()
    }
}

/// A world that is a grid, and what moves on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// One character for each place, row by row; may be shorter.
    pub map: String,
    /// Who is where from when on.
    pub places: Vec<Placed>,
}

/// A piece that is somewhere from a moment on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// From when on, in the plan's time.
    pub time: u64,
    /// Which piece.
    pub piece: String,
    /// Column.
    pub x: i64,
    /// Row.
    pub y: i64,
}

impl Scene {
    /// Takes in what the program said at a moment.
    pub fn take(&mut self, time: u64, mark: &Mark) {
        match mark {
            Mark::Grid { width, height, map } => {
                (self.width, self.height, self.map) = (*width, *height, map.clone());
            }
            Mark::Place { name, x, y } => {
                let placed = Placed { time, piece: name.clone(), x: *x, y: *y };
                self.places.push(placed);
            }
            Mark::Action { .. } | Mark::Activity(_) => {}
        }
    }

    /// Whether there is something to see.
    pub fn is_visible(&self) -> bool {
        0 < self.width && 0 < self.height
    }
}
