//! A whole state as bytes: what is different from the start, and nothing else.
//!
//! A state is a vector of numbers of which most are zero. Its key lists the others by position: the
//! distance to the position before and the value, each as a number of variable length. Two states
//! are equal if and only if their keys are; the key of the start is empty. Keys compare as bytes,
//! in an order that means nothing, but is always the same.

use super::tree::StateId;

/// Appends a number, seven bits a byte, the lowest first; the last byte has its top bit clear.
pub fn write_number(into: &mut Vec<u8>, mut number: u64) {
    while 0x80 <= number {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Takes a number off the front of these bytes; `None` if there is none.
pub fn read_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Appends the key of a state with these values at these positions; zeros do not count.
pub fn write_key(into: &mut Vec<u8>, values: impl Iterator<Item = (u32, u32)>) {
    let mut last = 0;
    for (position, value) in values.filter(|(_, value)| *value != 0) {
        write_number(into, u64::from(position - last));
        write_number(into, u64::from(value));
        last = position;
    }
}

/// The values of a state in the order of their positions; `None` if this is no key.
pub fn read_key(mut key: &[u8], values: &mut Vec<(u32, u32)>) -> Option<()> {
    values.clear();
    let mut last = 0u32;
    while !key.is_empty() {
        let distance = u32::try_from(read_number(&mut key)?).ok()?;
        let value = u32::try_from(read_number(&mut key)?).ok()?;
        let position = last.checked_add(distance)?;
        if value == 0 || (distance == 0 && !values.is_empty()) {
            return None;
        }
        values.push((position, value));
        last = position;
    }
    Some(())
}

/// Keys of a few states, numbered from one; zero is the start.
#[derive(Debug, Default)]
pub struct Keys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    /// The number of the state with these values.
    pub fn number(&mut self, values: impl Iterator<Item = (u32, u32)>) -> StateId {
        let begin = self.bytes.len();
        write_key(&mut self.bytes, values);
        if begin == self.bytes.len() {
            return StateId(0);
        }
        let last = self.ends.len() as u32 + 1;
        let key = &self.bytes[begin..];
        if let Some(known) = (1..last).find(|&known| self.get(StateId(known)) == key) {
            self.bytes.truncate(begin);
            return StateId(known);
        }
        self.ends.push(self.bytes.len());
        StateId(last)
    }

    /// The key of a state.
    pub fn get(&self, state: StateId) -> &[u8] {
        match state.0 as usize {
            0 => &[],
            1 => &self.bytes[..self.ends[0]],
            number => &self.bytes[self.ends[number - 2]..self.ends[number - 1]],
        }
    }

    /// Every number is below this.
    pub fn len(&self) -> usize {
        self.ends.len() + 1
    }

    /// Whether there is nothing but the start.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_states_have_equal_numbers() {
        let mut keys = Keys::default();
        let mut number = |values: &[(u32, u32)]| keys.number(values.iter().copied()).0;
        assert_eq!(number(&[(1, 0), (2, 0)]), 0);
        assert_eq!(number(&[(1, 7)]), 1);
        assert_eq!(number(&[(0, 7)]), 2);
        assert_eq!(number(&[(1, 7), (2, 0)]), 1);
        assert_eq!(number(&[(1, 7), (300, u32::MAX)]), 3);
        assert_eq!(number(&[(1, 7), (300, u32::MAX)]), 3);
    }

    proptest! {
        #[test]
        fn keys_come_back(values in proptest::collection::vec(0u32..5, 0..600)) {
            let listed = values.iter().enumerate().map(|(at, &value)| (at as u32, value));
            let mut key = Vec::new();
            write_key(&mut key, listed.clone());
            let mut read = Vec::new();
            prop_assert_eq!(read_key(&key, &mut read), Some(()));
            prop_assert_eq!(read, listed.filter(|it| it.1 != 0).collect::<Vec<_>>());
        }

        #[test]
        fn nonsense_is_no_key_or_another_one(bytes in proptest::collection::vec(0u8.., 0..40)) {
            let mut values = Vec::new();
            if read_key(&bytes, &mut values).is_some() {
                prop_assert!(values.is_sorted_by(|one, other| one.0 < other.0));
            }
        }
    }
}
