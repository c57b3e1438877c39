//! Incremental hashes against hashes from scratch.

use super::PartsHash;
use super::field::{Field, Mersenne61};
use super::linear::Linear;
use super::powers::Powers;
use super::sparse::Sparse;
use super::tree::Tree;
use proptest::prelude::*;
use std::collections::BTreeMap;

const BASE: u64 = 0x0b4d_5a3c_1e2f_7869;

/// The field of the worked example.
#[derive(Clone, Copy, Debug)]
struct Seventeen;

impl Field for Seventeen {
    const PRIME: u64 = 17;
}

#[test]
fn the_worked_example_comes_out_however_it_is_divided() {
    let words = [1, 2, 3, 1, 2, 2, 1, 2];
    assert_eq!(Powers::<Seventeen>::new(3).hash(&words), 11);
    for (a, b, c) in [(1, 3, 5), (2, 4, 6), (1, 2, 7), (3, 4, 5)] {
        let mut linear = Linear::<Seventeen>::new(3);
        let mut tree = Tree::<Seventeen>::new(3);
        // Not in the order of their places.
        for range in [b..c, 0..a, c..8, a..b] {
            linear.add(range.start as u64, &words[range.clone()]);
            tree.add(range.start as u64, &words[range]);
        }
        assert_eq!((linear.value(), tree.value()), (11, 11), "{a} {b} {c}");
    }
    let mut sparse = Sparse::<Seventeen>::new(3);
    sparse.add(0, &words[..3]);
    sparse.add(3, &words[3..]);
    assert_eq!(sparse.value(), 11, "without gaps the addresses are the offsets");
}

#[test]
fn permutations_are_told_apart() {
    let powers = Powers::<Mersenne61>::new(BASE);
    assert_ne!(powers.hash(&[1, 2, 3]), powers.hash(&[3, 2, 1]));
    assert_ne!(powers.hash(&[1, 0]), powers.hash(&[0, 1]));
}

/// What happens to a set of parts.
#[derive(Clone, Debug)]
enum Deed {
    Add(u64, Vec<u64>),
    Remove(usize),
    Change(usize, usize, u64),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let words = prop::collection::vec(prop_oneof![Just(0), 0u64..4, any::<u64>()], 0..12);
    let deed = prop_oneof![
        3 => (0u64..200, words).prop_map(|(place, words)| Deed::Add(place * 16, words)),
        1 => any::<usize>().prop_map(Deed::Remove),
        4 => (any::<usize>(), any::<usize>(), any::<u64>())
            .prop_map(|(part, word, new)| Deed::Change(part, word, new)),
    ];
    prop::collection::vec(deed, 0..60)
}

/// Does all that, to the contents and to a hash.
fn follow(deeds: &[Deed], hash: &mut dyn PartsHash) -> BTreeMap<u64, Vec<u64>> {
    let mut parts: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let nth = |parts: &BTreeMap<u64, Vec<u64>>, number: usize| {
        let number = number.checked_rem(parts.len())?;
        parts.keys().nth(number).copied()
    };
    for deed in deeds {
        match deed {
            Deed::Add(place, words) if !parts.contains_key(place) => {
                hash.add(*place, words);
                parts.insert(*place, words.clone());
            }
            Deed::Add(..) => {}
            Deed::Remove(part) => {
                if let Some(place) = nth(&parts, *part) {
                    let words = parts.remove(&place).expect("it is there");
                    hash.remove(place, &words);
                }
            }
            Deed::Change(part, word, new) => {
                let Some(place) = nth(&parts, *part) else { continue };
                let words = parts.get_mut(&place).expect("it is there");
                let Some(index) = word.checked_rem(words.len()) else { continue };
                hash.change(place, index, words[index], *new);
                words[index] = *new;
            }
        }
    }
    parts
}

proptest! {
    #[test]
    fn changes_and_parts_give_the_hash_from_scratch(deeds in deeds()) {
        let powers = Powers::<Mersenne61>::new(BASE);
        let mut linear = Linear::<Mersenne61>::new(BASE);
        let mut tree = Tree::<Mersenne61>::new(BASE);
        let parts = follow(&deeds, &mut linear);
        let whole: Vec<u64> = parts.values().flatten().copied().collect();
        prop_assert_eq!(linear.value(), powers.hash(&whole));
        follow(&deeds, &mut tree);
        prop_assert_eq!(tree.value(), powers.hash(&whole));
        let mut sparse = Sparse::<Mersenne61>::new(BASE);
        follow(&deeds, &mut sparse);
        let mut memory = vec![0; 200 * 16 + 16];
        for (place, words) in &parts {
            memory[*place as usize..][..words.len()].copy_from_slice(words);
        }
        prop_assert_eq!(sparse.value(), powers.hash(&memory));
    }

    #[test]
    fn what_goes_leaves_nothing_behind(deeds in deeds()) {
        for hash in [
            &mut Linear::<Mersenne61>::new(BASE) as &mut dyn PartsHash,
            &mut Tree::<Mersenne61>::new(BASE),
            &mut Sparse::<Mersenne61>::new(BASE),
        ] {
            for (place, words) in follow(&deeds, hash) {
                hash.remove(place, &words);
            }
            prop_assert_eq!(hash.value(), 0);
        }
    }
}
