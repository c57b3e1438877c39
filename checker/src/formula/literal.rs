//! Numbers and characters as they are written in C.

use super::number::NumberType;

/// A constant with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Literal {
    pub value: LiteralValue,
    pub ty: NumberType,
}

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LiteralValue {
    Integer(u64),
    Float(f64),
}

/// What was read and its length; or the length of what is wrong, and why.
type Read = Result<(Literal, usize), (usize, String)>;

/// A number at the start of a text.
pub(super) fn number(text: &str) -> Read {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut length = 0;
    let mut last = ' ';
    for letter in text.chars() {
        let is_exponent_sign =
            matches!(letter, '+' | '-') && matches!(last, 'e' | 'E') && !is_hexadecimal;
        let is_inside = letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '\'');
        if !is_inside && !is_exponent_sign {
            break;
        }
        length += letter.len_utf8();
        last = letter;
    }
    let word = &text[..length];
    let is_float = !is_hexadecimal && word.contains(['.', 'e', 'E']);
    let literal = if is_float { float(word) } else { integer(word) };
    match literal {
        Some(literal) => Ok((literal, length)),
        None => Err((length, format!("'{word}' is no number that C knows"))),
    }
}

fn float(word: &str) -> Option<Literal> {
    let (digits, ty) = match word.as_bytes().last()? {
        b'f' | b'F' => (&word[..word.len() - 1], NumberType::Single),
        b'l' | b'L' => (&word[..word.len() - 1], NumberType::Double),
        _ => (word, NumberType::Double),
    };
    let is_plain = |letter: char| letter.is_ascii_digit() || ".eE+-".contains(letter);
    if !digits.chars().all(is_plain) {
        return None;
    }
    let value: f64 = match ty {
        NumberType::Single => f64::from(digits.parse::<f32>().ok()?),
        _ => digits.parse().ok()?,
    };
    Some(Literal { value: LiteralValue::Float(value), ty })
}

