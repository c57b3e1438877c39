//! The space of states of a process: the engine under all searches.
//!
//! Expanding a state looks at the next move of every thread, takes in where it leads, and compares
//! what the moves touch (see [`survey`]). Conflicts outside the contended set make the set grow
//! (see [`super`]); conflicts between plain accesses of the program may be data races; then moves
//! that need not be explored are left out (see [`super::stubborn`]).
//!
//! The engine stands in a state of the [`StateVector`]. The process itself is somewhere else most
//! of the time: it is brought along when a move has to be executed (see [`execute`]) or somebody
//! wants to look at it.

mod appraisal;
mod execute;
pub mod finder;
pub mod hand;
mod mind;
mod pairs;
mod properties;
mod rebuild;
mod rehearsal;
mod roam;
mod rulings;
mod survey;
mod tired;
mod vantage;

pub use appraisal::{Appraisal, Appraiser};
pub use mind::Mind;

use super::choice::{Choice, Stats, Wrong};
use super::engine::{Engine, Expansion, Successor};
use super::findings::Findings;
use super::future::{Futures, Thing};
use super::known::{Found, KnownMoves, MoveRef, Outcome};
use super::lent::Lent;
use super::measure::{MemoryUse, Sampled};
use super::moves::{self, Sight};
use super::stubborn::{Deeds, Mover};
use super::thread_set::ThreadSet;
use super::touches::Touches;
use super::turns::Sightings;
use super::view::{PathFacts, View};
use super::visible::Visible;
use super::word::Word;
use crate::formula::Properties;
use crate::state::printed::Printed;
use crate::state::{StateId, StateVector, VectorMark};
use crate::store::mini::MiniStates;
use crate::sync::Arc;
use ahash::{AHashSet, RandomState};
use finder::Finder;
use properties::Verdicts;
use rebuild::Rebuilding;
use rulings::Rulings;
use samovar_runtime::{Process, ThreadState};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::reads::Seen;
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
    lent: Lent,
    futures: Futures,
    deeds: Deeds,
    judge: Judge<'a>,
    properties: Properties,
    verdicts: Verdicts,
    known: KnownMoves,
    /// Size of the contended set that the known moves are for.
    known_for: usize,
    /// How often all moves had to be forgotten because more has to be looked at.
    renewals: u64,
    /// Where threads give way.
    sightings: Sightings,
    /// Whether moves are remembered.
    remember: bool,
    seen: Vec<Seen>,
    looks: Vec<(u32, u32)>,
    /// The moves of the state that is being expanded.
    made: Vec<(ThreadId, MoveRef)>,
    /// Those of them that lead to another state.
    ready: Vec<(Choice, Found)>,
    finder: Finder,
    /// How often minds were changed.
    exchanges: u64,
    /// Whether moves are left out that need not be explored.
    prune: bool,
    /// Whether a round may be given up to store states better in the next.
    may_arrange: bool,
    /// Memory that states may take before some are forgotten, where that is possible, and that
    /// states and remembered moves may take.
    states_max: u64,
    memory_max: u64,
    rulings: Rulings,
    /// None are left out in this expansion.
    keep_all: bool,
    /// Conflicts that were judged to be no races: the word, and where both threads stood.
    harmless: AHashSet<(Word, u64, u64)>,
    /// The conflicts of a word that are being judged.
    meetings: Vec<(Word, u64, u64)>,
    /// States that may close a cycle, one bit each: those on the stack of a search that has one,
    /// or else all that were a successor or the start, or if successors are not stored, all that
    /// were expanded.
    open: Vec<u64>,
    /// Fingerprints of the states on the stack, if numbers of states pass.
    open_prints: AHashSet<u64>,
    has_stack: bool,
    /// How states were found, and how far from the start the search is, if that tells what may
    /// close a cycle.
    findings: Option<(Arc<Findings>, u32)>,
    /// Ways to states, if those are not stored.
    rebuilding: Option<Rebuilding>,
    movers: Vec<Mover>,
    things: Vec<(Thing, bool)>,
    successors: Vec<Successor>,
    ends: bool,
    appraisals: appraisal::Appraisals<'a>,
    path: Vec<VectorMark>,
    vantage: Vantage,
    /// Successors are not stored.
    defers: bool,
    /// What is visible has changed while somebody looked at successors.
    grown_aside: bool,
    /// What the last move forward was about, and how much of it threads share.
    passed: (Option<u64>, u32),
    /// If this thread can move, moves of others are compared only.
    only: Option<ThreadId>,
    start: StateId,
    /// History at the start of the round.
    before: History,
    /// Moves made that were remembered, in all rounds.
    remembered: u64,
    /// Time for executing moves.
    executing: Sampled,
    /// Time for going on to states.
    storing: Sampled,
    /// Numbers of the round, as far as they are known here.
    pub stats: Stats,
}

