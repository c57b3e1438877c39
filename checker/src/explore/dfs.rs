//! Depth-first search with undo: no state is copied on the way down or up.

use super::footprint::{Footprint, Word};
use super::moves::{self, Ending, Move};
use super::watch::{LibraryData, Visible};
use crate::state::{StateVector, VectorMark};
use ahash::{AHashMap, RandomState};
use samovar_runtime::syscall::objects;
use samovar_runtime::{Process, ProcessMark, ThreadState, Unsupported};
use samovar_vm::machine::ThreadId;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The thread that moves.
    pub thread: ThreadId,
    /// Which alternative it takes.
    pub alternative: u32,
}

/// Where the moves of a state begin.
const FIRST: Choice = Choice { thread: ThreadId(0), alternative: 0 };

/// What a search found.
#[derive(Debug)]
pub enum Found {
    /// Nothing wrong in the whole space.
    Nothing,
    /// The last move of the path goes wrong, or the path leads into a deadlock.
    Error {
        /// The moves from the start of the search.
        path: Vec<Choice>,
        /// What goes wrong.
        error: Wrong,
    },
    /// The watchdog ended it.
    Stopped {
        /// Why.
        reason: String,
    },
    /// Something is not supported.
    Unsupported {
        /// The moves that lead there.
        path: Vec<Choice>,
        /// What it is.
        what: Unsupported,
    },
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No thread can move, and not all have ended.
    Deadlock,
    /// A move ended badly.
    Move(Ending),
}

/// Numbers about a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// States seen, in the last round.
    pub states: u64,
    /// Moves executed, in the last round.
    pub transitions: u64,
    /// Moves that led to a state seen before, in the last round.
    pub revisits: u64,
    /// Most moves on a path.
    pub depth: u64,
    /// Searches begun, one for each growth of the contended set.
    pub rounds: u64,
    /// Words in the contended set at the end.
    pub contended: u64,
    /// States in which nobody can move, in the last round.
    pub terminal: u64,
    /// States that the bound on the depth kept from being explored, in the last round.
    pub cut: u64,
}

/// What of a state is being looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Each thread's move is tried, to compare them and to find one that suffices.
    Looking,
    /// All moves are explored, one after the other.
    Exploring,
    /// One move suffices and was explored; the others are compared only.
    Comparing,
}

/// A state on the path.
struct Frame {
    process: ProcessMark,
    vector: VectorMark,
    phase: Phase,
    next: Choice,
    taken: Option<Choice>,
    footprints: Vec<(ThreadId, Footprint)>,
    enabled: u32,
}

/// Is asked now and then whether to go on: a reason ends the search.
type Watchdog<'a> = Box<dyn FnMut(&Stats) -> Option<String> + 'a>;

/// Is told of every end that is no error.
type Listener<'a> = Box<dyn FnMut(&mut Process, &Wrong) + 'a>;

/// A depth-first search in progress.
pub struct Search<'a> {
    process: &'a mut Process,
    visible: Visible,
    library: LibraryData,
    vector: StateVector,
    visited: AHashMap<Box<[u32]>, ()>,
    frames: Vec<Frame>,
    watchdog: Watchdog<'a>,
    counts: Box<dyn Fn(&Wrong) -> bool + 'a>,
    ended: Listener<'a>,
    depth_max: u64,
    /// What was found out since the start.
    pub stats: Stats,
}

/// Why a round ended.
enum Round {
    Over(Found),
    Grown,
}

/// Transitions between two questions to the watchdog.
const WATCH_EVERY: u64 = 256;

