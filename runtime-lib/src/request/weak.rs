//! The names of verification benchmarks for a dynamic program that imports them weakly and was
//! linked with nothing that has them.
//!
//! Natively such a name has the address zero. Here a page of machine code is laid into the guest's
//! memory, one short function for each name that makes the request and returns, and the entry of
//! the name in the program's dynamic symbol table is changed to a hidden symbol at that function,
//! before the dynamic linker reads it. So calls and comparisons with null find a function. A
//! library that the program loads and that has the name is not asked: the functions do the same.
//!
//! Static programs have no such table: the linker has put zero in the place of the name.

use super::{MAGIC, number};
use samovar_vm::loader::Image;
use samovar_vm::lower::request::REQUEST;
use samovar_vm::memory::Memory;
use samovar_vm::memory::region::Perms;

/// Where the functions go: below everything that is loaded at an address of our choice.
const PAGES: u64 = 0xf_f000_0000;
/// Bytes of code, one function in each [`SLOT`]; the names follow in their own page.
const CODE_LEN: u64 = 0x1000;
const SLOT: u64 = 64;
const NAME_SLOT: u64 = 64;

/// What a function does.
#[derive(Clone, Copy)]
enum Deed {
    /// Returns a value: class and bits of the request.
    Value(u8, u8),
    /// A false argument ends the path.
    Assume,
    /// A false argument is a violation.
    Assert,
    /// Being called is a violation.
    Error,
    /// A request without arguments and result.
    Plain(u32),
}

const SIGNED: u8 = 0;
const UNSIGNED: u8 = 1;
const BOOLEAN: u8 = 2;
const FLOATING: u8 = 3;

/// What open values are called, before the name of their type.
const VALUE_PREFIX: &str = "__VERIFIER_nondet_";

/// The names; `lib/samovar_verifier.c` has the same.
#[rustfmt::skip]
const NAMES: &[(&str, Deed)] = &[
    ("__VERIFIER_nondet_char", Deed::Value(SIGNED, 8)),
    ("__VERIFIER_nondet_schar", Deed::Value(SIGNED, 8)),
    ("__VERIFIER_nondet_uchar", Deed::Value(UNSIGNED, 8)),
    ("__VERIFIER_nondet_short", Deed::Value(SIGNED, 16)),
    ("__VERIFIER_nondet_ushort", Deed::Value(UNSIGNED, 16)),
    ("__VERIFIER_nondet_int", Deed::Value(SIGNED, 32)),
    ("__VERIFIER_nondet_uint", Deed::Value(UNSIGNED, 32)),
    ("__VERIFIER_nondet_unsigned", Deed::Value(UNSIGNED, 32)),
    ("__VERIFIER_nondet_long", Deed::Value(SIGNED, 64)),
    ("__VERIFIER_nondet_ulong", Deed::Value(UNSIGNED, 64)),
    ("__VERIFIER_nondet_longlong", Deed::Value(SIGNED, 64)),
    ("__VERIFIER_nondet_ulonglong", Deed::Value(UNSIGNED, 64)),
    ("__VERIFIER_nondet_size_t", Deed::Value(UNSIGNED, 64)),
    ("__VERIFIER_nondet_loff_t", Deed::Value(SIGNED, 64)),
    ("__VERIFIER_nondet_u8", Deed::Value(UNSIGNED, 8)),
    ("__VERIFIER_nondet_u16", Deed::Value(UNSIGNED, 16)),
    ("__VERIFIER_nondet_u32", Deed::Value(UNSIGNED, 32)),
    ("__VERIFIER_nondet_u64", Deed::Value(UNSIGNED, 64)),
    ("__VERIFIER_nondet_bool", Deed::Value(BOOLEAN, 8)),
    ("__VERIFIER_nondet__Bool", Deed::Value(BOOLEAN, 8)),
    ("__VERIFIER_nondet_pointer", Deed::Value(UNSIGNED, 64)),
    ("__VERIFIER_nondet_pchar", Deed::Value(UNSIGNED, 64)),
    ("__VERIFIER_nondet_charp", Deed::Value(UNSIGNED, 64)),
    ("__VERIFIER_nondet_float", Deed::Value(FLOATING, 32)),
    ("__VERIFIER_nondet_double", Deed::Value(FLOATING, 64)),
    ("__VERIFIER_assume", Deed::Assume),
    ("__VERIFIER_assert", Deed::Assert),
    ("__VERIFIER_error", Deed::Error),
    ("reach_error", Deed::Error),
    ("__VERIFIER_atomic_begin", Deed::Plain(number::ATOMIC_BEGIN)),
    ("__VERIFIER_atomic_end", Deed::Plain(number::ATOMIC_END)),
];

const _: () = assert!(NAMES.len() as u64 * SLOT <= CODE_LEN);
const _: () = assert!(NAMES.len() as u64 * NAME_SLOT <= 0x1000);

