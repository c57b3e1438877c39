//! Values of the program as trees, and their text: `{balance = 5, owner = "ann", next = &b}`.
//!
//! A [`Value`] is what was read; its `Display` form is one line in the style of a debugger. How
//! much is read is bounded by [`Limits`].

use std::fmt;

use super::error::Unavailable;

/// How much of a value is worth showing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nesting of records and arrays.
    pub depth: usize,
    /// Elements of one array, and members of one record.
    pub items: usize,
    /// Bytes of one string.
    pub text: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 4, items: 32, text: 80 }
    }
}

/// A value that was read from a state.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i128),
    /// A truth value.
    Bool(bool),
    /// A character of an unknown character set, by its code.
    Character(u8),
    /// A Unicode character, by its code.
    Unicode(u32),
    /// A floating-point number of single precision.
    Single(f32),
    /// A floating-point number.
    Float(f64),
    /// A value of an enumeration: its name (of a set of flags: several), if it has one.
    Enumerator {
        /// The name.
        name: Option<String>,
        /// The number.
        value: i128,
    },
    /// A pointer.
    Pointer {
        /// The address.
        addr: u64,
        /// What is there: `&fork[1]`, or the name of a function.
        target: Option<String>,
    },
    /// A string: the bytes up to its end.
    Text {
        /// The bytes, without the terminator.
        bytes: Vec<u8>,
        /// True if the string goes on.
        is_cut: bool,
    },
    /// The elements of an array; equal neighbours are counted.
    Array {
        /// Values and how often they repeat.
        items: Vec<(Value, u64)>,
        /// True if the array goes on.
        is_cut: bool,
    },
    /// The members of a record.
    Record {
        /// The name of the alternative, for Rust enums.
        variant: Option<String>,
        /// Names (empty for base classes and anonymous members) and values.
        members: Vec<(String, Value)>,
        /// True if there are more.
        is_cut: bool,
    },
    /// Bytes of an unknown type.
    Bytes(Vec<u8>),
    /// Nothing to read (`void`, a function).
    Nothing,
    /// Not shown because of the limits.
    Elided,
    /// Not there.
    Unavailable(Unavailable),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(f, "{value}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Character(code) => write_character(f, u32::from(*code), *code < 0x80),
            Value::Unicode(code) => write_character(f, *code, true),
            Value::Single(value) => write_float(f, &format!("{value:?}")),
            Value::Float(value) => write_float(f, &format!("{value:?}")),
            Value::Enumerator { name: Some(name), .. } => f.write_str(name),
            Value::Enumerator { name: None, value } => write!(f, "{value}"),
            Value::Pointer { addr: 0, .. } => f.write_str("NULL"),
            Value::Pointer { target: Some(target), .. } => f.write_str(target),
            Value::Pointer { addr, target: None } => write!(f, "{addr:#x}"),
            Value::Text { bytes, is_cut } => write_text(f, bytes, *is_cut),
            Value::Array { items, is_cut } => write_array(f, items, *is_cut),
            Value::Record { variant, members, is_cut } => {
                if let Some(variant) = variant {
                    f.write_str(variant)?;
                    if members.is_empty() && !is_cut {
                        return Ok(());
                    }
                }
                write_record(f, members, *is_cut)
            }
            Value::Bytes(bytes) => write_bytes(f, bytes),
            Value::Nothing => f.write_str("<nothing>"),
            Value::Elided => f.write_str("{...}"),
            Value::Unavailable(why) => write!(f, "<{why}>"),
        }
    }
}

fn write_float(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str(text.strip_suffix(".0").unwrap_or(text))
}

