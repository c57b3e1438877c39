//! What a program says about plans: steps, agents, how good a state is, and where things are.
//!
//! None of this changes what the program does. Whether an agent is busy, where it reads
//! suggestions and how good the state is belong to the state, because planning depends on them;
//! steps and places are only told to who wants to hear them.

use super::{Reply, Request};
use crate::process::Process;
use samovar_vm::machine::ThreadId;
use std::sync::Arc;

/// Most words of an action: the name and 15 numbers.
const WORDS_MAX: u64 = 16;
/// Largest cell for suggestions.
const CELL_MAX: u64 = 8;
/// Largest number of columns and of rows.
const SIDE_MAX: u64 = 1000;

/// Whether an agent has something to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Activity {
    /// It never said.
    #[default]
    Unknown,
    /// It has.
    Busy,
    /// It has not.
    Idle,
}

/// Where an agent reads suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Suggestion {
    /// The agent.
    pub thread: ThreadId,
    /// Address of the cell.
    pub addr: u64,
    /// Bytes of the cell.
    pub len: u32,
    /// What was in it first: no suggestion.
    pub empty: u64,
    /// What tells the agent to wait, if anything does.
    pub wait: Option<u64>,
}

/// What the program says about a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A step with a name and numbers.
    Action {
        /// What is done.
        name: String,
        /// With what.
        arguments: Vec<i64>,
    },
    /// Whether the agent has something to do.
    Activity(Activity),
    /// The world is a grid.
    Grid {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// One character for each place, row by row; may be shorter.
        map: String,
    },
    /// A piece is somewhere.
    Place {
        /// Its name.
        name: String,
        /// Column.
        x: i64,
        /// Row.
        y: i64,
    },
}

/// A step of a plan.
pub(super) fn action(request: &mut Request<'_>) -> Reply {
    request.witness.action();
    if request.witness.wants_marks() {
        let [words, count, _] = request.args;
        let memory = &request.process.machine.memory;
        let word = |index: u64| {
            let mut bytes = [0; 8];
            memory.read(words.wrapping_add(index * 8), &mut bytes).ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        let values: Option<Vec<u64>> = (0..count.min(WORDS_MAX)).map(word).collect();
        let Some(values) = values.filter(|values| !values.is_empty()) else {
            return Reply::Refuse("an action whose numbers cannot be read".to_string());
        };
        let name = request.text(values[0]);
        let arguments = values[1..].iter().map(|&value| value as i64).collect();
        request.witness.mark(Mark::Action { name, arguments });
    }
    Reply::Value(0)
}

/// From now on the thread reads suggestions there.
pub(super) fn suggest(request: &mut Request<'_>) -> Reply {
    let [addr, len, wait] = request.args;
    if len == 0 || CELL_MAX < len {
        return Reply::Refuse(format!("a suggestion of {len} bytes; cells have 1 to {CELL_MAX}"));
    }
    let thread = request.thread;
    let Some(empty) = request.process.cell(addr, len as u32) else {
        return Reply::Refuse(format!("a suggestion at {addr:#x}, where nothing can be read"));
    };
    let wait = request.process.cell(wait, len as u32).filter(|_| wait != 0);
    let cell = Suggestion { thread, addr, len: len as u32, empty, wait };
    let is_known = |known: &Suggestion| (known.thread, known.addr) == (thread, addr);
    if !request.process.os.suggestions.iter().any(is_known) {
        let cells = Arc::make_mut(&mut request.process.os_mut().suggestions);
        cells.push(cell);
        // The order in which threads came by says nothing.
        cells.sort_unstable_by_key(|cell| (cell.addr, cell.thread.0));
    }
    request.witness.announced();
    Reply::Value(0)
}

/// Whether the agent has something to do.
pub(super) fn busy(request: &mut Request<'_>) -> Reply {
    let activity = if request.args[0] == 0 { Activity::Idle } else { Activity::Busy };
    let thread = request.thread;
    if request.process.os.thread(thread).activity != activity {
        request.process.os_mut().thread_mut(thread).activity = activity;
        if activity == Activity::Busy {
            tell_decision(request);
        }
    }
    request.witness.announced();
    if request.witness.wants_marks() {
        request.witness.mark(Mark::Activity(activity));
    }
    Reply::Value(0)
}

/// Tells what is in the cells of a thread that becomes busy.
fn tell_decision(request: &mut Request<'_>) {
    for cell in request.process.os.suggestions.iter() {
        if cell.thread == request.thread
            && let Some(value) = request.process.cell(cell.addr, cell.len)
        {
            request.witness.decided(cell.addr, value);
        }
    }
}

/// How good the present state is.
pub(super) fn evaluate(request: &mut Request<'_>) -> Reply {
    let value = Some(request.args[0] as i64);
    if request.process.os.evaluation != value {
        request.process.os_mut().evaluation = value;
    }
    Reply::Value(0)
}

/// The world is a grid.
pub(super) fn grid(request: &mut Request<'_>) -> Reply {
    let [width, height, map] = request.args;
    if SIDE_MAX < width || SIDE_MAX < height {
        return Reply::Refuse(format!("a grid of {width} by {height}; at most {SIDE_MAX} each"));
    }
    if request.witness.wants_marks() {
        let length = (width * height) as usize;
        let bytes = request.process.machine.memory.read_c_string(map, length);
        let map = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        request.witness.mark(Mark::Grid { width: width as u32, height: height as u32, map });
    }
    Reply::Value(0)
}

/// A piece is somewhere.
pub(super) fn place(request: &mut Request<'_>) -> Reply {
    if request.witness.wants_marks() {
        let [name, x, y] = request.args;
        let name = request.text(name);
        request.witness.mark(Mark::Place { name, x: x as i64, y: y as i64 });
    }
    Reply::Value(0)
}

impl Process {
    /// Where agents read suggestions, by address.
    pub fn suggestions(&self) -> &[Suggestion] {
        &self.os.suggestions
    }

    /// What is in a cell of up to eight bytes.
    pub fn cell(&self, addr: u64, len: u32) -> Option<u64> {
        let mut bytes = [0; 8];
        let part = bytes.get_mut(..len as usize)?;
        self.machine.memory.read(addr, part).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    /// Puts something into a cell of up to eight bytes; whether there is such a cell.
    pub fn set_cell(&mut self, addr: u64, len: u32, value: u64) -> bool {
        let bytes = value.to_le_bytes();
        let part = bytes.get(..len as usize);
        part.is_some_and(|part| self.machine.memory.write(addr, part).is_ok())
    }

    /// How good the program says that the state is.
    pub fn evaluation(&self) -> Option<i64> {
        self.os.evaluation
    }
}
