//! `samovar check` and `samovar replay` as scripts see them: exit statuses, the JSON object, the
//! trail file, and what they say about programs that are wrong in every way there is.

use samovar_tests::binary::samovar;
use samovar_tests::build::programs;
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;
use serde_json::{Value, json};
use std::path::Path;

/// Runs samovar in a directory of its own.
fn run(scratch: &Scratch, words: &[&str]) -> Outcome {
    Job::new(samovar(), words).directory(scratch.path()).run()
}

/// Checks a program of ours, with options before it and arguments behind it.
fn check(scratch: &Scratch, options: &[&str], program: &str, args: &[&str]) -> Outcome {
    let program = programs().join("check").join(program).display().to_string();
    let words = [&["check"], options, &[program.as_str()], args].concat();
    run(scratch, &words)
}

/// The same with a JSON report; it has to be one object that agrees with the exit status.
fn report(scratch: &Scratch, options: &[&str], program: &str, args: &[&str]) -> Value {
    let options = [&["--format", "json"], options].concat();
    let outcome = check(scratch, &options, program, args);
    let text = outcome.stdout_text();
    let value: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error} in {text:?}, {}", outcome.stderr_text()));
    let status = match value["verdict"].as_str().expect("a verdict") {
        "verified" => 0,
        "error" if value["error"]["kind"] == "unsupported" => 2,
        "error" => 1,
        "incomplete" => 3,
        other => panic!("the verdict is {other:?}"),
    };
    assert_eq!(outcome.status.code(), Some(status), "{text}");
    for key in ["tool", "program", "args", "semantics", "stats"] {
        assert!(!value[key].is_null(), "{key} is missing in {text}");
    }
    value
}

fn assert_sentence(outcome: &Outcome, words: &[&str]) {
    let said = outcome.stderr_text();
    assert_eq!(outcome.ending(), "exit status 2", "{said}");
    assert!(said.starts_with("samovar: "), "{said:?}");
    assert!(!said.contains("panicked"), "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not said: {said}");
    }
}

#[test]
fn a_correct_program_is_verified() {
    let scratch = Scratch::new("verified");
    let report = report(&scratch, &[], "tally.c", &[]);
    assert_eq!(report["verdict"], "verified");
    assert!(
        report["error"].is_null() && report["trail"].is_null() && report["incomplete"].is_null()
    );
    assert!(1 < report["stats"]["states"].as_u64().expect("states"));
    assert_eq!(report["semantics"]["memory_model"], "sequential consistency");
    assert_eq!(report["semantics"]["store"], "exact");
    let left_behind = std::fs::read_dir(scratch.path()).expect("the directory").count();
    assert_eq!(left_behind, 0, "a verified program has no trail");
}

#[test]
fn all_ends_of_executions_are_listed() {
    let scratch = Scratch::new("ends");
    let exit = |output: &str| json!({ "end": "exit 0", "output": output });
    for reduce in ["auto", "none"] {
        // The program's races are not what this is about.
        let options = ["--outcomes", "--check", "deadlock,assertion", "--reduce", reduce];
        let all = report(&scratch, &options, "ends.c", &[]);
        assert_eq!(all["verdict"], "verified", "{all:#}");
        assert_eq!(all["outcomes"], json!([exit("1\n"), exit("2\n")]));
        let options = ["--outcomes", "--check", "deadlock", "--cflags", "-DASSERTED"];
        let all = report(&scratch, &[&options[..], &["--reduce", reduce]].concat(), "ends.c", &[]);
        assert_eq!(all["verdict"], "verified", "assertions do not count");
        let failure = json!({ "end": "assertion failed: count == 2", "output": "" });
        assert_eq!(all["outcomes"], json!([failure, exit("2\n")]));
    }
    let alone = report(&scratch, &[], "ends.c", &[]);
    assert!(alone["outcomes"].is_null(), "they were not asked for");
    let options = ["--outcomes", "--check", "assertion"];
    let text = check(&scratch, &options, "ends.c", &[]).stdout_text();
    assert!(text.contains("ends of executions:\n  exit 0: \"1\\n\"\n"), "{text}");
}

