//! From names to variables and from addresses to names.

use samovar_vm::debug::{DebugModules, LookupError, Scope};

use crate::data::{WAYS, check};
use crate::harness::Program;

const TWO_UNITS: [&str; 3] = [
    "gcc -O0 -g statics_other.c",
    "gcc -O2 -g -gdwarf-4 statics_other.c",
    "clang -O1 -g statics_other.c",
];

#[test]
fn statics_of_several_units_are_told_apart() {
    for way in TWO_UNITS {
        let Some(program) = Program::compile(way, "statics.c") else { continue };
        let stopped = program.stop();
        let modules = &stopped.modules;
        let expected = [
            ("statics.c::shared", "int", "1"),
            ("statics_other.c::shared", "int", "10"),
            ("programs/statics_other.c::shared", "int", "10"),
            ("lonely", "int", "2"),
            ("visible_too", "int", "11"),
            ("visible", "int", "3"),
            ("defined_there", "int", "12"),
            ("main::local_static", "int", "4"),
            ("other::local_static", "int", "15"),
            ("*unknown_thing", "struct incomplete", "{now = 13, complete = 14}"),
        ];
        check(way, modules, Scope::global(&stopped), &expected);
        let ambiguous = |name: &str| match modules.variable(name, None) {
            Err(LookupError::Ambiguous { candidates, .. }) => candidates,
            other => panic!("{way}: {name}: {other:?}"),
        };
        assert_eq!(ambiguous("shared"), ["statics.c::shared", "statics_other.c::shared"]);
        assert_eq!(ambiguous("local_static"), ["main::local_static", "other::local_static"]);
        let error = modules.variable("missing", None).expect_err("nothing").to_string();
        assert_eq!(error, "no variable named 'missing'");
        // In a frame the names of its own unit come first.
        check(way, modules, Scope::innermost(&stopped, stopped.pc()), &[("shared", "int", "1")]);
    }
}

#[test]
fn library_variables_are_found_by_symbol() {
    let Some(program) = Program::compile(TWO_UNITS[0], "statics.c") else { return };
    let stopped = program.stop();
    let place = stopped.modules.find("environ[0]", Scope::global(&stopped)).expect("environ");
    assert_eq!(stopped.modules.type_name(place.ty), "char *");
    let shown = stopped.modules.value(&place, &stopped, &Default::default()).to_string();
    assert!(shown.starts_with('"') && shown.contains('='), "{shown}");
    // Known by its symbol; by more if the library's debug file is installed.
    let place = stopped.modules.find("_IO_2_1_stdout_", Scope::global(&stopped)).expect("stdout");
    let name = stopped.modules.name_of_data(place.addr().expect("in memory")).expect("named");
    assert_eq!(name.name, "_IO_2_1_stdout_");
}

fn addr_of(modules: &DebugModules, path: &str, scope: Scope<'_>) -> u64 {
    modules.find(path, scope).expect(path).addr().expect("in memory")
}

#[test]
fn addresses_of_data_have_names() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "data.c") else { continue };
        let stopped = program.stop();
        let (modules, scope) = (&stopped.modules, Scope::global(&stopped));
        let addr = |path: &str| addr_of(modules, path, scope);
        let data = |addr: u64| modules.name_of_data(addr).map(|data| data.name);
        let object = |addr: u64, size| modules.name_of_object(addr, size).map(|data| data.name);
        let access = |addr: u64, size| modules.name_of_access(addr, size).map(|data| data.name);
        let is = |name: &str| Some(name.to_string());
        assert_eq!(data(addr("forks[1]")), is("forks[1]"), "{way}");
        assert_eq!(data(addr("forks[0]")), is("forks[0]"), "{way}");
        assert_eq!(data(addr("acct")), is("acct"), "{way}");
        assert_eq!(object(addr("acct.lock"), 40), is("acct.lock"), "{way}");
        assert_eq!(access(addr("acct"), 4), is("acct.balance"), "{way}");
        assert_eq!(data(addr("points[2].y")), is("points[2].y"), "{way}");
        assert_eq!(access(addr("matrix[1][2]"), 4), is("matrix[1][2]"), "{way}");
        assert_eq!(object(addr("matrix[1]"), 12), is("matrix[1]"), "{way}");
        assert_eq!(access(addr("matrix[1][2]") + 1, 1), is("matrix[1][2]+1"), "{way}");
        assert_eq!(access(addr("mixed.inner_b"), 2), is("mixed.inner_b"), "{way}");
        assert_eq!(access(addr("first.next"), 8), is("first.next"), "{way}");
        // Padding between members belongs to the record.
        assert_eq!(access(addr("first.next") - 2, 1), is("first+6"), "{way}");
        assert_eq!(data(0x10), None, "{way}");
        let is_atomic =
            |path: &str, size| modules.name_of_access(addr(path), size).expect(path).is_atomic;
        // Before DWARF 5 there was no way to say `_Atomic`; the typedefs tell by their names.
        assert!(is_atomic("ahits", 8), "{way}");
        assert_eq!(is_atomic("hits", 4), !way.contains("dwarf-4"), "{way}");
        assert!(!is_atomic("counter", 4), "{way}");
        let tls = modules.name_of_thread_local(addr("tls_b"), 4, &stopped).expect("tls_b");
        assert_eq!(tls.name, "tls_b", "{way}");
    }
}

