//! Which values a program's open value may take: sets by type, or boundary values.
//!
//! A domain is written as numbers and inclusive ranges: `0..3,7,-1`. The order written is the order
//! in which the values are tried. Values that do not fit a type are left out for it. Floating-point
//! types take the whole numbers of their domain.

use std::collections::BTreeMap;
use std::str::FromStr;
use thiserror::Error;

/// Why a text is no set of choices.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadChoices {
    /// Not a number.
    #[error("`{0}` is neither a number nor a range like 0..3")]
    Number(String),
    /// A range that ends before it begins.
    #[error("the range `{0}` is empty")]
    Empty(String),
}

/// A set of whole numbers, in the order in which they are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    ranges: Vec<(i128, i128)>,
}

impl FromStr for Domain {
    type Err = BadChoices;

    fn from_str(text: &str) -> Result<Domain, BadChoices> {
        let number = |word: &str| -> Result<i128, BadChoices> {
            let bad = || BadChoices::Number(word.to_string());
            // Wider than every type, and far from overflowing.
            let value: i128 = word.trim().parse().map_err(|_| bad())?;
            if value.unsigned_abs() <= 1 << 64 { Ok(value) } else { Err(bad()) }
        };
        let mut ranges = Vec::new();
        for piece in text.split(',') {
            let (low, high) = match piece.split_once("..") {
                Some((low, high)) => (number(low)?, number(high.trim_start_matches('='))?),
                None => (number(piece)?, number(piece)?),
            };
            if high < low {
                return Err(BadChoices::Empty(piece.trim().to_string()));
            }
            ranges.push((low, high));
        }
        Ok(Domain { ranges })
    }
}

/// The domains that the user set, by the name of the type (`int`, `uchar`, …).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    every: Option<Domain>,
    by_type: BTreeMap<String, Domain>,
}

impl Choices {
    /// Takes in one setting: `int=0..3` for one type, `0..3` for all that have none of their own.
    pub fn set(&mut self, text: &str) -> Result<(), BadChoices> {
        match text.split_once('=') {
            // `0..=3` is a range.
            Some((name, domain)) if !name.ends_with("..") => {
                self.by_type.insert(name.trim().to_string(), domain.parse()?);
            }
            _ => self.every = Some(text.parse()?),
        }
        Ok(())
    }

    /// The domain of a type, if there is one.
    pub(super) fn domain(&self, name: &str) -> Option<&Domain> {
        self.by_type.get(name).or(self.every.as_ref())
    }
}

/// What a type's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Signed(u32),
    Unsigned(u32),
    Bool,
    Float,
    Double,
}

impl Class {
    /// From the numbers of a request.
    pub(super) fn from_request(class: u64, bits: u64) -> Option<Class> {
        match (class, bits) {
            (0, 8 | 16 | 32 | 64) => Some(Class::Signed(bits as u32)),
            (1, 8 | 16 | 32 | 64) => Some(Class::Unsigned(bits as u32)),
            (2, _) => Some(Class::Bool),
            (3, 32) => Some(Class::Float),
            (3, 64) => Some(Class::Double),
            _ => None,
        }
    }

    /// Least and greatest whole number; of floating-point types those that are exact.
    fn limits(self) -> (i128, i128) {
        match self {
            Class::Signed(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Class::Unsigned(bits) => (0, (1 << bits) - 1),
            Class::Bool => (0, 1),
            Class::Float => (-(1 << 24), 1 << 24),
            Class::Double => (-(1 << 53), 1 << 53),
        }
    }

    /// A whole number as the type's bits.
    fn bits_of(self, value: i128) -> u64 {
        match self {
            Class::Float => u64::from((value as f32).to_bits()),
            Class::Double => (value as f64).to_bits(),
            _ => value as u64,
        }
    }
}

/// The values of a class that are tried, by number.
#[derive(Clone, Debug)]
pub(super) struct Values {
    class: Class,
    ranges: Vec<(i128, i128)>,
    /// Further values, as bits.
    others: Vec<u64>,
    boundary: bool,
}

impl Values {
    /// The values of a domain that fit; without a domain boundary values, zero first.
    pub(super) fn new(class: Class, domain: Option<&Domain>) -> Values {
        let (least, greatest) = class.limits();
        let Some(domain) = domain else { return Values::boundary(class) };
        let fitting = domain.ranges.iter().map(|&(low, high)| (low.max(least), high.min(greatest)));
        let ranges = fitting.filter(|(low, high)| low <= high).collect();
        Values { class, ranges, others: Vec::new(), boundary: false }
    }

