//! Forms that other programs read.

use super::{check, report};
use samovar_tests::binary::workspace;
use samovar_tests::schema::complaints;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::collections::BTreeSet;

/// A check of each verdict and of many sorts of errors: options, program, arguments.
const CASES: &[(&[&str], &str, &[&str])] = &[
    (&[], "tally.c", &[]),
    (&["--cflags", "-DRACY"], "tally.c", &[]),
    (&["--check", "assertion", "--cflags", "-DRACY"], "tally.c", &[]),
    (&[], "crossed.c", &[]),
    (&["--depth", "4"], "tally.c", &[]),
    (&[], "misdeeds.c", &["freed", "thread"]),
    (&[], "misdeeds.c", &["null"]),
    (&[], "misdeeds.c", &["lock", "thread"]),
    (&[], "misdeeds.c", &["divide", "thread"]),
    (&["--check", "exit"], "misdeeds.c", &["exit"]),
    (&[], "misdeeds.c", &["socket"]),
    (&[], "misdeeds.c", &["fork", "thread"]),
    (&[], "thrown.cpp", &[]),
];

#[test]
fn json_is_as_its_schema_says() {
    let file = workspace().join("docs/schema/report.schema.json");
    let schema = std::fs::read_to_string(file).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    for (options, program, args) in CASES {
        let scratch = Scratch::new("schema");
        let value = report(&scratch, options, program, args);
        let wrong = complaints(&schema, &value);
        assert!(wrong.is_empty(), "{program} {args:?}: {wrong:#?}");
    }
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let file = workspace().join("docs/schema/report.schema.json");
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect("the schema")).expect("JSON");
    let scratch = Scratch::new("refused");
    let good = report(&scratch, &[], "crossed.c", &[]);
    for (pointer, bad) in [
        ("/verdict", Value::from("fine")),
        ("/verdict", Value::from("verified")),
        ("/trail/0/step", Value::from("one")),
        ("/trail/0/thread", Value::from("T0")),
        ("/trail/0/event/kind", Value::from("dance")),
        ("/error/kind", Value::from("bad luck")),
        ("/stats/states", Value::from(-1)),
    ] {
        let mut value = good.clone();
        *value.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = bad;
        assert!(!complaints(&schema, &value).is_empty(), "{pointer}");
    }
}

/// A member that has to be there.
fn member<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in {value:#}"))
}

#[test]
fn sarif_has_a_flow_per_thread() {
    for (options, program, args) in CASES {
        let scratch = Scratch::new("sarif");
        let json = report(&scratch, options, program, args);
        let words = [&["--format", "sarif"], *options].concat();
        let outcome = check(&scratch, &words, program, args);
        let log: Value = serde_json::from_str(&outcome.stdout_text()).expect("JSON");
        assert_eq!(log["version"], "2.1.0");
        assert!(
            member(&log, "/$schema").as_str().is_some_and(|uri| uri.contains("sarif-schema-2.1.0"))
        );
        let run = member(&log, "/runs/0");
        assert_eq!(member(run, "/tool/driver/name"), "samovar");
        let code = outcome.status.code().expect("a status");
        assert_eq!(member(run, "/invocations/0/exitCode"), code);
        assert_eq!(member(run, "/invocations/0/executionSuccessful"), code != 2);
        let results = member(run, "/results").as_array().expect("results");
        assert_eq!(results.len(), usize::from(code == 1), "{program} {args:?}");
        if code > 1 {
            let text = member(run, "/invocations/0/toolExecutionNotifications/0/message/text");
            assert!(text.as_str().is_some_and(|text| !text.is_empty()));
        }
        if let Some(result) = results.first() {
            check_result(run, result, &json);
        }
        official_schema(&log);
    }
}

fn check_result(run: &Value, result: &Value, json: &Value) {
    let rule = member(result, "/ruleIndex").as_u64().expect("an index");
    assert_eq!(member(run, &format!("/tool/driver/rules/{rule}/id")), &result["ruleId"]);
    assert!(
        result["ruleId"]
            .as_str()
            .expect("text")
            .starts_with(json["error"]["kind"].as_str().expect("text"))
    );
    assert_eq!(result["level"], "error");
    let message = member(result, "/message/text").as_str().expect("text");
    assert!(message.starts_with(json["error"]["message"].as_str().expect("text")), "{message}");
    let steps = json["trail"].as_array().expect("a trail");
    let threads: BTreeSet<&str> = steps.iter().filter_map(|step| step["thread"].as_str()).collect();
    let flows = member(result, "/codeFlows/0/threadFlows").as_array().expect("flows");
    let flowing: BTreeSet<&str> = flows.iter().filter_map(|flow| flow["id"].as_str()).collect();
    assert_eq!(threads, flowing);
    assert_eq!(flows.len(), threads.len());
    let mut orders = BTreeSet::new();
    for flow in flows {
        let mut last = 0;
        for location in member(flow, "/locations").as_array().expect("locations") {
            let order = location["executionOrder"].as_u64().expect("an order");
            assert!(last < order && orders.insert(order));
            last = order;
            let step = &steps[order as usize - 1];
            assert_eq!(step["thread"], flow["id"]);
            if !step["location"]["line"].is_null() {
                let place = member(location, "/location/physicalLocation");
                assert_eq!(member(place, "/region/startLine"), &step["location"]["line"]);
                let uri = member(place, "/artifactLocation/uri").as_str().expect("text");
                let file = step["location"]["file"].as_str().expect("text");
                assert!(uri.ends_with(file.rsplit('/').next().expect("a name")), "{uri}");
            }
        }
    }
    assert_eq!(orders.len(), steps.len());
}

