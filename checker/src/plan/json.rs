//! Plans for programs: one JSON object.

use super::Report;
use super::verdict::{Plan, Verdict};
use crate::error::CommandError;
use crate::report::json::{tool, write};
use crate::run::stats::peak_memory_kib;
use crate::trail::file::SavedTrail;
use serde_json::{Map, Value, json};

/// Prints a report.
pub fn print(report: &Report<'_>) -> Result<(), CommandError> {
    write(&object(report))
}

/// Prints a plan that was executed again.
pub fn print_replayed(saved: &SavedTrail, plan: &Plan) -> Result<(), CommandError> {
    let mut object = Map::new();
    object.insert("tool".to_string(), tool());
    object.insert("program".to_string(), json!(saved.setting.program));
    object.insert("args".to_string(), json!(saved.setting.args));
    object.insert("verdict".to_string(), json!("plan"));
    add_plan(&mut object, plan);
    write(&Value::Object(object))
}

/// A report as an object.
pub fn object(report: &Report<'_>) -> Value {
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| {
        object.insert(key.to_string(), value);
    };
    set("tool", tool());
    set("program", json!(report.setting.program));
    set("args", json!(report.setting.args));
    set("verdict", json!(report.outcome.verdict.name()));
    set("semantics", semantics(report));
    match &report.outcome.verdict {
        Verdict::Plan(plan) => add_plan(&mut object, plan),
        Verdict::NoPlan => {}
        Verdict::Incomplete { reason } => {
            let stats = &report.outcome.stats;
            let covered = json!({ "states": stats.states, "depth": stats.depth });
            set("incomplete", json!({ "reason": reason, "covered": covered }));
        }
        Verdict::Unsupported { what, location } => {
            let message = what.to_string();
            set(
                "error",
                json!({ "kind": "unsupported", "message": message, "location": location }),
            );
        }
    }
    object.insert("stats".to_string(), stats(report));
    Value::Object(object)
}

fn add_plan(object: &mut Map<String, Value>, plan: &Plan) {
    object.insert("plan".to_string(), json!(plan.steps));
    object.insert("cost".to_string(), json!(plan.cost));
    object.insert("cost_unit".to_string(), json!(plan.unit));
    object.insert("optimal".to_string(), json!(plan.optimal));
    if let Some(simulation) = &plan.simulation {
        object.insert("parallel_steps".to_string(), json!(simulation.parallel_steps));
        object.insert("planning_seconds".to_string(), json!(simulation.planning_seconds));
        object.insert("planning_phases".to_string(), json!(simulation.phases));
        object.insert("planning_steps".to_string(), json!(simulation.tried));
    }
}

fn semantics(report: &Report<'_>) -> Value {
    let options = report.options;
    json!({
        "memory_model": "sequential consistency",
        "reduction": crate::check::reduction(options.reduce),
        "search": options.search.name(),
        "store": "exact",
        "model": report.setting.model,
        "goals": report.setting.goals,
        "minimise": options.minimise.as_ref().map(|formula| formula.text()),
        "evaluate": options.evaluate.as_ref().map(|formula| formula.text()),
        "seed": options.seed,
        "estimate": options.estimate.as_ref().map(|formula| formula.text()),
        "bounds": {
            "depth": options.depth,
            "time_seconds": options.time.map(|time| time.as_secs_f64()),
            "memory_bytes": options.memory,
        },
        "choices": { "schedules": "all", "values": report.setting.choices },
    })
}

fn stats(report: &Report<'_>) -> Value {
    let stats = &report.outcome.stats;
    json!({
        "states": stats.states,
        "expanded": stats.expanded,
        "transitions": stats.transitions,
        "revisits": stats.revisits,
        "depth": stats.depth,
        "rounds": stats.rounds,
        "contended_words": stats.contended,
        "seconds": report.seconds,
        "states_per_second": stats.states as f64 / report.seconds.max(1e-6),
        "bytes_per_state": stats.memory.total() / stats.states.max(1),
        "peak_memory_bytes": peak_memory_kib().map(|kib| kib * 1024),
        "instructions": report.instructions,
    })
}
