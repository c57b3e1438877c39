//! Depth-first search with undo: no state is copied on the way down or up.
//!
//! Besides errors of moves and states it finds what is wrong with *runs without end*: Tarjan's
//! algorithm gives the strongly connected components of the graph as they are left, and a
//! component that no move leaves is where the program ends up for ever. A thread that is alive
//! there and never moves is stuck for good, unless it waits for the end of one that does; a
//! component in which nothing changes but registers and stacks, and in which the program never
//! says that it got on, is a livelock.
//!
//! Components are found on the path (Gabow's way): those that a move back leads into become one, so
//! that there is a record a component and next to nothing a state of the path. Successors that were
//! entered before are dealt with when a state is expanded; only the others are kept for later.
//!
//! Cost: a bit a state, eight bytes more if its component is open, and a small frame a level.

#[cfg(test)]
mod forgetting;
mod order;
mod suspended;

pub use suspended::Suspended;

use super::choice::{Choice, Found, Stats, Wrong};
use super::engine::{Effect, Engine, Expansion, Successor, in_turn};
use super::thread_set::ThreadSet;
use crate::state::StateId;
use order::{Order, Visit};
use samovar_vm::machine::ThreadId;

/// A state on the path.
#[derive(Debug)]
struct Frame {
    /// The move that led here.
    choice: Choice,
    /// How many of its successors were not looked at yet.
    pending: u32,
}

/// States on the path that are known to be in one component, with all that belongs to them.
#[derive(Debug)]
struct Component {
    /// The place of its first state in the order.
    first: u32,
    /// The level of that state.
    level: usize,
    /// The move that led to that state, and what it did.
    entrance: (Choice, Effect),
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
    /// Takes in a move inside of the component.
    fn take(&mut self, choice: Choice, effect: Effect) {
        self.is_cyclic = true;
        self.moved.insert(choice.thread);
        self.effect.join(effect);
    }

