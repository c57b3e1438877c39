//! What a move does, in words: `locks fork[1]`, `writes count`, `creates T2`.
//!
//! Looked at while the thread stands before the visible operation: at the entry of a library
//! function, at a system call, or at an instruction that touches memory.

use super::changes;
use super::event::{Event, EventKind};
use super::names::Names;
use samovar_runtime::request::number;
use samovar_runtime::syscall::{names, objects};
use samovar_runtime::{Process, Thread, WaitFor};
use samovar_vm::debug::Limits;
use samovar_vm::fault::AccessKind;
use samovar_vm::lower::request::REQUEST;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Access;
use samovar_vm::reg::Reg;
use samovar_vm::view::ThreadView;

/// What is known of an operation before it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A library function about an object.
    Object {
        /// The words around its name.
        verb: &'static str,
        /// What that amounts to.
        kind: EventKind,
        /// Its name.
        object: String,
        /// Its address.
        address: u64,
        /// Whether the object knows its owner.
        is_mutex: bool,
    },
    /// Waits on a condition variable with a mutex.
    Condition {
        /// The condition variable.
        condition: String,
        /// Its address.
        address: u64,
        /// The mutex.
        mutex: String,
        /// Its address.
        mutex_address: u64,
    },
    /// Creates a thread.
    Create,
    /// Waits for the end of a thread.
    Join(Option<ThreadId>),
    /// The thread ends.
    End,
    /// Takes one of the values that the program leaves open.
    Choose,
    /// An access to memory.
    Access {
        /// `reads`, `writes`, `updates`.
        verb: &'static str,
        /// What it touches.
        object: String,
        /// The value there, for reads.
        value: Option<String>,
        /// What that amounts to.
        kind: EventKind,
        /// The first byte.
        address: u64,
    },
    /// Something else, in words.
    Other(String),
}

/// Functions about the object that their first argument points to.
const FUNCTIONS: &[(&str, &str, EventKind)] = &[
    ("pthread_mutex_lock", "locks", EventKind::Lock),
    ("pthread_mutex_trylock", "tries to lock", EventKind::TryLock),
    ("pthread_mutex_timedlock", "locks", EventKind::Lock),
    ("pthread_mutex_clocklock", "locks", EventKind::Lock),
    ("pthread_mutex_unlock", "unlocks", EventKind::Unlock),
    ("pthread_mutex_init", "initialises", EventKind::Other),
    ("pthread_mutex_destroy", "destroys", EventKind::Other),
    ("mtx_lock", "locks", EventKind::Lock),
    ("mtx_trylock", "tries to lock", EventKind::TryLock),
    ("mtx_timedlock", "locks", EventKind::Lock),
    ("mtx_unlock", "unlocks", EventKind::Unlock),
    ("pthread_cond_signal", "signals", EventKind::Signal),
    ("pthread_cond_broadcast", "broadcasts", EventKind::Broadcast),
    ("cnd_signal", "signals", EventKind::Signal),
    ("cnd_broadcast", "broadcasts", EventKind::Broadcast),
    ("pthread_rwlock_rdlock", "locks for reading", EventKind::Lock),
    ("pthread_rwlock_tryrdlock", "tries to lock for reading", EventKind::TryLock),
    ("pthread_rwlock_wrlock", "locks for writing", EventKind::Lock),
    ("pthread_rwlock_trywrlock", "tries to lock for writing", EventKind::TryLock),
    ("pthread_rwlock_unlock", "unlocks", EventKind::Unlock),
    ("pthread_spin_lock", "locks", EventKind::Lock),
    ("pthread_spin_trylock", "tries to lock", EventKind::TryLock),
    ("pthread_spin_unlock", "unlocks", EventKind::Unlock),
    ("pthread_barrier_wait", "arrives at", EventKind::Arrive),
    ("pthread_once", "passes", EventKind::Other),
    ("call_once", "passes", EventKind::Other),
    ("sem_wait", "takes from", EventKind::Take),
    ("sem_trywait", "tries to take from", EventKind::Other),
    ("sem_timedwait", "takes from", EventKind::Take),
    ("sem_clockwait", "takes from", EventKind::Take),
    ("sem_post", "gives to", EventKind::Give),
    ("sem_getvalue", "looks at", EventKind::Other),
    ("pthread_rwlock_timedrdlock", "locks for reading", EventKind::Lock),
    ("pthread_rwlock_timedwrlock", "locks for writing", EventKind::Lock),
    ("pthread_rwlock_clockrdlock", "locks for reading", EventKind::Lock),
    ("pthread_rwlock_clockwrlock", "locks for writing", EventKind::Lock),
    ("pthread_rwlock_init", "initialises", EventKind::Other),
    ("pthread_rwlock_destroy", "destroys", EventKind::Other),
    ("pthread_cond_init", "initialises", EventKind::Other),
    ("pthread_cond_destroy", "destroys", EventKind::Other),
    ("pthread_barrier_init", "initialises", EventKind::Other),
    ("pthread_barrier_destroy", "destroys", EventKind::Other),
    ("pthread_spin_destroy", "destroys", EventKind::Other),
    ("sem_init", "initialises", EventKind::Other),
    ("sem_destroy", "destroys", EventKind::Other),
    ("pthread_mutex_consistent", "makes consistent", EventKind::Other),
];