/// So many states are never forgotten.
const FEW_STATES: usize = 1 << 14;
/// So many states, about, are found until somebody looks at the memory again.
const STATES_AHEAD: usize = 1 << 13;
/// The host gives memory for large tables in pieces of this size.
const HOST_ROUNDING: usize = 1 << 21;
/// Of so many states one is measured.
const SAMPLE: u32 = 256;

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
    /// The move was made before, so it has an end: no limit may cut it off.
    is_repeated: bool,
}

impl Survey {
    /// For a move that was made before and is to be made again.
    fn again() -> Survey {
        Survey { muted: true, is_repeated: true, ..Survey::default() }
    }

    /// What the expansion comes to already, if it does.
    fn is_over(&mut self) -> Option<Expansion> {
        if self.grown { Some(Expansion::Anew) } else { self.end.take() }
    }
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
        let prune = prune && !matches!(sight.visible, Visible::All);
        Space {
            process,
            sight,
            vector,
            touches: Touches::default(),
            lent: Lent::default(),
            futures: Futures::default(),
            deeds: Deeds::default(),
            judge: Box::new(judge),
            verdicts: Verdicts::of(&Properties::default()),
            properties: Properties::default(),
            known: KnownMoves::default(),
            known_for: 0,
            renewals: 0,
            sightings: Sightings::default(),
            remember: true,
            seen: Vec::new(),
            looks: Vec::new(),
            made: Vec::new(),
            ready: Vec::new(),
            finder: Finder::default(),
            exchanges: 0,
            prune,
            may_arrange: false,
            states_max: u64::MAX,
            memory_max: u64::MAX,
            rulings: Rulings::default(),
            keep_all: false,
            harmless: AHashSet::with_hasher(RandomState::with_seeds(61, 62, 63, 64)),
            meetings: Vec::new(),
            open: Vec::new(),
            open_prints: AHashSet::with_hasher(RandomState::with_seeds(65, 66, 67, 68)),
            has_stack: false,
            findings: None,
            rebuilding: None,
            movers: Vec::new(),
            things: Vec::new(),
            successors: Vec::new(),
            ends: false,
            appraisals: appraisal::Appraisals::default(),
            path: Vec::new(),
            vantage: Vantage::default(),
            defers: false,
            grown_aside: false,
            passed: (None, 0),
            only: None,
            start: StateId::default(),
            before: History::default(),
            remembered: 0,
            executing: Sampled::new(1),
            storing: Sampled::new(SAMPLE),
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
        self.verdicts = Verdicts::of(&properties);
        self.properties = properties;
        self
    }

    /// States that differ in what the program has written count as different: for who wants to know
    /// all that it can write.
    pub fn telling_output(mut self, tells: bool) -> Self {
        if tells {
            self.vector.tell_output();
        }
        self
    }

    /// Says whether moves are remembered, which saves executing them again; they are unless this
    /// says otherwise.
    pub fn remembering(mut self, remember: bool) -> Self {
        self.remember = remember;
        self
    }

    /// The search may take so many bytes, most of them for states; a depth-first search forgets
    /// some rather than take more.
    pub fn limit_memory(&mut self, bytes: u64) {
        self.states_max = bytes / 4 * 3;
        self.memory_max = bytes;
    }

    /// A round may be given up for states to be stored better in the next.
    pub fn arranging(&mut self, may_arrange: bool) {
        self.may_arrange = may_arrange;
    }