/// Validates with the official schema where `SAMOVAR_SARIF_SCHEMA` names it and Python's jsonschema
/// is installed; the schema is not ours to distribute.
fn official_schema(log: &Value) {
    let Some(schema) = std::env::var_os("SAMOVAR_SARIF_SCHEMA") else { return };
    let scratch = Scratch::new("official");
    let file = scratch.join("log.sarif");
    std::fs::write(&file, log.to_string()).expect("the log is written");
    let script = "import json, sys, jsonschema\n\
                  schema, log = (json.load(open(name)) for name in sys.argv[1:])\n\
                  jsonschema.validate(log, schema)\n";
    let output = std::process::Command::new("python3")
        .args(["-c", script])
        .args([schema.as_os_str(), file.as_os_str()])
        .output()
        .expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn junit_counts_what_is_not_verified() {
    for (options, program, args) in CASES {
        let scratch = Scratch::new("junit");
        let file = scratch.join("junit.xml").display().to_string();
        let outcome = check(&scratch, &[&["--junit", &file], *options].concat(), program, args);
        let text = std::fs::read_to_string(&file).expect("a report");
        let document =
            roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let suites = document.root_element();
        assert_eq!(suites.tag_name().name(), "testsuites");
        let suite = suites.first_element_child().expect("a suite");
        assert_eq!(suite.tag_name().name(), "testsuite");
        let case = suite.first_element_child().expect("a case");
        assert_eq!(case.tag_name().name(), "testcase");
        assert!(case.attribute("name").is_some_and(|name| name.starts_with(program)));
        assert!(case.attribute("classname").is_some());
        for element in [suites, suite] {
            assert_eq!(element.attribute("tests"), Some("1"));
            let time: f64 = element.attribute("time").expect("a time").parse().expect("a number");
            assert!(0.0 <= time);
        }
        let (failures, errors, element) = match outcome.status.code() {
            Some(0) => ("0", "0", None),
            Some(1) => ("1", "0", Some("failure")),
            _ => ("0", "1", Some("error")),
        };
        assert_eq!(suite.attribute("failures"), Some(failures), "{text}");
        assert_eq!(suite.attribute("errors"), Some(errors), "{text}");
        let trouble = case.first_element_child();
        assert_eq!(trouble.map(|it| it.tag_name().name()), element, "{text}");
        if let Some(trouble) = trouble {
            assert!(trouble.attribute("message").is_some_and(|message| !message.is_empty()));
            assert!(trouble.attribute("type").is_some());
        }
    }
}

#[test]
fn witnesses_are_paths_to_the_violation() {
    let scratch = Scratch::new("witness");
    let file = scratch.join("witness.graphml").display().to_string();
    let options = ["--witness", &file, "--check", "assertion", "--cflags", "-DRACY"];
    let json = report(&scratch, &options, "tally.c", &[]);
    let steps = json["trail"].as_array().expect("a trail");
    let text = std::fs::read_to_string(&file).expect("a witness");
    let document = roxmltree::Document::parse(&text).expect("XML");
    let data = |node: roxmltree::Node<'_, '_>, key: &str| {
        let found = node.children().find(|child| child.attribute("key") == Some(key));
        found.and_then(|child| child.text().map(str::to_string))
    };
    let keys: BTreeSet<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("key") || node.tag_name().name() == "key")
        .filter_map(|node| node.attribute("id"))
        .collect();
    let used = document.descendants().filter(|node| node.tag_name().name() == "data");
    assert!(used.filter_map(|node| node.attribute("key")).all(|key| keys.contains(key)));
    let graph =
        document.descendants().find(|node| node.tag_name().name() == "graph").expect("a graph");
    assert_eq!(data(graph, "witness-type").as_deref(), Some("violation_witness"));
    assert!(data(graph, "specification").is_some_and(|text| text.contains("reach_error")));
    assert_eq!(data(graph, "programhash").map(|hash| hash.len()), Some(64));
    let edges: Vec<_> = graph.children().filter(|node| node.tag_name().name() == "edge").collect();
    assert_eq!(edges.len(), steps.len());
    let mut at = "N0".to_string();
    for (edge, step) in edges.iter().zip(steps) {
        assert_eq!(edge.attribute("source"), Some(at.as_str()));
        at = edge.attribute("target").expect("a target").to_string();
        let line = step["location"]["line"].as_u64().map(|line| line.to_string());
        assert_eq!(data(*edge, "startline"), line);
        let thread = step["thread"].as_str().expect("a thread");
        let number = if thread == "main" { "0" } else { &thread[1..] };
        assert_eq!(data(*edge, "threadId").as_deref(), Some(number));
    }
    let last =
        graph.children().find(|node| node.attribute("id") == Some(&at)).expect("the last node");
    assert_eq!(data(last, "violation").as_deref(), Some("true"));
    assert!(edges.iter().any(|edge| data(*edge, "createThread").is_some()));
}
