//! Frames: locals in scope, backtraces, and the view from outer frames.

use samovar_vm::debug::{DebugModules, FrameState, Limits, Scope, State};

use crate::data::{WAYS, check};
use crate::harness::{Program, Stopped};

fn value(modules: &DebugModules, path: &str, scope: Scope<'_>) -> String {
    match modules.find(path, scope) {
        Ok(place) => modules.value(&place, scope.state, &Limits::default()).to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn locals_of_the_innermost_frame() {
    for way in WAYS.into_iter().filter(|way| way.contains("-O0")) {
        let Some(program) = Program::compile(way, "data.c") else { continue };
        let stopped = program.stop();
        let expected = [
            ("local", "int", "1010"),
            ("here.value", "int", "1010"),
            ("here.next->value", "int", "1"),
            ("here.at", "struct point", "{x = 21, y = 22}"),
            ("array", "int [3]", "{10, 20, 3}"),
            ("amount", "int", "10"),
            ("where.y", "int", "22"),
            ("label", "const char *", "\"label\""),
            ("calls", "int", "6"),
            ("counter", "int", "42"),
        ];
        let scope = Scope::innermost(&stopped, stopped.pc());
        check(way, &stopped.modules, scope, &expected);
        let locals = stopped.modules.locals(scope);
        let mut names: Vec<&str> = locals.iter().map(|local| local.name.as_str()).collect();
        assert_eq!(&names[..2], ["local", "here"], "{way}: the inner block comes first");
        names.sort_unstable();
        assert_eq!(
            names,
            ["amount", "array", "calls", "here", "label", "local", "local", "where"],
            "{way}"
        );
        let here = stopped.modules.find("here", scope).expect("here").addr().expect("in memory");
        let name = stopped.modules.name_of_local(here + 16, 4, scope).expect("named");
        assert_eq!(name.name, "here.at.x", "{way}");
    }
}

/// Optimised code may hide a value, but must never show a wrong one.
#[test]
fn optimised_locals_are_right_or_missing() {
    let truth = [
        ("amount", "10"),
        ("where", "{x = 21, y = 22}"),
        ("where.x", "21"),
        ("here.value", "1010"),
        ("array[1]", "20"),
        ("label", "\"label\""),
    ];
    let mut seen = 0;
    for way in WAYS.into_iter().filter(|way| !way.contains("-O0")) {
        let Some(program) = Program::compile(way, "data.c") else { continue };
        let stopped = program.stop();
        let scope = Scope::innermost(&stopped, stopped.pc());
        for (path, expected) in truth {
            let found = value(&stopped.modules, path, scope);
            if found == expected {
                seen += 1;
            } else {
                let is_missing = ["optimised out", "only known at", "is unknown in this frame"]
                    .iter()
                    .any(|why| found.contains(why));
                assert!(is_missing, "{way}: {path} = {found}");
            }
        }
    }
    assert!(seen >= 12, "only {seen} values are known");
}

fn names(stopped: &Stopped) -> Vec<String> {
    let frames = stopped.modules.backtrace(stopped, 64);
    let functions = frames.iter().flat_map(|frame| stopped.modules.locate(frame.lookup));
    functions.map(|frame| frame.function.unwrap_or_default()).collect()
}

#[test]
fn backtraces_go_through_libraries_and_inlined_calls() {
    for way in WAYS.into_iter().chain(["gcc -O2 -g -fomit-frame-pointer -static-pie"]) {
        let Some(program) = Program::compile(way, "frames.c") else { continue };
        let stopped = program.stop();
        let names = names(&stopped);
        let own: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| {
                ["bottom", "inlined", "recurse", "compare", "main", "_start"].contains(name)
            })
            .collect();
        assert_eq!(own[..2], ["bottom", "inlined"], "{way}: {names:?}");
        // Optimisers may unroll the recursion, but it has to start and to end.
        assert_eq!(own[2], "recurse", "{way}: {names:?}");
        assert_eq!(own[own.len() - 3..], ["compare", "main", "_start"], "{way}: {names:?}");
        if way.contains("-O0") {
            assert_eq!(own.iter().filter(|name| **name == "recurse").count(), 4, "{way}");
        }
        let index = |wanted: &str| names.iter().position(|name| name == wanted);
        let (compare, main) = (index("compare").unwrap_or(0), index("main").unwrap_or(0));
        assert!(main > compare + 1, "{way}: qsort is between them: {names:?}");
    }
}

#[test]
fn outer_frames_have_their_own_locals() {
    for way in WAYS.into_iter().filter(|way| way.contains("-O0")) {
        let Some(program) = Program::compile(way, "frames.c") else { continue };
        let stopped = program.stop();
        let modules = &stopped.modules;
        let frames = modules.backtrace(&stopped, 64);
        let mut seen = Vec::new();
        for frame in &frames {
            let state = FrameState::new(&stopped, frame);
            let scope = Scope::of_frame(&state, frame);
            let is_ours = modules.module_at(frame.pc).map(|module| module.bias())
                == modules.modules().next().map(|module| module.bias());
            if !is_ours {
                continue;
            }
            for local in ["here", "doubled", "depth", "mine", "order", "numbers", "argc"] {
                let found = value(modules, local, scope);
                if !found.starts_with("no variable") {
                    seen.push(format!("{local} = {found}"));
                }
            }
        }
        let expected = [
            "here = 140",
            "depth = 14",
            "doubled = 14",
            "depth = 1",
            "mine = 101",
            "depth = 2",
            "mine = 102",
            "depth = 3",
            "mine = 103",
            "order = 1",
            "numbers = {2, 1}",
            "argc = 1",
        ];
        // The frame that holds the inlined call shows the inlined function's locals.
        assert_eq!(seen, expected, "{way}");
    }
}

#[test]
fn frame_pointers_help_where_nothing_else_does() {
    let way = "gcc -O0 -g -fno-asynchronous-unwind-tables -fno-exceptions -fno-omit-frame-pointer";
    let Some(program) = Program::compile(way, "data.c") else { return };
    let stopped = program.stop();
    assert_eq!(names(&stopped)[..2], ["work", "main"]);
}

/// A state of nothing but garbage.
struct Garbage(u64);

impl State for Garbage {
    fn read(&self, addr: u64, buf: &mut [u8]) -> bool {
        for (index, byte) in buf.iter_mut().enumerate() {
            let mixed = (addr + index as u64 + self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *byte = (mixed >> 56) as u8;
        }
        true
    }

    fn register(&self, dwarf_register: u16) -> Option<u64> {
        let mixed = (u64::from(dwarf_register) + self.0).wrapping_mul(0xd134_2543_de82_ef95);
        (dwarf_register <= 16).then_some(mixed % 0x8000)
    }

    fn fs_base(&self) -> Option<u64> {
        Some(self.0)
    }
}

#[test]
fn garbage_ends_a_backtrace() {
    let Some(program) = Program::compile("gcc -O2 -g", "frames.c") else { return };
    let mut modules = DebugModules::new();
    modules.add(program.debug_info());
    for seed in 0..2000 {
        let garbage = Garbage(seed);
        let frames = modules.backtrace(&garbage, 32);
        assert!((1..=32).contains(&frames.len()));
        for frame in &frames {
            let state = FrameState::new(&garbage, frame);
            let scope = Scope::of_frame(&state, frame);
            for local in modules.locals(scope) {
                let _ = modules.place_of(&local, scope);
            }
        }
    }
}
