//! Size classes: multiples of 16 up to 1024 bytes, then four steps for every doubling, so that at
//! most a fifth of a block is waste.

/// Blocks up to this size have a class of their own for every 16 bytes.
const FINE_MAX: u64 = 1024;
const FINE_CLASSES: usize = 64;
/// Largest block.
pub(super) const BLOCK_MAX: u64 = 1 << 33;
/// Number of classes.
pub(super) const CLASSES: usize = FINE_CLASSES + (33 - 10) * 4;

/// The class of the smallest blocks that hold `size` bytes, which is at most [`BLOCK_MAX`].
pub(super) fn class_of(size: u64) -> usize {
    if size <= FINE_MAX {
        return (size.max(1).div_ceil(16) - 1) as usize;
    }
    let last = size - 1;
    let doubling = 63 - last.leading_zeros();
    let quarter = (last >> (doubling - 2) & 3) as usize;
    FINE_CLASSES + (doubling as usize - 10) * 4 + quarter
}

/// Bytes that a block of a class holds.
pub(super) fn size_of_class(class: usize) -> u64 {
    if class < FINE_CLASSES {
        return (class as u64 + 1) * 16;
    }
    let (doubling, quarter) = ((class - FINE_CLASSES) / 4 + 10, (class - FINE_CLASSES) % 4);
    (quarter as u64 + 5) << (doubling - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_the_smallest_that_holds() {
        for size in (0..5000).chain([BLOCK_MAX / 3, BLOCK_MAX - 1, BLOCK_MAX]) {
            let class = class_of(size);
            assert!(class < CLASSES, "{size}");
            assert!(size_of_class(class) >= size.max(1), "{size}");
            assert!(class == 0 || size_of_class(class - 1) < size, "{size}");
            assert!(size_of_class(class).is_multiple_of(16), "{size}");
        }
    }
}
