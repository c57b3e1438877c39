//! How each state was reached: the way back to the start, for searches that do not keep a path.

use super::choice::{Choice, Found};
use super::dfs::Round;
use super::engine::Expansion;
use crate::state::StateId;
use samovar_vm::machine::ThreadId;

/// The move that led to a state, and from where.
#[derive(Clone, Copy, Debug)]
struct Origin {
    parent: StateId,
    choice: Choice,
}

/// No state was reached like this.
const UNKNOWN: Origin = Origin {
    parent: StateId(u32::MAX),
    choice: Choice { thread: ThreadId(u32::MAX), alternative: 0 },
};

/// By state.
#[derive(Debug, Default)]
pub struct Origins {
    origins: Vec<Origin>,
}

impl Origins {
    /// Notes where everything begins.
    pub fn begin(&mut self, start: StateId) {
        self.set(start, start, UNKNOWN.choice);
    }

    /// Whether a state was reached.
    pub fn knows(&self, state: StateId) -> bool {
        let origin = self.origins.get(state.0 as usize);
        origin.is_some_and(|origin| origin.parent != UNKNOWN.parent)
    }

    /// Notes how a state was reached; forgets how it was before.
    pub fn set(&mut self, state: StateId, parent: StateId, choice: Choice) {
        let index = state.0 as usize;
        if self.origins.len() <= index {
            self.origins.resize(index + 1, UNKNOWN);
        }
        self.origins[index] = Origin { parent, choice };
    }

    /// The choices that lead to a state, and one more.
    pub fn path(&self, state: StateId, last: Option<Choice>) -> Vec<Choice> {
        let mut path: Vec<Choice> = last.into_iter().collect();
        let mut at = state;
        loop {
            let Origin { parent, choice } = self.origins[at.0 as usize];
            if parent == at {
                break;
            }
            path.push(choice);
            at = parent;
        }
        path.reverse();
        path
    }

    /// How a search ends that came to this in a state, if it does.
    pub fn end(&self, state: StateId, expansion: Expansion) -> Option<Round> {
        end(expansion, |last| self.path(state, last))
    }
}

/// How a search ends that came to this, if it does; `path` gives the way there.
pub fn end(
    expansion: Expansion,
    path: impl FnOnce(Option<Choice>) -> Vec<Choice>,
) -> Option<Round> {
    match expansion {
        Expansion::Successors => None,
        Expansion::Anew => Some(Round::Anew),
        Expansion::Wrong(last, error) => {
            Some(Round::Over(Found::Error { path: path(last), error }))
        }
        Expansion::Unsupported(last, what) => {
            Some(Round::Over(Found::Unsupported { path: path(Some(last)), what }))
        }
    }
}
