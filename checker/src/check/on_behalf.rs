//! Accesses that libraries make on behalf of the program: of `memset` to an array of the program,
//! of `std::string` to a static one.
//!
//! The language takes them for accesses of the call in the program. They are known for that where
//! everything between the call and the instruction is code of the C or C++ library that promises
//! nothing about threads: not what is called atomic, no operation on locks, no other library, which
//! may order its accesses in ways of its own. Nor does it concern the library's own records, which
//! are told by their names. What it leaves out: what runs without scheduling points (`printf`), and
//! system calls.

use crate::trail::names::{Names, plain};
use samovar_runtime::Process;
use samovar_vm::debug::{DataName, Frame};
use samovar_vm::machine::ThreadId;

/// Libraries whose code does what the program asks for, by the beginnings of their files' names.
const LIBRARIES: [&str; 5] = ["libc.so", "libc-2.", "ld-musl-", "libstdc++.so", "libc++.so"];

/// Functions of these on objects that order accesses, by the beginnings of their names.
const ORDERING: [&str; 8] =
    ["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_", "call_once", "aio_"];

/// Functions of the C library, as a static program names them: the part before an underscore.
#[rustfmt::skip]
pub const FUNCTIONS: &[&str] = &[
    "memcpy", "memmove", "mempcpy", "memset", "memcmp", "memchr", "memrchr", "rawmemchr",
    "memccpy", "memmem", "bcopy", "bzero", "explicit", "strlen", "strnlen", "strcpy", "stpcpy",
    "strncpy", "stpncpy", "strcat", "strncat", "strcmp", "strncmp", "strcasecmp", "strncasecmp",
    "strchr", "strchrnul", "strrchr", "strstr", "strspn", "strcspn", "strpbrk", "strsep",
    "wmemcpy", "wmemset", "wmemcmp", "wcslen", "wcscpy", "wcscmp", "sprintf", "snprintf",
    "vsprintf", "vsnprintf", "strtol", "strtoul", "strtoll", "strtoull", "atoi", "atol", "qsort",
];

/// Members of containers of the C++ library, which are as plain as what the program declares.
#[rustfmt::skip]
const MEMBERS: &[&str] = &[
    "_M_dataplus", "_M_p", "_M_string_length", "_M_local_buf", "_M_allocated_capacity", "_M_impl",
    "_M_start", "_M_finish", "_M_end_of_storage", "_M_header", "_M_parent", "_M_left", "_M_right",
    "_M_color", "_M_node_count", "_M_map", "_M_map_size", "_M_cur", "_M_first", "_M_last",
    "_M_node", "_M_t", "_M_elems", "_M_size", "_M_h", "_M_buckets", "_M_bucket_count",
    "_M_element_count", "_M_before_begin", "_M_nxt",
];

/// Whether a thread stands in library code that does what the program has called it for.
pub fn stands(process: &Process, names: &Names, thread: ThreadId) -> bool {
    let frames = names.frames(process, thread);
    let own = frames.iter().position(|frame| names.is_own_code(process, frame.lookup));
    let between = &frames[..own.unwrap_or(0)];
    let is_program = |addr| process.modules().first().is_some_and(|it| it.contains(addr));
    // Where libraries are part of the program, the function that was called says what it is.
    let mut entry = between.iter().rev().map(|frame| (frame.lookup, names.code(frame.lookup)));
    let entry = entry.find(|(addr, code)| is_program(*addr) && code.line.is_none());
    let is_known = |function: &Option<String>| function.as_deref().is_some_and(is_function);
    !between.is_empty()
        && entry.is_none_or(|(_, code)| is_known(&code.function))
        && between.iter().all(|frame| is_servant(process, names, frame.lookup))
}

/// Whether code belongs to the language's libraries and promises nothing about threads.
fn is_servant(process: &Process, names: &Names, addr: u64) -> bool {
    let Some(module) = process.module_at(addr) else { return false };
    let frames = names.debug().locate(addr);
    if frames.iter().any(is_about_order) {
        return false;
    }
    let is_static = process.modules().len() == 1;
    let is_known = |frame: &Frame| match &frame.line {
        Some(line) => line.file.starts_with("/usr/") && line.file.contains("/c++/"),
        None => is_static && frame.function.is_some(),
    };
    if process.modules().first().is_some_and(|program| program.contains(addr)) {
        return !frames.is_empty() && frames.iter().all(is_known);
    }
    let file = module.path.rsplit('/').next().unwrap_or_default();
    LIBRARIES.iter().any(|library| file.starts_with(library))
}

/// Whether code is there to order what threads do, by its name or its file's.
fn is_about_order(frame: &Frame) -> bool {
    let name = frame.function.as_deref().map_or("", plain);
    let file = frame.line.as_ref().and_then(|line| line.file.rsplit('/').next());
    ORDERING.iter().any(|word| name.starts_with(word))
        || [name, file.unwrap_or_default()].iter().any(|it| it.contains("atomic"))
}

/// Whether a function of a static program is one of the library's that are known.
fn is_function(name: &str) -> bool {
    let name = plain(name);
    let first = name.split('_').next().unwrap_or(name);
    FUNCTIONS.contains(&first) || name.starts_with("std::")
}

/// Whether data is the program's own as far as its name goes, container or not.
pub fn is_own(process: &Process, data: &DataName) -> bool {
    let is_program = |addr| process.modules().first().is_some_and(|it| it.contains(addr));
    is_program(data.start) && members(data).all(|name| !name.starts_with('_') || is_member(name))
}

/// Whether data is what a container of the C++ library consists of.
pub fn is_of_container(data: &DataName) -> bool {
    let all = || members(data).filter(|name| name.starts_with('_'));
    all().next().is_some() && all().all(is_member)
}

fn is_member(name: &str) -> bool {
    MEMBERS.contains(&name)
}

/// The names of the parts on the way to data, behind that of the variable.
fn members(data: &DataName) -> impl Iterator<Item = &str> {
    let parts = data.name.split('.').skip(1);
    parts.map(|part| part.split(['[', '+']).next().unwrap_or(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use samovar_vm::debug::TypeId;

    fn data(name: &str) -> DataName {
        DataName { name: name.to_string(), ty: TypeId::unknown(4), start: 0, is_atomic: false }
    }

    #[test]
    fn containers_are_told_from_other_records_of_libraries() {
        for name in ["g._M_string_length", "a[2].names._M_impl._M_start", "g._M_local_buf[3]"] {
            assert!(is_of_container(&data(name)), "{name}");
        }
        for name in ["g", "g.x", "g._M_i", "g._M_elems[1]._M_i", "g._M_impl._M_rwlock.__data"] {
            assert!(!is_of_container(&data(name)), "{name}");
        }
    }

    #[test]
    fn functions_of_static_programs_have_decorated_names() {
        for name in ["__memset_sse2_unaligned", "strlen", "__strlen_sse2", "sprintf"] {
            assert!(is_function(name), "{name}");
        }
        for name in ["strategy", "memory_barrier", "pthread_once", "set"] {
            assert!(!is_function(name), "{name}");
        }
    }
}