/// Numbers of the system calls that are told in words.
const SYS_CLONE: u64 = 56;
const SYS_EXIT: u64 = 60;
const SYS_FUTEX: u64 = 202;
const SYS_CLONE3: u64 = 435;

/// Describes the operation that a thread stands before.
pub fn describe(process: &Process, names: &Names, thread: ThreadId, access: &Access) -> Operation {
    let core = process.machine.core(thread);
    let object = |addr: u64| names.object(process, thread, addr);
    if let Some(function) = names.entered(process, thread) {
        if let Some(found) = library_call(process, names, thread, &function) {
            return found;
        }
        if access.addr == core[Reg::Rdi] & !7 && access.locked {
            return Operation::Other(format!("calls {function}({})", object(core[Reg::Rdi])));
        }
    }
    if process.machine.memory.slice(core.pc, 2).is_ok_and(|bytes| bytes == [0x0f, 0x05]) {
        return system_call(core[Reg::Rax], core[Reg::Rdi], core[Reg::Rsi], object);
    }
    if process.machine.memory.slice(core.pc, REQUEST.len() as u64).is_ok_and(|b| b == REQUEST) {
        return statement(core[Reg::Rax] as u32, object(core[Reg::Rdi]));
    }
    if access.addr == objects::THREADS {
        return Operation::Other("begins or ends a thread".to_string());
    }
    memory_access(process, names, thread, access)
}

fn library_call(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    function: &str,
) -> Option<Operation> {
    let core = process.machine.core(thread);
    let first = core[Reg::Rdi];
    let object = |addr: u64| names.object(process, thread, addr);
    if let Some((_, verb, kind)) = FUNCTIONS.iter().find(|(name, ..)| *name == function) {
        let (object, kind) = (object(first), *kind);
        let is_mutex = function.contains("mutex") || function.starts_with("mtx_");
        return Some(Operation::Object { verb, kind, object, address: first, is_mutex });
    }
    match function {
        "pthread_cond_wait"
        | "pthread_cond_timedwait"
        | "pthread_cond_clockwait"
        | "cnd_wait"
        | "cnd_timedwait" => {
            let mutex_address = core[Reg::Rsi];
            let (condition, mutex) = (object(first), object(mutex_address));
            Some(Operation::Condition { condition, address: first, mutex, mutex_address })
        }
        "pthread_create" | "thrd_create" => Some(Operation::Create),
        "pthread_exit" | "thrd_exit" => Some(Operation::End),
        "pthread_join" | "pthread_timedjoin_np" | "pthread_clockjoin_np" | "thrd_join" => {
            // glibc's handle of a thread is its thread pointer.
            let threads = (0..process.machine.thread_count()).map(ThreadId);
            let pointer = |thread: &ThreadId| process.machine.core(*thread)[Reg::FsBase];
            Some(Operation::Join(threads.into_iter().find(|thread| pointer(thread) == first)))
        }
        _ => None,
    }
}

fn system_call(number: u64, first: u64, second: u64, object: impl Fn(u64) -> String) -> Operation {
    const WAIT: u64 = 0;
    const WAIT_BITSET: u64 = 9;
    match number {
        SYS_CLONE | SYS_CLONE3 => Operation::Create,
        SYS_EXIT => Operation::End,
        SYS_FUTEX => match second & 0x7f {
            WAIT | WAIT_BITSET => Operation::Other(format!("waits on the futex {}", object(first))),
            _ => Operation::Other(format!("wakes waiters on the futex {}", object(first))),
        },
        number => match names::name(number) {
            Some(name) => Operation::Other(format!("calls {name}")),
            None => Operation::Other(format!("makes system call {number}")),
        },
    }
}

/// A statement of the program to the checker.
fn statement(number: u32, object: String) -> Operation {
    match number {
        number::CHOOSE | number::VALUE => Operation::Choose,
        number::LOCK => Operation::Other(format!("takes {object} for itself")),
        number::UNLOCK => Operation::Other(format!("gives {object} back")),
        number::ATOMIC_BEGIN => Operation::Other("begins an atomic region".to_string()),
        number => Operation::Other(format!("makes request {number}")),
    }
}

