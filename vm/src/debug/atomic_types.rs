//! Which types are atomic, as far as their names tell: C's typedefs, C++'s and Rust's library
//! types. (C's `_Atomic` itself is a type of its own from DWARF 5 on.)

/// True for the typedefs of `stdatomic.h`. Before DWARF 5 they are all that tells an atomic.
pub(super) fn is_atomic_typedef(name: &str) -> bool {
    const NAMES: [&str; 24] = [
        "bool",
        "char",
        "schar",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "llong",
        "ullong",
        "char16_t",
        "char32_t",
        "wchar_t",
        "intptr_t",
        "uintptr_t",
        "size_t",
        "ptrdiff_t",
        "intmax_t",
        "uintmax_t",
        "flag",
        "int_least32_t",
        "uint_least32_t",
    ];
    let name = name.strip_prefix("std::").unwrap_or(name);
    name.strip_prefix("atomic_").is_some_and(|rest| NAMES.contains(&rest))
}

/// True for the library types whose accesses are atomic.
pub(super) fn is_atomic_record(name: &str) -> bool {
    let base = name.split('<').next().unwrap_or(name);
    match base.strip_prefix("core::sync::atomic::") {
        Some(rust) => rust.starts_with("Atomic"),
        None => {
            let (scope, last) = base.rsplit_once("::").unwrap_or(("", base));
            let is_std = scope == "std" || scope.starts_with("std::");
            is_std
                && matches!(
                    last,
                    "atomic"
                        | "__atomic_base"
                        | "__atomic_float"
                        | "atomic_flag"
                        | "atomic_ref"
                        | "__atomic_flag_base"
                        | "__cxx_atomic_impl"
                        | "__cxx_atomic_base_impl"
                )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_atomic_record;

    #[test]
    fn atomic_types_are_told_by_their_names() {
        for name in [
            "std::atomic<int>",
            "std::__atomic_base<int>",
            "std::atomic_flag",
            "std::__1::atomic<bool>",
            "core::sync::atomic::AtomicUsize",
            "core::sync::atomic::AtomicPtr<u8>",
            "core::sync::atomic::Atomic<u32>",
        ] {
            assert!(is_atomic_record(name), "{name}");
        }
        for name in ["atomic<int>", "my::atomic<int>", "std::vector<std::atomic<int>>", "int"] {
            assert!(!is_atomic_record(name), "{name}");
        }
    }
}
