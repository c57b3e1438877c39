//! Data races: two plain accesses to the same bytes, one a store, with nothing to order them.
//!
//! The search finds states in which the next moves of two threads touch the same word. Here it is
//! found out which instructions these are, and whether the language calls it a race: the data must
//! be a static variable with a type, not be atomic, and not belong to a library's own object. Other
//! memory (the heap, stacks, everything in a stripped program) is explored in all orders like
//! everything contended; that threads meet there is worth a note, not an error, because nobody can
//! tell whether the program means it to be atomic. What is atomic by its type, by its statement
//! (see [`super::atomic_line`]) or by the header that it comes from is neither. What a library does
//! to such variables because the program calls it (see [`super::on_behalf`]) counts as the call's;
//! notes are not made of it.

use super::atomic_line::{Deed, Manner};
use super::held;
use super::kind::ErrorKind;
use super::on_behalf;
use super::statements::Statements;
use super::verdict::{Finding, Note, RaceAccess};
use crate::explore::moves::Sight;
use crate::explore::visible::{LibraryData, Visible};
use crate::explore::word::Word;
use crate::trail::names::{Location, Names};
use samovar_runtime::{Event, Observer, Process, ThreadState};
use samovar_vm::debug::DataName;
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};
use samovar_vm::reg::Reg;

/// Accesses of one thread to the word that are looked at.
const ACCESSES_MAX: usize = 4;
/// Instructions in one piece of a move.
const PIECE: u64 = 1 << 20;
/// Frames shown of a thread.
const FRAMES_MAX: usize = 8;

/// One of the two accesses.
#[derive(Clone, Debug)]
struct Side {
    thread: ThreadId,
    access: Access,
    location: Location,
    stack: Vec<Location>,
    data: Option<DataName>,
    /// The data is a static variable, so that its type is what the program says.
    is_static: bool,
    /// The instruction comes from where a language defines its atomics.
    is_atomic_header: bool,
    /// The instruction is a library's, which does what the program has called it for.
    is_on_behalf: bool,
    /// How many accesses to the word come before it in the move.
    skip: usize,
}

impl Side {
    fn deed(&self) -> Deed {
        if self.access.kind == AccessKind::Write { Deed::Write } else { Deed::Read }
    }
}

/// What is known of the data that an access is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// The program's own, of a type that is not atomic.
    Plain,
    /// Nobody can tell.
    Unknown,
    /// Atomic, or a library's.
    Exempt,
}

/// What conflicting moves come to in the language's eyes.
#[derive(Debug)]
pub enum Meeting {
    /// A data race.
    Race,
    /// Perhaps races, perhaps not.
    Notes(Vec<Note>),
}

/// Whether conflicting moves are a race. The process stands before them and is left there.
pub fn is_race(process: &mut Process, names: &Names, sight: &Sight, word: Word) -> bool {
    let mut statements = Statements::default();
    matches!(judge(process, names, &mut statements, sight, word), Meeting::Race)
}

/// The same, with what else is worth telling.
pub fn judge(
    process: &mut Process,
    names: &Names,
    statements: &mut Statements,
    sight: &Sight,
    word: Word,
) -> Meeting {
    let mut notes = Vec::new();
    for (one, other) in pairs(process, names, sight, word) {
        let standings = [&one, &other].map(|side| standing(names, statements, side));
        if standings == [Standing::Plain; 2] {
            return Meeting::Race;
        }
        let is_own = !one.is_on_behalf && !other.is_on_behalf;
        if is_own && !standings.contains(&Standing::Exempt) {
            notes.push(note(process, names, (sight, word), (&one, &other)));
        }
    }
    Meeting::Notes(notes)
}

fn standing(names: &Names, statements: &mut Statements, side: &Side) -> Standing {
    let name = side.data.as_ref().map(|data| data.name.as_str());
    let manner = statements.manner(names, &side.location, name, side.deed());
    if side.is_atomic_header || manner == Some(Manner::Atomic) {
        return Standing::Exempt;
    }
    match &side.data {
        // What a function gets the address of it accesses in ordinary ways.
        _ if manner == Some(Manner::Unclear) && !side.is_on_behalf => Standing::Unknown,
        None => Standing::Unknown,
        Some(data) if names.debug().type_name(data.ty) == UNKNOWN_TYPE => Standing::Unknown,
        Some(data) if !is_plain(names, data) => Standing::Exempt,
        Some(_) if side.is_static => Standing::Plain,
        Some(_) => Standing::Unknown,
    }
}

/// How debug information calls a type that it does not know.
const UNKNOWN_TYPE: &str = "<unknown type>";

