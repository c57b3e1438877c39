//! The page for the browser, in a real one: a script at its end plays the user and writes down what
//! it sees, which has to agree with the JSON report.

use super::{check, report};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use samovar_tests::tool;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// What a test's script can use to look at the page.
const EYES: &str = r##"
const texts = selector => [...document.querySelectorAll(selector)].map(found => found.textContent);
const look = () => ({
  now: Number(document.body.dataset.now),
  slider: Number(document.getElementById("slider").value),
  deed: texts("#step .deed").join(""),
  row: [...document.querySelectorAll(".row.now")].map(row => Number(row.dataset.step)),
  line: [...document.querySelectorAll(".code.now")].map(line => Number(line.dataset.line)),
  memory: [...document.querySelectorAll("#memory tr.changed")].map(row => row.textContent),
  locks: [...document.querySelectorAll("#locks tr[data-lock]")].map(row =>
    [...row.children].map(cell => cell.textContent)),
  edges: [...document.querySelectorAll("#waits .edge[data-from]")].map(edge =>
    [edge.dataset.from, edge.dataset.to]),
  rows: document.querySelectorAll(".row").length,
});
const press = key => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
const click = go => document.querySelector(`[data-go="${go}"]`).click();
const slide = step => {
  const slider = document.getElementById("slider");
  slider.value = step;
  slider.dispatchEvent(new Event("input"));
};
"##;

/// Opens a page and runs a script in it, whose `seen` comes back.
fn open(scratch: &Scratch, page: &Path, script: &str) -> Option<Value> {
    let chromium = tool::need("chromium")?;
    let text = std::fs::read_to_string(page).expect("the page");
    assert!(!text.contains("http://") || text.contains("http://www.w3.org/2000/svg"));
    let probe = format!(
        "<script>\"use strict\";(() => {{ const seen = {{}}; let trouble = null;\n{EYES}\n\
         try {{ {script} }} catch (error) {{ trouble = String(error); }}\n\
         const note = document.createElement(\"pre\"); note.id = \"seen\";\n\
         const words = encodeURIComponent(JSON.stringify({{ seen, trouble }}));\n\
         note.textContent = \"SEEN\" + words + \"END\";\n\
         document.body.append(note); }})();</script></body>"
    );
    let probed = scratch.join("probed.html");
    std::fs::write(&probed, text.replace("</body>", &probe)).expect("the page is written");
    let home = scratch.path().display().to_string();
    let profile = format!("--user-data-dir={home}/profile");
    let address = format!("file://{}", probed.display());
    let words = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1400,900",
        "--virtual-time-budget=2000",
        &profile,
        "--dump-dom",
        &address,
    ];
    let mut job = Job::new(&chromium, &words).directory(scratch.path());
    job.env.push(("HOME".into(), home));
    let outcome = job.run();
    let document = outcome.stdout_text();
    let mark = "id=\"seen\">SEEN";
    let start = document.find(mark).map(|at| at + mark.len());
    let start = start.unwrap_or_else(|| panic!("nothing was seen: {}", outcome.stderr_text()));
    let end = document[start..].find("END").expect("an end") + start;
    let found: Value = serde_json::from_str(&decoded(&document[start..end])).expect("JSON");
    assert_eq!(found["trouble"], Value::Null, "the script failed");
    Some(found["seen"].clone())
}

/// Without percent signs.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(&after[..2]).expect("digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("digits"));
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).expect("text")
}

fn steps(report: &Value) -> &Vec<Value> {
    report["trail"].as_array().expect("a trail")
}

type Arrow = (String, u64, u64);

/// The arrows that the steps of a report call for, found in a way of its own.
fn arrows(report: &Value) -> BTreeSet<Arrow> {
    let steps = steps(report);
    let mut found = BTreeSet::new();
    for (index, step) in steps.iter().enumerate() {
        let number = index as u64 + 1;
        let event = &step["event"];
        if event["kind"] == "create" {
            let first = steps.iter().find(|other| other["thread"] == event["thread"]);
            let first = first.and_then(|first| first["step"].as_u64());
            found.extend(first.map(|to| ("create".to_string(), number, to)));
        }
        if event["kind"] == "join" && event["waits"] != true {
            let before = steps[..index].iter().rev();
            let last = before.into_iter().find(|other| other["thread"] == event["thread"]);
            found.extend(
                last.map(|last| ("join".to_string(), last["step"].as_u64().unwrap(), number)),
            );
        }
        for lock in step["locks"].as_array().into_iter().flatten() {
            if lock["holder"].is_null() {
                continue;
            }
            // The last step before in which somebody gave this lock back.
            let given = steps[..index].iter().rev().find_map(|other| {
                let locks = other["locks"].as_array()?;
                let same = locks.iter().find(|it| it["address"] == lock["address"])?;
                Some((same["holder"].is_null(), other))
            });
            if let Some((true, other)) = given
                && other["thread"] != lock["holder"]
            {
                found.insert(("lock".to_string(), other["step"].as_u64().unwrap(), number));
            }
        }
    }
    found
}

