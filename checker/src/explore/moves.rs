//! One move of one thread: a pure function of the state, the thread and the alternative.

use super::choice::Choice;
use super::endless;
use super::touches::Touches;
use super::trace::{Recorder, Trace};
use super::turns::{self, Loop, Patience, Sighting, Turn};
use super::visible::{LibraryData, Visible};
use super::watch::Watch;
use super::word::Word;
use crate::run::limit::Limit;
use crate::state::{dead, unread};
use samovar_runtime::{
    Event, Mark, Misuse, Observer, Process, ProcessMark, Signal, Unsupported, Violation,
};
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::journal::Changed;
use samovar_vm::monitor::Access;
use samovar_vm::reg::Reg;
use std::ops::Range;

/// Instructions in one piece, after which one looks how much has been spent.
const PIECE: u64 = 1 << 12;

/// A system call or a library function counts as so many instructions: it may take as long.
const CALL: u64 = 1 << 10;

/// Giving way to others counts as so many instructions.
const YIELD: u64 = 1 << 14;

/// Effort between two looks at the clock and the memory of the host.
const LOOK: u64 = 1 << 16;

/// Memory that undoing one move may take; one that needs more is not expected to end.
const JOURNAL_MAX: usize = 128 << 20;

/// How a move ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The visible operation was done.
    Done,
    /// The visible operation cannot be done now; nothing but its block has happened.
    Blocked,
    /// The process has ended with this status.
    Exited(i32),
    /// A signal ended the process.
    Killed(Signal),
    /// An illegal memory access is about to happen.
    Fault(Fault),
    /// This function was called in a way that is an error of the program.
    Misuse(String, Misuse),
    /// The thread works on without end and without a visible operation.
    Diverges,
    /// A limit of the host was reached, and nobody knows how it would have ended.
    Cut(String),
    /// A statement of the program is violated.
    Violated(Violation),
    /// The program assumes that this does not happen.
    Pruned,
    /// Something is not supported.
    Unsupported(Unsupported),
}

/// What a move was.
#[derive(Debug)]
pub struct Move {
    /// How it ended.
    pub ending: Ending,
    /// Its visible operation.
    pub operation: Option<Access>,
    /// The operation on an object that came last: where a blocked thread hangs.
    pub object: Option<Access>,
    /// The alternatives of the choices that it met, one if it met none.
    pub alternatives: u32,
    /// If it diverges: what it reads on its way round. Unless another thread changes one of these
    /// words, it never ends.
    pub circle: Vec<Word>,
    /// The program said that it got on.
    pub progress: bool,
    /// Steps of a plan, as the program counts them.
    pub actions: u32,
    /// The loop that the thread may wait in, and a sight of it there.
    pub turn: Option<(Loop, Sighting)>,
    /// It cannot be made because the thread would go round in vain (see [`super::turns`]).
    pub held: bool,
    /// The thread's stack; empty where that is not certain, or the move was not done.
    pub stack: Range<u64>,
}

/// What decides where a move ends. The same choices mean the same only with the same of this.
#[derive(Clone, Debug)]
pub struct Sight {
    /// Which operations are visible.
    pub visible: Visible,
    /// Variables of libraries, which do not concern the program.
    pub library: LibraryData,
    /// A choice is the first thing of a move, not the last: fewer states, but a thread stands
    /// before its choice, and has to be switched to once more.
    pub choices_first: bool,
    /// When to give up in the middle of a move; never if it is made again.
    pub limit: Option<Limit>,
    /// How long threads that wait in loops are borne with; for ever if a move is made again.
    pub patience: Patience,
    /// The clock goes; otherwise deadlines come closer, because nobody was seen to look at it.
    pub clock_goes: bool,
    /// How much of the C library's record of a thread is known to be its own business, where
    /// threads are switched in the middle of what the library does to it.
    pub record_len: u64,
}

impl Sight {
    /// The same, with choices at the beginning of moves.
    pub fn with_choices_first(self) -> Sight {
        Sight { choices_first: true, ..self }
    }

