//! The court: runs instances of forms on both sides and collects what differs.

use std::collections::BTreeMap;
use std::fmt;

use iced_x86::{Code, Formatter, Instruction, IntelFormatter};

use crate::arena::{Arena, Place, Slot};
use crate::compare::{Outcome, describe, differences, hex};
use crate::cpu::End;
use crate::inputs::{Input, Inputs};
use crate::instances::{Instance, Plan, Site, plans};
use crate::native::Native;
use crate::rng::Rng;
use crate::sequences::{self, Ingredients};
use crate::undefined::{Slack, is_order_open, slack};
use crate::vm_side::{Answer, Mode, VmSide};

/// Sequences that disagree and are told in full.
const SEQUENCES_TOLD_MAX: usize = 10;

/// How hard to try.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Random instances of each form besides the structured ones.
    pub random_instances: usize,
    /// Inputs for each instance.
    pub inputs: usize,
}

/// Both sides, and what was found so far.
pub struct Court {
    pub native: Native,
    pub vm: VmSide,
    pub record: Record,
}

/// What was done and found.
#[derive(Default)]
pub struct Record {
    /// Forms that the machine executed.
    pub forms: usize,
    pub instances: usize,
    pub executions: u64,
    /// Executions that ended in an exception on the host.
    pub faults: u64,
    /// Forms the machine refuses, with an example.
    pub unsupported: BTreeMap<String, String>,
    /// Forms of which it refuses some instances.
    pub partial: BTreeMap<String, String>,
    /// Forms of which no instance could be built.
    pub unbuilt: Vec<Code>,
    /// The first mismatch of each form, in full.
    pub mismatches: Vec<String>,
    pub mismatched_executions: u64,
}

/// What came of one form.
#[derive(Default)]
struct Form {
    instances: usize,
    is_supported: bool,
    is_told: bool,
    refused: Option<String>,
}

/// Code under test, installed on both sides.
pub struct Case<'a> {
    pub instructions: &'a [Instruction],
    pub bytes: &'a [u8],
    pub place: Place,
    pub slot: Slot,
}

impl Court {
    pub fn new(mode: Mode) -> Court {
        let native = Native::new();
        let vm = VmSide::new(&Place::ALL.map(|place| native.arena(place)), mode);
        Court { native, vm, record: Record::default() }
    }

    /// Judges one form.
    pub fn judge(&mut self, code: Code, effort: Effort, round: u64) {
        let mut rng = Rng::new(code as u64 | round << 16);
        let mut form = Form::default();
        for plan in plans(code, effort.random_instances) {
            let built = self.place(code, plan, &mut rng);
            self.judge_built(built, &mut form, effort.inputs, &mut rng);
        }
        for _ in 0..effort.random_instances {
            let built = self.place_with_noise(code, &mut rng);
            self.judge_built(built, &mut form, effort.inputs, &mut rng);
        }
        self.record.instances += form.instances;
        self.record.forms += usize::from(form.is_supported);
        if form.instances == 0 {
            self.record.unbuilt.push(code);
        }
        if let Some(example) = form.refused {
            let record = &mut self.record;
            let list =
                if form.is_supported { &mut record.partial } else { &mut record.unsupported };
            list.insert(format!("{code:?}"), example);
        }
    }

    fn judge_built(
        &mut self,
        built: Option<(Instance, Slot)>,
        form: &mut Form,
        inputs: usize,
        rng: &mut Rng,
    ) {
        let Some((instance, slot)) = built else { return };
        form.instances += 1;
        match self.judge_instance(&instance, slot, inputs, &mut form.is_told, rng) {
            Ok(()) => form.is_supported = true,
            Err(reason) => {
                let text = text(&instance.instruction);
                form.refused.get_or_insert(format!("{text} ({}): {reason}", hex(&instance.bytes)));
            }
        }
    }

    fn place_with_noise(&mut self, code: Code, rng: &mut Rng) -> Option<(Instance, Slot)> {
        let site = self.site(Place::High);
        let instance = Instance::with_noise(code, site, rng)?;
        self.install(Place::High, &instance.bytes);
        Some((instance, site.slot))
    }

    fn place(&mut self, code: Code, plan: Plan, rng: &mut Rng) -> Option<(Instance, Slot)> {
        let place = plan.place(code);
        let site = self.site(place);
        let instance = Instance::build(code, plan, site, rng)?;
        self.install(place, &instance.bytes);
        Some((instance, site.slot))
    }

    /// Where the next code will be installed.
    fn site(&self, place: Place) -> Site {
        Site { arena: self.arena(place), slot: self.native.next_slot(place), offset: 0 }
    }

    /// Puts code into the next slot on both sides. In the machine, breakpoints catch it wherever
    /// it leaves the code under test.
    pub fn install(&mut self, place: Place, bytes: &[u8]) -> Slot {
        let (slot, contents) = self.native.install(place, bytes);
        self.vm.write(slot.start, &contents);
        let next = slot.instruction() + bytes.len() as u64;
        for address in [next, slot.pad(1), slot.pad(2)] {
            self.vm.write(address, &[0xcc]);
        }
        slot
    }

    pub fn arena(&self, place: Place) -> Arena {
        self.native.arena(place)
    }