/// Whether data has a type of the program's own that is not atomic.
fn is_plain(names: &Names, data: &DataName) -> bool {
    let ty = names.debug().type_name(data.ty);
    let is_library = ["pthread_", "sem_t", "mtx_t", "cnd_t", "once_flag", "FILE", "std::"];
    !data.is_atomic
        && !data.name.contains(".__")
        && (on_behalf::is_of_container(data) || !is_library.iter().any(|word| ty.contains(word)))
}

/// Describes a race. The process stands before the two moves and is left there.
pub fn describe(
    process: &mut Process,
    names: &mut Names,
    sight: &Sight,
    word: Word,
) -> Option<Finding> {
    let mut statements = Statements::default();
    let (one, other) = pairs(process, names, sight, word).into_iter().find(|(one, other)| {
        [one, other].iter().all(|side| standing(names, &mut statements, side) == Standing::Plain)
    })?;
    for side in [&one, &other] {
        names.learn_start(process, side.thread);
    }
    let name = one.data.as_ref().or(other.data.as_ref()).map(|data| data.name.clone());
    let name = name.unwrap_or_else(|| format!("{:#x}", word.address()));
    let tell =
        |side: &Side| format!("{} {} it at {}", names.thread(side.thread), deed(side), place(side));
    let message = format!(
        "data race on {name}: {}, {}, and nothing orders the two",
        tell(&one),
        tell(&other)
    );
    let accesses = [&one, &other].map(|side| told(process, names, (sight, word), side));
    Some(Finding {
        kind: ErrorKind::Race,
        detail: None,
        message,
        thread: Some(names.thread(other.thread)),
        location: Some(other.location.clone()),
        waits: Vec::new(),
        cycle: Vec::new(),
        accesses: accesses.into(),
    })
}

/// An access with the locks that its thread holds there, some of which it may take on the way.
fn told(
    process: &mut Process,
    names: &Names,
    (sight, word): (&Sight, Word),
    side: &Side,
) -> RaceAccess {
    let mark = process.mark();
    approach(process, sight, word, side.thread, side.skip);
    let locks = held::locks(process, names, side.thread);
    process.undo_to(&mark);
    RaceAccess {
        thread: names.thread(side.thread),
        operation: deed(side).to_string(),
        location: side.location.clone(),
        stack: side.stack.clone(),
        locks,
    }
}

/// Tells of accesses that nothing orders, to memory of which nobody knows what it is.
fn note(
    process: &mut Process,
    names: &Names,
    at: (&Sight, Word),
    (one, other): (&Side, &Side),
) -> Note {
    let data = one.data.as_ref().or(other.data.as_ref()).map(|data| data.name.clone());
    let memory = data.unwrap_or_else(|| memory(process, names, one.access.addr));
    let mut accesses = [one, other].map(|side| told(process, names, at, side));
    accesses.sort_by_key(RaceAccess::place);
    let tell = |access: &RaceAccess| {
        let RaceAccess { thread, operation, location, .. } = access;
        let at = location.short().unwrap_or_else(|| format!("{:#x}", location.address));
        let inside = location.function.as_ref().map_or_else(String::new, |it| format!(" in {it}"));
        format!("{thread} {operation} it at {at}{inside}")
    };
    let [first, second] = [tell(&accesses[0]), tell(&accesses[1])];
    let message =
        format!("perhaps a data race on {memory}: {first}, {second}, and nothing orders the two");
    Note { kind: ErrorKind::Race, message, accesses: accesses.into() }
}

/// What memory without a name is.
fn memory(process: &Process, names: &Names, addr: u64) -> String {
    let memory = &process.machine.memory;
    if let Some((start, object)) = memory.objects().at(addr) {
        let block = super::judge::block(process, names, start, object);
        return format!("byte {} of {block}", addr - start);
    }
    format!("memory at {addr:#x}")
}

fn deed(side: &Side) -> &'static str {
    match side.deed() {
        Deed::Read => "reads",
        Deed::Write => "writes",
    }
}

fn place(side: &Side) -> String {
    side.location.short().unwrap_or_else(|| format!("{:#x}", side.location.address))
}

