//! Depth-first search with undo: no state is copied on the way down or up.

use super::footprint::{Footprint, Word};
use super::moves::{self, Ending, Move};
use super::watch::{LibraryData, Visible};
use crate::state::{StateVector, VectorMark};
use ahash::{AHashMap, RandomState};
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
}

/// A state on the path.
struct Frame {
    process: ProcessMark,
    vector: VectorMark,
    next: Choice,
    alternatives: u32,
    footprints: Vec<(ThreadId, Footprint)>,
    enabled: u32,
}

/// A depth-first search in progress.
pub struct Search<'a> {
    process: &'a mut Process,
    visible: Visible,
    library: LibraryData,
    vector: StateVector,
    visited: AHashMap<Box<[u32]>, ()>,
    frames: Vec<Frame>,
    /// What was found out since the start.
    pub stats: Stats,
}

/// Why a round ended.
enum Round {
    Over(Found),
    Grown,
}

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
            stats: Stats::default(),
        }
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
            let next = frame.next;
            if next.thread.0 >= self.process.machine.thread_count() {
                if frame.enabled == 0 {
                    self.stats.terminal += 1;
                    if self.is_deadlock() {
                        return Round::Over(self.error(None, Wrong::Deadlock));
                    }
                }
                self.leave();
                continue;
            }
            if let Some(over) = self.advance(next) {
                return over;
            }
        }
        Round::Over(Found::Nothing)
    }

    /// Makes the present state the top of the path.
    fn enter(&mut self) {
        self.visited.insert(self.vector.key().into(), ());
        self.stats.states += 1;
        let frame = Frame {
            process: self.process.mark(),
            vector: self.vector.mark(),
            next: Choice { thread: ThreadId(0), alternative: 0 },
            alternatives: 1,
            footprints: Vec::new(),
            enabled: 0,
        };
        self.frames.push(frame);
        self.stats.depth = self.stats.depth.max(self.frames.len() as u64 - 1);
    }

    /// Goes back to the state before.
    fn leave(&mut self) {
        self.frames.pop();
        if let Some(frame) = self.frames.last() {
            self.process.undo_to(&frame.process);
            self.vector.undo_to(frame.vector);
        }
    }

    /// Tries one move of the state on top.
    fn advance(&mut self, choice: Choice) -> Option<Round> {
        let Choice { thread, alternative } = choice;
        let waits = self.process.threads()[thread.0 as usize].state != ThreadState::Runnable;
        let depth = self.frames.len() - 1;
        if waits {
            self.frames[depth].next = Choice { thread: ThreadId(thread.0 + 1), alternative: 0 };
            return None;
        }
        let mark = self.frames[depth].process.clone();
        self.process.mark();
        let made = moves::execute(
            self.process,
            &mark,
            thread,
            alternative,
            (&self.visible, &self.library),
        );
        self.stats.transitions += 1;
        self.count_on(depth, choice, &made);
        if self.compare(depth, thread, &made) {
            return Some(Round::Grown);
        }
        match made.ending {
            Ending::Done => {
                self.frames[depth].enabled += 1;
                self.vector.update(self.process, mark.machine());
                if self.visited.contains_key(self.vector.key()) {
                    self.stats.revisits += 1;
                    self.undo(depth);
                } else {
                    self.enter();
                }
                None
            }
            Ending::Exited(0) => {
                self.frames[depth].enabled += 1;
                self.stats.terminal += 1;
                self.undo(depth);
                None
            }
            Ending::Blocked => {
                self.undo(depth);
                None
            }
            Ending::Unsupported(what) => {
                let path = self.path(Some(choice));
                Some(Round::Over(Found::Unsupported { path, what }))
            }
            ending => Some(Round::Over(self.error(Some(choice), Wrong::Move(ending)))),
        }
    }

    /// Notes which move the state on top tries after this one.
    fn count_on(&mut self, depth: usize, choice: Choice, made: &Move) {
        let frame = &mut self.frames[depth];
        frame.alternatives = made.alternatives;
        frame.next = if choice.alternative + 1 < made.alternatives {
            Choice { alternative: choice.alternative + 1, ..choice }
        } else {
            Choice { thread: ThreadId(choice.thread.0 + 1), alternative: 0 }
        };
    }

    /// Compares a move with those of the other threads; whether the contended set has grown.
    fn compare(&mut self, depth: usize, thread: ThreadId, made: &Move) -> bool {
        let frame = &mut self.frames[depth];
        let mut fresh: Vec<Word> = Vec::new();
        for (other, footprint) in &frame.footprints {
            if *other != thread {
                let conflicts = made.footprint.conflicts(footprint);
                fresh.extend(conflicts.iter().map(|(word, ..)| *word));
            }
        }
        if made.ending == Ending::Blocked
            && let Some(object) = &made.object
        {
            fresh.extend(Word::of(object));
        }
        frame.footprints.push((thread, made.footprint.clone()));
        fresh.retain(|word| !self.visible.knows(*word) && !is_thread_object(*word));
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

    fn is_deadlock(&self) -> bool {
        self.process.threads().iter().any(|thread| thread.is_alive())
    }

    fn error(&self, last: Option<Choice>, error: Wrong) -> Found {
        Found::Error { path: self.path(last), error }
    }

    /// The choices on the path, and the one in progress. The choice that a frame took is the one
    /// before its next.
    fn path(&self, last: Option<Choice>) -> Vec<Choice> {
        let taken = self.frames.len().saturating_sub(1);
        let mut path: Vec<Choice> = self.frames[..taken]
            .iter()
            .map(|frame| match frame.next {
                Choice { thread, alternative: 0 } => {
                    Choice { thread: ThreadId(thread.0 - 1), alternative: frame.alternatives - 1 }
                }
                Choice { thread, alternative } => Choice { thread, alternative: alternative - 1 },
            })
            .collect();
        path.extend(last);
        path
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

/// Beginnings and ends of threads are visible anyway.
fn is_thread_object(word: Word) -> bool {
    word.address() == samovar_runtime::syscall::objects::THREADS
}