#[test]
fn a_lost_update_is_found_and_told() {
    let scratch = Scratch::new("lost");
    let race = report(&scratch, &["--cflags", "-DRACY"], "tally.c", &[]);
    assert_eq!(race["error"]["kind"], "race", "{race:#}");
    let options = ["--check", "assertion", "--cflags", "-DRACY"];
    let report = report(&scratch, &options, "tally.c", &[]);
    let error = &report["error"];
    assert_eq!(error["kind"], "assertion");
    assert_eq!(error["message"], "assertion `count == 2` fails");
    assert_eq!(error["thread"], "main");
    let file = error["location"]["file"].as_str().expect("a file");
    assert!(file.ends_with("tally.c"), "{file}");
    assert_eq!(error["location"]["function"], "main");
    let steps = report["trail"].as_array().expect("a trail");
    let change = |step: &Value| {
        let change = step["changes"].get(0)?;
        (change["name"] == "count").then(|| {
            (change["old"].to_string(), change["new"].to_string(), step["thread"].to_string())
        })
    };
    let changes: Vec<_> = steps.iter().filter_map(change).collect();
    // The second write puts back what the first one wrote: one change of the variable, from 0 to 1.
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!((changes[0].0.as_str(), changes[0].1.as_str()), ("\"0\"", "\"1\""));
    let reads = steps.iter().filter(|step| step["operation"] == "reads count, 0").count();
    assert_eq!(reads, 2, "both threads read the old value: {steps:#?}");
    let sources = steps.iter().filter(|step| step["source"] == "count = count + 1;").count();
    assert!(3 <= sources, "{steps:#?}");
}

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let scratch = Scratch::new("deadlock");
    let outcome = check(&scratch, &[], "crossed.c", &[]);
    let text = outcome.stdout_text();
    assert_eq!(outcome.ending(), "exit status 1", "{text}");
    for line in [
        "error: deadlock: 2 threads wait for one another in a circle",
        "T1 holds left and waits for right (crossed.c:9)",
        "T2 holds right and waits for\n  left (crossed.c:17)",
        "the circle: T1 -> T2 -> T1",
        "locks left",
        "locks right",
        "saved as crossed.trail.json",
    ] {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(scratch.join("crossed.trail.json").is_file());
}

