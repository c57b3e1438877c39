//! Reports in SARIF 2.1.0, the form that code-scanning services read: one result with one code
//! flow, in it one thread flow per thread; the order between threads is each location's execution
//! order.

use super::Report;
use super::explain::explain;
use super::uri;
use crate::check::verdict::{Finding, Verdict};
use crate::trail::{Location, Step, words};
use serde_json::{Map, Value, json};

/// Where the schema is.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The name of the directory that relative paths are seen from.
const BASE: &str = "%SRCROOT%";

/// The report as one object.
pub fn object(report: &Report<'_>) -> Value {
    let finding = match &report.outcome.verdict {
        Verdict::Error(finding) => Some(finding),
        _ => None,
    };
    let base = uri::directory(&report.setting.directory);
    let mut driver = json!({
        "name": "samovar",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
    });
    if let Some(finding) = finding {
        driver["rules"] = json!([rule(finding)]);
    }
    let results: Vec<Value> = finding.iter().map(|finding| result(report, finding)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { BASE: { "uri": base } },
            "invocations": [invocation(report)],
            "results": results,
            "properties": {
                "verdict": report.outcome.verdict.name(),
                "program": report.setting.program,
                "arguments": report.setting.args,
                "assumptions": report.assumptions(),
            },
        }],
    })
}

fn rule(finding: &Finding) -> Value {
    let id = identifier(finding);
    json!({
        "id": id,
        "shortDescription": { "text": sentence(finding.kind.name()) },
        "defaultConfiguration": { "level": "error" },
    })
}

/// What a kind of error means.
fn sentence(kind: &str) -> &str {
    match kind {
        "deadlock" => "No thread can go on, and not all have ended.",
        "partial-deadlock" => "Some threads can never go on, though others can.",
        "livelock" => "Threads work on for ever without getting anywhere.",
        "assertion" => "An assertion fails, or the program gives up.",
        "memory" => "An illegal access to memory, or a misuse of the heap.",
        "lock" => "A misuse of a lock.",
        "privilege" => "An access to memory that another thread has for itself.",
        "race" => "Two threads access the same memory, and nothing orders them.",
        "arithmetic" => "A division by zero or without a result.",
        "illegal-instruction" => "Bytes that are no instruction are executed.",
        "signal" => "The program dies by a signal that nobody handles.",
        "invariant" => "What must hold in every state does not.",
        "leak" => "Memory that nobody can free any more.",
        "exit" => "The program ends with an exit status other than zero.",
        kind => kind,
    }
}

/// `memory/use-after-free`, `deadlock`.
fn identifier(finding: &Finding) -> String {
    match &finding.detail {
        Some(detail) => format!("{}/{detail}", finding.kind.name()),
        None => finding.kind.name().to_string(),
    }
}

fn invocation(report: &Report<'_>) -> Value {
    let (successful, code, notification) = match &report.outcome.verdict {
        Verdict::Verified => (true, 0, None),
        Verdict::Error(_) => (true, 1, None),
        Verdict::Incomplete { reason } => (true, 3, Some(("warning", reason.clone()))),
        Verdict::Unsupported { what, location } => {
            (false, 2, Some(("error", format!("{what}, {location}"))))
        }
    };
    let mut object = json!({ "executionSuccessful": successful, "exitCode": code });
    if let Some((level, text)) = notification {
        object["toolExecutionNotifications"] =
            json!([{ "level": level, "message": { "text": text } }]);
    }
    object
}

fn result(report: &Report<'_>, finding: &Finding) -> Value {
    let steps = &report.outcome.steps;
    let base = &report.setting.directory;
    let mut text = vec![finding.message.clone() + "."];
    text.extend(explain(finding, steps).sentences);
    let mut result = json!({
        "ruleId": identifier(finding),
        "ruleIndex": 0,
        "level": "error",
        "kind": "fail",
        "message": { "text": text.join(" ") },
        "codeFlows": [{
            "message": { "text": "the steps that lead to the error" },
            "threadFlows": thread_flows(report),
        }],
    });
    if let Some(location) = &finding.location {
        result["locations"] = json!([place(location, base, None)]);
    }
    let waits: Vec<Value> = finding
        .waits
        .iter()
        .enumerate()
        .map(|(index, wait)| {
            let words = format!("{} waits for {}", wait.thread, wait.object);
            let mut place = place(&wait.location, base, Some(&words));
            place["id"] = json!(index);
            place
        })
        .collect();
    if !waits.is_empty() {
        result["relatedLocations"] = json!(waits);
    }
    result
}

fn thread_flows(report: &Report<'_>) -> Vec<Value> {
    let steps = &report.outcome.steps;
    let mut threads: Vec<&str> = Vec::new();
    for step in steps {
        if !threads.contains(&step.thread.as_str()) {
            threads.push(&step.thread);
        }
    }
    let flow = |thread: &&str| {
        let own = steps.iter().filter(|step| step.thread == *thread);
        let locations: Vec<Value> =
            own.map(|step| flow_location(step, steps.len(), &report.setting.directory)).collect();
        let start = report.outcome.threads.iter().find(|(name, _)| name == thread);
        let name = match start.and_then(|(_, start)| start.as_deref()) {
            Some(start) => format!("{thread} ({start})"),
            None => thread.to_string(),
        };
        json!({ "id": thread, "message": { "text": name }, "locations": locations })
    };
    threads.iter().map(flow).collect()
}

fn flow_location(step: &Step, count: usize, base: &str) -> Value {
    let deed = words::deed(step).replace(crate::page::TIED, " ");
    let mut object = json!({
        "executionOrder": step.step,
        "location": place(&step.location, base, Some(&deed)),
        "importance": if step.step == count { "essential" } else { "important" },
    });
    if !step.changes.is_empty() {
        let state: Map<String, Value> = step
            .changes
            .iter()
            .map(|change| (change.name.clone(), json!({ "text": change.new })))
            .collect();
        object["state"] = Value::Object(state);
    }
    object
}

fn place(location: &Location, base: &str, message: Option<&str>) -> Value {
    let mut object = Map::new();
    if let Some(file) = &location.file {
        let (uri, is_relative) = uri::file(file, base);
        let mut artifact = json!({ "uri": uri });
        if is_relative {
            artifact["uriBaseId"] = json!(BASE);
        }
        let mut physical = json!({ "artifactLocation": artifact });
        if let Some(line) = location.line.filter(|line| 0 < *line) {
            physical["region"] = json!({ "startLine": line });
        }
        object.insert("physicalLocation".into(), physical);
    }
    if let Some(function) = &location.function {
        let logical = json!([{ "fullyQualifiedName": function, "kind": "function" }]);
        object.insert("logicalLocations".into(), logical);
    }
    if let Some(message) = message {
        object.insert("message".into(), json!({ "text": message }));
    }
    Value::Object(object)
}