    /// The same, giving up where this limit is reached.
    pub fn within(self, limit: Limit) -> Sight {
        Sight { limit: Some(limit), ..self }
    }

    /// The same, bearing with threads that wait in loops so long.
    pub fn with_patience(self, patience: Patience) -> Sight {
        Sight { patience, ..self }
    }

    /// The same, with a clock that stands still as long as nobody looks at it.
    pub fn with_clock_standing(self) -> Sight {
        Sight { clock_goes: false, ..self }
    }

    /// This is visible, and the libraries are those that are mapped now.
    pub fn new(process: &Process, visible: Visible) -> Sight {
        Sight {
            visible,
            library: LibraryData::of(process),
            choices_first: false,
            limit: None,
            patience: Patience::default(),
            clock_goes: true,
            record_len: process.record_len(),
        }
    }
}

/// Executes a move from where the process stands; `mark` was taken just before. The number behind
/// the last thread stands for the passing of time.
pub fn execute(process: &mut Process, mark: &ProcessMark, choice: Choice, sight: &Sight) -> Move {
    execute_noting(process, mark, choice, sight, None)
}

/// The same, noting what the move touches.
pub fn execute_noting(
    process: &mut Process,
    mark: &ProcessMark,
    choice: Choice,
    sight: &Sight,
    touches: Option<&mut Touches>,
) -> Move {
    perform(process, mark, choice, sight, (touches, None)).0
}

/// The same, listening to what the program says about plans.
pub fn execute_listening(
    process: &mut Process,
    mark: &ProcessMark,
    choice: Choice,
    sight: &Sight,
) -> (Move, Vec<Mark>) {
    perform(process, mark, choice, sight, (None, Some(Vec::new())))
}

fn perform(
    process: &mut Process,
    mark: &ProcessMark,
    choice: Choice,
    sight: &Sight,
    (touches, marks): (Option<&mut Touches>, Option<Vec<Mark>>),
) -> (Move, Vec<Mark>) {
    let Choice { thread, alternative } = choice;
    if thread.0 >= process.machine.thread_count() {
        return (pass_time(process, sight), Vec::new());
    }
    let atomic = process.is_atomic(thread);
    let world = (&sight.visible, &sight.library);
    let mut watch = Watch::new(world, touches, thread, alternative, atomic)
        .guarding(process.privileges())
        .with_descriptor(process.machine.core(thread)[Reg::FsBase]);
    watch.marks = marks;
    watch.begins_with_choice = sight.choices_first;
    let before = process.machine.core(thread)[Reg::Rsp];
    let served = process.served();
    let mut course = Course::default();
    let ending = run(process, thread, &mut watch, (&mut course, sight));
    let is_cut = matches!(ending, Ending::Cut(_));
    if !is_cut && watch.compares() && served + 1 < process.served() {
        // What system calls and models wrote is in the journal only; the last stop of a move is
        // before an access.
        let journal = &process.machine.memory.journal;
        let regions = journal.regions_at(mark.machine());
        // Nobody else can touch what was not there before.
        let is_new = |addr, len| regions.is_some_and(|regions| !regions.overlaps(addr, addr + len));
        journal.each_since(mark.machine(), |changed| match changed {
            // Whoever frees a block changes what all of its bytes are.
            Changed::Contents { addr, len } | Changed::Shadow { addr, len }
                if !is_new(addr, len) =>
            {
                watch.note_write(addr, len);
            }
            _ => {}
        });
    }
    finish(process, (thread, mark, before), sight, watch, (ending, course))
}

