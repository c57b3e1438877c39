//! Data races: two plain accesses to the same bytes, one a store, with nothing to order them.
//!
//! The search finds states in which the next moves of two threads touch the same word. Here it is
//! found out which instructions these are, and whether the language calls it a race: the data must
//! be known by name and type, not be atomic, and not belong to a library's own object. What cannot
//! be told for certain (memory without a type, a line that speaks of atomics) is no error: it is
//! explored in all orders like everything contended.

use super::kind::ErrorKind;
use super::verdict::{Finding, RaceAccess};
use crate::explore::moves::Sight;
use crate::explore::visible::{LibraryData, Visible};
use crate::explore::word::Word;
use crate::trail::names::{Location, Names};
use crate::trail::source::Sources;
use samovar_runtime::{Event, Observer, Process, ThreadState, WaitFor};
use samovar_vm::debug::DataName;
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};

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
}

/// Whether conflicting moves are a race in the language's eyes. The process stands before them and
/// is left there.
pub fn is_race(process: &mut Process, names: &Names, sight: &Sight, word: Word) -> bool {
    pair(process, names, sight, word).is_some_and(|(one, other)| {
        let mut sources = Sources::default();
        [&one, &other].iter().all(|side| {
            let is_plain = side.data.as_ref().is_some_and(|data| is_plain(names, data));
            let line = sources.line(&side.location);
            is_plain && !line.is_some_and(|line| line.to_ascii_lowercase().contains("atomic"))
        })
    })
}

/// Whether data has a type of the program's own that is not atomic.
fn is_plain(names: &Names, data: &DataName) -> bool {
    let ty = names.debug().type_name(data.ty);
    let is_library = ["pthread_", "sem_t", "mtx_t", "cnd_t", "once_flag", "FILE", "std::"];
    !data.is_atomic
        && !data.name.contains(".__")
        && ty != "<unknown type>"
        && !is_library.iter().any(|word| ty.contains(word))
}

/// Describes a race. The process stands before the two moves and is left there.
pub fn describe(
    process: &mut Process,
    names: &mut Names,
    sight: &Sight,
    word: Word,
) -> Option<Finding> {
    let (one, other) = pair(process, names, sight, word)?;
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
    let accesses = [&one, &other].map(|side| RaceAccess {
        thread: names.thread(side.thread),
        operation: deed(side).to_string(),
        location: side.location.clone(),
        stack: side.stack.clone(),
        locks: locks(process, names, sight, side.thread),
    });
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

fn deed(side: &Side) -> &'static str {
    if side.access.kind == AccessKind::Write { "writes" } else { "reads" }
}

fn place(side: &Side) -> String {
    side.location.short().unwrap_or_else(|| format!("{:#x}", side.location.address))
}

/// Mutexes that a thread holds, of those that threads contend for.
fn locks(process: &Process, names: &Names, sight: &Sight, thread: ThreadId) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in sight.visible.contended() {
        let addr = word.address();
        let is_mutex = names.debug().name_of_data(addr).is_some_and(|data| {
            data.start == addr && names.debug().type_name(data.ty).contains("mutex")
        });
        let wait = WaitFor::Mutex { addr, deadline: None };
        if is_mutex && process.holder(&wait) == Some(thread) {
            found.push(names.object(process, thread, addr));
        }
    }
    found
}

/// Two plain accesses of different threads to the same bytes, one of them a store.
fn pair(process: &mut Process, names: &Names, sight: &Sight, word: Word) -> Option<(Side, Side)> {
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
    all.iter().enumerate().find_map(|(at, one)| {
        let other = all[at + 1..].iter().find(|other| conflict(one, other))?;
        Some((one.clone(), other.clone()))
    })
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
        let mut finder = Finder {
            visible: &sight.visible,
            library: &sight.library,
            word,
            atomic: process.is_atomic(thread),
            over: false,
            skip,
            found: None,
        };
        while matches!(process.step(thread, PIECE, &mut finder), Event::Yielded) {}
        if let Some(access) = finder.found
            && names.is_own_code(process, process.machine.core(thread).pc)
        {
            let frames = names.frames(process, thread);
            let stack = frames.iter().take(FRAMES_MAX).map(|frame| names.code(frame.lookup));
            found.push(Side {
                thread,
                access,
                location: names.standpoint(process, thread),
                stack: stack.collect(),
                data: names.variable(process, thread, access.addr, u64::from(access.size)),
            });
        }
        process.undo_to(&mark);
        if finder.found.is_none() {
            break;
        }
    }
    found
}

/// Stops before a plain access to a word, or where the move ends.
struct Finder<'a> {
    visible: &'a Visible,
    library: &'a LibraryData,
    word: Word,
    atomic: bool,
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
        self.over |= self.visible.shows(&access);
        Decision::Proceed
    }
}

impl Observer for Finder<'_> {
    fn atomic_call(&mut self, inside: bool) {
        self.atomic = inside;
    }
}