    /// Tells states by fingerprints. If their numbers pass, there is no way to a state but forward
    /// and back.
    pub fn printing(mut self, printed: Printed) -> Self {
        self.vector.print_by(printed);
        self
    }

    /// Tells states by fingerprints, whose numbers must be kept, and comes back to states by making
    /// the moves that led there again.
    pub fn rebuilding(mut self, printed: Printed, minis: MiniStates) -> Self {
        self.rebuilding = Some(Rebuilding::new(minis));
        self.printing(printed)
    }

    /// Takes another function for fingerprints; a round has just begun.
    pub fn change_function(&mut self, function: u64) {
        self.vector.change_function(function);
    }

    /// The fingerprint of the present state; zero if states are not told by that.
    pub fn print(&self) -> u64 {
        self.vector.printed().map_or(0, Printed::print)
    }

    /// The fingerprint of a successor of the state that was expanded last, likewise.
    pub fn print_of(&self, state: StateId) -> u64 {
        self.vector.printed().map_or(0, |printed| printed.print_of(state))
    }

    /// Whether numbers of states mean something until the next state is expanded only.
    #[inline]
    fn numbers_pass(&self) -> bool {
        self.vector.printed().is_some_and(|printed| !printed.keeps())
    }

    /// Begins a round: the engine stands at the start, and no state was seen.
    pub fn begin_round(&mut self) {
        self.appraisals.begin_round();
        self.vantage.begin_round();
        self.path.clear();
        self.vector.jump(self.start);
        self.vector.bring(self.process);
        self.vector.clear();
        self.open.clear();
        self.open_prints.clear();
        if let Some(rebuilding) = &mut self.rebuilding {
            rebuilding.minis.clear();
            rebuilding.visible = self.sight.visible.added();
            self.vector.change_function(rebuilding.collisions);
        }
        self.has_stack = false;
        self.findings = None;
        self.defers = false;
        self.grown_aside = false;
        self.set_open(self.start, true);
        self.futures.begin_round();
        self.before = self.history();
        let (rounds, executed) = (self.stats.rounds + 1, self.stats.executed);
        self.stats = Stats { rounds, executed, ..Stats::default() };
    }

    /// Leans on straight places in this round, which has just begun. Not for searches that judge
    /// runs without end on their way: what is said to be straight is certain when a round is over.
    pub fn lean_on_straight(&mut self) {
        self.futures.find_straight();
    }

    /// Goes back to where everything begins.
    pub fn jump_to_start(&mut self) {
        self.jump(self.start);
    }

    /// Whether the round that is over has to be repeated, because moves were left out for reasons
    /// that turned out to be wrong.
    pub fn is_unsettled(&self) -> bool {
        0 < self.stats.reduced && (self.before != self.history() || self.futures.is_shaken())
    }

    fn history(&self) -> History {
        (self.futures.growth, self.touches.things(), self.deeds.clone())
    }

    /// Leaves moves out from now on, or no more; whether it did so before.
    pub fn set_pruning(&mut self, prune: bool) -> bool {
        std::mem::replace(&mut self.prune, prune)
    }

    /// Looks at everything in another way from now on; the way before.
    pub fn replace_sight(&mut self, sight: Sight) -> Sight {
        std::mem::replace(&mut self.sight, sight)
    }

    /// Asks again about conflicts that were judged before.
    pub fn forget_harmless(&mut self) {
        self.harmless.clear();
        self.rulings.clear();
    }

    /// What decides where moves end, as it is now.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }

    /// Moves made so far, whether they were executed for that or not, and instructions executed.
    pub fn work(&self) -> (u64, u64) {
        (self.stats.executed + self.remembered, self.process.machine.instructions())
    }

    /// The process, which stands where the engine does.
    pub fn process(&mut self) -> &mut Process {
        self.vector.bring(self.process);
        self.process
    }