#[test]
fn trails_are_replayed() {
    let scratch = Scratch::new("replay");
    let first = check(&scratch, &["--trail", "saved.json"], "crossed.c", &[]);
    assert_eq!(first.ending(), "exit status 1", "{}", first.stderr_text());
    let again = run(&scratch, &["replay", "saved.json"]);
    assert_eq!(again.ending(), "exit status 1", "{}", again.stderr_text());
    let text = again.stdout_text();
    assert!(text.contains("the circle: T1 -> T2 -> T1"), "{text}");
    let steps = |text: &str| {
        let number = |line: &str| line.split_whitespace().next()?.parse::<u32>().ok();
        let is_step = |line: &&str| line.starts_with("     ") && number(line).is_some();
        let text = text.split("how it comes to that").nth(1).expect("steps");
        text.lines().filter(is_step).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(steps(&first.stdout_text()), steps(&text));

    // From elsewhere, the same.
    let elsewhere = Scratch::new("elsewhere");
    let path = scratch.join("saved.json").display().to_string();
    let outcome = run(&elsewhere, &["replay", "--format", "json", &path]);
    let report: Value = serde_json::from_str(&outcome.stdout_text()).expect("JSON");
    assert_eq!(report["error"]["kind"], "deadlock");
    assert_eq!(report["trail"].as_array().map(Vec::len), Some(steps(&text).len()));
}

#[test]
fn a_trail_fits_its_program_only() {
    let scratch = Scratch::new("unfit");
    let source = scratch.join("program.c");
    std::fs::copy(programs().join("check/crossed.c"), &source).expect("a copy");
    assert_eq!(run(&scratch, &["check", "program.c"]).status.code(), Some(1));
    let mut text = std::fs::read_to_string(&source).expect("the source");
    text.push_str("int another;\n");
    std::fs::write(&source, text).expect("a changed source");
    assert_sentence(
        &run(&scratch, &["replay", "program.trail.json"]),
        &["not the file", "program"],
    );
    assert_sentence(&run(&scratch, &["replay", "program.c"]), &["not a trail"]);
    assert_sentence(&run(&scratch, &["replay", "absent"]), &["absent: cannot be read"]);
    assert_sentence(&run(&scratch, &["replay", "."]), &["not a trail"]);
}

#[test]
fn a_trail_that_cannot_be_written_is_one_sentence() {
    let scratch = Scratch::new("unwritable");
    let outcome = check(&scratch, &["--trail", "no/such/directory.json"], "crossed.c", &[]);
    assert_sentence(&outcome, &["no/such/directory.json: cannot be written", "name another file"]);
    assert_eq!(std::fs::read_dir(scratch.path()).expect("the directory").count(), 0);
}

/// Every misdeed: kind, detail, and words of the message, in which OWNER is the thread.
const MISDEEDS: &[(&str, &str, &str, &str)] = &[
    ("null", "memory", "null", "writes 4 bytes at a null pointer"),
    ("member", "memory", "null", "offset 20"),
    ("wild", "memory", "wild", "0x123456789"),
    ("behind", "memory", "out-of-bounds", "just behind OWNER's 10-byte block from misdeeds.c:21"),
    ("before", "memory", "out-of-bounds", "just before OWNER's 10-byte block from misdeeds.c:21"),
    ("freed", "memory", "use-after-free", "offset 3 of OWNER's 10-byte block from misdeeds.c:21"),
    ("twice", "memory", "double-free", "freed before"),
    ("inside", "memory", "invalid-free", "byte 1 of"),
    ("constant", "memory", "read-only", "constant"),
    ("stack", "memory", "stack-overflow", "runs over"),
    ("jump", "memory", "wild", "no code"),
    ("divide", "arithmetic", "", "division"),
    ("trap", "illegal-instruction", "", "illegal instruction"),
    ("abort", "assertion", "", "giving up"),
    ("assert", "assertion", "", "zero == 1"),
    ("lock", "lock", "relock", "waits for itself"),
    ("loop", "livelock", "", "without end"),
];

#[test]
fn every_misdeed_has_its_kind() {
    let scratch = Scratch::new("misdeeds");
    let program = compiled(&scratch, "misdeeds.c");
    for &(deed, kind, detail, words) in MISDEEDS {
        for threads in [&[deed][..], &[deed, "thread"]] {
            let options = ["check", "--format", "json", program.as_str()];
            let outcome = run(&scratch, &[&options, threads].concat());
            let report: Value = serde_json::from_str(&outcome.stdout_text())
                .unwrap_or_else(|_| panic!("{threads:?}: {}", outcome.stderr_text()));
            let error = &report["error"];
            assert_eq!(outcome.status.code(), Some(1), "{threads:?}: {report:#}");
            assert_eq!(error["kind"], kind, "{threads:?}: {report:#}");
            assert_eq!(error["detail"].as_str().unwrap_or(""), detail, "{threads:?}: {error:#}");
            let message = error["message"].as_str().expect("a message");
            let thread = if threads.len() == 2 { "T1" } else { "main" };
            let words = words.replace("OWNER", thread);
            assert!(message.contains(&words), "{threads:?}: {message}");
            assert_eq!(error["thread"], thread, "{threads:?}");
            let function = error["location"]["function"].as_str().unwrap_or_default();
            assert!(["act", "deep"].contains(&function), "{threads:?}: {error:#}");
        }
    }
}

#[test]
fn what_is_not_supported_is_named() {
    let scratch = Scratch::new("unsupported");
    let program = compiled(&scratch, "misdeeds.c");
    for (deed, word) in [("fork", "fork"), ("socket", "socket")] {
        for words in [vec![deed], vec![deed, "thread"]] {
            let outcome = run(&scratch, &[&["check", program.as_str()], &words[..]].concat());
            assert_sentence(&outcome, &["unsupported", word]);
            assert_eq!(outcome.stderr_text().lines().count(), 1);
        }
    }
}

#[test]
fn an_exit_status_counts_where_it_is_asked_for() {
    let scratch = Scratch::new("exit");
    let program = compiled(&scratch, "misdeeds.c");
    for args in [vec!["exit"], vec!["exit", "thread"]] {
        let words = [&["check", program.as_str()], &args[..]].concat();
        let outcome = run(&scratch, &words);
        assert_eq!(outcome.status.code(), Some(0), "{args:?}: {}", outcome.stdout_text());
        let words = [&["check", "--check", "deadlock,exit", program.as_str()], &args[..]].concat();
        let outcome = run(&scratch, &words);
        assert_eq!(outcome.status.code(), Some(1), "{args:?}: {}", outcome.stdout_text());
        assert!(outcome.stdout_text().contains("exit status 3"), "{}", outcome.stdout_text());
    }
}

#[test]
fn input_is_given_and_kept() {
    let scratch = Scratch::new("input");
    let program = compiled(&scratch, "misdeeds.c");
    let job = |words: &[&str]| Job::new(samovar(), words).directory(scratch.path());
    let words = ["check", program.as_str(), "input", "thread"];
    let outcome = job(&words).stdin("x\n").run();
    assert_eq!(outcome.status.code(), Some(0), "{}", outcome.stdout_text());
    let outcome = job(&words).stdin("y\n").run();
    assert_eq!(outcome.status.code(), Some(1), "{}", outcome.stdout_text());
    // The replay has no input of its own and needs the one that was kept.
    let again = job(&["replay", "misdeeds.trail.json"]).stdin("x\n").run();
    assert_eq!(again.status.code(), Some(1), "{}", again.stderr_text());
}

#[test]
fn exceptions_that_nobody_catches() {
    let scratch = Scratch::new("exception");
    let report = report(&scratch, &[], "thrown.cpp", &[]);
    assert_eq!(report["error"]["kind"], "assertion", "{report:#}");
    assert_eq!(report["error"]["message"], "nobody catches std::runtime_error: out of tea");
    let outcome = check(&scratch, &[], "thrown.cpp", &["caught"]);
    assert_eq!(outcome.status.code(), Some(0), "{}", outcome.stdout_text());
}

#[test]
fn usage_errors_are_told() {
    let scratch = Scratch::new("usage");
    for words in [
        &["check"][..],
        &["check", "--search", "astar", "x"],
        &["check", "--check", "nonsense", "x"],
        &["check", "--jobs", "2", "--search", "best-first", "x"],
        &["check", "--jobs", "0", "x"],
        &["check", "--resume", "x"],
        &["check", "absent"],
        &["replay"],
    ] {
        let outcome = run(&scratch, words);
        assert_eq!(outcome.status.code(), Some(2), "{words:?}");
        assert!(outcome.stderr_text().starts_with("samovar: "), "{}", outcome.stderr_text());
    }
    let help = run(&scratch, &["check", "--help"]).stdout_text();
    for option in ["--search", "--reduce", "--model", "--check", "--format", "--jobs", "--spill"] {
        assert!(help.contains(option), "{option} is missing in\n{help}");
    }
}

#[test]
fn waiting_busily_is_no_endless_loop() {
    let scratch = Scratch::new("spin");
    for flags in ["", "-DYIELD", "-DLOCAL", "-O0", "-O2"] {
        let outcome = check(&scratch, &["--cflags", flags], "spin.c", &[]);
        let text = outcome.stdout_text();
        assert_eq!(outcome.status.code(), Some(0), "{flags:?}: {text}{}", outcome.stderr_text());
    }
}

#[test]
fn every_combination_of_choices_is_tried() {
    let scratch = Scratch::new("choices");
    let found = report(&scratch, &[], "choices.c", &[]);
    assert_eq!(found["error"]["kind"], "assertion", "{found:#}");
    let steps = found["trail"].as_array().expect("a trail");
    let operations: Vec<&str> =
        steps.iter().filter_map(|step| step["operation"].as_str()).collect();
    for words in ["chooses 3 of 4", "chooses 1 of 3", "takes 0 as a value of int"] {
        let is_told = operations.iter().any(|operation| operation.contains(words));
        assert!(is_told, "{words:?} is missing in {operations:#?}");
    }
    let again = run(&scratch, &["replay", "choices.trail.json"]);
    assert_eq!(again.status.code(), Some(1), "{}", again.stderr_text());
    let without = report(&scratch, &["--choices", "int=1..3"], "choices.c", &[]);
    assert_eq!(without["verdict"], "verified", "{without:#}");
    assert_eq!(without["semantics"]["choices"]["values"][0], "int=1..3");
    // Without a domain only some values are tried, and nothing is proved about the rest.
    let partly = report(&scratch, &["--cflags", "-DHARMLESS"], "choices.c", &[]);
    assert_eq!(partly["verdict"], "incomplete", "{partly:#}");
}

#[test]
fn limits_end_a_search_and_bounds_cut_it() {
    let scratch = Scratch::new("limits");
    let depth = report(&scratch, &["--depth", "4"], "tally.c", &[]);
    assert_eq!(depth["verdict"], "incomplete");
    let reason = depth["incomplete"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("4 steps"), "{reason}");
    assert!(depth["incomplete"]["covered"]["states"].as_u64() > Some(0), "{depth:#}");
    // Deep enough for everything.
    let deep = report(&scratch, &["--depth", "1000"], "tally.c", &[]);
    assert_eq!(deep["verdict"], "verified");
    // Whoever counts preemptions tells how deep it went, too.
    let few = report(&scratch, &["--preemptions", "0.."], "tally.c", &[]);
    assert!(Some(4) < few["stats"]["depth"].as_u64(), "{few:#}");
    // An error within the bound is an error.
    let crossed = report(&scratch, &["--depth", "30"], "crossed.c", &[]);
    assert_eq!(crossed["verdict"], "error");
    for limit in [["--time", "0.000001"], ["--memory", "1M"]] {
        let report =
            report(&scratch, &[&limit[..], &["--reduce", "none"]].concat(), "tally.c", &[]);
        assert_eq!(report["verdict"], "incomplete", "{limit:?}");
        let reason = report["incomplete"]["reason"].as_str().expect("a reason");
        assert!(reason.contains("limit"), "{reason}");
    }
}

/// Options that make no sense: one sentence, and no verdict.
#[test]
fn limits_of_nothing_are_refused() {
    let scratch = Scratch::new("nothing");
    std::fs::write(scratch.join("file"), "text").expect("a scratch file");
    let program = programs().join("check/tally.c").display().to_string();
    let cases = [
        ["--time", "0", "no time to do anything in"],
        ["--memory", "0", "no room to do anything in"],
        ["--spill", "file", "file: a file, not a directory"],
    ];
    for [option, value, words] in cases {
        let outcome = run(&scratch, &["check", option, value, &program]);
        assert_eq!(outcome.status.code(), Some(2), "{option}: {}", outcome.stdout_text());
        assert!(outcome.stderr_text().contains(words), "{option}: {}", outcome.stderr_text());
    }
}

#[test]
fn programs_without_debug_information() {
    let scratch = Scratch::new("stripped");
    let source = programs().join("check/crossed.c").display().to_string();
    let gcc = samovar_tests::tool::need("gcc").expect("gcc is essential");
    let mut command = std::process::Command::new(gcc);
    command.args(["-O2", "-s", "-pthread", &source, "-o"]).arg(scratch.join("stripped"));
    samovar_tests::build::execute(&mut command);
    let outcome = run(&scratch, &["check", "./stripped"]);
    assert_eq!(outcome.status.code(), Some(1), "{}", outcome.stderr_text());
    assert!(outcome.stdout_text().contains("the circle: T1 -> T2 -> T1"));
}

/// Builds a program once, to check it many times; its trails go to the scratch directory.
fn compiled(scratch: &Scratch, name: &str) -> String {
    let source = programs().join("check").join(name).display().to_string();
    let program =
        scratch.join(Path::new(name).file_stem().expect("a name").to_str().expect("text"));
    let gcc = samovar_tests::tool::need("gcc").expect("gcc is essential");
    let mut command = std::process::Command::new(gcc);
    command.args(["-g", "-O1", "-w", "-pthread", &source, "-o"]).arg(&program);
    samovar_tests::build::execute(&mut command);
    program.display().to_string()
}

#[test]
fn boundary_values_alone_verify_nothing() {
    let scratch = Scratch::new("open-value");
    let value = report(&scratch, &[], "open_value.c", &[]);
    assert_eq!(value["verdict"], "incomplete");
    let reason = value["incomplete"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("boundary values"), "{reason}");
}

/// A property can tell apart orders that no thread can.
#[test]
fn properties_are_looked_at_in_all_orders() {
    let scratch = Scratch::new("properties");
    for search in ["dfs", "bfs", "best-first"] {
        for (formula, verdict) in [
            ("first >= second", "error"),
            ("second >= first", "error"),
            ("first + second <= 2", "verified"),
        ] {
            let options = ["--search", search, "--invariant", formula];
            let report = report(&scratch, &options, "apart.c", &[]);
            assert_eq!(report["verdict"], verdict, "{search}, {formula}: {report:#}");
            if verdict == "error" {
                assert_eq!(report["error"]["kind"], "invariant");
            }
        }
        let options = ["--search", search, "--goal", "second == 1 && first == 0"];
        let report = report(&scratch, &options, "apart.c", &[]);
        assert_eq!(report["verdict"], "error", "{search}: {report:#}");
    }
}

/// What threads do for ever is judged, and spinning or serving for ever is no error.
#[test]
fn runs_without_end_are_judged() {
    let scratch = Scratch::new("circles");
    for search in ["dfs", "bfs"] {
        for reduce in ["auto", "contended"] {
            let options = ["--search", search, "--reduce", reduce];
            let kind = |word: &str| {
                let report = report(&scratch, &options, "circles.c", &[word]);
                let kind = report["error"]["kind"].as_str().unwrap_or("none").to_string();
                assert_eq!(kind == "none", report["verdict"] == "verified", "{report:#}");
                kind
            };
            assert_eq!(kind("livelock"), "livelock", "{options:?}");
            assert_eq!(kind("stuck"), "partial-deadlock", "{options:?}");
            assert_eq!(kind("spin"), "none", "{options:?}");
            assert_eq!(kind("servers"), "none", "{options:?}");
        }
    }
}

#[test]
fn any_number_of_threads_is_judged() {
    let scratch = Scratch::new("many");
    for count in ["60", "70"] {
        assert_eq!(report(&scratch, &[], "many.c", &[count])["verdict"], "verified");
        let stuck = report(&scratch, &[], "many.c", &[count, "stuck"]);
        assert_eq!(stuck["error"]["kind"], "partial-deadlock", "{stuck:#}");
        let message = stuck["error"]["message"].as_str().expect("a message");
        assert!(message.contains(&format!("T{count} can never go on")), "{message}");
    }
}

#[test]
fn moves_of_any_thread_are_left_out() {
    let scratch = Scratch::new("pruned");
    let explored = |search: &str, reduce: &str, act: &str| {
        let options = ["--search", search, "--reduce", reduce];
        let report = report(&scratch, &options, "many.c", &["70", act]);
        let states = report["stats"]["states"].as_u64().expect("a number");
        let ends = report["stats"]["terminal"].as_u64().expect("a number");
        (states, ends, report["verdict"].clone(), report["error"]["message"].clone())
    };
    for search in ["dfs", "bfs", "best-first"] {
        let [pruned, all] = ["auto", "contended"].map(|reduce| explored(search, reduce, "share"));
        assert_eq!(pruned.2, "verified", "{search}");
        assert_eq!((pruned.1, &pruned.2), (all.1, &all.2), "{search}");
        assert!(pruned.0 < all.0, "{search}: {} of {}", pruned.0, all.0);
        let [pruned, all] = ["auto", "contended"].map(|reduce| explored(search, reduce, "stuck"));
        assert_eq!((pruned.2, pruned.3), (all.2, all.3), "{search}");
    }
}
