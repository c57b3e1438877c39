//! Random concurrent programs come to the same ends under `samovar check`, reduced and not, as in
//! an interpreter that knows nothing but the programs' meaning.

use samovar_tests::everything;
use samovar_tests::litmus::judge::Way;
use samovar_tests::litmus::trial::{self, Trial};

/// Programs that a change has to pass, and with everything.
const COUNT: u64 = 300;
const COUNT_ALL: u64 = 5_000;

/// Seeds.
const KNOWN: &[u64] = &[];

#[test]
fn random_programs_end_as_the_interpreter_says() {
    let count = if everything() { COUNT_ALL } else { COUNT };
    let Trial { judged, mismatches, .. } = trial::run(1, count, &Way::ordinary(), KNOWN);
    let list: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} of {judged} differ:\n{}", list.len(), list.join("\n\n"));
    assert!(count < 2 * judged as u64, "only {judged} of {count} programs are small enough");
}
