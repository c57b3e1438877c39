//! Powers of a base with large exponents, by tables: one multiplication for each table beyond the
//! first that the exponent reaches.

use super::field::Field;
use std::marker::PhantomData;

/// Bits of the exponent that one table covers.
const BITS: u32 = 12;
const ENTRIES: u64 = 1 << BITS;
/// Tables: exponents up to 2^36, which is every word of the guest's memory.
const TABLES: u32 = 3;

/// See the module head.
#[derive(Clone, Debug)]
pub struct Powers<F> {
    base: u64,
    tables: Vec<Vec<u64>>,
    field: PhantomData<F>,
}

impl<F: Field> Powers<F> {
    /// Powers of a base.
    pub fn new(base: u64) -> Powers<F> {
        let base = F::reduce(base);
        let table = |level: u32| {
            let step = F::power(base, 1 << (BITS * level));
            let mut table = Vec::with_capacity(ENTRIES as usize);
            let mut power = 1;
            for _ in 0..ENTRIES {
                table.push(power);
                power = F::multiply(power, step);
            }
            table
        };
        Powers { base, tables: (0..TABLES).map(table).collect(), field: PhantomData }
    }

    /// The base.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The base to the power of an exponent.
    #[inline]
    pub fn get(&self, exponent: u64) -> u64 {
        let mut power = self.tables[0][(exponent % ENTRIES) as usize];
        let mut rest = exponent >> BITS;
        let mut level = 1;
        while rest != 0 && level < TABLES as usize {
            power = F::multiply(power, self.tables[level][(rest % ENTRIES) as usize]);
            rest >>= BITS;
            level += 1;
        }
        match rest {
            0 => power,
            _ => F::multiply(power, F::power(self.base, rest << (BITS * TABLES))),
        }
    }

    /// The hash of words by themselves: the first has the exponent one.
    pub fn hash(&self, words: &[u64]) -> u64 {
        let rest = words
            .iter()
            .rev()
            .fold(0, |hash, &word| F::add(F::multiply(hash, self.base), F::reduce(word)));
        F::multiply(rest, self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::field::Mersenne61;

    #[test]
    fn tables_give_powers() {
        let powers: Powers<Mersenne61> = Powers::new(0x1234_5678_9abc_def1);
        for exponent in [0, 1, 2, 4095, 4096, 4097, 1 << 24, (1 << 35) - 1, 1 << 36, u64::MAX] {
            assert_eq!(powers.get(exponent), Mersenne61::power(powers.base(), exponent));
        }
    }
}
