//! Which functions are known, and how they are treated.

use super::libc::{Found, Libc};
use super::{
    Answer, ModelCall, barrier, cancel, condition, heap as memory, mutex, once, panic, rust,
    rwlock, semaphore, spin, threads, verifier,
};
use samovar_vm::stop::HookId;

/// A model: looks at the call's arguments, does the work, answers.
pub(super) type Model = fn(&mut ModelCall<'_>) -> Answer;

/// How a known function is treated.
#[derive(Clone, Copy)]
pub(super) enum Class {
    /// Rust code instead of, or in front of, the library's.
    Modelled(Model),
    /// The library's own code, without scheduling points.
    Atomic,
}

/// A known function.
pub(super) struct Entry {
    pub name: &'static str,
    pub class: Class,
    /// What it works on.
    pub objects: Objects,
    /// How many ways it may go from here; one if there is no such function.
    pub alternatives: Option<fn(&ModelCall<'_>) -> u32>,
    /// A thread that is to be cancelled is cancelled here.
    pub cancels: bool,
    scope: Scope,
}

/// The synchronisation objects of a call; every operation counts as a change of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    None,
    /// The first argument.
    First,
    /// The first and the second argument.
    FirstTwo,
    /// All bytes of the heap block that the first argument points to.
    Block,
    /// Threads as such.
    Threads,
    /// The end of the thread that the first argument names, as far as one can see it.
    EndOf,
    /// The cancellation of the thread that the first argument names.
    CancellationOf,
    /// The library's random numbers.
    Random,
    /// Files.
    Files,
}

/// Where a function is hooked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// In every library.
    Any,
    /// In every library whose allocator is its own.
    Heap,
    /// In glibc: the model depends on its data layout.
    Glibc,
    /// In the program, not in the library.
    Program,
    /// Wherever Rust's library is.
    Rust,
}

const fn entry(name: &'static str, class: Class, objects: Objects, scope: Scope) -> Entry {
    Entry { name, class, objects, alternatives: None, cancels: false, scope }
}

const fn heap(name: &'static str, model: Model) -> Entry {
    entry(name, Class::Modelled(model), Objects::None, Scope::Heap)
}

/// A function on the heap block that its first argument points to.
const fn block(name: &'static str, model: Model) -> Entry {
    entry(name, Class::Modelled(model), Objects::Block, Scope::Heap)
}

/// A function of glibc on the object that its first argument points to.
const fn object(name: &'static str, model: Model) -> Entry {
    glibc(name, Objects::First, model)
}

const fn glibc(name: &'static str, objects: Objects, model: Model) -> Entry {
    entry(name, Class::Modelled(model), objects, Scope::Glibc)
}

const fn atomic(name: &'static str) -> Entry {
    entry(name, Class::Atomic, Objects::None, Scope::Any)
}

const fn atomic_on(name: &'static str, objects: Objects) -> Entry {
    entry(name, Class::Atomic, objects, Scope::Any)
}

const fn glibc_atomic(name: &'static str, objects: Objects) -> Entry {
    entry(name, Class::Atomic, objects, Scope::Glibc)
}

const fn program(name: &'static str, class: Class) -> Entry {
    entry(name, class, Objects::None, Scope::Program)
}

const fn of_rust(name: &'static str, class: Class, objects: Objects) -> Entry {
    entry(name, class, objects, Scope::Rust)
}

