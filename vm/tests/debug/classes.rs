//! C++: classes, namespaces, templates, references and library wrappers.

use samovar_vm::debug::{Kind, LookupError, Scope};

use crate::data::check;
use crate::harness::Program;

const WAYS: [&str; 6] = [
    "g++ -O0 -gdwarf-5",
    "g++ -O2 -gdwarf-5",
    "g++ -O0 -gdwarf-4",
    "g++ -O1 -g -fdebug-types-section",
    "clang++ -O0 -gdwarf-5 -fstandalone-debug",
    "clang++ -O2 -gdwarf-4 -fstandalone-debug",
];

const GLOBALS: [(&str, &str, &str); 30] = [
    ("bank::Account::total", "int", "1000"),
    ("Account::total", "int", "1000"),
    ("bank::Account::limit", "const int", "99"),
    ("bank::secret", "int", "5"),
    ("bank::inner::secret", "int", "7"),
    ("unnamed", "int", "6"),
    ("bank::unnamed", "int", "6"),
    ("bank::(anonymous namespace)::unnamed", "int", "6"),
    ("deposits", "int", "41"),
    ("bank::Account::deposit::deposits", "int", "41"),
    ("account.balance", "long", "109"),
    ("account.base_value", "int", "1"),
    ("pointer->other_value", "int", "2"),
    ("account.state", "bank::State", "Open"),
    ("account.self.balance", "long", "109"),
    ("as_base->base_value", "int", "1"),
    ("box", "Box<int>", "{content = 3}"),
    ("Box<int>::shared", "int", "17"),
    ("nested.content.content", "short", "4"),
    ("ref", "int &", "1000"),
    ("*&ref", "int", "1000"),
    ("hits", "std::atomic<int>", "8"),
    ("flag", "std::atomic<bool>", "true"),
    ("name", "std::string", "\"a string\""),
    ("wide", "wchar_t", "119"),
    ("sixteen", "char16_t", "'€'"),
    ("pointer", "bank::Account *", "&account"),
    ("diamond.shared_value", "int", "31"),
    ("half->shared_value", "int", "31"),
    ("diamond.right", "int", "33"),
];

#[test]
fn globals_have_types_and_values() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "classes.cc") else { continue };
        let stopped = program.stop();
        check(way, &stopped.modules, Scope::global(&stopped), &GLOBALS);
    }
}

#[test]
fn records_know_their_layout() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "classes.cc") else { continue };
        let stopped = program.stop();
        let modules = &stopped.modules;
        let id = modules.type_named("bank::Account").expect(way);
        let ty = modules.ty(id);
        let Kind::Record(record) = &ty.kind else { panic!("{way}: {ty:?}") };
        let bases: Vec<(String, Option<u64>)> = record
            .members
            .iter()
            .filter(|member| member.is_base)
            .map(|member| (modules.type_name(member.ty), member.offset))
            .collect();
        assert_eq!(
            bases,
            [("Base".into(), Some(0)), ("Other".into(), Some(12)), ("Empty".into(), Some(0))],
            "{way}"
        );
        let members: Vec<(&str, Option<u64>)> = record
            .members
            .iter()
            .filter(|member| !member.is_base && !member.name.starts_with("_vptr"))
            .map(|member| (&*member.name, member.offset))
            .collect();
        assert_eq!(
            members,
            [("balance", Some(16)), ("state", Some(24)), ("self", Some(32)), ("lock", Some(40))],
            "{way}"
        );
        assert_eq!(ty.size, Some(80), "{way}");
    }
}

#[test]
fn wrappers_are_looked_through() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "classes.cc") else { continue };
        let stopped = program.stop();
        let (modules, scope) = (&stopped.modules, Scope::global(&stopped));
        for (name, is_atomic, is_scalar) in [
            ("hits", true, true),
            ("flag", true, true),
            ("spin", true, true),
            ("box", false, true),
            ("name", false, false),
            ("ref", false, true),
        ] {
            let place = modules.find(name, scope).expect(name);
            assert_eq!(modules.peel(place.ty).is_atomic, is_atomic, "{way}: {name}");
            assert_eq!(modules.is_scalar(place.ty), is_scalar, "{way}: {name}");
        }
        for (name, value) in [("numbers", "{1, 2, 3}"), ("words", "{\"one\", \"two\"}")] {
            let place = modules.find(name, scope).expect(name);
            let shown = modules.value(&place, &stopped, &Default::default()).to_string();
            assert_eq!(shown, value, "{way}");
        }
        let place = modules.find("long_name", scope).expect(way);
        let limits = samovar_vm::debug::Limits { text: 5, ..Default::default() };
        assert_eq!(modules.value(&place, &stopped, &limits).to_string(), "\"xxxxx\"...", "{way}");
    }
}

#[test]
fn ambiguous_names_offer_their_candidates() {
    let Some(program) = Program::compile("g++ -O0 -g", "classes.cc") else { return };
    let stopped = program.stop();
    let error = stopped.modules.variable("secret", None).expect_err("two of them");
    let LookupError::Ambiguous { candidates, .. } = &error else { panic!("{error}") };
    assert_eq!(candidates, &["bank::inner::secret", "bank::secret"]);
    for candidate in candidates {
        assert_eq!(stopped.modules.variable(candidate, None).expect("unique").name, *candidate);
    }
}

#[test]
fn methods_and_lambdas_have_readable_names() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "classes.cc") else { continue };
        let stopped = program.stop();
        let frames = stopped.modules.backtrace(&stopped, 10);
        let names: Vec<String> = frames
            .iter()
            .flat_map(|frame| stopped.modules.locate(frame.lookup))
            .filter_map(|frame| frame.function)
            .take(3)
            .collect();
        assert!(names[0].starts_with("bank::Account::deposit::"), "{way}: {names:?}");
        assert!(names[0].ends_with("operator()"), "{way}: {names:?}");
        assert_eq!(names[1..], ["bank::Account::deposit", "main"], "{way}");
    }
}
