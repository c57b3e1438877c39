//! A simulation as a plan: which agent does what from when to when.
//!
//! An agent that says that it is idle has worked through that step.

use super::agents::Course;
use super::steps::{PlanStep, Scene};
use super::tell::agent;
use crate::trail::Names;
use samovar_runtime::{Activity, Mark, Process};
use samovar_vm::machine::ThreadId;
use std::collections::BTreeMap;

/// The actions of a simulation and what there was to see; `before` was said before it began. An
/// action is over when its agent begins another one or says that it is idle, or else at once.
pub fn schedule(process: &Process, course: &Course, before: &[Mark]) -> (Vec<PlanStep>, Scene) {
    let names = Names::of(process);
    let mut scene = Scene::default();
    before.iter().for_each(|mark| scene.take(0, mark));
    let mut steps: Vec<PlanStep> = Vec::new();
    let mut present: BTreeMap<ThreadId, usize> = BTreeMap::new();
    let marks = course.marks.as_deref().unwrap_or_default();
    for (time, thread, mark) in marks {
        match mark {
            Mark::Action { name, arguments } => {
                let before = present.insert(*thread, steps.len());
                finish(&mut steps, before, *time);
                steps.push(PlanStep {
                    step: steps.len() + 1,
                    agent: agent(process, &names, *thread),
                    action: name.clone(),
                    arguments: arguments.clone(),
                    start: *time,
                    end: *time + 1,
                    location: None,
                });
            }
            Mark::Activity(Activity::Idle) => {
                finish(&mut steps, present.remove(thread), *time + 1);
            }
            Mark::Activity(_) => {}
            mark => scene.take(*time + 1, mark),
        }
    }
    (steps, scene)
}

fn finish(steps: &mut [PlanStep], present: Option<usize>, time: u64) {
    if let Some(step) = present.and_then(|index| steps.get_mut(index)) {
        step.end = time.max(step.start);
    }
}