    /// Notes where memory and time went.
    pub fn measure(&self, stats: &mut Stats) {
        let path = self.open.capacity() * 8
            + self.open_prints.capacity() * (size_of::<u64>() + 1)
            + self.path.capacity() * size_of::<VectorMark>();
        let (ways, keys) = self.rebuilding.as_ref().map_or((0, 0), |one| one.minis.bytes());
        stats.memory = MemoryUse {
            states: stats.visited_bytes + self.vector.state_bytes() as u64,
            moves: (self.known.bytes() + self.rulings.bytes()) as u64,
            ways: ways as u64,
            keys: keys as u64,
            path: path as u64 + stats.order_bytes,
            ..self.vector.component_use()
        };
        if stats.visited_bytes == 0 {
            stats.table_load = self.vector.table_load();
        }
        stats.replayed = self.rebuilding.as_ref().map_or(0, |one| one.replayed);
        stats.remembered = self.remembered;
        stats.execute_seconds = self.executing.seconds();
        stats.store_seconds = self.storing.seconds();
    }

    fn set_open(&mut self, state: StateId, is_open: bool) {
        let (index, mask) = (state.0 as usize / 64, 1 << (state.0 % 64));
        if self.open.len() <= index {
            self.open.resize((index + 1).next_power_of_two(), 0);
        }
        let word = &mut self.open[index];
        *word = if is_open { *word | mask } else { *word & !mask };
    }

    /// From now on and in this round, how states were found tells what may close a cycle, as seen
    /// from where the search [stands](Self::stand_at).
    pub fn judge_by(&mut self, findings: &Arc<Findings>) {
        self.has_stack = true;
        self.findings = Some((Arc::clone(findings), 0));
    }

    /// Says how far from the start the state is that is expanded next.
    pub fn stand_at(&mut self, depth: u32) {
        if let Some((_, there)) = &mut self.findings {
            *there = depth;
        }
    }

    fn is_open(&self, state: StateId) -> bool {
        if let Some((findings, depth)) = &self.findings {
            return findings.may_close(*depth, state);
        }
        if self.numbers_pass() {
            return self.open_prints.contains(&self.print_of(state));
        }
        let word = self.open.get(state.0 as usize / 64);
        word.is_some_and(|word| word & 1 << (state.0 % 64) != 0)
    }

    fn is_deadlock(&self) -> bool {
        self.vector.os().threads().iter().any(|thread| thread.is_alive())
    }
}

