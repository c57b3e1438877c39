//! The same questions put to gdb: addresses, sizes and types of variables, lines of addresses,
//! backtraces and values of optimised locals.

use std::process::Command;

use samovar_vm::debug::{DebugModules, FrameState, Limits, Scope, Value};

use crate::data::normal;
use crate::harness::{Frozen, Program, Stopped};

/// gdb takes its time to start; these ways cover what differs.
const WAYS: [&str; 5] = [
    "gcc -O0 -gdwarf-5",
    "gcc -O2 -gdwarf-5",
    "gcc -O2 -gdwarf-4 -static -gz=zlib",
    "clang -O2 -gdwarf-5",
    "clang -O1 -gdwarf-4 -no-pie",
];

/// Runs gdb on a program; the answer of each command is one element. None if there is no gdb.
fn ask(program: &Program, is_running: bool, commands: &[String]) -> Option<Vec<String>> {
    const MARK: &str = "=====";
    let mut gdb = Command::new("gdb");
    gdb.args(["-batch", "-nx", "-q"]).env("DEBUGINFOD_URLS", "");
    for setting in
        ["pagination off", "width 0", "confirm off", "print repeats 0", "print elements 0"]
    {
        gdb.arg("-ex").arg(format!("set {setting}"));
    }
    if is_running {
        gdb.args(["-ex", "run"]);
    }
    for command in commands {
        // A command that fails must not end the batch.
        let quoted = command.replace('\\', "\\\\").replace('"', "\\\"");
        gdb.arg("-ex").arg(format!("echo {MARK}\\n"));
        gdb.arg("-ex").arg(format!(
            "python\ntry:\n  gdb.execute(\"{quoted}\")\n\
             except gdb.error as e:\n  print('error:', e)"
        ));
    }
    let output = match gdb.arg(&program.path).output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: gdb is not installed");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<String> =
        text.split(&format!("{MARK}\n")).skip(1).map(|part| part.trim().to_string()).collect();
    assert_eq!(answers.len(), commands.len(), "{text}");
    Some(answers)
}

/// What follows `$1 = `.
fn result(answer: &str) -> &str {
    answer.split_once(" = ").map_or(answer, |(_, value)| value)
}

const PATHS: [&str; 37] = [
    "counter",
    "hidden",
    "byte",
    "truth",
    "single",
    "wide",
    "big",
    "matrix",
    "matrix[1]",
    "matrix[1][2]",
    "points",
    "points[2].y",
    "head",
    "second",
    "first.at",
    "first.at.y",
    "bits",
    "mixed",
    "mixed.name",
    "mixed.u",
    "mixed.u.f",
    "mixed.inner_b",
    "mixed.colour",
    "mixed.callback",
    "mixed.tail",
    "colour",
    "flags",
    "text",
    "buffer",
    "zeros",
    "vol",
    "constant",
    "pointer2",
    "row",
    "secret",
    "acct.lock",
    "forks",
];

#[test]
fn addresses_sizes_and_types_agree() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "data.c") else { continue };
        let commands: Vec<String> = PATHS
            .iter()
            .flat_map(|path| {
                [
                    format!("print/d (long)&{path}"),
                    format!("print sizeof({path})"),
                    format!("whatis {path}"),
                ]
            })
            .collect();
        let Some(answers) = ask(&program, false, &commands) else { return };
        let mut modules = DebugModules::new();
        modules.add(program.debug_info());
        let mut complaints = String::new();
        for (path, answers) in PATHS.iter().zip(answers.chunks(3)) {
            let place = modules.find(path, Scope::global(&Frozen)).expect(path);
            let ours = [
                place.addr().expect("in memory").to_string(),
                modules.size_of(place.ty).unwrap_or(0).to_string(),
                normal(&modules.type_name(place.ty)),
            ];
            let theirs = [
                result(&answers[0]),
                result(&answers[1]),
                answers[2].trim_start_matches("type = "),
            ];
            if ours != theirs {
                complaints.push_str(&format!("{way}: {path}: {ours:?}, gdb {theirs:?}\n"));
            }
        }
        assert!(complaints.is_empty(), "{complaints}");
    }
}

