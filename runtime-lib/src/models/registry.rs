//! Which functions are known, and how they are treated.

use super::libc::{Found, Libc};
use super::{Answer, ModelCall, condition, heap as memory, mutex, threads, verifier};
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
    /// What a model works on.
    pub objects: Objects,
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
    /// Threads as such.
    Threads,
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
}

const fn heap(name: &'static str, model: Model) -> Entry {
    Entry { name, class: Class::Modelled(model), objects: Objects::None, scope: Scope::Heap }
}

const fn glibc(name: &'static str, objects: Objects, model: Model) -> Entry {
    Entry { name, class: Class::Modelled(model), objects, scope: Scope::Glibc }
}

const fn atomic(name: &'static str) -> Entry {
    Entry { name, class: Class::Atomic, objects: Objects::None, scope: Scope::Any }
}

const fn glibc_atomic(name: &'static str) -> Entry {
    Entry { name, class: Class::Atomic, objects: Objects::None, scope: Scope::Glibc }
}

const fn program(name: &'static str, class: Class) -> Entry {
    Entry { name, class, objects: Objects::None, scope: Scope::Program }
}

/// All known functions; a hook's number is twice the position, plus one for musl.
#[rustfmt::skip]
static FUNCTIONS: &[Entry] = &[
    heap("malloc", memory::malloc),
    heap("calloc", memory::calloc),
    heap("realloc", memory::realloc),
    heap("reallocarray", memory::reallocarray),
    heap("free", memory::free),
    heap("aligned_alloc", memory::memalign),
    heap("memalign", memory::memalign),
    heap("posix_memalign", memory::posix_memalign),
    heap("valloc", memory::valloc),
    heap("pvalloc", memory::pvalloc),
    heap("malloc_usable_size", memory::malloc_usable_size),
    heap("malloc_trim", memory::malloc_trim),

    glibc("pthread_mutex_lock", Objects::First, mutex::lock),
    glibc("pthread_mutex_trylock", Objects::First, mutex::trylock),
    glibc("pthread_mutex_timedlock", Objects::First, mutex::timedlock),
    glibc("pthread_mutex_clocklock", Objects::First, mutex::clocklock),
    glibc("pthread_mutex_unlock", Objects::First, mutex::unlock),
    glibc_atomic("pthread_mutex_init"),
    glibc_atomic("pthread_mutex_destroy"),

    glibc("pthread_cond_wait", Objects::FirstTwo, condition::wait),
    glibc("pthread_cond_timedwait", Objects::FirstTwo, condition::timedwait),
    glibc("pthread_cond_clockwait", Objects::FirstTwo, condition::clockwait),
    glibc("pthread_cond_signal", Objects::First, condition::signal),
    glibc("pthread_cond_broadcast", Objects::First, condition::broadcast),
    glibc_atomic("pthread_cond_init"),
    glibc_atomic("pthread_cond_destroy"),

    glibc("pthread_create", Objects::None, threads::create),
    glibc("pthread_join", Objects::Threads, threads::join),
    glibc("pthread_cancel", Objects::Threads, threads::cancel),

    atomic("printf"), atomic("vprintf"), atomic("fprintf"), atomic("vfprintf"),
    atomic("dprintf"), atomic("vdprintf"), atomic("puts"), atomic("fputs"),
    atomic("putchar"), atomic("putc"), atomic("fputc"), atomic("fwrite"), atomic("fflush"),
    atomic("perror"), atomic("wprintf"), atomic("vwprintf"), atomic("fwprintf"),
    atomic("vfwprintf"), atomic("putwchar"), atomic("fputwc"), atomic("fputws"),
    atomic("putchar_unlocked"), atomic("putc_unlocked"), atomic("fputc_unlocked"),
    atomic("fputs_unlocked"), atomic("fwrite_unlocked"), atomic("fflush_unlocked"),
    atomic("psignal"), atomic("setvbuf"), atomic("setbuf"),
    glibc_atomic("_IO_putc"), glibc_atomic("_IO_puts"),
    glibc_atomic("__printf_chk"), glibc_atomic("__vprintf_chk"), glibc_atomic("__fprintf_chk"),
    glibc_atomic("__vfprintf_chk"), glibc_atomic("__dprintf_chk"), glibc_atomic("__wprintf_chk"),
    glibc_atomic("__fwprintf_chk"),

    program("reach_error", Class::Modelled(verifier::reach_error)),
    program("__VERIFIER_error", Class::Modelled(verifier::verifier_error)),
    program(verifier::ATOMIC_PREFIX, Class::Atomic),
];

/// The hook for a symbol of a library.
pub(super) fn find(name: &str, found: Found) -> Option<HookId> {
    let index = FUNCTIONS.iter().position(|entry| entry.name == name)?;
    let hooked = match FUNCTIONS[index].scope {
        Scope::Any => true,
        Scope::Heap => found.own_heap,
        Scope::Glibc => found.libc == Libc::Glibc,
        Scope::Program => false,
    };
    let musl = u32::from(found.libc == Libc::Musl);
    hooked.then_some(HookId(index as u32 * 2 + musl))
}

/// The hook for a symbol of the program.
pub(super) fn find_in_program(name: &str) -> Option<HookId> {
    let known = |entry: &Entry| entry.scope == Scope::Program && entry.name == name;
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