    /// Takes in what turned out to be a part of the same component.
    fn join(&mut self, other: &Component) {
        self.is_left |= other.is_left;
        self.is_cyclic |= other.is_cyclic;
        self.moved.join(&other.moved);
        self.effect.join(other.effect);
        self.take(other.entrance.0, other.entrance.1);
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

/// Steps between two questions to the watchdog.
pub const WATCH_EVERY: u64 = 256;

/// A depth-first search from where an engine stands.
#[derive(Debug)]
pub struct DepthFirst<'e, E> {
    engine: &'e mut E,
    depth_max: u64,
    /// Whether runs without end are judged.
    judge_cycles: bool,
    frames: Vec<Frame>,
    pending: Vec<Successor>,
    /// The components of the path, the last one that of the state on top.
    components: Vec<Component>,
    order: Order,
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
            components: Vec::new(),
            order: Order::default(),
            may_forget: true,
            stats: Stats::default(),
        }
    }

    /// Searches the whole space, or up to the first error; goes on if it was stopped before.
    /// `stats` is kept up to date.
    pub fn run(&mut self, stats: &mut Stats, watchdog: &mut Watchdog<'_>) -> Round {
        let start = Choice { thread: ThreadId(0), alternative: 0 };
        let mut round = None;
        if self.stats.states == 0 {
            round = self.enter(start, Effect::default());
        }
        let mut steps = 0;
        while round.is_none() {
            if self.frames.is_empty() {
                round = Some(Round::Over(Found::Nothing));
                break;
            }
            round = self.step();
            steps += 1;
            // Nobody is asked about what was found.
            if round.is_none() && steps % WATCH_EVERY == 0 {
                self.publish(stats);
                self.save_memory();
                let full = self.engine.is_full().then(|| "the table of states is full".to_string());
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
        let open = self.order.open_count();
        let mut keep: Vec<StateId> = self.order.open().chain(pending).collect();
        self.engine.forget_but(&mut keep);
        self.order.renumber(&keep[..open]);
        for (successor, new) in self.pending.iter_mut().zip(&keep[open..]) {
            successor.state = *new;
        }
        self.stats.forgotten += before.saturating_sub(self.engine.ids()) as u64;
        // If that was not much, it is not worth the while.
        self.may_forget = self.engine.ids() * 2 < before;
    }

    fn publish(&self, stats: &mut Stats) {
        let frontier = self.pending.len() as u64;
        stats.take(&Stats { frontier, expanded: self.stats.states, ..self.stats });
        let frames = self.frames.capacity() * size_of::<Frame>();
        let components = self.components.capacity() * size_of::<Component>();
        let pending = self.pending.capacity() * size_of::<Successor>();
        let order = self.order.bytes(self.engine.ids());
        stats.order_bytes = (order + frames + components + pending) as u64;
    }

    /// Looks at the next successor of the state on top, or leaves it.
    fn step(&mut self) -> Option<Round> {
        let level = self.frames.len() as u64;
        let top = self.frames.last_mut()?;
        if top.pending == 0 {
            return self.leave();
        }
        top.pending -= 1;
        let next = self.pending.pop()?;
        // It may have been entered since.
        if self.revisits(next) {
            return None;
        }
        self.stats.transitions += 1;
        if self.depth_max < level {
            self.stats.cut += 1;
            self.components.last_mut()?.is_left = true;
            return None;
        }
        self.engine.forward_to(next.choice, next.state);
        debug_assert_eq!(self.engine.state(), next.state);
        self.enter(next.choice, next.effect)
    }

    /// Takes a successor of the state on top into account that was entered before, if it was.
    #[inline]
    fn revisits(&mut self, next: Successor) -> bool {
        let visit = self.order.visit(next.state);
        if visit == Visit::New {
            return false;
        }
        self.stats.transitions += 1;
        self.stats.revisits += 1;
        if let Visit::Open(place) = visit {
            self.merge_from(place);
        }
        if let Some(component) = self.components.last_mut() {
            match visit {
                Visit::Open(_) => component.take(next.choice, next.effect),
                _ => component.is_left = true,
            }
        }
        true
    }

    /// A move leads back to the state with this place: everything since is one component.
    fn merge_from(&mut self, place: u32) {
        while let Some(part) = self.components.pop_if(|last| place < last.first) {
            if let Some(below) = self.components.last_mut() {
                below.join(&part);
            }
        }
    }

    /// Makes the present state the top of the path.
    fn enter(&mut self, choice: Choice, effect: Effect) -> Option<Round> {
        let state = self.engine.state();
        let first = self.order.enter(state);
        self.engine.on_stack(state, true);
        self.stats.states += 1;
        let level = self.frames.len();
        self.stats.depth = self.stats.depth.max(level as u64);
        self.frames.push(Frame { choice, pending: 0 });
        self.components.push(Component {
            first,
            level,
            entrance: (choice, effect),
            is_left: false,
            is_cyclic: false,
            moved: ThreadSet::default(),
            effect: Effect::default(),
        });
        match self.engine.expand() {
            Expansion::Successors => {
                let ends = self.engine.ends() || self.engine.successors().is_empty();
                self.components.last_mut()?.is_left = ends;
                self.keep_successors();
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

    /// Keeps those successors of the state on top that were not entered before.
    fn keep_successors(&mut self) {
        let before = self.pending.len();
        let last = self.frames.last().map_or(ThreadId(0), |top| top.choice.thread);
        // The last is taken first.
        for at in in_turn(self.engine.successors(), last).rev() {
            let next = self.engine.successors()[at];
            if !self.revisits(next) {
                self.pending.push(next);
            }
        }
        if let Some(top) = self.frames.last_mut() {
            top.pending = (self.pending.len() - before) as u32;
        }
    }

    /// All successors of the state on top were looked at.
    fn leave(&mut self) -> Option<Round> {
        let level = self.frames.len() - 1;
        let is_root = self.components.last()?.level == level;
        if is_root && let Some(error) = self.judge() {
            return Some(Round::Over(Found::Error { path: self.path(None), error }));
        }
        self.frames.pop();
        self.engine.on_stack(self.engine.state(), false);
        self.engine.back();
        if is_root {
            let component = self.components.pop()?;
            self.order.close(component.first);
            if let Some(below) = self.components.last_mut() {
                below.is_left = true;
            }
        }
        None
    }

    /// What is wrong with the complete component of the state on top, its first.
    fn judge(&mut self) -> Option<Wrong> {
        let Component { is_left, is_cyclic, ref moved, effect, .. } = *self.components.last()?;
        if !self.judge_cycles || is_left || !is_cyclic {
            return None;
        }
        let stuck = self.engine.hopeless(moved);
        let wrong = Wrong::Stuck(stuck.clone());
        if !stuck.is_empty() && self.engine.counts(&wrong) {
            return Some(wrong);
        }
        (effect.is_idle() && self.engine.counts(&Wrong::Livelock)).then_some(Wrong::Livelock)
    }

    /// The choices on the path, and the one in progress.
    fn path(&self, last: Option<Choice>) -> Vec<Choice> {
        self.frames.iter().skip(1).map(|frame| frame.choice).chain(last).collect()
    }
}
