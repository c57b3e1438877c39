//! Depth-first search with undo: no state is copied on the way down or up.
//!
//! Besides errors of moves and states it finds what is wrong with *runs without end*: Tarjan's
//! algorithm gives the strongly connected components of the graph as they are left, and a
//! component that no move leaves is where the program ends up for ever. A thread that is alive
//! there and never moves is stuck for good, unless it waits for the end of one that does; a
//! component in which nothing changes but registers and stacks, and in which the program never
//! says that it got on, is a livelock.
//!
//! Cost: four bytes a state for its place in the order of entering, and a small frame a level.

#[cfg(test)]
mod forgetting;
mod suspended;

pub use suspended::Suspended;

use super::choice::{Choice, Found, Stats, Wrong};
use super::engine::{Effect, Engine, Expansion, Successor};
use super::thread_set::ThreadSet;
use crate::state::StateId;
use crate::state::reserve::Reserve;
use crate::state::table::ENTRIES_MAX;
use crate::sync::{AtomicU32, Ordering};
use samovar_vm::machine::ThreadId;

/// A state on the path.
#[derive(Debug)]
struct Frame {
    /// Where its successors begin that were not looked at yet.
    pending: usize,
    /// The move that led here.
    choice: Choice,
    /// What that move did.
    effect: Effect,
    /// Place in the order of entering, from one.
    index: u32,
    component: Component,
}

/// What is known of the component that a state belongs to.
#[derive(Debug)]
struct Component {
    /// The first state that can be reached, by its place in the order.
    low: u32,
    /// Moves lead to other components, or end the program.
    is_left: bool,
    /// There is a cycle.
    is_cyclic: bool,
    /// Threads that move inside of it.
    moved: ThreadSet,
    /// What moves inside of it do.
    effect: Effect,
}

impl Component {
    fn new(low: u32) -> Component {
        let (moved, effect) = (ThreadSet::default(), Effect::default());
        Component { low, is_left: false, is_cyclic: false, moved, effect }
    }

    /// Takes in a move inside of the component.
    fn take(&mut self, choice: Choice, effect: Effect) {
        self.is_cyclic = true;
        self.moved.insert(choice.thread);
        self.effect.progress |= effect.progress;
        self.effect.change |= effect.change;
    }

    /// Takes in what is known of another state of the same component.
    fn join(&mut self, other: &Component) {
        self.low = self.low.min(other.low);
        self.is_left |= other.is_left;
        self.is_cyclic |= other.is_cyclic;
        self.moved.join(&other.moved);
        self.effect.progress |= other.effect.progress;
        self.effect.change |= other.effect.change;
    }
}

/// Why a round ended.
#[derive(Debug)]
pub enum Round {
    /// The search is over.
    Over(Found),
    /// It has to be begun anew.
    Anew,
}

/// Is asked now and then whether to go on: a reason ends the search.
pub type Watchdog<'a> = dyn FnMut(&Stats) -> Option<String> + 'a;

/// Transitions between two questions to the watchdog.
pub const WATCH_EVERY: u64 = 256;

/// A state that was left for good.
const LEFT: u32 = u32::MAX;
/// States that may be entered, with those that are entered before anybody looks again.
const ENTERED_MAX: u32 = LEFT - 2 * WATCH_EVERY as u32;

/// A depth-first search from where an engine stands.
#[derive(Debug)]
pub struct DepthFirst<'e, E> {
    engine: &'e mut E,
    depth_max: u64,
    /// Whether runs without end are judged.
    judge_cycles: bool,
    frames: Vec<Frame>,
    pending: Vec<Successor>,
    /// By state: place in the order of entering, zero if not entered.
    order: Reserve<AtomicU32>,
    /// States of components that were not left yet.
    open: Vec<StateId>,
    entered: u32,
    /// Whether states may be forgotten when memory is short.
    may_forget: bool,
    stats: Stats,
}

impl<'e, E: Engine> DepthFirst<'e, E> {
    /// A search that follows no path further than `depth_max` moves.
    pub fn new(engine: &'e mut E, depth_max: u64, judge_cycles: bool) -> DepthFirst<'e, E> {
        DepthFirst {
            engine,
            depth_max,
            judge_cycles,
            frames: Vec::new(),
            pending: Vec::new(),
            order: Reserve::at_most(ENTRIES_MAX),
            open: Vec::new(),
            entered: 0,
            may_forget: true,
            stats: Stats::default(),
        }
    }

    /// Searches the whole space, or up to the first error; goes on if it was stopped before.
    /// `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = Choice { thread: ThreadId(0), alternative: 0 };
        let mut round = None;
        if self.entered == 0 {
            round = self.enter(start, Effect::default());
        }
        while round.is_none() {
            if self.frames.is_empty() {
                round = Some(Round::Over(Found::Nothing));
                break;
            }
            round = self.step();
            // Nobody is asked about what was found.
            if round.is_none() && self.stats.transitions.is_multiple_of(WATCH_EVERY) {
                self.publish(stats);
                self.save_memory();
                // Who forgets may enter more states than there are numbers for.
                let is_full = self.engine.is_full() || ENTERED_MAX <= self.entered;
                let full = is_full.then(|| "the table of states is full".to_string());
                if let Some(reason) = full.or_else(|| watchdog(stats)) {
                    round = Some(Round::Over(Found::Stopped { reason }));
                }
            }
        }
        self.publish(stats);
        round.unwrap_or(Round::Over(Found::Nothing))
    }