/// The same, noting where the move writes, in order.
pub fn execute_recording(
    process: &mut Process,
    mark: &ProcessMark,
    choice: Choice,
    sight: &Sight,
    trace: &mut Trace,
) -> Move {
    let Choice { thread, alternative } = choice;
    if thread.0 >= process.machine.thread_count() {
        return pass_time(process, sight);
    }
    let mut course = Course::default();
    let world = (&sight.visible, &sight.library);
    let atomic = process.is_atomic(thread);
    let watch = Watch::new(world, None, thread, alternative, atomic);
    let watch = watch.with_descriptor(process.machine.core(thread)[Reg::FsBase]);
    let mut recorder = Recorder { watch: watch.guarding(process.privileges()), trace };
    let before = process.machine.core(thread)[Reg::Rsp];
    let ending = run(process, thread, &mut recorder, (&mut course, sight));
    finish(process, (thread, mark, before), sight, recorder.watch, (ending, course)).0
}

/// What a move came to that has just been executed, from `mark` on with stack pointer `before`.
fn finish(
    process: &mut Process,
    (thread, mark, before): (ThreadId, &ProcessMark, u64),
    sight: &Sight,
    watch: Watch<'_>,
    (mut ending, mut course): (Ending, Course),
) -> (Move, Vec<Mark>) {
    if let Some((privilege, access)) = watch.breach {
        let pc = process.machine.core(thread).pc;
        ending = Ending::Violated(privilege.violation(thread, &access, pc));
    }
    let mut stack = 0..0;
    if ending == Ending::Done {
        stack = dead::clear(process, thread, mark.machine(), before);
        if !matches!(sight.visible, Visible::All) {
            unread::clear(process, thread);
        }
        if turns::concerns(&sight.visible) {
            let operation = watch.operation.filter(|_| watch.is_single);
            let turn = Turn { operation, hint: course.gave_way || watch.paused };
            course.turn = turns::note(process, thread, turn, &sight.patience);
        }
    }
    let Watch { operation, object, alternatives, progress, actions, marks, .. } = watch;
    let alternatives = alternatives.unwrap_or(1);
    let Course { circle, turn, held, .. } = course;
    let made = Move {
        ending,
        operation,
        object,
        alternatives,
        circle,
        progress,
        actions,
        turn,
        held,
        stack,
    };
    (made, marks.unwrap_or_default())
}

/// An observer that is, or has, the monitor of a move.
pub trait Watching: Observer {
    /// The monitor.
    fn watch(&self) -> &Watch<'_>;

    /// Notes that the move depends on a word that no access announced.
    fn look(&mut self, word: Word);
}

impl Watching for Watch<'_> {
    fn watch(&self) -> &Watch<'_> {
        self
    }

    fn look(&mut self, word: Word) {
        self.note_read(word.address());
    }
}

/// What a block came across, beside what its observer noted.
#[derive(Debug, Default)]
struct Course {
    circle: Vec<Word>,
    turn: Option<(Loop, Sighting)>,
    held: bool,
    gave_way: bool,
}

fn run<W: Watching>(
    process: &mut Process,
    thread: ThreadId,
    observer: &mut W,
    (course, sight): (&mut Course, &Sight),
) -> Ending {
    let mut endurance = Endurance::new(process);
    if turns::stands_still(process, thread, &sight.patience, |word| observer.look(word)) {
        course.held = true;
        return Ending::Blocked;
    }
    loop {
        match process.step(thread, PIECE, observer) {
            Event::Access(_) | Event::ThreadExited => return Ending::Done,
            Event::Blocked if observer.watch().operation.is_some() && !retries(process, thread) => {
                return Ending::Done;
            }
            Event::Blocked => return Ending::Blocked,
            event @ (Event::Yielded | Event::Budget) => {
                course.gave_way |= event == Event::Yielded;
                match endurance.after(&event, process, sight.limit.as_ref()) {
                    Suspicion::None => {}
                    Suspicion::Circle { spent } => {
                        let stops = |access: &Access| observer.watch().shows(access);
                        let before = effort(process);
                        let window = spent / Endurance::SHARE;
                        let mut read = endless::circle(process, thread, window, &stops);
                        let waits = course.gave_way || observer.watch().paused;
                        if read.is_none() && waits && Endurance::LONG <= spent {
                            read = endless::turn(process, thread, &stops);
                        }
                        if let Some(read) = read {
                            course.circle = read;
                            return Ending::Diverges;
                        }
                        // Looking for circles is no work of the thread's.
                        endurance.begin += effort(process) - before;
                    }
                    Suspicion::Certain => return Ending::Diverges,
                    Suspicion::Cut(reason) => return Ending::Cut(reason),
                }
            }
            Event::ProcessExited(status) => return Ending::Exited(status),
            Event::Killed(signal) => return Ending::Killed(signal),
            Event::Fault(fault) => return Ending::Fault(fault),
            Event::Misuse { function, misuse, .. } => return Ending::Misuse(function, misuse),
            Event::Violated(violation) => return Ending::Violated(violation),
            Event::Pruned => return Ending::Pruned,
            Event::Unsupported(what) => return Ending::Unsupported(what),
        }
    }
}

