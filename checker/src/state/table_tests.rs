//! Tests of [`super::table`], apart from it: its source is compiled a second time on the types of a
//! checker of interleavings (`tests/table_loom.rs`), where these tests could not run.

use super::table::Handle;

/// Entries of which many collide in the words that they begin with.
fn entry(number: u64) -> u64 {
    number * 0x1_0000_0001 + 1
}

#[test]
fn equal_entries_share_a_number_while_the_index_grows() {
    let mut table = Handle::default();
    assert_eq!(table.number(0), (0, false));
    for round in 0..2 {
        for number in 0..100_000 {
            assert_eq!(table.number(entry(number)), (number as u32 + 1, round == 0));
        }
    }
    assert_eq!(table.len(), 100_001);
    assert!((0..100_000).all(|number| table.entry(number as u32 + 1) == entry(number)));
    table.clear();
    assert!(table.is_empty());
    assert_eq!(table.number(entry(77)), (1, true));
}

#[test]
fn threads_agree_on_numbers() {
    const ENTRIES: u64 = 60_000;
    let mut owner = Handle::default();
    owner.reserve(ENTRIES as usize + 8, 1);
    let fill = |at: u64, mut table: Handle| {
        // Each begins somewhere else.
        let order = (0..ENTRIES).map(|step| (step + at * ENTRIES / 4) % ENTRIES);
        let mut numbers: Vec<_> = order.map(|which| (which, table.number(entry(which)))).collect();
        assert!(!table.is_overrun());
        numbers.sort_unstable();
        numbers
    };
    let all: Vec<_> = std::thread::scope(|scope| {
        let start = |at| (at, owner.share());
        let handles: Vec<_> = (0..4).map(start).collect();
        let threads = handles.into_iter().map(|(at, table)| scope.spawn(move || fill(at, table)));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    for at in 0..ENTRIES as usize {
        let numbers = all.iter().map(|numbers| numbers[at].1);
        assert_eq!(numbers.clone().filter(|(_, is_new)| *is_new).count(), 1);
        let mut numbers: Vec<u32> = numbers.map(|(number, _)| number).collect();
        numbers.dedup();
        assert_eq!(numbers.len(), 1);
        assert_eq!(owner.entry(numbers[0]), entry(at as u64));
        assert_eq!(owner.number(entry(at as u64)), (numbers[0], false));
    }
}

#[test]
fn whoever_cannot_replace_the_index_says_so() {
    let mut owner = Handle::default();
    let mut other = owner.share();
    let added = (0..).map(|which| other.number(entry(which))).take_while(|one| one.1).count();
    assert!(other.is_overrun());
    assert_eq!(owner.len(), added + 1);
    // The owner goes on.
    assert_eq!(owner.number(entry(added as u64)), (added as u32 + 1, true));
    assert!((0..added as u64).all(|which| !owner.number(entry(which)).1));
}

#[test]
fn an_index_that_several_threads_made_has_everything() {
    const ENTRIES: u64 = 1 << 20;
    let mut table = Handle::default();
    (0..ENTRIES).for_each(|which| assert!(table.number(entry(which)).1));
    table.reserve(ENTRIES as usize, 3);
    for which in 0..ENTRIES {
        assert_eq!(table.number(entry(which)), (which as u32 + 1, false));
    }
}