/// Goes through all steps in every way there is.
const MOVE: &str = r##"
seen.lanes = [...document.querySelectorAll("#lanes .lane")].map(lane => lane.dataset.thread);
seen.rows = [...document.querySelectorAll(".row[data-step]")].map(row =>
  [Number(row.dataset.step), row.dataset.thread]);
seen.arrows = [...document.querySelectorAll(".arrow")].map(arrow =>
  [arrow.dataset.kind, Number(arrow.dataset.from), Number(arrow.dataset.to)]);
seen.badge = texts("#badge")[0];
seen.last = look();
press("Home"); seen.start = look();
seen.each = [];
for (let step = 1; step <= count; step++) { press("ArrowRight"); seen.each.push(look()); }
press("ArrowRight"); seen.beyond = look();
press("ArrowLeft"); seen.back = look();
slide(2); seen.slid = look();
click("forth"); seen.clicked = look();
press("n"); seen.along = look();
press("End"); seen.end = look();
document.querySelector(".row[data-step='1']").click(); seen.row = look();
press("t"); seen.dark = getComputedStyle(document.body).backgroundColor;
press("t"); seen.light = getComputedStyle(document.body).backgroundColor;
seen.numbers = texts("#numbers b");
"##;

#[test]
fn the_page_shows_what_the_report_says() {
    for (options, program) in
        [(&["--cflags", "-DRACY"][..], "tally.c"), (&[], "crossed.c"), (&[], "handed.c")]
    {
        let scratch = Scratch::new("page");
        let page = scratch.join("page.html");
        let words = [&["--html", page.to_str().expect("text")], options].concat();
        let report = report(&scratch, &words, program, &[]);
        let Some(seen) = open(&scratch, &page, MOVE) else { return };
        let steps = steps(&report);
        let count = steps.len() as u64;

        let threads: BTreeSet<&str> =
            steps.iter().filter_map(|step| step["thread"].as_str()).collect();
        let lanes: BTreeSet<&str> =
            seen["lanes"].as_array().expect("lanes").iter().filter_map(Value::as_str).collect();
        assert_eq!(lanes, threads);
        let rows: Vec<Value> =
            steps.iter().map(|step| json!([step["step"], step["thread"]])).collect();
        assert_eq!(seen["rows"], json!(rows));
        let drawn: BTreeSet<Arrow> =
            serde_json::from_value(seen["arrows"].clone()).expect("arrows");
        let drawn: BTreeSet<Arrow> =
            drawn.into_iter().filter(|(kind, ..)| kind != "wake").collect();
        assert_eq!(drawn, arrows(&report), "{program}");
        assert!(drawn.iter().any(|(kind, ..)| kind == "create"), "{program}");
        assert_eq!(drawn.iter().any(|(kind, ..)| kind == "lock"), program == "handed.c");
        assert_eq!(seen["badge"], report["error"]["kind"]);

        assert_eq!(seen["last"]["now"], count, "it opens at the error");
        assert_eq!(seen["start"]["now"], 0);
        for (step, at) in steps.iter().zip(seen["each"].as_array().expect("looks")) {
            check_step(step, at);
        }
        assert_eq!(seen["beyond"]["now"], count);
        assert_eq!(seen["back"]["now"], count - 1);
        assert_eq!(seen["slid"]["now"], 2);
        assert_eq!(seen["clicked"]["now"], 3);
        let thread = &steps[2]["thread"];
        let next = steps[3..].iter().find(|step| step["thread"] == *thread);
        assert_eq!(seen["along"]["now"], next.map_or(json!(3), |step| step["step"].clone()));
        assert_eq!(seen["end"]["now"], count);
        assert_eq!(seen["row"]["now"], 1);
        assert_ne!(seen["dark"], seen["light"]);
        let states = report["stats"]["states"].as_u64().expect("states");
        assert_eq!(seen["numbers"][0].as_str().expect("text").replace(',', ""), states.to_string());
        check_end(&report, &seen["last"]);
    }
}

