//! Random expressions that are both C and formulas, over the variables of a C program that is
//! written around them.
//!
//! Left out is what C leaves open or what a compiler and a formula settle differently on purpose:
//! shifts by more than the width, conversions of floats that do not fit, and divisions by zero on
//! the left of `&&` and `||`, which stop a program but not a formula.

/// Integer data, with declarations that give it a value.
const INTEGERS: &[(&str, &str)] = &[
    ("c", "char"),
    ("sc", "signed char"),
    ("uc", "unsigned char"),
    ("s", "short"),
    ("us", "unsigned short"),
    ("i", "int"),
    ("u", "unsigned"),
    ("l", "long"),
    ("ul", "unsigned long"),
    ("ll", "long long"),
    ("b", "_Bool"),
    ("e", "enum colour"),
    ("f.five", ""),
    ("f.seven", ""),
    ("f.all", ""),
    ("f.one", ""),
    ("p->member", ""),
    ("a[i & 3]", ""),
    ("*q", ""),
    ("*(q + 1)", ""),
    ("q[-1]", ""),
    ("(p - &g)", ""),
    ("RED", ""),
    ("DARK", ""),
];

const FLOATS: &[(&str, &str)] = &[("x", "float"), ("y", "float"), ("d", "double"), ("h", "double")];

const INTEGER_LITERALS: &[&str] = &[
    "0",
    "1",
    "7",
    "'a'",
    "'\\xff'",
    "0x7fffffff",
    "2147483648",
    "0xffffffff",
    "017",
    "3u",
    "5l",
    "9ul",
    "0x8000000000000000",
    "1LL",
    "true",
];

const FLOAT_LITERALS: &[&str] = &["0.5", "1.5f", "3e2", "0.1", "0.1f", "7.", ".25", "1e-3"];

const TYPES: &[&str] = &[
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
    "long long",
];

/// A small generator of random numbers (xorshift), the same for every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// A number of any size, often a border.
    fn number(&mut self) -> i64 {
        const BORDERS: [i64; 10] =
            [0, 1, -1, 2, 127, -128, i32::MAX as i64, i32::MIN as i64, i64::MAX, i64::MIN];
        match self.below(3) {
            0 => BORDERS[self.below(BORDERS.len())],
            1 => self.below(40) as i64 - 20,
            _ => self.next() as i64 >> self.below(64),
        }
    }
}

/// An expression of integer type. Below anything but a sum nothing is undefined: compilers leave
/// a division out if its result does not matter.
pub fn integer(random: &mut Random, depth: u32, is_calm: bool) -> String {
    if depth == 0 || random.below(8) == 0 {
        return match random.below(3) {
            0 => random.one_of(INTEGER_LITERALS).to_string(),
            _ => INTEGERS[random.below(INTEGERS.len())].0.to_string(),
        };
    }
    let calm = |random: &mut Random| integer(random, depth - 1, true);
    let next = |random: &mut Random| integer(random, depth - 1, is_calm);
    match random.below(18) {
        0..=3 => {
            let operator = random.one_of(&["+", "-", "^"]);
            format!("({} {operator} {})", next(random), next(random))
        }
        4 | 5 => {
            let operator = random.one_of(&["*", "&", "|"]);
            format!("({} {operator} {})", calm(random), calm(random))
        }
        6..=8 => {
            let operator = random.one_of(&["/", "%"]);
            let divisor = if is_calm { "3" } else { random.one_of(&["i", "us", "l", "ul", "5"]) };
            // A compiler may know the quotient of a constant without dividing.
            format!("(({} + i) {operator} {divisor})", next(random))
        }
        9 => {
            let operator = random.one_of(&["<<", ">>"]);
            format!("({} {operator} ({} & 7))", calm(random), calm(random))
        }
        10 | 11 => comparison(random, depth - 1),
        12 | 13 => {
            let operator = random.one_of(&["&&", "||"]);
            format!("({} {operator} {})", calm(random), calm(random))
        }
        14 => format!("({} ? {} : {})", calm(random), calm(random), calm(random)),
        15 => format!("({}){}", random.one_of(TYPES), calm(random)),
        // A bit-field has no size, but what it is promoted to has.
        16 => format!("sizeof({} + 0)", calm(random)),
        _ => format!("({}{})", random.one_of(&["-", "~", "!", "+"]), calm(random)),
    }
}