impl Entry {
    /// The same with a function that counts alternatives.
    const fn choosing(mut self, count: fn(&ModelCall<'_>) -> u32) -> Entry {
        self.alternatives = Some(count);
        self
    }

    /// The same as a cancellation point.
    const fn cancelling(mut self) -> Entry {
        self.cancels = true;
        self
    }
}

/// All known functions; a hook's number is twice the position, plus one for musl.
#[rustfmt::skip]
static FUNCTIONS: &[Entry] = &[
    heap("malloc", memory::malloc),
    heap("calloc", memory::calloc),
    block("realloc", memory::realloc),
    block("reallocarray", memory::reallocarray),
    block("free", memory::free),
    heap("aligned_alloc", memory::memalign),
    heap("memalign", memory::memalign),
    heap("posix_memalign", memory::posix_memalign),
    heap("valloc", memory::valloc),
    heap("pvalloc", memory::pvalloc),
    block("malloc_usable_size", memory::malloc_usable_size),
    heap("malloc_trim", memory::malloc_trim),

    object("pthread_mutex_lock", mutex::lock),
    object("pthread_mutex_trylock", mutex::trylock),
    object("pthread_mutex_timedlock", mutex::timedlock),
    object("pthread_mutex_clocklock", mutex::clocklock),
    object("pthread_mutex_unlock", mutex::unlock),
    object("pthread_mutex_init", mutex::init),
    object("pthread_mutex_destroy", mutex::destroy),
    glibc_atomic("pthread_mutex_consistent", Objects::First),

    glibc("pthread_cond_wait", Objects::FirstTwo, condition::wait)
        .choosing(condition::wait_alternatives).cancelling(),
    glibc("pthread_cond_timedwait", Objects::FirstTwo, condition::timedwait)
        .choosing(condition::wait_alternatives).cancelling(),
    glibc("pthread_cond_clockwait", Objects::FirstTwo, condition::clockwait)
        .choosing(condition::wait_alternatives).cancelling(),
    object("pthread_cond_signal", condition::signal).choosing(condition::signal_alternatives),
    object("pthread_cond_broadcast", condition::broadcast),
    object("pthread_cond_init", condition::init),
    object("pthread_cond_destroy", condition::destroy),

    object("pthread_rwlock_rdlock", rwlock::rdlock),
    object("pthread_rwlock_wrlock", rwlock::wrlock),
    object("pthread_rwlock_tryrdlock", rwlock::tryrdlock),
    object("pthread_rwlock_trywrlock", rwlock::trywrlock),
    object("pthread_rwlock_timedrdlock", rwlock::timedrdlock),
    object("pthread_rwlock_timedwrlock", rwlock::timedwrlock),
    object("pthread_rwlock_clockrdlock", rwlock::clockrdlock),
    object("pthread_rwlock_clockwrlock", rwlock::clockwrlock),
    object("pthread_rwlock_unlock", rwlock::unlock),
    object("pthread_rwlock_init", rwlock::init),
    object("pthread_rwlock_destroy", rwlock::destroy),

    object("sem_wait", semaphore::wait).cancelling(),
    object("sem_trywait", semaphore::trywait),
    object("sem_timedwait", semaphore::timedwait).cancelling(),
    object("sem_clockwait", semaphore::clockwait).cancelling(),
    object("sem_post", semaphore::post),
    object("sem_getvalue", semaphore::getvalue),
    object("sem_init", semaphore::init),
    object("sem_destroy", semaphore::destroy),
    glibc_atomic("sem_open", Objects::Files),
    glibc_atomic("sem_close", Objects::Files),
    glibc_atomic("sem_unlink", Objects::Files),

    object("pthread_barrier_wait", barrier::wait),
    glibc_atomic("pthread_barrier_init", Objects::First),
    object("pthread_barrier_destroy", barrier::destroy),

    object("pthread_spin_lock", spin::lock),
    object("pthread_spin_trylock", spin::trylock),
    object("pthread_spin_unlock", spin::unlock),
    object("pthread_spin_destroy", spin::destroy),

    object("pthread_once", once::once),

    glibc("pthread_create", Objects::None, threads::create),
    glibc("pthread_join", Objects::Threads, threads::join).cancelling(),
    glibc("thrd_join", Objects::Threads, threads::join).cancelling(),
    glibc("pthread_timedjoin_np", Objects::EndOf, threads::timedjoin).cancelling(),
    glibc("pthread_clockjoin_np", Objects::EndOf, threads::clockjoin).cancelling(),
    glibc_atomic("pthread_tryjoin_np", Objects::EndOf),
    glibc("pthread_detach", Objects::EndOf, threads::detach),
    glibc("pthread_key_create", Objects::None, threads::key_create),
    glibc_atomic("pthread_key_delete", Objects::None),
    glibc("__cxa_thread_atexit_impl", Objects::None, threads::thread_atexit),
    glibc("pthread_cancel", Objects::CancellationOf, cancel::cancel),
    glibc("pthread_setcancelstate", Objects::None, cancel::setcancelstate).cancelling(),
    glibc("pthread_setcanceltype", Objects::None, cancel::setcanceltype).cancelling(),

    atomic_on("rand", Objects::Random), atomic_on("srand", Objects::Random),
    atomic_on("random", Objects::Random), atomic_on("srandom", Objects::Random),
    atomic_on("drand48", Objects::Random), atomic_on("lrand48", Objects::Random),
    atomic_on("mrand48", Objects::Random), atomic_on("srand48", Objects::Random),

    atomic("printf"), atomic("vprintf"), atomic("fprintf"), atomic("vfprintf"),
    atomic("dprintf"), atomic("vdprintf"), atomic("puts"), atomic("fputs"),
    atomic("putchar"), atomic("putc"), atomic("fputc"), atomic("fwrite"), atomic("fflush"),
    atomic("perror"), atomic("wprintf"), atomic("vwprintf"), atomic("fwprintf"),
    atomic("vfwprintf"), atomic("putwchar"), atomic("fputwc"), atomic("fputws"),
    atomic("putchar_unlocked"), atomic("putc_unlocked"), atomic("fputc_unlocked"),
    atomic("fputs_unlocked"), atomic("fwrite_unlocked"), atomic("fflush_unlocked"),
    atomic("psignal"), atomic("setvbuf"), atomic("setbuf"),
    atomic("_IO_putc"), atomic("_IO_puts"),
    atomic("__printf_chk"), atomic("__vprintf_chk"), atomic("__fprintf_chk"),
    atomic("__vfprintf_chk"), atomic("__dprintf_chk"), atomic("__wprintf_chk"),
    atomic("__fwprintf_chk"),

    program("reach_error", Class::Modelled(verifier::reach_error)),
    program("__VERIFIER_error", Class::Modelled(verifier::verifier_error)),
    program(verifier::ATOMIC_PREFIX, Class::Atomic),

    of_rust(rust::LOCK_CONTENDED, Class::Modelled(rust::lock_contended), Objects::First),
    of_rust(rust::MAKE_HANDLER, Class::Modelled(rust::make_handler), Objects::None),
    of_rust(rust::DROP_HANDLER, Class::Modelled(rust::drop_handler), Objects::None),
    of_rust(rust::OVERFLOW_HANDLER, Class::Modelled(rust::overflow_handler), Objects::None),
    of_rust(rust::ENABLE_KEY, Class::Atomic, Objects::None),
    of_rust(panic::BODY, Class::Modelled(panic::body), Objects::None),
    of_rust(panic::PANIC, Class::Modelled(panic::panic), Objects::None),
    of_rust(panic::CATCH, Class::Modelled(panic::caught), Objects::None),
    of_rust(panic::JOIN, Class::Modelled(panic::join), Objects::None),
    of_rust(panic::TELL_SCOPE, Class::Modelled(panic::tell_scope), Objects::None),
];

/// The hook for a symbol of a library.
pub(super) fn find(name: &str, found: Found) -> Option<HookId> {
    let index = FUNCTIONS.iter().position(|entry| entry.name == name)?;
    let hooked = match FUNCTIONS[index].scope {
        Scope::Any => true,
        Scope::Heap => found.own_heap,
        Scope::Glibc => found.libc == Libc::Glibc,
        Scope::Program | Scope::Rust => false,
    };
    let musl = u32::from(found.libc == Libc::Musl);
    hooked.then_some(HookId(index as u32 * 2 + musl))
}

/// The hook for a symbol of the program.
pub(super) fn find_in_program(name: &str) -> Option<HookId> {
    let known = |entry: &Entry| entry.scope == Scope::Program && entry.name == name;
    FUNCTIONS.iter().position(known).map(|index| HookId(index as u32 * 2))
}

/// The hook for a function of Rust's library.
pub(super) fn find_of_rust(name: &str) -> Option<HookId> {
    let known = |entry: &Entry| entry.scope == Scope::Rust && entry.name == name;
    FUNCTIONS.iter().position(known).map(|index| HookId(index as u32 * 2))
}

/// The function that a hook stands for, and its library.
pub(super) fn get(hook: HookId) -> (&'static Entry, Libc) {
    let libc = if hook.0.is_multiple_of(2) { Libc::Glibc } else { Libc::Musl };
    (&FUNCTIONS[hook.0 as usize / 2], libc)
}

/// How the function with this name is treated, if it is known.
pub(super) fn class_of(name: &str) -> Option<Class> {
    FUNCTIONS.iter().find(|entry| entry.name == name).map(|entry| entry.class)
}

/// Number of known functions.
#[cfg(test)]
pub(crate) fn count() -> usize {
    FUNCTIONS.len()
}

/// The hook for a function of glibc.
#[cfg(test)]
pub(crate) fn hook(name: &str) -> HookId {
    find(name, Found { libc: Libc::Glibc, own_heap: true }).expect("a known function")
}