impl<'a> Search<'a> {
    /// A search from where the process stands; the journal must be on.
    pub fn new(process: &'a mut Process, visible: Visible) -> Search<'a> {
        let vector = StateVector::new(process);
        let library = LibraryData::of(process);
        Search {
            process,
            visible,
            library,
            vector,
            visited: AHashMap::with_hasher(RandomState::with_seeds(61, 62, 63, 64)),
            frames: Vec::new(),
            watchdog: Box::new(|_| None),
            counts: Box::new(|wrong| *wrong != Wrong::Move(Ending::Exited(0))),
            ended: Box::new(|_, _| ()),
            depth_max: u64::MAX,
            stats: Stats::default(),
        }
    }

    /// Sets a function that is asked now and then whether to go on: a reason ends the search.
    pub fn watched_by(mut self, watchdog: impl FnMut(&Stats) -> Option<String> + 'a) -> Self {
        self.watchdog = Box::new(watchdog);
        self
    }

    /// Sets a function that says what counts as an error; anything else is an end like any other.
    pub fn counting(mut self, counts: impl Fn(&Wrong) -> bool + 'a) -> Self {
        self.counts = Box::new(counts);
        self
    }

    /// Sets a function that is told of every end that is no error, before it is undone.
    pub fn telling(mut self, ended: impl FnMut(&mut Process, &Wrong) + 'a) -> Self {
        self.ended = Box::new(ended);
        self
    }

    /// Follows no path further than so many moves.
    pub fn bounded(mut self, depth_max: u64) -> Self {
        self.depth_max = depth_max;
        self
    }

    /// Searches the whole space, or up to the first error.
    pub fn run(&mut self) -> Found {
        let (start, vector) = (self.process.mark(), self.vector.mark());
        loop {
            self.stats = Stats { rounds: self.stats.rounds + 1, ..Stats::default() };
            self.visited.clear();
            let round = self.round();
            if let Visible::Contended(words) = &self.visible {
                self.stats.contended = words.len() as u64;
            }
            match round {
                Round::Over(found) => return found,
                Round::Grown => {
                    self.frames.clear();
                    self.process.undo_to(&start);
                    self.vector.undo_to(vector);
                }
            }
        }
    }

    fn round(&mut self) -> Round {
        self.enter();
        while let Some(frame) = self.frames.last() {
            let (next, phase) = (frame.next, frame.phase);
            let past_threads = next.thread.0 >= self.process.machine.thread_count();
            let over = match phase {
                _ if !past_threads => self.try_move(next),
                Phase::Looking => {
                    self.explore_all();
                    None
                }
                Phase::Exploring if next.thread == self.clock() => self.pass_time(),
                _ => self.finish(),
            };
            if let Some(over) = over {
                return over;
            }
            if self.stats.transitions.is_multiple_of(WATCH_EVERY)
                && let Some(reason) = (self.watchdog)(&self.stats)
            {
                return Round::Over(Found::Stopped { reason });
            }
        }
        Round::Over(Found::Nothing)
    }

    /// The number that stands for the passing of time.
    fn clock(&self) -> ThreadId {
        ThreadId(self.process.machine.thread_count())
    }

    /// Makes the present state the top of the path.
    fn enter(&mut self) {
        self.visited.insert(self.vector.key().into(), ());
        self.stats.states += 1;
        let phase = match self.visible {
            Visible::All => Phase::Exploring,
            Visible::Contended(_) => Phase::Looking,
        };
        let frame = Frame {
            process: self.process.mark(),
            vector: self.vector.mark(),
            phase,
            next: FIRST,
            taken: None,
            footprints: Vec::new(),
            enabled: 0,
        };
        self.frames.push(frame);
        self.stats.depth = self.stats.depth.max(self.frames.len() as u64 - 1);
    }

    /// No single move suffices: all are explored.
    fn explore_all(&mut self) {
        let depth = self.frames.len() - 1;
        self.frames[depth].phase = Phase::Exploring;
        self.frames[depth].next = FIRST;
    }

    /// All moves of the state on top were made.
    fn finish(&mut self) -> Option<Round> {
        let depth = self.frames.len() - 1;
        if self.frames[depth].enabled == 0 {
            self.stats.terminal += 1;
            if self.is_deadlock() {
                if (self.counts)(&Wrong::Deadlock) {
                    return Some(Round::Over(self.error(None, Wrong::Deadlock)));
                }
                (self.ended)(self.process, &Wrong::Deadlock);
            }
        }
        self.frames.pop();
        if let Some(above) = depth.checked_sub(1) {
            self.undo(above);
        }
        None
    }

    /// Lets time pass up to the next deadline, if somebody waits for one.
    fn pass_time(&mut self) -> Option<Round> {
        let depth = self.frames.len() - 1;
        let clock = self.clock();
        self.frames[depth].next = Choice { thread: ThreadId(clock.0 + 1), alternative: 0 };
        let mark = self.process.mark();
        let made = moves::execute(self.process, &mark, clock, 0, &self.visible);
        if made.ending == Ending::Done {
            self.arrive(depth, Choice { thread: clock, alternative: 0 });
        }
        None
    }

    /// Makes one move of the state on top.
    fn try_move(&mut self, choice: Choice) -> Option<Round> {
        let Choice { thread, alternative } = choice;
        let depth = self.frames.len() - 1;
        let next_thread = Choice { thread: ThreadId(thread.0 + 1), alternative: 0 };
        if self.process.threads()[thread.0 as usize].state != ThreadState::Runnable {
            self.frames[depth].next = next_thread;
            return None;
        }
        let phase = self.frames[depth].phase;
        let mark = self.process.mark();
        let world = (&self.visible, &self.library);
        let made = moves::execute_beside(self.process, &mark, thread, alternative, world);
        self.stats.transitions += 1;
        self.frames[depth].next = if alternative + 1 < made.alternatives {
            Choice { alternative: alternative + 1, ..choice }
        } else {
            next_thread
        };
        if self.is_waiting_busily(&made)
            || phase != Phase::Exploring && self.compare(depth, thread, &made)
        {
            return Some(Round::Grown);
        }
        if phase == Phase::Looking && suffices(&made) {
            self.frames[depth].phase = Phase::Comparing;
            self.frames[depth].next = FIRST;
        } else if phase != Phase::Exploring && !self.is_bad(&made.ending) {
            self.undo(depth);
            return None;
        }
        self.follow(depth, choice, made)
    }

    /// Goes where a move led.
    fn follow(&mut self, depth: usize, choice: Choice, made: Move) -> Option<Round> {
        match made.ending {
            Ending::Done => self.arrive(depth, choice),
            Ending::Blocked => self.undo(depth),
            // No successor, and no deadlock either.
            Ending::Pruned => {
                self.frames[depth].enabled += 1;
                self.undo(depth);
            }
            ending if !self.is_bad(&ending) => {
                self.frames[depth].enabled += 1;
                self.stats.terminal += 1;
                (self.ended)(self.process, &Wrong::Move(ending));
                self.undo(depth);
            }
            Ending::Unsupported(what) => {
                let path = self.path(Some(choice));
                return Some(Round::Over(Found::Unsupported { path, what }));
            }
            ending => return Some(Round::Over(self.error(Some(choice), Wrong::Move(ending)))),
        }
        None
    }

    /// Takes in the state that a move has led to.
    fn arrive(&mut self, depth: usize, choice: Choice) {
        let mark = self.frames[depth].process.machine();
        self.frames[depth].enabled += 1;
        self.frames[depth].taken = Some(choice);
        self.vector.update(self.process, mark);
        if self.visited.contains_key(self.vector.key()) {
            self.stats.revisits += 1;
            self.undo(depth);
        } else if self.frames.len() as u64 > self.depth_max {
            self.stats.cut += 1;
            self.undo(depth);
        } else {
            self.enter();
        }
    }

    /// Compares a move with those of the other threads; whether the contended set has grown.
    /// Objects come first: once they are visible, the memory that they guard may be at peace.
    fn compare(&mut self, depth: usize, thread: ThreadId, made: &Move) -> bool {
        let frame = &mut self.frames[depth];
        let mut fresh: Vec<(Word, bool)> = Vec::new();
        for (other, footprint) in &frame.footprints {
            if *other != thread {
                let conflicts = made.footprint.conflicts(footprint);
                fresh.extend(conflicts.iter().map(|(word, a, b)| (*word, a.atomic && b.atomic)));
            }
        }
        if made.ending == Ending::Blocked
            && let Some(object) = &made.object
        {
            fresh.extend(Word::of(object).map(|word| (word, true)));
        }
        if !frame.footprints.iter().any(|(known, _)| *known == thread) {
            frame.footprints.push((thread, made.footprint.clone()));
        }
        fresh.retain(|(word, _)| !self.visible.knows(*word) && !is_thread_object(*word));
        let objects = fresh.iter().any(|(_, object)| *object);
        for (word, object) in &fresh {
            if *object || !objects {
                self.visible.add(*word);
            }
        }
        !fresh.is_empty()
    }

    /// Whether a thread goes round in circles and reads something there that may be contended; it
    /// counts as contended then.
    fn is_waiting_busily(&mut self, made: &Move) -> bool {
        let mut fresh = made.circle.clone();
        fresh.retain(|word| !self.visible.knows(*word));
        for word in &fresh {
            self.visible.add(*word);
        }
        !fresh.is_empty()
    }

    fn undo(&mut self, depth: usize) {
        let frame = &self.frames[depth];
        self.process.undo_to(&frame.process);
        self.vector.undo_to(frame.vector);
    }

    /// Whether a move ended in an error, which need not be made twice.
    fn is_bad(&self, ending: &Ending) -> bool {
        match ending {
            Ending::Done | Ending::Blocked | Ending::Pruned => false,
            Ending::Unsupported(_) | Ending::Diverges => true,
            ending => (self.counts)(&Wrong::Move(ending.clone())),
        }
    }

    fn is_deadlock(&self) -> bool {
        self.process.threads().iter().any(|thread| thread.is_alive())
    }

    fn error(&self, last: Option<Choice>, error: Wrong) -> Found {
        Found::Error { path: self.path(last), error }
    }

    /// The choices on the path, and the one in progress.
    fn path(&self, last: Option<Choice>) -> Vec<Choice> {
        let taken = self.frames.len().saturating_sub(1);
        self.frames[..taken].iter().filter_map(|frame| frame.taken).chain(last).collect()
    }

    /// The words found to be contended, in ascending order.
    pub fn contended(&self) -> Vec<Word> {
        match &self.visible {
            Visible::All => Vec::new(),
            Visible::Contended(words) => {
                let mut words: Vec<Word> = words.iter().copied().collect();
                words.sort_unstable();
                words
            }
        }
    }
}

/// Whether a move may stand for all moves of its state: it begins or ends a thread, or waits for
/// the end of one. Nothing that other threads do before it can get in its way, because none of
/// them works on a thread that is not there yet or waits for one that goes on; and it cannot be on
/// a cycle, because threads never come back.
fn suffices(made: &Move) -> bool {
    let on_threads = made.operation.is_some_and(|access| access.addr == objects::THREADS);
    made.ending == Ending::Done && made.alternatives == 1 && on_threads
}

/// Beginnings and ends of threads are visible anyway.
fn is_thread_object(word: Word) -> bool {
    word.address() == objects::THREADS
}
