//! Which functions are known, and how they are treated.

use samovar_vm::stop::HookId;

/// How a known function is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The library's own code, without scheduling points.
    Atomic,
}

/// All known functions; a hook's number is its position.
const FUNCTIONS: &[(&str, Class)] = &[
    ("printf", Class::Atomic),
    ("vprintf", Class::Atomic),
    ("fprintf", Class::Atomic),
    ("vfprintf", Class::Atomic),
    ("puts", Class::Atomic),
    ("fputs", Class::Atomic),
    ("putchar", Class::Atomic),
    ("fputc", Class::Atomic),
    ("putc", Class::Atomic),
    ("fwrite", Class::Atomic),
    ("fflush", Class::Atomic),
    ("perror", Class::Atomic),
];

/// The hook for a symbol.
pub(super) fn find(name: &str) -> Option<HookId> {
    let index = FUNCTIONS.iter().position(|(known, _)| *known == name)?;
    Some(HookId(index as u32))
}

/// How a hook is treated.
pub(super) fn class(hook: HookId) -> Class {
    FUNCTIONS[hook.0 as usize].1
}
