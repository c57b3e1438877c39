//! The space of states of a process: the engine under all searches.
//!
//! Expanding a state executes the next move of every thread, takes in where it leads, compares
//! what the moves touch, and undoes it. Conflicts outside the contended set make the set grow (see
//! [`super`]); conflicts between plain accesses of the program may be data races; then moves that
//! need not be explored are left out (see [`super::stubborn`]).

mod appraisal;
mod vantage;

pub use appraisal::{Appraisal, Appraiser};

use super::choice::{Choice, Stats, Wrong};
use super::engine::{Effect, Engine, Expansion, Successor};
use super::future::{Futures, Place, Thing};
use super::moves::{self, Ending, Move, Sight};
use super::stubborn::{Choices, Deeds, Mover, ThreadDeed};
use super::touches::{Touches, bit};
use super::view::{PathFacts, View};
use super::visible::Visible;
use super::word::Word;
use crate::formula::Properties;
use crate::state::{StateId, StateVector, VectorMark};
use ahash::{AHashSet, RandomState};
use samovar_runtime::syscall::objects;
use samovar_runtime::{Process, ProcessMark, ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;
use vantage::Vantage;

/// Says whether something that goes wrong counts as an error; anything else is an end like any
/// other. For a race the process stands before the moves.
type Judge<'a> = Box<dyn FnMut(&mut Process, &Sight, &Wrong) -> bool + 'a>;

/// See the module head.
pub struct Space<'a> {
    process: &'a mut Process,
    sight: Sight,
    vector: StateVector,
    touches: Touches,
    futures: Futures,
    deeds: Deeds,
    judge: Judge<'a>,
    properties: Properties,
    /// Whether moves are left out that need not be explored.
    prune: bool,
    /// Words whose conflicts were judged to be no races.
    harmless: AHashSet<Word>,
    /// States that may close a cycle, one bit each: those on the stack of a search that has one,
    /// or else all that were a successor or the start.
    open: Vec<u64>,
    has_stack: bool,
    movers: Vec<Mover>,
    things: Vec<(Thing, bool)>,
    present: Vec<(Thing, bool)>,
    successors: Vec<Successor>,
    ends: bool,
    appraisals: appraisal::Appraisals<'a>,
    path: Vec<(ProcessMark, VectorMark)>,
    vantage: Vantage,
    /// If this thread can move, moves of others are compared only.
    only: Option<ThreadId>,
    start: StateId,
    /// History at the start of the round.
    before: History,
    /// Numbers of the round, as far as they are known here.
    pub stats: Stats,
}

/// How much was learned about what threads do.
type History = (u64, u32, Deeds);

/// How the moves of a state came out.
#[derive(Debug, Default)]
struct Survey {
    enabled: u32,
    /// Time can pass.
    time: bool,
    /// Something is wrong, or not supported.
    end: Option<Expansion>,
    /// A move showed contention by itself.
    grown: bool,
    /// Moves are compared, but where they lead does not count.
    muted: bool,
}