fn memory_access(process: &Process, names: &Names, thread: ThreadId, access: &Access) -> Operation {
    let size = u64::from(access.size);
    let data = names.variable_of_any(process, thread, access.addr, size);
    let verb = match (access.kind, access.locked) {
        (AccessKind::Write, true) => "atomically updates",
        (AccessKind::Write, false) => "writes",
        (_, true) => "atomically reads",
        (_, false) => "reads",
    };
    let kind = match (access.kind, access.locked) {
        (_, true) => EventKind::Update,
        (AccessKind::Write, false) => EventKind::Write,
        (_, false) => EventKind::Read,
    };
    let view = ThreadView { machine: &process.machine, thread };
    let limits = Limits { depth: 1, items: 4, text: 16 };
    let value = data
        .as_ref()
        .filter(|_| access.kind == AccessKind::Read)
        .map(|data| changes::value_of(names, data, &view, &limits));
    let object = data.map_or_else(|| names.block(process, access.addr), |data| data.name);
    Operation::Access { verb, object, value, kind, address: access.addr }
}

impl Operation {
    /// The operation in words, after it happened: some can be told only then.
    pub fn words(&self, process: &Process, names: &Names, thread: ThreadId, new: u32) -> String {
        let state = process.threads().get(thread.0 as usize);
        let waits = state.and_then(|thread| thread.waiting());
        let name = |thread: ThreadId| names.thread(thread);
        match self {
            Operation::Object { verb, object, .. } if waits.is_some() => {
                format!("waits: {verb} {object} when it can")
            }
            Operation::Object { verb, object, .. } => match verb.split_once(" for ") {
                Some((verb, rest)) => format!("{verb} {object} for {rest}"),
                None => format!("{verb} {object}"),
            },
            Operation::Condition { condition, mutex, .. } => match waits {
                Some(WaitFor::Condition { .. }) => format!("unlocks {mutex}, waits on {condition}"),
                Some(_) => format!("wakes up from {condition}, waits for {mutex}"),
                None if state.is_some_and(Thread::is_relocking) => {
                    format!("unlocks {mutex}, waits on {condition} and wakes up by itself")
                }
                None => format!("goes on after waiting on {condition}, locks {mutex}"),
            },
            Operation::Create if new < process.machine.thread_count() => {
                format!("creates {}", name(ThreadId(new)))
            }
            Operation::Create => "creates no thread".to_string(),
            Operation::Join(Some(other)) if waits.is_some() => {
                format!("waits for {} to end", name(*other))
            }
            Operation::Join(Some(other)) => format!("joins {}", name(*other)),
            Operation::Join(None) => "joins a thread".to_string(),
            Operation::End => "ends".to_string(),
            Operation::Choose => "makes a choice".to_string(),
            Operation::Access { verb, object, value: Some(value), .. } => {
                format!("{verb} {object}, {value}")
            }
            Operation::Access { verb, object, value: None, .. } => format!("{verb} {object}"),
            Operation::Other(words) => words.clone(),
        }
    }
    /// The operation for programs, after it happened.
    pub fn event(&self, process: &Process, names: &Names, thread: ThreadId, new: u32) -> Event {
        let waits = process.threads().get(thread.0 as usize).and_then(|thread| thread.waiting());
        let event = match self {
            Operation::Object { kind, object, address, .. }
            | Operation::Access { kind, object, address, .. } => Event::on(*kind, object, *address),
            Operation::Condition { condition, address, .. } => {
                Event::on(EventKind::Wait, condition, *address)
            }
            Operation::Create => {
                let created = (new < process.machine.thread_count()).then_some(ThreadId(new));
                Event::about(EventKind::Create, created.map(|thread| names.thread(thread)))
            }
            Operation::Join(other) => {
                Event::about(EventKind::Join, other.map(|thread| names.thread(thread)))
            }
            Operation::End => Event::bare(EventKind::End),
            Operation::Choose => Event::bare(EventKind::Choose),
            Operation::Other(_) => Event::bare(EventKind::Other),
        };
        Event { waits: waits.is_some(), ..event }
    }

    /// The mutex that it is about, by name and address.
    pub fn mutex(&self) -> Option<(&str, u64)> {
        match self {
            Operation::Object { object, address, is_mutex: true, .. } => Some((object, *address)),
            Operation::Condition { mutex, mutex_address, .. } => Some((mutex, *mutex_address)),
            _ => None,
        }
    }
}
