//! Rust: statics, enums with data, atomics and slices.

use samovar_vm::debug::{DebugModules, Limits, Scope};

use crate::data::check;
use crate::harness::{Program, Stopped};

const WAYS: [&str; 2] =
    ["rustc -g -Copt-level=0 --edition=2024", "rustc -g -Copt-level=2 --edition=2024"];

#[test]
fn statics_have_types_and_values() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "program.rs") else { continue };
        let stopped = program.stop();
        let expected = [
            ("HITS", "core::sync::atomic::AtomicU32", "7"),
            ("program::READY", "core::sync::atomic::AtomicBool", "true"),
            ("TABLE", "[u16; 4]", "{1, 2, 3, 4}"),
            ("TABLE[2]", "u16", "3"),
            ("GREETING", "&str", "\"hello\""),
            ("deep::deeper::DEPTH", "i8", "-3"),
            ("LOCKED.data.value", "i64", "-5"),
        ];
        check(way, &stopped.modules, Scope::global(&stopped), &expected);
    }
}

fn shown(modules: &DebugModules, path: &str, stopped: &Stopped) -> String {
    match modules.find(path, Scope::innermost(stopped, stopped.pc())) {
        Ok(place) => modules.value(&place, stopped, &Limits::default()).to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn enums_show_their_alternative() {
    let Some(program) = Program::compile(WAYS[0], "program.rs") else { return };
    let stopped = program.stop();
    let show = |path: &str| shown(&stopped.modules, path, &stopped);
    assert_eq!(show("*shapes"), "{Dot, Circle{__0 = 9}, Square{side = 4, round = true}}");
    assert_eq!(show("pair.left"), "Some{__0 = 3}");
    assert_eq!(show("pair.right"), "None");
    assert_eq!(show("pair.letter"), "'é'");
    assert_eq!(show("pair.ratio"), "0.5");
    assert_eq!(show("count"), "7");
    assert_eq!(show("words"), "{\"one\", \"two\"}");
    assert_eq!(show("tuple"), "{__0 = 1, __1 = -2}");
    assert_eq!(show("unit"), "{}");
    assert_eq!(show("owned"), "\"owned text\"");
}
