//! The names of C's basic types, for casts and `sizeof`.

use super::number::NumberType;

const KEYWORDS: &[&str] =
    &["unsigned", "signed", "int", "long", "short", "char", "double", "float", "bool", "_Bool"];

/// Types of the library that have fixed sizes.
const LIBRARY: &[(&str, u8, bool)] = &[
    ("int8_t", 1, true),
    ("uint8_t", 1, false),
    ("int16_t", 2, true),
    ("uint16_t", 2, false),
    ("int32_t", 4, true),
    ("uint32_t", 4, false),
    ("int64_t", 8, true),
    ("uint64_t", 8, false),
    ("size_t", 8, false),
    ("ssize_t", 8, true),
    ("intptr_t", 8, true),
    ("uintptr_t", 8, false),
    ("ptrdiff_t", 8, true),
];

/// Whether a word starts the name of a basic type.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word) || LIBRARY.iter().any(|&(name, ..)| name == word)
}

/// The type of these words, whatever their order.
pub(super) fn named(words: &[&str]) -> Option<NumberType> {
    if let [word] = words
        && let Some(&(_, size, is_signed)) = LIBRARY.iter().find(|&(name, ..)| name == word)
    {
        return Some(NumberType::Integer { size, is_signed });
    }
    let count = |wanted: &str| words.iter().filter(|word| **word == wanted).count();
    if !words.iter().all(|word| KEYWORDS.contains(word)) {
        return None;
    }
    let (long, short, char) = (count("long"), count("short"), count("char"));
    let (signed, unsigned, int) = (count("signed"), count("unsigned"), count("int"));
    let is_signed = unsigned == 0;
    let integer = |size| Some(NumberType::Integer { size, is_signed });
    let is_mixed = signed + unsigned > 1 || int > 1;
    match (words.len(), long, short, char) {
        _ if is_mixed => None,
        (1, 0, 0, 0) if count("float") == 1 => Some(NumberType::Single),
        (1, 0, 0, 0) if count("double") == 1 => Some(NumberType::Double),
        (2, 1, 0, 0) if count("double") == 1 => Some(NumberType::Double),
        (1, 0, 0, 0) if count("bool") + count("_Bool") == 1 => Some(NumberType::Bool),
        _ if count("float") + count("double") + count("bool") + count("_Bool") > 0 => None,
        (_, 0, 0, 1) if int == 0 => integer(1),
        (_, 0, 1, 0) => integer(2),
        (_, 0, 0, 0) => integer(4),
        (_, 1 | 2, 0, 0) => integer(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_make_types() {
        let of = |text: &str| named(&text.split(' ').collect::<Vec<&str>>());
        let integer = |size, is_signed| Some(NumberType::Integer { size, is_signed });
        assert_eq!(of("int"), integer(4, true));
        assert_eq!(of("unsigned"), integer(4, false));
        assert_eq!(of("long unsigned int long"), integer(8, false));
        assert_eq!(of("short int"), integer(2, true));
        assert_eq!(of("signed char"), integer(1, true));
        assert_eq!(of("long double"), Some(NumberType::Double));
        assert_eq!(of("_Bool"), Some(NumberType::Bool));
        assert_eq!(of("uint16_t"), integer(2, false));
        for bad in ["char int", "unsigned signed", "float int", "long char", "x", "int uint8_t"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