fn check_step(step: &Value, at: &Value) {
    let number = step["step"].as_u64().expect("a number");
    assert_eq!(at["now"], number);
    assert_eq!(at["slider"], number);
    assert_eq!(at["row"], json!([number]));
    let deed = at["deed"].as_str().expect("text");
    assert!(deed.starts_with(step["operation"].as_str().expect("text")), "{deed}");
    let changes = step["changes"].as_array().expect("changes").len();
    assert_eq!(at["memory"].as_array().expect("memory").len(), changes, "{step:#}");
    if step["source"].is_string() {
        assert_eq!(at["line"], json!([step["location"]["line"]]));
    }
}

/// In the end the page shows the locks and the circle of a deadlock.
fn check_end(report: &Value, last: &Value) {
    let waits = report["error"]["waits"].as_array().cloned().unwrap_or_default();
    let edges: BTreeSet<String> = waits
        .iter()
        .filter(|wait| wait["held_by"].is_string())
        .map(|wait| json!([wait["thread"], wait["held_by"]]))
        .map(|edge| edge.to_string())
        .collect();
    let drawn: BTreeSet<String> =
        last["edges"].as_array().expect("edges").iter().map(|edge| edge.to_string()).collect();
    assert_eq!(drawn, edges);
    for wait in waits.iter().filter(|wait| !wait["object"].as_str().unwrap().starts_with("the end"))
    {
        let row = json!([wait["object"], wait["held_by"], wait["thread"]]);
        assert!(last["locks"].as_array().expect("locks").contains(&row), "{row} is not in {last}");
    }
}

/// Two threads that take turns with a lock for very long.
const LONG: &str = "
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *unused) {
    for (int i = 0; i < 700; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(count != 1400);
}
";

#[test]
fn ten_thousand_steps_are_no_trouble() {
    let scratch = Scratch::new("long");
    let source = scratch.join("long.c");
    std::fs::write(&source, LONG).expect("the program is written");
    let page = scratch.join("page.html");
    let options = ["--reduce", "none", "--html", page.to_str().expect("text")];
    let report = report(&scratch, &options, source.to_str().expect("text"), &[]);
    let steps = steps(&report);
    assert!(10_000 < steps.len(), "{} steps", steps.len());
    let script =
        "seen.each = [1, 17, 5000, 9999, count].map(step => { slide(step); return look(); });
        press('PageUp'); seen.page = look();";
    let Some(seen) = open(&scratch, &page, script) else { return };
    for (number, at) in
        [1, 17, 5000, 9999, steps.len()].iter().zip(seen["each"].as_array().expect("looks"))
    {
        check_step(&steps[number - 1], at);
        let rows = at["rows"].as_u64().expect("rows");
        assert!((20..200).contains(&rows), "{rows} rows are in the document");
    }
    assert_eq!(seen["page"]["now"], steps.len() as u64 - 10);
}

#[test]
fn verdicts_without_steps_have_a_page() {
    for (options, verdict, words) in
        [(&[][..], "verified", "nothing is wrong"), (&["--depth", "4"], "incomplete", "4 steps")]
    {
        let scratch = Scratch::new("no-steps");
        let page = scratch.join("page.html");
        let options = [&["--html", page.to_str().expect("text")], options].concat();
        check(&scratch, &options, "tally.c", &[]);
        let script = "seen.badge = texts('#badge')[0]; seen.words = texts('#message')[0];
            seen.hidden = document.getElementById('trail').hidden; press('ArrowRight');";
        let Some(seen) = open(&scratch, &page, script) else { return };
        assert_eq!(seen["badge"], verdict);
        assert!(seen["words"].as_str().is_some_and(|text| text.contains(words)), "{seen}");
        assert_eq!(seen["hidden"], true);
    }
}

#[test]
fn names_of_the_guest_are_no_markup() {
    let scratch = Scratch::new("markup");
    let source = scratch.join("<script>alert(1)<&\"'.c");
    let text = "#include <assert.h>\nint main(void) { assert(!\"</script><b id='evil'>\"); }\n";
    std::fs::write(&source, text).expect("the program is written");
    let page = scratch.join("page.html");
    let options = ["--html", page.to_str().expect("text")];
    check(&scratch, &options, source.to_str().expect("text"), &[]);
    let script =
        "seen.evil = document.querySelectorAll('#evil').length; seen.words = texts('#message')[0];";
    let Some(seen) = open(&scratch, &page, script) else { return };
    assert_eq!(seen["evil"], 0);
    assert!(seen["words"].as_str().is_some_and(|text| text.contains("</script><b")), "{seen}");
}