fn write_character(f: &mut fmt::Formatter<'_>, code: u32, is_unicode: bool) -> fmt::Result {
    match char::from_u32(code).filter(|_| is_unicode) {
        Some('\0') => f.write_str("'\\0'"),
        Some('"') => f.write_str("'\"'"),
        Some(character) if code >= 0x80 && !character.is_control() => write!(f, "'{character}'"),
        Some(character) if code < 0x80 => write!(f, "'{}'", character.escape_default()),
        _ => write!(f, "'\\x{code:x}'"),
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, bytes: &[u8], is_cut: bool) -> fmt::Result {
    f.write_str("\"")?;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                character if character.is_control() => {
                    write!(f, "\\x{:02x}", u32::from(character))?;
                }
                character => write!(f, "{character}")?,
            }
        }
        for byte in chunk.invalid() {
            write!(f, "\\x{byte:02x}")?;
        }
    }
    f.write_str(if is_cut { "\"..." } else { "\"" })
}

fn write_array(f: &mut fmt::Formatter<'_>, items: &[(Value, u64)], is_cut: bool) -> fmt::Result {
    /// Shorter runs are written out.
    const RUN_MIN: u64 = 4;
    f.write_str("{")?;
    let mut separator = "";
    for (value, count) in items {
        if *count >= RUN_MIN {
            write!(f, "{separator}{value} <{count} times>")?;
            separator = ", ";
        } else {
            for _ in 0..*count {
                write!(f, "{separator}{value}")?;
                separator = ", ";
            }
        }
    }
    f.write_str(if is_cut { "...}" } else { "}" })
}

fn write_record(
    f: &mut fmt::Formatter<'_>,
    members: &[(String, Value)],
    is_cut: bool,
) -> fmt::Result {
    f.write_str("{")?;
    let mut separator = "";
    for (name, value) in members {
        f.write_str(separator)?;
        if !name.is_empty() {
            write!(f, "{name} = ")?;
        }
        write!(f, "{value}")?;
        separator = ", ";
    }
    f.write_str(if is_cut { ", ...}" } else { "}" })
}

fn write_bytes(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    if matches!(bytes.len(), 1 | 2 | 4 | 8) {
        let number = bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        return write!(f, "{number:#x}");
    }
    f.write_str("<")?;
    for (index, byte) in bytes.iter().enumerate() {
        write!(f, "{}{byte:02x}", if index == 0 { "" } else { " " })?;
    }
    f.write_str(">")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_like_a_debugger() {
        let text = |value: Value| value.to_string();
        assert_eq!(text(Value::Float(1.0)), "1");
        assert_eq!(text(Value::Single(0.1)), "0.1");
        assert_eq!(text(Value::Character(97)), "'a'");
        assert_eq!(text(Value::Character(0)), "'\\0'");
        assert_eq!(text(Value::Character(0xff)), "'\\xff'");
        assert_eq!(text(Value::Character(b'\'')), "'\\''");
        assert_eq!(text(Value::Unicode(0xe9)), "'é'");
        assert_eq!(text(Value::Unicode(0x85)), "'\\x85'");
        assert_eq!(text(Value::Unicode(0xd800)), "'\\xd800'");
        let bytes = b"a\"\n\x01\xff".to_vec();
        assert_eq!(text(Value::Text { bytes, is_cut: true }), r#""a\"\n\x01\xff"..."#);
        let items = vec![(Value::Integer(1), 1), (Value::Integer(0), 9), (Value::Integer(2), 2)];
        assert_eq!(text(Value::Array { items, is_cut: false }), "{1, 0 <9 times>, 2, 2}");
        let members = vec![
            ("a".to_string(), Value::Integer(1)),
            (String::new(), Value::Elided),
            ("p".to_string(), Value::Pointer { addr: 0, target: None }),
        ];
        let record = |members, is_cut| Value::Record { variant: None, members, is_cut };
        assert_eq!(text(record(members, true)), "{a = 1, {...}, p = NULL, ...}");
        assert_eq!(text(record(vec![], false)), "{}");
        assert_eq!(text(Value::Bytes(vec![0x34, 0x12])), "0x1234");
        assert_eq!(text(Value::Bytes(vec![1, 2, 3])), "<01 02 03>");
        assert_eq!(text(Value::Unavailable(Unavailable::OptimisedOut)), "<optimised out>");
    }
}