fn comparison(random: &mut Random, depth: u32) -> String {
    let operator = random.one_of(&["<", "<=", ">", ">=", "==", "!="]);
    let side = |random: &mut Random| match random.below(3) {
        0 => float(random, depth),
        _ => integer(random, depth, true),
    };
    // Without brackets around it, so that precedence counts.
    let (a, b) = (side(random), side(random));
    match random.below(3) {
        0 => format!("(1 + {a} {operator} {b} * 2)"),
        _ => format!("({a} {operator} {b})"),
    }
}

/// An expression of floating type.
pub fn float(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(8) == 0 {
        return match random.below(3) {
            0 => random.one_of(FLOAT_LITERALS).to_string(),
            _ => FLOATS[random.below(FLOATS.len())].0.to_string(),
        };
    }
    match random.below(6) {
        0 => format!("({}){}", random.one_of(&["float", "double"]), integer(random, 1, true)),
        1 => format!("(-{})", float(random, depth - 1)),
        2 => format!("({} + {})", float(random, depth - 1), integer(random, depth - 1, true)),
        _ => {
            let operator = random.one_of(&["+", "-", "*", "/"]);
            format!("({} {operator} {})", float(random, depth - 1), float(random, depth - 1))
        }
    }
}

/// A C program that prints the value of each expression, one a line.
pub fn program(random: &mut Random, expressions: &[String]) -> String {
    let mut text = String::from(HEAD);
    for (name, ty) in INTEGERS.iter().filter(|(_, ty)| !ty.is_empty()) {
        text.push_str(&format!("volatile {ty} {name} = ({ty})({});\n", c_number(random.number())));
    }
    for (name, ty) in FLOATS {
        let value = (random.below(2000) as f64 - 1000.0) / 64.0;
        text.push_str(&format!("volatile {ty} {name} = {value:?};\n"));
    }
    for (name, ty) in [("a", "int"), ("v", "long")] {
        let values: Vec<String> = (0..4).map(|_| c_number(random.number())).collect();
        text.push_str(&format!("volatile {ty} {name}[4] = {{{}}};\n", values.join(", ")));
    }
    text.push_str("volatile long *volatile q = &v[1];\n");
    let field = |random: &mut Random| c_number(random.number());
    let fields = [field(random), field(random), field(random), field(random)];
    text.push_str(&format!("volatile struct fields f = {{{}}};\n", fields.join(", ")));
    text.push_str(&format!("struct record g = {{{}}}, *p = &g;\n", field(random)));
    text.push_str("int main(void) {\n    signal(SIGFPE, trapped);\n    ready = 1;\n");
    for expression in expressions {
        text.push_str(&format!("    SHOW({expression});\n"));
    }
    text.push_str("    return 0;\n}\n");
    text
}

/// The least number has no literal of its own.
fn c_number(value: i64) -> String {
    if value == i64::MIN { "(-9223372036854775807l - 1)".to_string() } else { format!("{value}l") }
}

const HEAD: &str = r#"#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
enum colour { RED = 3, DARK = 70000 };
struct fields { int five : 5; unsigned seven : 7; unsigned all : 32; _Bool one : 1; };
struct record { short member; long rest; };
volatile int ready;
static sigjmp_buf before;
static void trapped(int number) { siglongjmp(before, number); }
static void real(double value) {
    unsigned long bits;
    memcpy(&bits, &value, 8);
    printf("f %lx\n", bits);
}
#define SHOW(e) do { \
    if (sigsetjmp(before, 1)) puts("undefined"); \
    else _Generic((e), float: real((double)(e)), double: real((double)(e)), \
        unsigned long: printf("i %lu\n", (unsigned long)(e)), \
        unsigned long long: printf("i %lu\n", (unsigned long)(e)), \
        default: printf("i %ld\n", (long)(e))); \
    } while (0)
"#;