/// Resolving a path and naming its address are inverse to each other.
#[test]
fn every_word_of_every_global_has_a_path_that_leads_back() {
    let Some(program) = Program::compile("gcc -O0 -g", "data.c") else { return };
    let stopped = program.stop();
    let (modules, scope) = (&stopped.modules, Scope::global(&stopped));
    let mut checked = 0;
    for name in ["matrix", "points", "first", "second", "mixed", "acct", "forks", "zeros"] {
        let place = modules.find(name, scope).expect(name);
        let (start, size) = (place.addr().expect("memory"), modules.size_of(place.ty));
        for addr in start..start + size.expect("complete") {
            let named = modules.name_of_access(addr, 1).expect("inside");
            if named.name.contains('+') {
                continue;
            }
            assert_eq!(addr_of(modules, &named.name, scope), addr, "{}", named.name);
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn symbols_name_data_without_dwarf() {
    let Some(program) = Program::compile("gcc -O0", "data.c") else { return };
    let stopped = program.stop();
    let (modules, scope) = (&stopped.modules, Scope::global(&stopped));
    let forks = addr_of(modules, "forks", scope);
    let name = |addr| modules.name_of_data(addr).expect("named").name;
    assert_eq!(name(forks), "forks");
    assert_eq!(name(forks + 40), "forks+40");
    let place = modules.find("counter", scope).expect("counter");
    let shown = modules.value(&place, &stopped, &Default::default()).to_string();
    assert_eq!(shown, "0x2a");
    let thread_local = modules.find("tls_a", scope).expect("tls_a");
    assert_eq!(modules.value(&thread_local, &stopped, &Default::default()).to_string(), "0x4d");
}

#[test]
fn wrong_paths_say_what_is_wrong() {
    let Some(program) = Program::compile("gcc -O0 -g", "data.c") else { return };
    let stopped = program.stop();
    let error = |path: &str| {
        stopped.modules.find(path, Scope::global(&stopped)).expect_err(path).to_string()
    };
    assert_eq!(error("matrix[2]"), "index 2 is outside 'matrix', which has 2 elements");
    assert_eq!(error("matrix[0][-1]"), "index -1 is outside 'matrix[0]', which has 3 elements");
    assert_eq!(error("counter.x"), "'counter' is int, which has no members");
    assert_eq!(error("*counter"), "'counter' is int, which is no pointer");
    assert_eq!(error("counter[0]"), "'counter' is int, which cannot be indexed");
    assert_eq!(error("first.nope"), "struct node has no member named 'nope'");
    assert_eq!(error("&bits.a"), "'bits.a' has no address");
    assert_eq!(error("secret->x"), "'*secret' is not available: type is incomplete");
    assert_eq!(
        error("second.next->next->next"),
        "'second.next->next' is not available: memory at 0x8 cannot be read"
    );
}

#[test]
fn enumerators_have_values() {
    let Some(program) = Program::compile("gcc -O0 -g", "data.c") else { return };
    let stopped = program.stop();
    let modules = &stopped.modules;
    let value = |name: &str| -> Vec<(String, i128)> {
        let found = modules.enumerators_named(name);
        found.into_iter().map(|one| (one.name, one.value)).collect()
    };
    assert_eq!(value("GREEN"), [("colour::GREEN".to_string(), 5)]);
    assert_eq!(value("small::MINUS"), [("small::MINUS".to_string(), -3)]);
    assert_eq!(value("colour::MINUS"), []);
    assert_eq!(value("colour"), []);
    let names = modules.names_of_data();
    for name in ["BLUE", "colour", "strange"] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
    assert!(modules.names_of_functions().iter().any(|name| name == "main"));
}

#[test]
fn locals_are_listed_with_their_functions() {
    for way in ["gcc -O0 -g", "gcc -O2 -g"] {
        let Some(program) = Program::compile(way, "frames.c") else { continue };
        let stopped = program.stop();
        let modules = &stopped.modules;
        let functions = |function: Option<&str>, name: &str| -> Vec<String> {
            let found = modules.locals_named(function, name);
            let mut found: Vec<String> = found.into_iter().map(|local| local.function).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        assert_eq!(functions(None, "depth"), ["bottom", "recurse"], "{way}");
        assert_eq!(functions(Some("bottom"), "depth"), ["bottom"], "{way}");
        // Also those of a function that was inlined wherever it was called.
        assert_eq!(functions(None, "doubled"), ["inlined"], "{way}");
        assert!(functions(Some("main"), "depth").is_empty(), "{way}");
        let locals = modules.locals_named(Some("compare"), "left");
        assert!(locals.iter().all(|local| modules.type_name(local.ty) == "const void *"), "{way}");
    }
}