fn integer(word: &str) -> Option<Literal> {
    let lower = word.to_ascii_lowercase();
    let (digits, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0b") => (&lower[2..], 2),
        _ if lower.starts_with('0') => (&lower[..], 8),
        _ => (&lower[..], 10),
    };
    let end = digits.find(|letter: char| !letter.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let (is_unsigned, is_long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "ull" | "lu" | "llu" => (true, true),
        _ => return None,
    };
    let value = u64::from_str_radix(digits, radix).ok()?;
    // The first type that holds the value, of those that the spelling permits.
    let candidates = [
        (NumberType::INT, 31, !is_unsigned && !is_long),
        (NumberType::UNSIGNED, 32, !is_long && (is_unsigned || radix != 10)),
        (NumberType::LONG, 63, !is_unsigned),
        (NumberType::UNSIGNED_LONG, 64, is_unsigned || radix != 10),
    ];
    let fits = |bits: u32| bits == 64 || value >> bits == 0;
    let (ty, ..) = candidates.into_iter().find(|&(_, bits, permitted)| permitted && fits(bits))?;
    Some(Literal { value: LiteralValue::Integer(value), ty })
}

/// A character in quotes at the start of a text; its type is `int`, as in C.
pub(super) fn character(text: &str) -> Read {
    let wrong = |length: usize| (length, "a character is written like 'a' or '\\n'".to_string());
    let inside = text.get(1..).unwrap_or_default();
    let first = inside.chars().next().ok_or_else(|| wrong(1))?;
    let (value, length) = match first {
        '\\' => escape(&inside[1..]).map(|(value, length)| (value, length + 1)),
        '\'' => None,
        letter if letter.is_ascii() => Some((letter as u8, 1)),
        _ => None,
    }
    .ok_or_else(|| wrong(1))?;
    if !inside[length..].starts_with('\'') {
        return Err(wrong(1));
    }
    // A `char` is signed on x86-64; the value is kept as the bits of its type.
    let value = u64::from(value as i8 as i32 as u32);
    let literal = Literal { value: LiteralValue::Integer(value), ty: NumberType::INT };
    Ok((literal, length + 2))
}

/// The character behind a backslash, and the length of its description.
fn escape(text: &str) -> Option<(u8, usize)> {
    let first = text.chars().next()?;
    let simple = match first {
        'n' => b'\n',
        't' => b'\t',
        'r' => b'\r',
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' => 27,
        '\\' | '\'' | '"' | '?' => first as u8,
        'x' => {
            let digits = &text[1..];
            let is_digit = |letter: char| letter.is_ascii_hexdigit();
            let length = digits.find(|letter| !is_digit(letter)).unwrap_or(digits.len());
            let value = u8::from_str_radix(&digits[..length], 16).ok()?;
            return Some((value, length + 1));
        }
        '0'..='7' => {
            let is_digit = |letter: char| letter.is_digit(8);
            let length = text.find(|letter| !is_digit(letter)).unwrap_or(text.len()).min(3);
            return Some((u8::from_str_radix(&text[..length], 8).ok()?, length));
        }
        _ => return None,
    };
    Some((simple, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Option<(LiteralValue, NumberType)> {
        let (literal, length) = number(text).ok()?;
        (length == text.len()).then_some((literal.value, literal.ty))
    }

    #[test]
    fn integers_have_the_first_type_that_fits() {
        let integer = LiteralValue::Integer;
        assert_eq!(typed("0"), Some((integer(0), NumberType::INT)));
        assert_eq!(typed("017"), Some((integer(15), NumberType::INT)));
        assert_eq!(typed("0b101"), Some((integer(5), NumberType::INT)));
        assert_eq!(typed("2147483648"), Some((integer(1 << 31), NumberType::LONG)));
        assert_eq!(typed("0x80000000"), Some((integer(1 << 31), NumberType::UNSIGNED)));
        assert_eq!(typed("1u"), Some((integer(1), NumberType::UNSIGNED)));
        assert_eq!(typed("1LL"), Some((integer(1), NumberType::LONG)));
        assert_eq!(typed("1uL"), Some((integer(1), NumberType::UNSIGNED_LONG)));
        assert_eq!(
            typed("0xffffffffffffffff"),
            Some((integer(u64::MAX), NumberType::UNSIGNED_LONG))
        );
        for bad in ["08", "18446744073709551615", "0x", "1x", "12ulu", "99999999999999999999u"] {
            assert_eq!(typed(bad), None, "{bad}");
        }
    }

    #[test]
    fn floats_have_suffixes() {
        let float = LiteralValue::Float;
        assert_eq!(typed("1.5"), Some((float(1.5), NumberType::Double)));
        assert_eq!(typed("1.f"), Some((float(1.0), NumberType::Single)));
        assert_eq!(typed(".5"), Some((float(0.5), NumberType::Double)));
        assert_eq!(typed("25e-1"), Some((float(2.5), NumberType::Double)));
        assert_eq!(typed("0.1f"), Some((float(f64::from(0.1f32)), NumberType::Single)));
        assert_eq!(typed("1.2.3"), None);
    }

    #[test]
    fn characters_are_signed() {
        let value = |text: &str| match character(text) {
            Ok((Literal { value: LiteralValue::Integer(value), .. }, length)) => {
                assert_eq!(length, text.len());
                Some(value as u32 as i32)
            }
            _ => None,
        };
        assert_eq!(value("'a'"), Some(97));
        assert_eq!(value("'\\n'"), Some(10));
        assert_eq!(value("'\\''"), Some(39));
        assert_eq!(value("'\\xff'"), Some(-1));
        assert_eq!(value("'\\101'"), Some(65));
        for bad in ["'", "''", "'ab'", "'\\q'", "'é'", "'\\x100'", "'\\"] {
            assert_eq!(value(bad), None, "{bad}");
        }
    }
}
