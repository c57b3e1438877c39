//! Locals and thread-local variables of one thread: found anew in every state, because frames come
//! and go.
//!
//! A local is that of the innermost frame that has one of this name and, if a function is given,
//! belongs to that function. What a compiler keeps in registers is read from there; what it has
//! dissolved is undefined, and so is everything of a thread that has ended or not begun.

use samovar_runtime::Process;
use samovar_vm::debug::{
    CallFrame, DebugModules, FrameState, Piece, Scope, Source, State, Storage, TypeId, Unavailable,
    Variable,
};
use samovar_vm::machine::ThreadId;
use samovar_vm::view::ThreadView;

/// Calls that are followed.
const FRAMES_MAX: usize = 256;

/// Something that each thread has for itself.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub thread: u32,
    pub kind: LocalKind,
}

/// What it is.
#[derive(Clone, Debug)]
pub(super) enum LocalKind {
    /// A parameter or local variable.
    Frame {
        /// Its function, if it matters.
        function: Option<String>,
        name: String,
        /// The types that such a local may have; all of them are laid out alike.
        types: Vec<TypeId>,
    },
    /// A thread-local variable with static storage.
    Static(Box<Variable>),
}

impl Local {
    /// Where it is, as far as it is anywhere. Registers are already read.
    pub(super) fn find(&self, process: &Process, debug: &DebugModules) -> Option<Storage> {
        if !process.threads().get(self.thread as usize)?.is_alive() {
            return None;
        }
        let view = ThreadView { machine: &process.machine, thread: ThreadId(self.thread) };
        match &self.kind {
            LocalKind::Static(variable) => {
                Some(debug.place_of(variable, Scope::global(&view)).ok()?.storage)
            }
            LocalKind::Frame { function, name, types } => {
                let frames = debug.backtrace(&view, FRAMES_MAX);
                frames.iter().enumerate().find_map(|(depth, frame)| {
                    let outer = FrameState::new(&view, frame);
                    // The innermost frame also knows the vector registers.
                    let state: &dyn State = if depth == 0 { &view } else { &outer };
                    in_frame(debug, frame, state, (function.as_deref(), name, types))
                })?
            }
        }
    }
}

/// A local in one frame, or in a function that was inlined there; `Some(None)` if it is there but
/// has no storage.
fn in_frame(
    debug: &DebugModules,
    frame: &CallFrame,
    state: &dyn State,
    (function, name, types): (Option<&str>, &str, &[TypeId]),
) -> Option<Option<Storage>> {
    debug.locate(frame.lookup).iter().enumerate().find_map(|(level, found)| {
        let here = found.function.as_deref().unwrap_or_default();
        if !function.is_none_or(|function| is_called(here, function)) {
            return None;
        }
        let scope = Scope::of_frame(state, frame).at_inlined_level(level);
        let locals = debug.locals(scope);
        let local = locals.iter().find(|local| local.name == name)?;
        if !types.contains(&local.ty) {
            return None;
        }
        let place = debug.place_of(local, scope).ok();
        Some(place.map(|place| frozen(place.storage, state)))
    })
}

/// Whether a qualified name may be called by its last components.
fn is_called(qualified: &str, name: &str) -> bool {
    let name = name.trim_start_matches("::");
    qualified == name || qualified.strip_suffix(name).is_some_and(|rest| rest.ends_with("::"))
}

/// The same storage with the values of registers instead of their numbers.
fn frozen(storage: Storage, state: &dyn State) -> Storage {
    let Storage::Pieces { pieces, offset } = &storage else { return storage };
    let pieces = pieces.iter().map(|piece| {
        let source = match piece.source {
            Source::Register(number) => match state.register(number) {
                Some(value) => Source::Constant(value.to_le_bytes().into()),
                // Calls since then may have overwritten it.
                None => Source::Missing(Unavailable::Register(number)),
            },
            _ => piece.source.clone(),
        };
        Piece { size: piece.size, source }
    });
    Storage::Pieces { pieces: pieces.collect(), offset: *offset }
}

#[cfg(test)]
mod tests {
    use super::is_called;

    #[test]
    fn functions_are_called_by_the_end_of_their_names() {
        assert!(is_called("ns::Class::run", "run"));
        assert!(is_called("ns::Class::run", "Class::run"));
        assert!(is_called("run", "run"));
        assert!(!is_called("rerun", "run"));
        assert!(!is_called("run", "Class::run"));
    }
}
