//! What a search needs of a space of states: the one interface under all searches.
//!
//! An engine stands in a state. [`Engine::expand`] looks at all moves from there at once, because
//! moves have to be compared; their successors are then named by number, without being gone to.
//! Going forward, back and to any known state is the search's business, so depth-first search
//! needs no queue and breadth-first search no stack.

use super::choice::{Choice, Wrong};
use super::thread_set::ThreadSet;
use super::view::{PathFacts, View};
use crate::state::StateId;
use samovar_runtime::Unsupported;
use samovar_vm::machine::ThreadId;

/// The state of a successor that is not stored.
pub const UNSTORED: StateId = StateId(u32::MAX);

/// A move from the state that was expanded, and where it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The move.
    pub choice: Choice,
    /// The state that it leads to.
    pub state: StateId,
    /// The move got the program on, or changed something that other threads can see.
    pub effect: Effect,
}

/// Places of successors in the order of a depth-first search: threads come in turn, from the one
/// behind `last` on.
pub fn in_turn(
    successors: &[Successor],
    last: ThreadId,
) -> impl DoubleEndedIterator<Item = usize> + use<> {
    let first = successors.partition_point(|one| one.choice.thread <= last);
    (first..successors.len()).chain(0..first)
}

/// What a move did that matters for telling work from running in circles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The program said that it got on.
    pub progress: bool,
    /// Memory or an object was changed beyond the thread's own registers, stack and record.
    pub change: bool,
    /// A word of its own stack was changed that is lent (see [`super::lent`]).
    pub lends: bool,
    /// A lent word of another thread's stack was touched.
    pub borrows: bool,
}

impl Effect {
    /// Takes in what another move did.
    pub fn join(&mut self, other: Effect) {
        *self = Effect::of_flags(self.flags() | other.flags());
    }

    /// Whether moves that do this and nothing else get nobody on: what is lent counts where
    /// somebody looks at it.
    pub fn is_idle(self) -> bool {
        !(self.progress || self.change || self.lends && self.borrows)
    }

    /// As four bits.
    pub fn flags(self) -> u8 {
        u8::from(self.progress)
            | u8::from(self.change) << 1
            | u8::from(self.lends) << 2
            | u8::from(self.borrows) << 3
    }

    /// From these bits.
    pub fn of_flags(flags: u8) -> Effect {
        let has = |bit: u32| flags >> bit & 1 != 0;
        Effect { progress: has(0), change: has(1), lends: has(2), borrows: has(3) }
    }
}

/// What came of looking at all moves of a state.
#[derive(Debug)]
pub enum Expansion {
    /// The successors are there to be visited; none if the program has ended on all moves.
    Successors,
    /// What is visible has changed: everything explored so far has to be explored anew.
    Anew,
    /// Something is wrong with this move, or with the state.
    Wrong(Option<Choice>, Wrong),
    /// A move needs something that is not supported.
    Unsupported(Choice, Unsupported),
}

/// See the module head.
pub trait Engine {
    /// The state where the engine stands.
    fn state(&self) -> StateId;

    /// Looks at all moves from here.
    fn expand(&mut self) -> Expansion;

    /// The same, but if this thread can move, moves of others are compared with it only: they are
    /// no successors, and what goes wrong with them is not looked at.
    fn expand_for(&mut self, thread: Option<ThreadId>) -> Expansion;

    /// The successors that the last expansion found, in the order of threads and alternatives.
    fn successors(&self) -> &[Successor];

    /// Whether a move of the state that was expanded last ends the program, or a path that counts.
    fn ends(&self) -> bool;

    /// Makes a move of this state; [`Engine::back`] takes it back.
    fn forward(&mut self, choice: Choice);

    /// The same for a move whose successor is known.
    fn forward_to(&mut self, choice: Choice, _state: StateId) {
        self.forward(choice);
    }

    /// Takes the last move back.
    fn back(&mut self);

    /// Goes to a known state; moves made before cannot be taken back then.
    fn jump(&mut self, state: StateId);

    /// A search with a stack says what is on it. Moves may be left out only if that does not put a
    /// thread off round a cycle; who never calls this pays for knowing less.
    fn on_stack(&mut self, state: StateId, is_there: bool);
    /// Whether a thread could move in the state that was expanded last.
    fn can_move(&self, thread: ThreadId) -> bool;

    /// Threads that there are in the present state, those that have ended included.
    fn thread_count(&self) -> u32;

    /// Shows the state that a move leads to, from the state that was expanded last, where the
    /// engine stands; `before` is about the path to that. What is known of the path then. The
    /// process is taken along only if somebody wants to see it.
    fn look(
        &mut self,
        choice: Choice,
        before: PathFacts,
        with_process: bool,
        look: &mut dyn FnMut(&View<'_>),
    ) -> PathFacts;

    /// From now on, successors need not be stored, or have to be again: a search that names them by
    /// their moves goes on without knowing where these lead. A successor that is not stored has
    /// [`UNSTORED`] for a state.
    fn defer(&mut self, defers: bool);

    /// Whether looking at successors has changed what is visible: then everything has to be
    /// explored anew, which the next expansion says, too.
    fn has_grown(&self) -> bool;

    /// What the last move that was made was about, and how many accesses to memory that threads
    /// share it had.
    fn passed(&self) -> (Option<u64>, u32);

    /// Every known state has a number below this.
    fn ids(&self) -> usize;

    /// Whether there is hardly any room left for states.
    fn is_full(&self) -> bool {
        false
    }

    /// Whether states take more memory than they should.
    fn is_short(&self) -> bool {
        false
    }

    /// Forgets all states but these and those on the way back, which get other numbers. What is
    /// forgotten counts as never seen.
    fn forget_but(&mut self, _keep: &mut [StateId]) {}

    /// Threads of this state that wait in vain if all but `moving` stand still for ever: those
    /// that have not ended, and do not just wait for the end of one that goes on.
    fn hopeless(&mut self, moving: &ThreadSet) -> Vec<ThreadId>;

    /// Whether something wrong with runs without end is an error of a kind that counts.
    fn counts(&mut self, wrong: &Wrong) -> bool;
}