/// Lets time pass up to the next deadline, if somebody waits for one.
fn pass_time(process: &mut Process, sight: &Sight) -> Move {
    let ending = match process.next_deadline() {
        None => Ending::Blocked,
        Some(_) if !sight.clock_goes => {
            process.elapse();
            Ending::Done
        }
        Some(deadline) => {
            process.wake_due(deadline);
            Ending::Done
        }
    };
    Move {
        ending,
        operation: None,
        object: None,
        alternatives: 1,
        circle: Vec::new(),
        progress: false,
        actions: 0,
        turn: None,
        held: false,
        stack: 0..0,
    }
}

/// Whether a blocked thread only tests again whether it may go on: nothing has happened yet.
fn retries(process: &Process, thread: ThreadId) -> bool {
    process.may_be_put_back(thread)
}

/// What a process has done so far: its instructions, and its calls as what they may cost.
pub fn effort(process: &Process) -> u64 {
    process.machine.instructions() + process.served() * CALL
}

/// How long a block may work before one looks whether it goes round in circles, and before nothing
/// more is expected of it.
#[derive(Debug)]
struct Endurance {
    /// Effort at the beginning, less what yielding counts.
    begin: u64,
    next_look: u64,
    next_suspicion: u64,
    journal_max: usize,
}

/// What to think of a block that is not over yet.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Suspicion {
    None,
    /// It may be going round in circles, having done so much.
    Circle {
        spent: u64,
    },
    /// It works longer than any block should need.
    Certain,
    /// The host does not want to go on, for this reason.
    Cut(String),
}

impl Endurance {
    /// When to suspect something first; then whenever that has doubled.
    const FIRST_SUSPICION: u64 = 1 << 16;
    /// Of what was done, so much is done again to look for a circle: one instruction at a time is
    /// slow, and short circles are found early.
    const SHARE: u64 = 32;
    /// When one who waits has waited for long.
    const LONG: u64 = 16 << 20;
    /// When to give up.
    const MAX: u64 = 1 << 30;

    fn new(process: &Process) -> Endurance {
        Endurance {
            begin: effort(process),
            next_look: LOOK,
            next_suspicion: Endurance::FIRST_SUSPICION,
            journal_max: process.machine.memory.journal.bytes() + JOURNAL_MAX,
        }
    }

    fn after(&mut self, event: &Event, process: &Process, limit: Option<&Limit>) -> Suspicion {
        if self.journal_max < process.machine.memory.journal.bytes() {
            return Suspicion::Certain;
        }
        if *event == Event::Yielded {
            self.begin = self.begin.wrapping_sub(YIELD);
        }
        let spent = effort(process).wrapping_sub(self.begin);
        if self.next_look <= spent
            && let Some(limit) = limit
        {
            self.next_look = spent + LOOK;
            if let Some(reason) = limit.out_of_time().or_else(|| limit.out_of_memory()) {
                return Suspicion::Cut(reason);
            }
        }
        if spent < self.next_suspicion {
            return Suspicion::None;
        }
        self.next_suspicion = spent * 2;
        match spent {
            0..Endurance::MAX => Suspicion::Circle { spent },
            _ => Suspicion::Certain,
        }
    }
}
