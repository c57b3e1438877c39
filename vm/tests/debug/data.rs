//! Variables, types, values and paths of a C program, in every way it can be compiled.

use samovar_vm::debug::{DebugModules, Limits, Scope};

use crate::harness::Program;

/// The ways to compile `data.c` and friends. All give the same answers about globals.
pub const WAYS: [&str; 10] = [
    "gcc -O0 -gdwarf-5",
    "gcc -O2 -gdwarf-5",
    "gcc -O0 -gdwarf-4",
    "gcc -O2 -gdwarf-4",
    "gcc -O1 -g -no-pie -fdebug-types-section",
    "gcc -O2 -g -static -gz=zlib",
    "clang -O0 -gdwarf-5",
    "clang -O2 -gdwarf-5",
    "clang -O0 -gdwarf-4",
    "clang -O2 -gdwarf-4 -fdebug-types-section",
];

/// Path, type, value.
const GLOBALS: [(&str, &str, &str); 56] = [
    ("counter", "int", "42"),
    ("hidden", "long", "-7"),
    ("byte", "unsigned char", "'\\xc8'"),
    ("letter", "char", "'q'"),
    ("truth", "_Bool", "true"),
    ("single", "float", "0.1"),
    ("number", "double", "-2.5"),
    ("wide", "long double", "1.25"),
    ("big", "uint64_t", "18446744073709551615"),
    ("huge", "__int128", "-1"),
    ("matrix", "int [2][3]", "{{1, 2, 3}, {4, 5, 6}}"),
    ("matrix[1]", "int [3]", "{4, 5, 6}"),
    ("matrix[1][2]", "int", "6"),
    ("points", "point_t [3]", "{{x = 1, y = 2}, {x = 3, y = 4}, {x = 5, y = 6}}"),
    ("points[2].y", "int", "6"),
    ("head", "struct node *", "&first"),
    ("head->next->value", "int", "2"),
    ("head.next->at.y", "int", "8"),
    ("*head", "struct node", "{value = 1, next = &second, at = {x = 9, y = 10}}"),
    ("(*head).next", "struct node *", "&second"),
    ("second.next", "struct node *", "NULL"),
    ("bits", "struct bits", "{a = 5, b = -3, c = 4886718345, d = true}"),
    ("bits.b", "int", "-3"),
    ("bits.c", "unsigned long", "4886718345"),
    ("mixed.name", "char [16]", "\"short\""),
    ("mixed.u", "union {...}", "{i = 3, f = 4e-45}"),
    ("mixed.u.i", "int", "3"),
    ("mixed.inner_b", "short", "12"),
    ("mixed.colour", "enum colour", "BLUE"),
    ("mixed.callback", "int (*)(int, char)", "callee"),
    ("mixed.tail", "int []", "{}"),
    ("colour", "enum colour", "GREEN"),
    ("strange", "enum colour", "77"),
    ("flags", "enum flags", "F_A | F_C"),
    ("small", "enum small", "MINUS"),
    ("text", "const char *", "\"hello \\\"you\\\"\\n\""),
    ("*text", "const char", "'h'"),
    ("text[1]", "const char", "'e'"),
    ("buffer", "char [8]", "\"abc\""),
    ("full", "char [3]", "\"xyz\""),
    ("zeros", "int [100]", "{1, 0 <99 times>}"),
    ("hits", "int", "9"),
    ("ahits", "atomic_long", "10"),
    ("vol", "volatile int", "3"),
    ("constant", "const int", "4"),
    ("pointer", "int *", "&matrix[1][2]"),
    ("pointer[-1]", "int", "5"),
    ("**pointer2", "int", "6"),
    ("row", "int (*)[3]", "&matrix[1]"),
    ("(*row)[0]", "int", "4"),
    ("secret", "struct opaque *", "NULL"),
    ("wild", "int *", "0x12345"),
    ("&acct.balance", "int *", "&acct.balance"),
    ("tls_a", "int", "77"),
    ("tls_b", "int", "79"),
    ("work::calls", "int", "6"),
];

fn show(modules: &DebugModules, path: &str, scope: Scope<'_>) -> (String, String) {
    match modules.find(path, scope) {
        Ok(place) => (
            normal(&modules.type_name(place.ty)),
            modules.value(&place, scope.state, &Limits::default()).to_string(),
        ),
        Err(error) => (String::new(), error.to_string()),
    }
}

/// Compilers differ in what they call the same type.
pub fn normal(name: &str) -> String {
    match name {
        "long int" => "long".to_string(),
        "short int" => "short".to_string(),
        "long unsigned int" => "unsigned long".to_string(),
        // Compilers say so from DWARF 5 on only.
        "_Atomic int" => "int".to_string(),
        name => name.to_string(),
    }
}

/// Compares what paths show with what they should show, and complains about all of them at once.
pub fn check(way: &str, modules: &DebugModules, scope: Scope<'_>, expected: &[(&str, &str, &str)]) {
    let mut complaints = String::new();
    for (path, ty, value) in expected {
        let found = show(modules, path, scope);
        if (found.0.as_str(), found.1.as_str()) != (*ty, *value) {
            complaints.push_str(&format!("{way}: {path}: {found:?}, not {:?}\n", (ty, value)));
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

#[test]
fn globals_have_types_and_values() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "data.c") else { continue };
        let stopped = program.stop();
        check(way, &stopped.modules, Scope::global(&stopped), &GLOBALS);
    }
}

/// Old DWARF counts the bits of bit-fields from the other end, and knows no atomics.
#[test]
fn old_dwarf_describes_bit_fields_backwards() {
    let way = "gcc -O0 -gdwarf-3 -gstrict-dwarf";
    let Some(program) = Program::compile(way, "data.c") else { return };
    let stopped = program.stop();
    let expected = [
        ("bits", "struct bits", "{a = 5, b = -3, c = 4886718345, d = true}"),
        ("hits", "int", "9"),
        ("work::calls", "int", "6"),
        ("tls_b", "int", "79"),
    ];
    check(way, &stopped.modules, Scope::global(&stopped), &expected);
}
