//! Invariants and goals in the states of a running program.

use crate::driver::Subject;
use samovar::formula::{Broken, Formula, Properties, Property};

fn check(subject: &Subject, invariants: &[&str], goals: &[&str]) -> Option<Broken> {
    let parsed = |texts: &[&str]| -> Vec<Formula> {
        texts.iter().map(|text| Formula::parse(text).expect("a formula")).collect()
    };
    let properties = Properties::resolve(&parsed(invariants), &parsed(goals), &subject.debug);
    properties.expect("formulas that fit").check(&subject.process)
}

#[test]
fn the_first_property_that_is_decided_is_told() {
    let subject = Subject::new("gcc", &["-g"], "data.c", "ready == 1").expect("gcc");
    let told = |invariants: &[&str], goals: &[&str]| {
        check(&subject, invariants, goals).map(|broken| (broken.property, broken.to_string()))
    };
    assert_eq!(told(&[], &[]), None);
    assert_eq!(told(&["index_of == 1", "nowhere->value == 3"], &["zero", "1 / zero"]), None);
    assert_eq!(
        told(&["index_of == 1", "paint == RED || second.value > 22"], &["index_of"]),
        Some((
            Property::Invariant(1),
            "the invariant paint == RED || second.value > 22 does not hold: \
             paint = GREEN, second.value = 22"
                .to_string()
        ))
    );
    assert_eq!(
        told(&["index_of"], &["zero", "table[index_of].value > 1 && inside != nowhere->ports"]),
        None
    );
    assert_eq!(
        told(&["index_of"], &["zero", "table[index_of].value > 1 && inside"]),
        Some((
            Property::Goal(1),
            "the goal table[index_of].value > 1 && inside is reached: \
             table[index_of].value = 100, index_of = 1, inside = &matrix[1][1]"
                .to_string()
        ))
    );
    assert_eq!(told(&["freed->value == 1 || nowhere->value || half > 1 || count == 8"], &[]), None);
    assert_eq!(
        told(&["half > 1 || (count == 8 && first.high)"], &[]).map(|(_, text)| text).as_deref(),
        Some(
            "the invariant half > 1 || (count == 8 && first.high) does not hold: \
             half = 0.5, count = 7, first.high = -7"
        )
    );
}

#[test]
fn properties_know_what_they_depend_on() {
    let subject = Subject::new("gcc", &["-g"], "data.c", "ready == 1").expect("gcc");
    let parse = |text: &str| Formula::parse(text).expect("a formula");
    let of = |invariant: &str, goal: &str| {
        Properties::resolve(&[parse(invariant)], &[parse(goal)], &subject.debug).expect("it fits")
    };
    let fixed = of("sum == 0", "zero == 3");
    assert!(fixed.is_fixed() && !fixed.is_empty() && !fixed.uses_locals());
    assert_eq!(fixed.words(), fixed.words_now(&subject.process));
    let followed = of("sum == 0", "head->value == 3");
    assert!(!followed.is_fixed());
    let value = subject.number("&first.value") as u64;
    let reads = |ranges: Vec<std::ops::Range<u64>>| ranges.iter().any(|r| r.contains(&value));
    assert!(!reads(followed.words()));
    assert!(reads(followed.words_now(&subject.process)));
}