#[test]
fn lines_of_addresses_agree() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "lines.c") else { continue };
        let info = program.debug_info();
        let addresses: Vec<u64> = ["outer", "main", "apply", "leaf"]
            .iter()
            .flat_map(|name| info.functions_named(name))
            .flat_map(|function| function.ranges.into_iter().flatten())
            .collect();
        assert!(addresses.len() > 40, "{way}");
        let commands: Vec<String> =
            addresses.iter().map(|addr| format!("info line *{addr:#x}")).collect();
        let Some(answers) = ask(&program, false, &commands) else { return };
        for (addr, answer) in addresses.iter().zip(answers) {
            // Line 17 of "lines.c" starts at address …
            let mut words = answer.split_whitespace();
            let theirs = words.nth(1).and_then(|line| line.parse::<u32>().ok());
            let ours = info.line_of(*addr).map(|at| at.line);
            // Of several lines that start at one address gdb prefers the last statement, other
            // tools (and we) the last row.
            let also_starts = || {
                let line = theirs.expect("a line");
                let start =
                    answer.split("address 0x").nth(1).and_then(|rest| rest.split(' ').next());
                let start = start.and_then(|start| u64::from_str_radix(start, 16).ok());
                let starts = ["lines.c", "lines.h"].map(|file| info.addresses_of(file, line));
                let mut starts = starts.iter().flatten();
                starts.any(|starts| start.is_some_and(|start| starts.addresses.contains(&start)))
            };
            // Code that belongs to no line counts as the line before it there.
            assert!(
                ours.is_none() || ours == theirs || also_starts(),
                "{way}: {addr:#x}: {ours:?}; gdb: {answer}"
            );
        }
    }
}

fn names_of(stopped: &Stopped) -> Vec<String> {
    let frames = stopped.modules.backtrace(stopped, 64);
    let functions = frames.iter().flat_map(|frame| stopped.modules.locate(frame.lookup));
    functions.map(|frame| frame.function.unwrap_or_default()).collect()
}

#[test]
fn backtraces_agree() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "frames.c") else { continue };
        let command = ["backtrace -past-main on -past-entry on".to_string()];
        let Some(answers) = ask(&program, true, &command) else { return };
        let stopped = program.stop();
        // #1  0x0000555555555199 in inlined (value=7) at frames.c:17
        let theirs: Vec<String> = answers[0]
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(|line| {
                let rest = line
                    .split_once(" in ")
                    .map_or_else(|| line.split_whitespace().nth(1).unwrap_or(""), |(_, rest)| rest);
                rest.split(" (").next().unwrap_or("").trim().to_string()
            })
            .collect();
        let ours = names_of(&stopped);
        // gdb prefers the library's inner names of its functions, and guesses the frame of a
        // function that ended in a jump to another one (qsort).
        let plain = |name: &String| {
            let name = name.trim_start_matches("__GI_").trim_start_matches('_');
            name.split('.').next().unwrap_or(name).trim_end_matches("_impl").to_string()
        };
        let is_real = |name: &String| name != "qsort";
        let ours: Vec<String> = ours.iter().map(plain).filter(is_real).collect();
        let theirs: Vec<String> = theirs.iter().map(plain).filter(is_real).collect();
        assert_eq!(ours, theirs, "{way}");
    }
}

/// Where both know a local of optimised code, they say the same; and we know most of what gdb
/// knows.
#[test]
fn locals_of_optimised_code_agree() {
    let (mut both, mut theirs_only) = (0, 0);
    for way in WAYS {
        let Some(program) = Program::compile(way, "frames.c") else { continue };
        let locals = ["here", "doubled", "result", "depth", "mine", "rest", "order", "argc"];
        let levels = 9;
        let commands: Vec<String> = (0..levels)
            .flat_map(|level| {
                locals.map(|local| format!("frame apply level {level} -q print {local}"))
            })
            .collect();
        let Some(answers) = ask(&program, true, &commands) else { return };
        let stopped = program.stop().behind_trap();
        let modules = &stopped.modules;
        let frames = modules.backtrace(&stopped, 64);
        // gdb counts inlined calls as frames.
        let views: Vec<_> = frames
            .iter()
            .flat_map(|frame| {
                let count = modules.locate(frame.lookup).len().max(1);
                (0..count).map(move |level| (frame, level))
            })
            .collect();
        for ((frame, inlined_level), answers) in views.iter().zip(answers.chunks(locals.len())) {
            let state = FrameState::new(&stopped, frame);
            let scope = Scope::of_frame(&state, frame).at_inlined_level(*inlined_level);
            for (local, theirs) in locals.iter().zip(answers) {
                let theirs = result(theirs).parse::<i128>().ok();
                let known = modules.locals(scope);
                let Some(variable) = known.iter().find(|known| known.name == *local) else {
                    continue;
                };
                let ours = match modules.place_of(variable, scope) {
                    Ok(place) => modules.value(&place, &state, &Limits::default()),
                    Err(why) => Value::Unavailable(why),
                };
                match (ours, theirs) {
                    (Value::Integer(ours), Some(theirs)) => {
                        both += 1;
                        assert_eq!(ours, theirs, "{way}: {local}");
                    }
                    (Value::Unavailable(_), Some(_)) => theirs_only += 1,
                    (Value::Unavailable(_), None) => {}
                    (ours, theirs) => panic!("{way}: {local}: {ours}, gdb {theirs:?}"),
                }
            }
        }
    }
    assert!(both > 40 && both > 5 * theirs_only, "both {both}, gdb only {theirs_only}");
}