impl Engine for Space<'_> {
    fn state(&self) -> StateId {
        self.vector.state()
    }

    fn expand(&mut self) -> Expansion {
        if std::mem::take(&mut self.grown_aside) || self.vector.is_overgrown() {
            return Expansion::Anew;
        }
        self.refresh_known();
        self.vector.limit_worlds();
        self.successors.clear();
        self.movers.clear();
        self.things.clear();
        self.made.clear();
        self.ready.clear();
        self.ends = false;
        self.appraisals.begin();
        self.vantage.begin();
        // A directed search stores few states, and goes a long way for each.
        if self.may_arrange && !self.defers && self.vector.wants_arrangement() {
            return Expansion::Anew;
        }
        if self.expand_known() {
            if cfg!(debug_assertions) {
                self.doubt_known();
            }
            return self.cut_long(self.successors.len()).unwrap_or(Expansion::Successors);
        }
        self.finder.clear();
        self.expand_surveying()
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
        let mark = self.vector.mark();
        let found = self.made(choice, &mut Survey::again());
        let outcome = self.known.get(found.which).outcome;
        assert_eq!(outcome, Outcome::Done, "internal error: a move is not a function of states");
        let known = self.known.get(found.which);
        self.passed = (known.object, known.shares.len() as u32);
        let (before, more) = (self.vector.state(), known.holds);
        let after = self.known.apply(found, &mut self.vector);
        self.vantage.pass((before, after), choice.thread, more);
        self.path.push(mark);
    }

    fn forward_to(&mut self, choice: Choice, state: StateId) {
        if self.vector.printed().is_some() {
            return self.forward(choice);
        }
        let mark = self.vector.mark();
        self.vector.follow(state);
        self.path.push(mark);
    }

    fn back(&mut self) {
        if let Some(mark) = self.path.pop() {
            self.vector.undo_to(mark);
        }
    }

    fn jump(&mut self, state: StateId) {
        self.path.clear();
        if state == self.vector.state() {
            return;
        }
        if self.rebuilding.is_some() {
            self.rebuild(state);
            self.vector.forget();
        } else {
            self.vector.jump(state);
        }
    }

    fn on_stack(&mut self, state: StateId, is_there: bool) {
        debug_assert!(!self.numbers_pass() || state == self.state());
        self.has_stack = true;
        if self.numbers_pass() {
            let print = self.print();
            match is_there {
                true => self.open_prints.insert(print),
                false => self.open_prints.remove(&print),
            };
            return;
        }
        self.set_open(state, is_there);
    }

    fn can_move(&self, thread: ThreadId) -> bool {
        self.movers.iter().any(|mover| mover.thread == thread && mover.enabled)
            || self.finder.ready.iter().any(|one| one.0.thread == thread)
    }

    fn thread_count(&self) -> u32 {
        self.vector.os().threads().len() as u32
    }

    fn look(
        &mut self,
        choice: Choice,
        before: PathFacts,
        with_process: bool,
        look: &mut dyn FnMut(&View<'_>),
    ) -> PathFacts {
        self.show_after(choice, before, with_process, look)
    }

    fn defer(&mut self, defers: bool) {
        let looks_at_all = !self.properties.is_empty() || self.appraisals.is_wanted();
        self.defers = defers && !looks_at_all && self.vector.printed().is_none();
    }

    fn passed(&self) -> (Option<u64>, u32) {
        self.passed
    }

    fn has_grown(&self) -> bool {
        self.grown_aside
    }

    fn ids(&self) -> usize {
        self.vector.ids()
    }

    fn is_full(&self) -> bool {
        self.vector.is_full()
    }

    fn is_short(&self) -> bool {
        let ids = self.vector.ids();
        let order = ids * size_of::<u32>();
        let bytes = self.vector.state_bytes() + order;
        let ahead = self.vector.state_bytes_ahead(STATES_AHEAD) + order + HOST_ROUNDING;
        let ahead = ahead + self.known.bytes() + self.rulings.bytes();
        let is_short = self.states_max < bytes as u64 || self.memory_max < ahead as u64;
        self.stores() && FEW_STATES < ids && is_short
    }

    fn forget_but(&mut self, keep: &mut [StateId]) {
        let are_open: Vec<bool> = keep.iter().map(|state| self.is_open(*state)).collect();
        self.vector.forget_but(keep);
        self.open.clear();
        for (state, _) in keep.iter().zip(are_open).filter(|one| one.1) {
            self.set_open(*state, true);
        }
    }

    fn counts(&mut self, wrong: &Wrong) -> bool {
        (self.judge)(self.process, &self.sight, wrong)
    }

    fn hopeless(&mut self, moving: &ThreadSet) -> Vec<ThreadId> {
        self.vector.bring(self.process);
        let mark = self.process.mark();
        let count = self.process.machine.thread_count();
        let is_still = |thread: &ThreadId| !moving.contains(*thread);
        let mut found: Vec<(ThreadId, Option<u32>)> = Vec::new();
        for thread in (0..count).map(ThreadId).filter(is_still) {
            if !self.process.threads()[thread.0 as usize].is_alive() {
                continue;
            }
            if self.process.threads()[thread.0 as usize].state == ThreadState::Runnable {
                let choice = Choice { thread, alternative: 0 };
                let made = moves::execute(self.process, &mark, choice, &self.sight);
                if made.held {
                    self.process.undo_to(&mark);
                    continue;
                }
            }
            let wait = self.process.threads()[thread.0 as usize].waiting();
            let joined = wait.and_then(|wait| self.process.awaited_end(wait));
            found.push((thread, joined.map(|other| other.0)));
            self.process.undo_to(&mark);
        }
        // Whoever waits for the end of one that is not hopeless is not, either.
        loop {
            let before = found.len();
            let hopeless: ThreadSet = found.iter().map(|(thread, _)| *thread).collect();
            let waits = |other| hopeless.contains(ThreadId(other));
            found.retain(|(_, joined)| joined.is_none_or(waits));
            if found.len() == before {
                return found.into_iter().map(|(thread, _)| thread).collect();
            }
        }
    }
}