    /// Forgets what is not on the path, nor in a component that was not left yet, if memory is
    /// short. What is forgotten is explored again where it is met again: the search takes longer
    /// and comes to the same.
    fn save_memory(&mut self) {
        if !self.may_forget || !self.engine.is_short() {
            return;
        }
        let before = self.engine.ids();
        let pending = self.pending.iter().map(|one| one.state);
        let mut keep: Vec<StateId> = self.open.iter().copied().chain(pending).collect();
        self.engine.forget_but(&mut keep);
        let order: Reserve<AtomicU32> = Reserve::at_most(ENTRIES_MAX);
        for (old, new) in self.open.iter_mut().zip(&keep) {
            let place = self.order[old.0 as usize].load(Ordering::Relaxed);
            order[new.0 as usize].store(place, Ordering::Relaxed);
            *old = *new;
        }
        self.order = order;
        for (successor, new) in self.pending.iter_mut().zip(&keep[self.open.len()..]) {
            successor.state = *new;
        }
        self.stats.forgotten += before.saturating_sub(self.engine.ids()) as u64;
        // If that was not much, it is not worth the while.
        self.may_forget = self.engine.ids() * 2 < before;
    }

    fn publish(&self, stats: &mut Stats) {
        let frontier = self.pending.len() as u64;
        stats.take(&Stats { frontier, expanded: self.stats.states, ..self.stats });
        let order = self.engine.ids() * size_of::<u32>();
        let frames = self.frames.capacity() * size_of::<Frame>();
        let pending = self.pending.capacity() * size_of::<Successor>();
        let open = self.open.capacity() * size_of::<StateId>();
        stats.order_bytes = (order + frames + pending + open) as u64;
    }

    /// Looks at the next successor of the state on top, or leaves it.
    fn step(&mut self) -> Option<Round> {
        let top = self.frames.len() - 1;
        if self.pending.len() == self.frames[top].pending {
            return self.leave();
        }
        let Successor { choice, state, effect } = self.pending.pop()?;
        self.stats.transitions += 1;
        let component = &mut self.frames[top].component;
        match self.order[state.0 as usize].load(Ordering::Relaxed) {
            0 if self.depth_max <= top as u64 => {
                self.stats.cut += 1;
                component.is_left = true;
                None
            }
            0 => {
                self.engine.forward_to(choice, state);
                debug_assert_eq!(self.engine.state(), state);
                self.enter(choice, effect)
            }
            LEFT => {
                self.stats.revisits += 1;
                component.is_left = true;
                None
            }
            index => {
                self.stats.revisits += 1;
                component.low = component.low.min(index);
                component.take(choice, effect);
                None
            }
        }
    }

    /// Makes the present state the top of the path.
    fn enter(&mut self, choice: Choice, effect: Effect) -> Option<Round> {
        let state = self.engine.state();
        self.entered += 1;
        let index = self.entered;
        self.order[state.0 as usize].store(index, Ordering::Relaxed);
        self.open.push(state);
        self.engine.on_stack(state, true);
        self.stats.states += 1;
        self.stats.depth = self.stats.depth.max(self.frames.len() as u64);
        let pending = self.pending.len();
        let component = Component::new(index);
        self.frames.push(Frame { pending, choice, effect, index, component });
        match self.engine.expand() {
            Expansion::Successors => {
                // The last is taken first, so that threads come in their order.
                self.pending.extend(self.engine.successors().iter().rev());
                let ends = self.engine.ends() || self.pending.len() == pending;
                self.frames.last_mut()?.component.is_left = ends;
                None
            }
            Expansion::Anew => Some(Round::Anew),
            Expansion::Wrong(last, error) => {
                Some(Round::Over(Found::Error { path: self.path(last), error }))
            }
            Expansion::Unsupported(last, what) => {
                Some(Round::Over(Found::Unsupported { path: self.path(Some(last)), what }))
            }
        }
    }

    /// All successors of the state on top were looked at.
    fn leave(&mut self) -> Option<Round> {
        let top = self.frames.last()?;
        let is_root = top.component.low == top.index;
        if is_root && let Some(error) = self.judge() {
            return Some(Round::Over(Found::Error { path: self.path(None), error }));
        }
        let Frame { component, index, choice, effect, .. } = self.frames.pop()?;
        self.engine.on_stack(self.engine.state(), false);
        self.engine.back();
        if is_root {
            self.close(index);
        }
        if let Some(below) = self.frames.last_mut() {
            if is_root {
                below.component.is_left = true;
            } else {
                below.component.join(&component);
                below.component.take(choice, effect);
            }
        }
        None
    }

    /// The component that began with a state is complete.
    fn close(&mut self, index: u32) {
        while let Some(&state) = self.open.last() {
            let order = &self.order[state.0 as usize];
            if order.load(Ordering::Relaxed) < index {
                break;
            }
            order.store(LEFT, Ordering::Relaxed);
            self.open.pop();
        }
    }

    /// What is wrong with the complete component of the state on top, its first.
    fn judge(&mut self) -> Option<Wrong> {
        let Component { is_left, is_cyclic, ref moved, effect, .. } = self.frames.last()?.component;
        if !self.judge_cycles || is_left || !is_cyclic {
            return None;
        }
        let stuck = self.engine.hopeless(moved);
        if !stuck.is_empty() {
            let wrong = Wrong::Stuck(stuck);
            return self.engine.counts(&wrong).then_some(wrong);
        }
        let is_livelock = !effect.progress && !effect.change;
        (is_livelock && self.engine.counts(&Wrong::Livelock)).then_some(Wrong::Livelock)
    }

    /// The choices on the path, and the one in progress.
    fn path(&self, last: Option<Choice>) -> Vec<Choice> {
        self.frames.iter().skip(1).map(|frame| frame.choice).chain(last).collect()
    }
}
