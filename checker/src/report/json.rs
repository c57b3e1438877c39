//! Reports as one JSON object, in the form that scripts rely on.

use super::{Report, peak_memory_bytes};
use crate::check::autopilot::Attempt;
use crate::check::kind::ErrorKind;
use crate::check::reduction;
use crate::check::verdict::{Finding, Verdict};
use crate::error::CommandError;
use crate::store::Coverage;
use crate::trail::Step;
use crate::trail::file::SavedTrail;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Prints a report.
pub fn print(report: &Report<'_>) -> Result<(), CommandError> {
    write(&object(report))
}

/// Prints a trail that was replayed.
pub fn print_trail(
    saved: &SavedTrail,
    steps: &[Step],
    finding: &Finding,
) -> Result<(), CommandError> {
    write(&trail(saved, steps, finding))
}

/// A trail that was replayed.
pub(super) fn trail(saved: &SavedTrail, steps: &[Step], finding: &Finding) -> Value {
    json!({
        "tool": tool(),
        "program": saved.setting.program,
        "args": saved.setting.args,
        "verdict": "error",
        "error": finding,
        "trail": steps,
    })
}

/// Prints a value.
pub(crate) fn write(value: &Value) -> Result<(), CommandError> {
    let text = format!("{value:#}\n");
    std::io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| CommandError::Output { fd: 1, error })
}

pub(crate) fn tool() -> Value {
    json!({ "name": "samovar", "version": env!("CARGO_PKG_VERSION") })
}

pub(super) fn object(report: &Report<'_>) -> Value {
    let outcome = report.outcome;
    let mut object = Map::new();
    let mut set = |key: &str, value: Value| {
        object.insert(key.to_string(), value);
    };
    set("tool", tool());
    set("program", json!(report.setting.program));
    set("args", json!(report.setting.args));
    set("verdict", json!(outcome.verdict.name()));
    set("semantics", semantics(report));
    match &outcome.verdict {
        Verdict::Verified => {}
        Verdict::Error(finding) => {
            set("error", json!(finding));
            set("trail", json!(outcome.steps));
            set("preemptions", json!(outcome.preemptions));
            if let Some(no_return) = &outcome.no_return {
                set("point_of_no_return", json!(no_return));
            }
            let threads: Vec<Value> = outcome
                .threads
                .iter()
                .map(|(name, start)| json!({ "name": name, "start": start }))
                .collect();
            set("threads", json!(threads));
            if let Some(file) = &report.trail_file {
                set("trail_file", json!(file));
            }
        }
        Verdict::Incomplete { reason } => {
            let covered = json!({ "states": outcome.stats.states, "depth": outcome.stats.depth });
            set("incomplete", json!({ "reason": reason, "covered": covered }));
        }
        Verdict::Unsupported { what, location } => {
            let message = what.to_string();
            set("verdict", json!("error"));
            set(
                "error",
                json!({ "kind": "unsupported", "message": message, "location": location }),
            );
            set("trail", json!(outcome.steps));
        }
    }
    if let Some(ends) = &outcome.ends {
        set("outcomes", json!(ends));
    }
    set("notes", json!(outcome.notes));
    set("stats", stats(report));
    Value::Object(object)
}

fn semantics(report: &Report<'_>) -> Value {
    let options = report.options;
    let kinds: Vec<&str> = ErrorKind::selectable()
        .filter(|kind| kind.counts(&options.check))
        .map(ErrorKind::name)
        .collect();
    json!({
        "memory_model": "sequential consistency",
        "reduction": reduction(options.reduction()),
        "search": options.order().name(),
        "attempts": attempts(report),
        "store": options.store.name(),
        "model": report.setting.model,
        "checked": kinds,
        "bounds": {
            "depth": options.depth,
            "preemptions": options.preemptions.filter(|bound| *bound < u32::MAX),
            "time_seconds": options.time.map(|time| time.as_secs_f64()),
            "memory_bytes": options.memory,
        },
        "choices": { "schedules": "all", "values": report.setting.choices },
        "assumptions": report.assumptions(),
        "contended": report.outcome.contended_names,
    })
}

/// What the autopilot tried.
fn attempts(report: &Report<'_>) -> Vec<Value> {
    let attempt = |one: &Attempt| json!({ "search": one.how, "expanded": one.expanded });
    report.outcome.attempts.iter().map(attempt).collect()
}

/// What may have been omitted, as numbers.
fn coverage(coverage: Coverage) -> Value {
    match coverage {
        Coverage::Compact { omission } => json!({ "omission_probability": omission }),
        Coverage::Bitstate { share, bytes, positions, load, runs, .. } => json!({
            "estimated_share": share,
            "array_bytes": bytes,
            "positions": positions,
            "bits_set": load,
            "runs": runs,
        }),
        Coverage::Registers => json!({}),
    }
}

fn stats(report: &Report<'_>) -> Value {
    let stats = &report.outcome.stats;
    let parts = stats.memory.parts().map(|(name, bytes)| (name.to_string(), json!(bytes)));
    let memory = Value::Object(parts.into_iter().collect());
    json!({
        "states": stats.states,
        "expanded": stats.expanded,
        "transitions": stats.transitions,
        "revisits": stats.revisits,
        "terminal": stats.terminal,
        "depth": stats.depth,
        "rounds": stats.rounds,
        "contended_words": stats.contended,
        "seconds": report.seconds,
        "states_per_second": report.states_per_second(),
        "bytes_per_state": peak_memory_bytes().map(|bytes| bytes / stats.states.max(1)),
        "peak_memory_bytes": peak_memory_bytes(),
        "instructions": report.instructions,
        "moves": {
            "executed": stats.executed,
            "remembered": stats.remembered,
            "replayed": stats.replayed,
        },
        "memory_bytes": memory,
        "disk_bytes": stats.disk_bytes,
        "forgotten": stats.forgotten,
        "table_load": stats.table_load,
        "time_split": {
            "execute": stats.execute_seconds,
            "store": stats.store_seconds,
            "other": (report.seconds - stats.execute_seconds - stats.store_seconds).max(0.0),
        },
        "coverage": report.outcome.coverage.map(coverage),
    })
}
