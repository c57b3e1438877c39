//! Damaged executables: a small deterministic generator and the ways it breaks an ELF file.
//!
//! Damage is aimed: half of it hits the file header and the program headers, which decide most of
//! what a loader does; the rest goes anywhere, code included.

/// A small random number generator (xorshift64*), the same sequence for the same seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; any seed will do.
    pub fn new(seed: u64) -> Random {
        Random((seed ^ 0x9e37_79b9_7f4a_7c15).max(1))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// One of these, of which there must be one.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Numbers that loaders get wrong.
const TRICKY: &[u64] = &[
    0,
    1,
    0x7f,
    0xfff,
    0x1000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_f000,
    u64::MAX,
];

/// The `number`-th mutant of an executable. Same number, same mutant.
pub fn mutant(original: &[u8], number: u64) -> Vec<u8> {
    let mut random = Random::new(number);
    random.bits();
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        damage(&mut bytes, &mut random);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.len() < 64 {
        return;
    }
    let headers = (64 + 56 * 14).min(bytes.len() as u64);
    let reach = if random.below(2) == 0 { headers } else { bytes.len() as u64 };
    let at = random.below(reach) as usize;
    match random.below(8) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.bits() as u8,
        2 | 3 => {
            // A whole aligned field.
            let width = random.pick(&[2, 4, 8, 8]);
            let at = (at & !(width - 1)).min(bytes.len() - width);
            let value = random.pick(TRICKY).wrapping_add(random.below(3)).wrapping_sub(1);
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        4 => bytes.truncate(at.max(16)),
        5 => {
            let end = (at + random.below(64) as usize).min(bytes.len());
            bytes[at..end].fill(random.pick(&[0x00, 0xff, 0x90, 0xcc]));
        }
        6 => {
            // One place copied over another.
            let length = random.below(128) as usize;
            let from = random.below(bytes.len() as u64) as usize;
            let length = length.min(bytes.len() - from).min(bytes.len() - at);
            bytes.copy_within(from..from + length, at);
        }
        _ => {
            let value = bytes[at].wrapping_add(random.pick(&[1, 0xff, 0x10, 0x80]));
            bytes[at] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_differ_from_the_original_and_repeat() {
        let original: Vec<u8> = (0..4096u32).map(|i| (i * 7) as u8).collect();
        let changed = (0..200).filter(|&n| mutant(&original, n) != original).count();
        assert!(changed > 190, "only {changed} of 200 changed anything");
        assert_eq!(mutant(&original, 5), mutant(&original, 5));
        assert_ne!(mutant(&original, 5), mutant(&original, 6));
    }
}
