//! Arithmetic modulo a prime.

/// Numbers from zero up to a prime, exclusive.
pub trait Field: Copy + std::fmt::Debug {
    /// The prime.
    const PRIME: u64;

    /// A word as a number of the field.
    fn reduce(word: u64) -> u64 {
        word % Self::PRIME
    }

    /// The product of two numbers.
    fn multiply(a: u64, b: u64) -> u64 {
        (u128::from(a) * u128::from(b) % u128::from(Self::PRIME)) as u64
    }

    /// The sum of two numbers.
    #[inline]
    fn add(a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum < Self::PRIME { sum } else { sum - Self::PRIME }
    }

    /// The difference of two numbers.
    #[inline]
    fn subtract(a: u64, b: u64) -> u64 {
        if b <= a { a - b } else { a + Self::PRIME - b }
    }

    /// A power of a number.
    fn power(base: u64, mut exponent: u64) -> u64 {
        let (mut square, mut result) = (base, 1);
        while exponent != 0 {
            if exponent & 1 != 0 {
                result = Self::multiply(result, square);
            }
            square = Self::multiply(square, square);
            exponent >>= 1;
        }
        result
    }

    /// What a number other than zero has to be multiplied with to give one.
    fn inverse(number: u64) -> u64 {
        // By Fermat, since the modulus is a prime.
        Self::power(number, Self::PRIME - 2)
    }
}

/// Modulo 2^61 - 1: what is beyond 61 bits of a product is added to the rest, no division.
#[derive(Clone, Copy, Debug)]
pub struct Mersenne61;

impl Field for Mersenne61 {
    const PRIME: u64 = (1 << 61) - 1;

    #[inline]
    fn reduce(word: u64) -> u64 {
        let folded = (word & Self::PRIME) + (word >> 61);
        if folded < Self::PRIME { folded } else { folded - Self::PRIME }
    }

    #[inline]
    fn multiply(a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let folded = (product as u64 & Self::PRIME) + (product >> 61) as u64;
        if folded < Self::PRIME { folded } else { folded - Self::PRIME }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn folding_is_division(a: u64, b: u64) {
            let prime = u128::from(Mersenne61::PRIME);
            let (x, y) = (Mersenne61::reduce(a), Mersenne61::reduce(b));
            prop_assert_eq!(u128::from(x), u128::from(a) % prime);
            let product = u128::from(x) * u128::from(y) % prime;
            prop_assert_eq!(u128::from(Mersenne61::multiply(x, y)), product);
            let sum = (u128::from(x) + u128::from(y)) % prime;
            prop_assert_eq!(u128::from(Mersenne61::add(x, y)), sum);
            prop_assert_eq!(Mersenne61::add(Mersenne61::subtract(x, y), y), x);
        }

        #[test]
        fn inverses_undo(a in 1..Mersenne61::PRIME, b in 0..Mersenne61::PRIME) {
            let inverse = Mersenne61::inverse(a);
            prop_assert_eq!(Mersenne61::multiply(Mersenne61::multiply(b, a), inverse), b);
        }
    }

    #[test]
    fn the_largest_numbers_are_in_range() {
        let last = Mersenne61::PRIME - 1;
        assert_eq!(Mersenne61::multiply(last, last), 1);
        assert_eq!(Mersenne61::reduce(Mersenne61::PRIME), 0);
        assert_eq!(Mersenne61::reduce(u64::MAX), 7);
    }
}