impl<'a> Space<'a> {
    /// The space from where the process stands; the journal must be on. `prune` leaves out moves
    /// that need not be explored.
    pub fn new(
        process: &'a mut Process,
        sight: Sight,
        prune: bool,
        judge: impl FnMut(&mut Process, &Sight, &Wrong) -> bool + 'a,
    ) -> Space<'a> {
        let vector = StateVector::new(process);
        let prune = prune && matches!(sight.visible, Visible::Contended(_));
        Space {
            process,
            sight,
            vector,
            touches: Touches::default(),
            futures: Futures::default(),
            deeds: Deeds::default(),
            judge: Box::new(judge),
            properties: Properties::default(),
            prune,
            harmless: AHashSet::with_hasher(RandomState::with_seeds(61, 62, 63, 64)),
            open: Vec::new(),
            has_stack: false,
            movers: Vec::new(),
            things: Vec::new(),
            present: Vec::new(),
            successors: Vec::new(),
            ends: false,
            appraisals: appraisal::Appraisals::default(),
            path: Vec::new(),
            vantage: Vantage::default(),
            only: None,
            start: StateId::default(),
            before: History::default(),
            stats: Stats::default(),
        }
    }

    /// Looks at these properties in every state: what they depend on is visible, and no moves are
    /// left out, because a property can tell apart the orders of moves that do not disturb each
    /// other.
    pub fn watching(mut self, properties: Properties) -> Self {
        self.prune &= properties.is_empty();
        for range in properties.words() {
            for word in range.start / 8..range.end.div_ceil(8) {
                self.sight.visible.add(Word(word));
            }
        }
        self.properties = properties;
        self
    }

    /// Whether the present state decides a property; what that depended on becomes visible.
    fn decides(&mut self, survey: &mut Survey) -> bool {
        if self.properties.is_empty() {
            return false;
        }
        if !self.properties.is_fixed() {
            for range in self.properties.words_now(self.process) {
                for word in range.start / 8..range.end.div_ceil(8) {
                    survey.grown |= self.sight.visible.add(Word(word));
                }
            }
        }
        self.properties.check(self.process).is_some()
    }

    /// Begins a round: the engine stands at the start, and no state was seen.
    pub fn begin_round(&mut self) {
        self.path.clear();
        self.vector.jump(self.process, self.start);
        self.vector.clear();
        self.open.clear();
        self.has_stack = false;
        self.set_open(self.start, true);
        self.before = self.history();
        let (rounds, executed) = (self.stats.rounds + 1, self.stats.executed);
        self.stats = Stats { rounds, executed, ..Stats::default() };
    }

    /// Goes back to where everything begins.
    pub fn jump_to_start(&mut self) {
        self.jump(self.start);
    }

    /// Whether the round that is over has to be repeated, because moves were left out for reasons
    /// that turned out to be wrong.
    pub fn is_unsettled(&self) -> bool {
        0 < self.stats.reduced && self.before != self.history()
    }

    fn history(&self) -> History {
        (self.futures.growth, self.touches.things(), self.deeds)
    }

    /// What decides where moves end, as it is now.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }

    /// The process, which stands where the engine does.
    pub fn process(&mut self) -> &mut Process {
        self.process
    }

    /// Bytes that states and their components take.
    pub fn bytes(&self) -> usize {
        self.vector.bytes() + self.open.capacity() * 8
    }

    fn set_open(&mut self, state: StateId, is_open: bool) {
        let (index, mask) = (state.0 as usize / 64, 1 << (state.0 % 64));
        if self.open.len() <= index {
            self.open.resize((index + 1).next_power_of_two(), 0);
        }
        let word = &mut self.open[index];
        *word = if is_open { *word | mask } else { *word & !mask };
    }

    /// Executes and takes back the next moves of all threads.
    fn survey(&mut self, survey: &mut Survey) {
        let count = self.process.machine.thread_count();
        let mark = (self.process.mark(), self.vector.mark());
        let only = self.only.filter(|only| only.0 < count);
        let others = (0..count).map(ThreadId).filter(|thread| Some(*thread) != only);
        for thread in only.into_iter().chain(others) {
            survey.muted = only.is_some_and(|only| only != thread && self.can_move(only));
            match self.process.threads()[thread.0 as usize].state {
                ThreadState::Runnable => self.try_thread(thread, &mark, survey),
                ThreadState::Waiting(_) => {
                    let wait = self.process.threads()[thread.0 as usize].waiting().cloned();
                    let (enabled, deed, things) = (false, ThreadDeed::None, 0..0);
                    let place = self.place(thread);
                    self.movers.push(Mover { thread, enabled, wait, deed, place, things });
                }
                ThreadState::Exited => {}
            }
            if survey.end.is_some() {
                return;
            }
        }
        survey.muted = false;
        self.try_time(&mark, survey);
    }

    /// All alternatives of a thread's next move.
    fn try_thread(
        &mut self,
        thread: ThreadId,
        mark: &(ProcessMark, VectorMark),
        survey: &mut Survey,
    ) {
        let first = self.things.len();
        let mut mover = Mover {
            thread,
            enabled: false,
            wait: None,
            deed: ThreadDeed::None,
            place: self.place(thread),
            things: first..first,
        };
        let (mut alternative, mut alternatives) = (0, 1);
        while alternative < alternatives && survey.end.is_none() {
            let choice = Choice { thread, alternative };
            let threads = self.process.machine.thread_count();
            let notes = (Some(&mut self.touches), &mut self.present);
            let made = moves::execute_noting(self.process, &mark.0, choice, &self.sight, notes);
            self.stats.executed += 1;
            // What the first choice of a move was may decide how many more there are.
            alternatives = made.alternatives.max(alternatives);
            self.learn(mover.place, thread, threads);
            mover.enabled |= !matches!(made.ending, Ending::Blocked);
            if made.ending == Ending::Blocked {
                mover.wait = self.process.threads()[thread.0 as usize].waiting().cloned();
            }
            if made.operation.is_some_and(|access| access.addr == objects::THREADS) {
                mover.deed = self.deed(thread, threads);
            }
            survey.grown |= self.shows_contention(thread, &made);
            self.vantage.note(thread, &made);
            self.take(choice, made, mark, survey);
            self.process.undo_to(&mark.0);
            self.vector.undo_to(mark.1);
            alternative += 1;
        }
        mover.things.end = self.things.len();
        self.movers.push(mover);
    }

    /// Where a thread stands.
    fn place(&mut self, thread: ThreadId) -> Place {
        self.futures.place(thread, self.process.machine.core(thread).pc)
    }

    /// Takes in what a move from a place, which has just been made, tells about the future.
    fn learn(&mut self, place: Place, thread: ThreadId, threads_before: u32) {
        if self.prune {
            for &(thing, change) in &self.present {
                self.futures.note(place, thing, change);
            }
            if self.process.threads()[thread.0 as usize].is_alive() {
                let next = self.place(thread);
                self.futures.link(place, next);
            }
            for new in threads_before..self.process.machine.thread_count() {
                let start = self.place(ThreadId(new));
                self.futures.link(place, start);
            }
        }
        self.things.append(&mut self.present);
    }

    /// What a move that has just been made did to threads.
    fn deed(&mut self, thread: ThreadId, threads_before: u32) -> ThreadDeed {
        if threads_before < self.process.machine.thread_count() {
            self.deeds.creators |= bit(thread);
            ThreadDeed::Create
        } else if self.process.threads()[thread.0 as usize].is_alive() {
            self.deeds.others |= bit(thread);
            ThreadDeed::Other
        } else {
            ThreadDeed::None
        }
    }

    /// Whether a move alone shows that something is contended: a thread that hangs on an object,
    /// or goes round in circles reading something.
    fn shows_contention(&mut self, thread: ThreadId, made: &Move) -> bool {
        let mut grown = false;
        // What another thread was seen to change, or anything if there is nothing of the kind.
        let is_changed = |word: &&Word| self.touches.changed_by(**word) & !bit(thread) != 0;
        let any = made.circle.iter().any(|word| is_changed(&word));
        let words = made.circle.iter().filter(|word| !any || is_changed(word));
        for &word in words {
            grown |= self.sight.visible.add(word);
        }
        if made.ending == Ending::Blocked
            && let Some(object) = &made.object
        {
            for word in Word::of(object).filter(|word| word.address() != objects::THREADS) {
                grown |= self.sight.visible.add(word);
            }
        }
        grown
    }

    /// Takes in how a move ended.
    fn take(
        &mut self,
        choice: Choice,
        made: Move,
        mark: &(ProcessMark, VectorMark),
        survey: &mut Survey,
    ) {
        if !survey.muted {
            self.appraisals.take(self.process, choice, &made);
        }
        match made.ending {
            Ending::Blocked => {}
            _ if survey.muted => survey.enabled += 1,
            Ending::Pruned => {
                survey.enabled += 1;
                self.ends = true;
            }
            Ending::Done => {
                survey.enabled += 1;
                let state = self.vector.update(self.process, mark.0.machine());
                let change = self.vector.changed_beyond(mark.1, &made.stack);
                let effect = Effect { progress: made.progress, change };
                self.successors.push(Successor { choice, state, effect });
                if self.decides(survey) {
                    survey.end = Some(Expansion::Wrong(Some(choice), Wrong::Property));
                }
            }
            Ending::Unsupported(what) => {
                survey.end = Some(Expansion::Unsupported(choice, what));
            }
            ending => {
                survey.enabled += 1;
                let wrong = Wrong::Move(ending);
                if wrong == Wrong::Move(Ending::Diverges)
                    || (self.judge)(self.process, &self.sight, &wrong)
                {
                    survey.end = Some(Expansion::Wrong(Some(choice), wrong));
                } else {
                    self.ends = true;
                    self.stats.terminal += 1;
                }
            }
        }
    }

    /// The passing of time, up to the next deadline, if somebody waits for one.
    fn try_time(&mut self, mark: &(ProcessMark, VectorMark), survey: &mut Survey) {
        if self.process.next_deadline().is_none() {
            return;
        }
        let thread = ThreadId(self.process.machine.thread_count());
        let choice = Choice { thread, alternative: 0 };
        let made = moves::execute(self.process, &mark.0, choice, &self.sight);
        if made.ending == Ending::Done {
            survey.time = true;
            self.take(choice, made, mark, survey);
        }
        self.process.undo_to(&mark.0);
        self.vector.undo_to(mark.1);
    }

    /// Looks at the conflicts between the moves; whether the contended set has grown. Objects come
    /// first: once they are visible, the memory that they guard may be at peace.
    fn compare(&mut self) -> bool {
        let fresh = |visible: &Visible, word: Word| !visible.knows(word);
        let conflicts = self.touches.conflicts();
        let visible = &self.sight.visible;
        let objects = conflicts.iter().any(|one| one.atomic && fresh(visible, one.word));
        let mut grown = false;
        for conflict in self.touches.conflicts() {
            if conflict.atomic || !objects {
                grown |= self.sight.visible.add(conflict.word);
            }
        }
        grown
    }

    /// A conflict between plain accesses that is a data race, if there is one. Objects that both
    /// moves work on could still turn out to order them, so there must not be any new ones.
    fn race(&mut self) -> Option<Wrong> {
        for at in 0..self.touches.conflicts().len() {
            let conflict = self.touches.conflicts()[at];
            if !conflict.plain || self.harmless.contains(&conflict.word) {
                continue;
            }
            let wrong = Wrong::Race { word: conflict.word };
            if (self.judge)(self.process, &self.sight, &wrong) {
                return Some(wrong);
            }
            self.harmless.insert(conflict.word);
        }
        None
    }

    /// Leaves out the successors that need not be explored.
    fn prune(&mut self, survey: &Survey) {
        if !self.prune || survey.time || self.successors.len() < 2 {
            return;
        }
        let choices = Choices {
            movers: &self.movers,
            things: &self.things,
            touches: &self.touches,
            futures: &self.futures,
            deeds: self.deeds,
            count: self.process.machine.thread_count(),
        };
        let Some(sufficient) = choices.sufficient() else { return };
        let is_kept = |one: &Successor| bit(one.choice.thread) & sufficient != 0;
        let is_open = |state: StateId| {
            let word = self.open.get(state.0 as usize / 64);
            word.is_some_and(|word| word & 1 << (state.0 % 64) != 0)
        };
        let kept = self.successors.iter().filter(|one| is_kept(one));
        if !kept.clone().any(|one| !is_open(one.state)) {
            return;
        }
        self.stats.reduced += 1;
        self.successors.retain(is_kept);
    }

    fn is_deadlock(&self) -> bool {
        self.process.threads().iter().any(|thread| thread.is_alive())
    }
}