/// Gives the program those of the names that it imports weakly.
pub(crate) fn define(memory: &mut Memory, program: &Image, bias: u64) {
    let mut laid = false;
    for (entry, symbol) in program.weak_imports() {
        let Some(place) = NAMES.iter().position(|(name, _)| *name == symbol.name) else { continue };
        if !laid {
            lay_functions(memory);
            laid = true;
        }
        let function = PAGES + place as u64 * SLOT;
        define_symbol(memory, entry.wrapping_add(bias), function.wrapping_sub(bias));
    }
}

/// Makes an entry of the symbol table a local, hidden function of some section: what dynamic
/// linkers take without looking further. `value` is in the file's own addresses.
fn define_symbol(memory: &mut Memory, entry: u64, value: u64) {
    const LOCAL_FUNCTION: u8 = 2;
    const HIDDEN: u8 = 2;
    const SECTION: [u8; 2] = [1, 0];
    memory.write_any(entry + 4, &[LOCAL_FUNCTION, HIDDEN, SECTION[0], SECTION[1]]);
    memory.write_any(entry + 8, &value.to_le_bytes());
}

fn lay_functions(memory: &mut Memory) {
    memory.map(PAGES, CODE_LEN, (Perms::RX, "[samovar]".into(), 0));
    let readable = Perms { read: true, write: false, exec: false };
    memory.map(PAGES + CODE_LEN, 0x1000, (readable, "[samovar]".into(), 0));
    for (place, (name, deed)) in (0..).zip(NAMES) {
        let text = PAGES + CODE_LEN + place * NAME_SLOT;
        let shown = match deed {
            Deed::Value(..) => name.strip_prefix(VALUE_PREFIX).unwrap_or(name).to_string(),
            Deed::Assert => format!("{name} with a false condition"),
            _ => name.to_string(),
        };
        memory.write_any(text, shown.as_bytes());
        memory.write_any(PAGES + place * SLOT, &function(*deed, text));
    }
}

/// The machine code of a function.
fn function(deed: Deed, text: u64) -> Vec<u8> {
    let mut code = Vec::new();
    match deed {
        Deed::Value(class, bits) => {
            request(&mut code, number::VALUE, text, class, bits);
            match (class, bits) {
                (FLOATING, 32) => code.extend([0x66, 0x0f, 0x6e, 0xc0]), // movd xmm0, eax
                (FLOATING, _) => code.extend([0x66, 0x48, 0x0f, 0x6e, 0xc0]), // movq xmm0, rax
                _ => {}
            }
        }
        Deed::Assume => {
            let mut end = Vec::new();
            request(&mut end, number::PRUNE, 0, 0, 0);
            // mov eax, 231 (exit_group); xor edi, edi; syscall
            end.extend([0xb8, 231, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05]);
            unless_true(&mut code, &end);
        }
        Deed::Assert => unless_true(&mut code, &violation(text)),
        Deed::Error => code.extend(violation(text)),
        Deed::Plain(number) => request(&mut code, number, 0, 0, 0),
    }
    code.push(0xc3); // ret
    code
}

/// test edi, edi; jne over the body; the body
fn unless_true(code: &mut Vec<u8>, body: &[u8]) {
    code.extend([0x85, 0xff, 0x75, body.len() as u8]);
    code.extend(body);
}

/// The request, and ud2 for whoever goes on.
fn violation(text: u64) -> Vec<u8> {
    let mut code = Vec::new();
    request(&mut code, number::UNREACHABLE, text, 0, 0);
    code.extend([0x0f, 0x0b]);
    code
}

/// mov rdi, first; mov esi, second; mov edx, third; mov rax, number; the request
fn request(code: &mut Vec<u8>, number: u32, first: u64, second: u8, third: u8) {
    code.extend([0x48, 0xbf]);
    code.extend(first.to_le_bytes());
    code.extend([0xbe, second, 0, 0, 0, 0xba, third, 0, 0, 0, 0x48, 0xb8]);
    code.extend((MAGIC << 32 | u64::from(number)).to_le_bytes());
    code.extend(REQUEST);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_fit_their_slots() {
        for (name, deed) in NAMES {
            assert!(function(*deed, u64::MAX).len() as u64 <= SLOT, "{name}");
            assert!(name.len() as u64 + 24 <= NAME_SLOT, "{name}");
        }
    }

    #[test]
    fn the_library_has_the_same_names() {
        let (_, library) = super::super::source::VERIFIER;
        for (name, deed) in NAMES {
            let found = match (deed, name.strip_prefix(VALUE_PREFIX)) {
                (Deed::Value(FLOATING, _), _) | (_, None) => library.contains(&format!("{name}(")),
                (_, Some(kind)) => library.contains(&format!(", {kind}, ")),
            };
            assert!(found, "{name}");
        }
        let macros = library.lines().filter(|line| line.starts_with("OPEN(")).count();
        let whole = NAMES
            .iter()
            .filter(|(_, deed)| matches!(deed, Deed::Value(class, _) if *class != FLOATING));
        // The library has two lines for char, of which one counts.
        assert_eq!(macros, whole.count() + 1);
    }
}