/// Plain accesses of different threads to the same bytes, two at a time, one of them a store.
fn pairs(process: &mut Process, names: &Names, sight: &Sight, word: Word) -> Vec<(Side, Side)> {
    let mut all: Vec<Side> = Vec::new();
    for thread in (0..process.machine.thread_count()).map(ThreadId) {
        if process.threads()[thread.0 as usize].state == ThreadState::Runnable {
            all.extend(sides(process, names, sight, word, thread));
        }
    }
    let conflict = |one: &Side, other: &Side| {
        let (a, b) = (one.access, other.access);
        let overlap = a.addr < b.addr + u64::from(b.size) && b.addr < a.addr + u64::from(a.size);
        let store = [a, b].iter().any(|access| access.kind == AccessKind::Write);
        one.thread != other.thread && overlap && store
    };
    let mut found = Vec::new();
    for (at, one) in all.iter().enumerate() {
        let others = all[at + 1..].iter().filter(|other| conflict(one, other));
        found.extend(others.map(|other| (one.clone(), other.clone())));
    }
    found
}

/// The plain accesses of a thread's next move to a word.
fn sides(
    process: &mut Process,
    names: &Names,
    sight: &Sight,
    word: Word,
    thread: ThreadId,
) -> Vec<Side> {
    let mut found = Vec::new();
    for skip in 0..ACCESSES_MAX {
        let mark = process.mark();
        let access = approach(process, sight, word, thread, skip);
        let pc = process.machine.core(thread).pc;
        let is_own = names.is_own_code(process, pc) || names.may_be_own_code(process, pc);
        if let Some(access) = access {
            let side = Side { skip, ..side(process, names, thread, access) };
            if is_own || side.is_on_behalf {
                found.push(side);
            }
        }
        process.undo_to(&mark);
        if access.is_none() {
            break;
        }
    }
    found
}

/// Brings a thread before a plain access of its next move to a word, behind so many others.
fn approach(
    process: &mut Process,
    sight: &Sight,
    word: Word,
    thread: ThreadId,
    skip: usize,
) -> Option<Access> {
    let mut finder = Finder {
        visible: &sight.visible,
        library: &sight.library,
        word,
        atomic: process.is_atomic(thread),
        descriptor: process.machine.core(thread)[Reg::FsBase],
        over: false,
        skip,
        found: None,
    };
    while matches!(process.step(thread, PIECE, &mut finder), Event::Yielded) {}
    finder.found
}

/// An access that a thread stands before.
fn side(process: &Process, names: &Names, thread: ThreadId, access: Access) -> Side {
    let size = u64::from(access.size);
    let data = names.variable(process, thread, access.addr, size);
    let is_own = |data: &DataName| on_behalf::is_own(process, data);
    let is_on_behalf =
        data.as_ref().is_some_and(is_own) && on_behalf::stands(process, names, thread);
    Side {
        thread,
        access,
        location: names.standpoint(process, thread),
        stack: names.stack(process, thread, FRAMES_MAX),
        is_atomic_header: names.is_in_header_of_atomics(process.machine.core(thread).pc),
        is_on_behalf,
        skip: 0,
        is_static: names.static_variable(access.addr, size).is_some(),
        data: data.or_else(|| elsewhere(process, names, thread, &access)),
    }
}

/// The variable of another thread that an access is to. What a compiler says about a frame need not
/// be right while its function waits for another one, so this is good for a name, not for an error.
fn elsewhere(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    access: &Access,
) -> Option<DataName> {
    let others = (0..process.machine.thread_count()).map(ThreadId).filter(|one| *one != thread);
    let alive = |one: &ThreadId| process.threads()[one.0 as usize].state != ThreadState::Exited;
    others
        .filter(alive)
        .find_map(|one| names.variable(process, one, access.addr, u64::from(access.size)))
}

/// Stops before a plain access to a word, or where the move ends.
struct Finder<'a> {
    visible: &'a Visible,
    library: &'a LibraryData,
    word: Word,
    atomic: bool,
    /// The C library's record of the thread.
    descriptor: u64,
    /// The visible operation was let through.
    over: bool,
    /// Accesses to be let through.
    skip: usize,
    found: Option<Access>,
}

impl Monitor for Finder<'_> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    fn before_access(&mut self, access: Access) -> Decision {
        if self.found.is_some() || self.over && !self.atomic && !access.sequel {
            return Decision::Stop;
        }
        if self.atomic && self.library.holds(access.addr) {
            return Decision::Proceed;
        }
        let is_plain = !access.locked && !self.atomic;
        if is_plain && Word::of(&access).any(|word| word == self.word) {
            if self.skip == 0 {
                self.found = Some(access);
                return if access.sequel { Decision::Proceed } else { Decision::Stop };
            }
            self.skip -= 1;
        }
        self.over |= self.visible.shows_of(self.descriptor, &access);
        Decision::Proceed
    }
}

impl Observer for Finder<'_> {
    fn atomic_call(&mut self, inside: bool) {
        self.atomic = inside;
    }
}