impl Engine for Space<'_> {
    fn state(&self) -> StateId {
        self.vector.state()
    }

    fn expand(&mut self) -> Expansion {
        self.successors.clear();
        self.movers.clear();
        self.things.clear();
        self.ends = false;
        self.appraisals.begin();
        self.vantage.begin();
        self.touches.begin_state();
        let mut survey = Survey::default();
        if self.state() == self.start && self.decides(&mut survey) && !survey.grown {
            return Expansion::Wrong(None, Wrong::Property);
        }
        self.survey(&mut survey);
        let grown = survey.grown | self.compare();
        match survey.end {
            // A path is told with the set that it was found with; the error will be there again.
            Some(_) if grown => return Expansion::Anew,
            Some(end) => return end,
            None if grown => return Expansion::Anew,
            None => {}
        }
        if let Some(race) = self.race() {
            return Expansion::Wrong(None, race);
        }
        if survey.enabled == 0 {
            self.stats.terminal += 1;
            let wrong = Wrong::Deadlock;
            if self.is_deadlock() && (self.judge)(self.process, &self.sight, &wrong) {
                return Expansion::Wrong(None, wrong);
            }
        }
        self.prune(&survey);
        for at in 0..if self.has_stack { 0 } else { self.successors.len() } {
            self.set_open(self.successors[at].state, true);
        }
        Expansion::Successors
    }

    fn expand_for(&mut self, thread: Option<ThreadId>) -> Expansion {
        self.only = thread;
        let expansion = self.expand();
        self.only = None;
        expansion
    }

    fn successors(&self) -> &[Successor] {
        &self.successors
    }

    fn ends(&self) -> bool {
        self.ends
    }

    fn forward(&mut self, choice: Choice) {
        let mark = (self.process.mark(), self.vector.mark());
        let made = moves::execute(self.process, &mark.0, choice, &self.sight);
        assert_eq!(made.ending, Ending::Done, "internal error: a move is not a function of states");
        self.vector.update(self.process, mark.0.machine());
        self.path.push(mark);
    }

    fn back(&mut self) {
        if let Some((process, vector)) = self.path.pop() {
            self.process.undo_to(&process);
            self.vector.undo_to(vector);
        }
    }

    fn jump(&mut self, state: StateId) {
        self.path.clear();
        if state != self.vector.state() {
            self.vector.jump(self.process, state);
        }
    }

    fn on_stack(&mut self, state: StateId, is_there: bool) {
        self.has_stack = true;
        self.set_open(state, is_there);
    }

    fn can_move(&self, thread: ThreadId) -> bool {
        self.movers.iter().any(|mover| mover.thread == thread && mover.enabled)
    }

    fn thread_count(&self) -> u32 {
        self.process.machine.thread_count()
    }

    fn look(
        &mut self,
        choice: Choice,
        before: PathFacts,
        look: &mut dyn FnMut(&View<'_>),
    ) -> PathFacts {
        self.show_after(choice, before, look)
    }

    fn ids(&self) -> usize {
        self.vector.ids()
    }

    fn hopeless(&mut self, moving: u64) -> Vec<ThreadId> {
        let mark = self.process.mark();
        let count = self.process.machine.thread_count().min(63);
        let is_still = |thread: &ThreadId| moving & bit(*thread) == 0;
        let mut found: Vec<(ThreadId, Option<u32>)> = Vec::new();
        for thread in (0..count).map(ThreadId).filter(is_still) {
            if !self.process.threads()[thread.0 as usize].is_alive() {
                continue;
            }
            if self.process.threads()[thread.0 as usize].state == ThreadState::Runnable {
                let choice = Choice { thread, alternative: 0 };
                moves::execute(self.process, &mark, choice, &self.sight);
            }
            let joined = match self.process.threads()[thread.0 as usize].waiting() {
                Some(WaitFor::Join { thread, .. }) => Some(*thread),
                _ => None,
            };
            found.push((thread, joined));
            self.process.undo_to(&mark);
        }
        // Whoever waits for the end of one that is not hopeless is not, either.
        loop {
            let before = found.len();
            let hopeless: Vec<u32> = found.iter().map(|(thread, _)| thread.0).collect();
            found.retain(|(_, joined)| joined.is_none_or(|other| hopeless.contains(&other)));
            if found.len() == before {
                return found.into_iter().map(|(thread, _)| thread).collect();
            }
        }
    }
}