    fn boundary(class: Class) -> Values {
        let (least, greatest) = class.limits();
        let mut ranges = vec![(0, 0), (1, 1)];
        let mut others = Vec::new();
        match class {
            Class::Signed(_) => ranges.extend([-1, least, greatest].map(|value| (value, value))),
            Class::Unsigned(_) => ranges.push((greatest, greatest)),
            Class::Bool => {}
            Class::Float => {
                ranges.push((-1, -1));
                others.extend([f32::MIN, f32::MAX].map(|value| u64::from(value.to_bits())));
            }
            Class::Double => {
                ranges.push((-1, -1));
                others.extend([f64::MIN, f64::MAX].map(f64::to_bits));
            }
        }
        Values { class, ranges, others, boundary: class != Class::Bool }
    }

    /// Whether values of the type are missing because nobody set a domain.
    pub(super) fn are_boundary(&self) -> bool {
        self.boundary
    }

    /// How many there are.
    pub(super) fn count(&self) -> u128 {
        let ranged: u128 = self.ranges.iter().map(|(low, high)| (high - low + 1) as u128).sum();
        ranged + self.others.len() as u128
    }

    /// The value with this number, as bits; the last one beyond the end.
    pub(super) fn get(&self, index: u32) -> u64 {
        let mut left = i128::from(index);
        for &(low, high) in &self.ranges {
            let len = high - low + 1;
            if left < len {
                return self.class.bits_of(low + left);
            }
            left -= len;
        }
        let last = self.others.get(left as usize).or(self.others.last());
        last.copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(class: Class, domain: Option<&str>) -> Vec<i64> {
        let domain = domain.map(|text| text.parse::<Domain>().unwrap());
        let values = Values::new(class, domain.as_ref());
        (0..values.count() as u32).map(|index| values.get(index) as i64).collect()
    }

    #[test]
    fn boundary_values_fit_their_type() {
        assert_eq!(all(Class::Signed(8), None), [0, 1, -1, -128, 127]);
        assert_eq!(all(Class::Signed(64), None), [0, 1, -1, i64::MIN, i64::MAX]);
        assert_eq!(all(Class::Unsigned(16), None), [0, 1, 0xffff]);
        assert_eq!(all(Class::Unsigned(64), None), [0, 1, -1]);
        assert_eq!(all(Class::Bool, None), [0, 1]);
        assert!(!Values::new(Class::Bool, None).are_boundary());
        assert!(Values::new(Class::Signed(32), None).are_boundary());
        let floats = all(Class::Float, None);
        assert!(floats.contains(&i64::from(f32::MAX.to_bits())) && floats.len() == 5);
    }

    #[test]
    fn domains_are_cut_to_the_type() {
        assert_eq!(all(Class::Signed(32), Some("0..2,7,-1")), [0, 1, 2, 7, -1]);
        assert_eq!(all(Class::Unsigned(8), Some("-5..1, 254..=300")), [0, 1, 254, 255]);
        assert_eq!(all(Class::Double, Some("-1..0")), [(-1f64).to_bits() as i64, 0]);
        assert!(all(Class::Bool, Some("5")).is_empty());
    }

    #[test]
    fn choices_go_by_type() {
        let mut choices = Choices::default();
        choices.set("0..=3").unwrap();
        choices.set("uchar=7").unwrap();
        assert_eq!(choices.domain("int"), Some(&"0..3".parse().unwrap()));
        assert_eq!(choices.domain("uchar"), Some(&"7".parse().unwrap()));
        assert_eq!(choices.set("int=3..1"), Err(BadChoices::Empty("3..1".to_string())));
        assert_eq!(choices.set("int=x"), Err(BadChoices::Number("x".to_string())));
        assert!(choices.set("99999999999999999999999").is_err());
    }
}