    /// Judges one instance; an error is the machine's reason for refusing it.
    fn judge_instance(
        &mut self,
        instance: &Instance,
        slot: Slot,
        count: usize,
        is_told: &mut bool,
        rng: &mut Rng,
    ) -> Result<(), String> {
        let inputs = Inputs { instance, arena: self.arena(instance.place), slot };
        let instructions = &[instance.instruction][..];
        let case = Case { instructions, bytes: &instance.bytes, place: instance.place, slot };
        let mut input = Input::new();
        for _ in 0..count {
            inputs.fill(&mut input, rng);
            if is_order_open(&instance.instruction, &input.cpu) {
                continue;
            }
            let slack = slack(&instance.instruction, &input.cpu);
            let lines = self.execute(&case, &input, slack)?;
            self.note(&case, &input, &lines, is_told);
        }
        Ok(())
    }

    /// Judges one random sequence.
    pub fn judge_sequence(&mut self, from: &Ingredients, inputs: usize, rng: &mut Rng) {
        let place = Place::High;
        let arena = self.arena(place);
        let sequence = from.sequence(self.site(place), rng);
        if sequence.instructions.is_empty() {
            return;
        }
        let slot = self.install(place, &sequence.bytes);
        let (instructions, bytes) = (&sequence.instructions[..], &sequence.bytes[..]);
        let case = Case { instructions, bytes, place, slot };
        self.record.instances += 1;
        let mut input = Input::new();
        let mut is_told = self.record.mismatches.len() >= SEQUENCES_TOLD_MAX;
        for _ in 0..inputs {
            sequences::fill(&mut input, arena, rng);
            let lines = self.execute(&case, &input, sequence.slack);
            self.note(&case, &input, &lines.unwrap_or_else(|why| vec![why]), &mut is_told);
        }
    }

    /// Keeps a mismatch, the first one of its kind in full.
    pub fn note(&mut self, case: &Case, input: &Input, lines: &[String], is_told: &mut bool) {
        if lines.is_empty() {
            return;
        }
        self.record.mismatched_executions += 1;
        if !*is_told {
            *is_told = true;
            self.record.mismatches.push(tell(case, input, lines));
        }
    }

    /// One execution on both sides: the differences, or the machine's reason for refusing.
    pub fn execute(
        &mut self,
        case: &Case,
        input: &Input,
        slack: Slack,
    ) -> Result<Vec<String>, String> {
        let arena = self.arena(case.place);
        for patch in &input.patches {
            let at = (patch.address - arena.data()) as usize;
            let data = self.native.data_mut(case.place);
            data[at..at + patch.bytes.len()].copy_from_slice(&patch.bytes);
            self.vm.write(patch.address, &patch.bytes);
        }
        let mut vm_cpu = input.cpu;
        let code = case.slot.instruction()..case.slot.instruction() + case.bytes.len() as u64;
        let vm_end = match self.vm.run(code, case.instructions.len(), &mut vm_cpu) {
            Answer::Ended(end) => end,
            Answer::Unsupported(reason) => return Err(reason),
        };
        let mut native_cpu = input.cpu;
        let next = case.slot.instruction() + case.bytes.len() as u64;
        let native_end = self.native.run(case.place, case.slot, next, &mut native_cpu);
        self.record.executions += 1;
        self.record.faults += u64::from(matches!(native_end, End::Fault(_)));
        let native_data = self.native.data(case.place);
        let vm_data = self.vm.data(arena);
        let native = Outcome { end: native_end, cpu: &native_cpu, data: native_data };
        let vm = Outcome { end: vm_end, cpu: &vm_cpu, data: vm_data };
        let mut lines = differences(&native, &vm, arena.data(), slack);
        lines.extend(self.vm.undo());
        if self.vm.data(arena) != native_data {
            self.vm.write(arena.data(), native_data);
        }
        Ok(lines)
    }
}

fn tell(case: &Case, input: &Input, lines: &[String]) -> String {
    let code: Vec<_> = case.instructions.iter().map(text).collect();
    let forms: Vec<_> = case.instructions.iter().map(|i| format!("{:?}", i.code())).collect();
    let (code, forms, bytes) = (code.join("; "), forms.join("; "), hex(case.bytes));
    let input = describe(input);
    format!("{code}   ({forms}: {bytes})\n    {}\n  from\n{input}", lines.join("\n    "))
}

/// An instruction in Intel syntax.
pub fn text(instruction: &Instruction) -> String {
    let mut text = String::new();
    IntelFormatter::new().format(instruction, &mut text);
    text
}

impl Record {
    /// What was done, in one line.
    pub fn summary(&self) -> String {
        format!(
            "{} forms, {} instances, {} executions ({} with an exception); {} forms unsupported; \
             {} executions disagree",
            self.forms,
            self.instances,
            self.executions,
            self.faults,
            self.unsupported.len(),
            self.mismatched_executions,
        )
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mismatch in &self.mismatches {
            writeln!(f, "MISMATCH {mismatch}")?;
        }
        for (form, example) in &self.unsupported {
            writeln!(f, "unsupported: {form}, like {example}")?;
        }
        for (form, example) in &self.partial {
            writeln!(f, "partly supported: {form}, not {example}")?;
        }
        for code in &self.unbuilt {
            writeln!(f, "no instance: {code:?}")?;
        }
        Ok(())
    }
}
