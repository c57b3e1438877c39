//! The host CPU judges the virtual machine: every supported instruction form is executed
//! natively and in the machine on many inputs, and everything a program could see afterwards is
//! compared: registers, defined flags, vector and x87 state, memory, exceptions.
//!
//! `arena` says where things are, `trampoline` and `native` execute on the host, `vm_side` in the
//! machine; `forms`, `instances` and `inputs` decide what is executed, `undefined` what is excused,
//! `compare` words the differences.
//!
//! The same choices are made each time. SAMOVAR_ORACLE_ROUNDS=10 goes on with nine times others.

mod arena;
mod compare;
mod coverage;
mod cpu;
mod exhaustive;
mod forms;
mod inputs;
mod instances;
mod judge;
mod native;
mod native_tests;
mod operands;
mod rng;
mod sequences;
mod trampoline;
mod undefined;
mod values;
mod vm_side;

use iced_x86::Code;

use forms::Verdict;
use judge::{Court, Effort};
use rng::Rng;
use vm_side::Mode;

/// Fewer supported forms than this mean that something fell out of the machine.
const FORMS_MIN: usize = 1085;

#[test]
fn every_supported_form_agrees() {
    judge_all_forms(Mode::Plain, Effort { random_instances: 8, inputs: 50 });
}

#[test]
fn every_supported_form_agrees_and_can_be_undone() {
    judge_all_forms(Mode::Reversible, Effort { random_instances: 2, inputs: 8 });
}

#[test]
fn every_supported_form_agrees_when_stopped_before_each_access() {
    judge_all_forms(Mode::Interrupted, Effort { random_instances: 2, inputs: 8 });
}

#[test]
fn every_supported_form_agrees_when_nothing_is_fused() {
    judge_all_forms(Mode::InterruptedUnfused, Effort { random_instances: 2, inputs: 8 });
}

fn judge_all_forms(mode: Mode, effort: Effort) {
    for round in 0..rounds() {
        let mut court = Court::new(mode);
        let mut skipped = Vec::new();
        for code in Code::values() {
            match forms::verdict(code) {
                Verdict::Judge => court.judge(code, effort, round),
                Verdict::HostLacks => skipped.push(code),
                Verdict::OutOfScope | Verdict::NotComparable => {}
            }
        }
        let record = &court.record;
        println!("{record}\n{mode:?}: {}; the host lacks {skipped:?}", record.summary());
        assert!(record.mismatches.is_empty(), "{} forms disagree", record.mismatches.len());
        assert!(record.unbuilt.is_empty(), "no instance of {:?}", record.unbuilt);
        assert!(record.forms + skipped.len() >= FORMS_MIN, "only {} forms", record.forms);
    }
}

/// How often to do it all, each time with other random choices.
fn rounds() -> u64 {
    let rounds = std::env::var("SAMOVAR_ORACLE_ROUNDS").ok();
    rounds.map_or(1, |rounds| rounds.parse().expect("SAMOVAR_ORACLE_ROUNDS is a number"))
}

#[test]
fn random_sequences_agree() {
    judge_sequences(Mode::Plain, 20_000, 8);
}

#[test]
fn random_sequences_agree_and_can_be_undone() {
    judge_sequences(Mode::Reversible, 4_000, 3);
}

#[test]
fn random_sequences_agree_one_instruction_at_a_time() {
    judge_sequences(Mode::Stepped, 4_000, 3);
}

#[test]
fn random_sequences_agree_when_stopped_before_each_access() {
    judge_sequences(Mode::Interrupted, 4_000, 3);
}

#[test]
fn random_sequences_agree_when_nothing_is_fused() {
    judge_sequences(Mode::InterruptedUnfused, 4_000, 3);
}

fn judge_sequences(mode: Mode, count: usize, inputs: usize) {
    for round in 0..rounds() {
        let mut court = Court::new(mode);
        let ingredients = sequences::Ingredients::new();
        let mut rng = Rng::new(42 + round);
        for _ in 0..count {
            court.judge_sequence(&ingredients, inputs, &mut rng);
        }
        let (forms, record) = (ingredients.len(), &court.record);
        println!("{record}\n{mode:?}: sequences of {forms} forms: {}", record.summary());
        assert!(record.mismatches.is_empty());
        assert!(record.executions > (count * inputs / 2) as u64);
    }
}
