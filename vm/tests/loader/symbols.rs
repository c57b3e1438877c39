//! The symbol table over several modules.

use std::sync::Arc;

use samovar_vm::loader::{SymbolKind, SymbolTable};

use crate::build::{PROGRAM, Scratch, parse};

const LIBC: &str = "/lib/x86_64-linux-gnu/libc.so.6";

fn table(scratch: &Scratch) -> SymbolTable {
    let mut table = SymbolTable::new();
    let program = parse(scratch.gcc("program", PROGRAM, &["-pie", "-fPIE", "-O1"]));
    table.add("program", 0x10_0000_0000, Arc::new(program));
    table.add("libc.so.6", 0x2f_0000_0000, Arc::new(parse(LIBC)));
    table
}

#[test]
fn names_to_addresses() {
    let scratch = Scratch::new();
    let table = table(&scratch);
    let main = table.lookup("main");
    assert_eq!(main.len(), 1);
    assert_eq!(main[0].module.name, "program");
    assert_eq!(main[0].address >> 36, 1);
    let malloc = table.lookup("malloc");
    assert_eq!(malloc.len(), 1, "the import of the program does not count");
    assert_eq!(malloc[0].module.name, "libc.so.6");
    assert_eq!(table.function_addresses("memcpy").len(), 2);
    assert!(table.lookup("memcpy").iter().any(|s| s.kind == SymbolKind::IndirectFunction));
    assert!(table.lookup("no_such_name").is_empty());
    assert!(table.lookup("").is_empty());
    let variable = table.lookup("initialised");
    assert_eq!((variable.len(), variable[0].kind), (1, SymbolKind::Object));
    assert!(table.function_addresses("initialised").is_empty());
    assert!(table.lookup("per_thread").is_empty(), "no single address");
}

#[test]
fn aliases_share_an_address() {
    let scratch = Scratch::new();
    let table = table(&scratch);
    let address = table.function_addresses("pthread_mutex_lock")[0];
    let names = table.functions_starting_at(address);
    let names: Vec<&str> = names.iter().map(|symbol| symbol.name).collect();
    assert_eq!(names[0], "pthread_mutex_lock", "the plain name comes first: {names:?}");
    assert!(names.contains(&"__pthread_mutex_lock"), "{names:?}");
}

#[test]
fn addresses_to_names() {
    let scratch = Scratch::new();
    let table = table(&scratch);
    let twice = table.lookup("twice")[0];
    for offset in [0, 1, twice.size - 1] {
        let nearest = table.function_at(twice.address + offset).expect("function");
        assert_eq!(nearest.symbol.name, "twice");
        assert_eq!((nearest.offset, nearest.inside), (offset, true));
    }
    let object = table.object_at(table.lookup("initialised")[0].address + 2).expect("object");
    assert_eq!((object.symbol.name, object.offset), ("initialised", 2));
    // Nothing is loaded there.
    assert!(table.function_at(0x15_0000_0000).is_none());
    assert!(table.function_at(0).is_none());
    assert!(table.function_at(u64::MAX).is_none());
    assert!(SymbolTable::new().function_at(1).is_none());
}

/// Every function of libc, at its first and last byte, is found again under one of its names.
#[test]
fn every_function_is_found_again() {
    let mut table = SymbolTable::new();
    let libc = Arc::new(parse(LIBC));
    table.add("libc.so.6", 0x1000, libc.clone());
    let mut count = 0;
    for function in libc.functions().filter(|function| function.size > 0) {
        let address = function.value + 0x1000;
        let names = table.functions_starting_at(address);
        assert!(names.iter().any(|symbol| symbol.name == function.name), "{}", function.name);
        let nearest = table.function_at(address + function.size - 1).expect(function.name);
        assert!(nearest.inside, "{}", function.name);
        assert!(table.function_addresses(function.name).contains(&address));
        count += 1;
    }
    assert!(count > 1000);
}

#[test]
fn a_module_added_later_is_seen() {
    let scratch = Scratch::new();
    let mut table = table(&scratch);
    assert!(table.lookup("late").is_empty());
    let library = scratch.gcc("late.so", "int late(void) { return 1; }", &["-shared", "-fPIC"]);
    table.add("late.so", 0x30_0000_0000, Arc::new(parse(library)));
    assert_eq!(table.lookup("late").len(), 1);
    assert_eq!(table.modules().len(), 3);
}
