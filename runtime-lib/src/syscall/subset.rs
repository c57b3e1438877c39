//! Which of several threads a wake-up takes, when it takes some and the order is not determined:
//! the subsets of a given size, numbered so that number zero has the lowest members.

/// Number of subsets with `size` members of a set with `all`; one if all are taken, and never more
/// than a 32-bit number.
pub(super) fn count(all: u32, size: u32) -> u32 {
    if size >= all {
        return 1;
    }
    let mut count: u64 = 1;
    for index in 0..u64::from(size.min(all - size)) {
        count = count * (u64::from(all) - index) / (index + 1);
        if count > u64::from(u32::MAX) {
            return u32::MAX;
        }
    }
    count as u32
}

/// The members of the subset with this number, in ascending order.
pub(super) fn pick(all: u32, size: u32, number: u32) -> Vec<u32> {
    let size = size.min(all);
    let mut picked = Vec::with_capacity(size as usize);
    let (mut member, mut left) = (0, number);
    while (picked.len() as u32) < size && member < all {
        // Subsets that contain this member come before those that do not.
        let missing = size - picked.len() as u32 - 1;
        let with = count(all - member - 1, missing);
        if left < with || missing + 1 == all - member {
            picked.push(member);
        } else {
            left -= with;
        }
        member += 1;
    }
    picked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subset_has_one_number() {
        for all in 0..7 {
            for size in 0..=all + 1 {
                let mut found: Vec<Vec<u32>> =
                    (0..count(all, size)).map(|number| pick(all, size, number)).collect();
                assert!(found.iter().all(|subset| subset.len() as u32 == size.min(all)));
                let lowest: Vec<u32> = (0..size.min(all)).collect();
                assert_eq!(found[0], lowest);
                found.sort();
                found.dedup();
                assert_eq!(found.len() as u32, count(all, size), "{size} of {all}");
            }
        }
        assert_eq!(count(5, 2), 10);
        assert_eq!(count(4, 1), 4);
    }

    #[test]
    fn large_sets_do_not_overflow() {
        assert_eq!(count(30_000, 15_000), u32::MAX);
        assert_eq!(pick(30_000, 2, u32::MAX).len(), 2);
    }
}
