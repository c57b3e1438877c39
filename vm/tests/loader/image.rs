//! Parsing real files, and the sentence for every file that cannot be loaded.

use std::process::Command;

use samovar_vm::loader::{Image, ImageKind, SymbolKind};

use crate::build::{PROGRAM, Scratch, parse};

#[test]
fn kinds_of_programs() {
    let scratch = Scratch::new();
    let kinds = [
        ("static", &["-static"][..], ImageKind::StaticExec),
        ("static_pie", &["-static-pie", "-fPIE"], ImageKind::StaticPie),
        ("pie", &["-pie", "-fPIE"], ImageKind::DynamicPie),
        ("no_pie", &["-no-pie", "-fno-PIE"], ImageKind::DynamicExec),
        ("library", &["-shared", "-fPIC"], ImageKind::SharedLibrary),
    ];
    for (name, flags, kind) in kinds {
        let image = parse(scratch.gcc(name, PROGRAM, flags));
        assert_eq!(image.kind(), kind, "{name}");
        assert_eq!(image.is_fixed(), name == "static" || name == "no_pie", "{name}");
        let dynamic = name == "pie" || name == "no_pie";
        assert_eq!(image.interpreter().is_some(), dynamic, "{name}");
        let functions: Vec<_> = image.functions().filter(|f| f.name == "twice").collect();
        assert!(!functions.is_empty(), "{name}");
        assert!(functions.iter().all(|f| f.kind == SymbolKind::Function && f.size > 0));
        let needed = dynamic || name == "library";
        assert_eq!(image.dynamic().needed.iter().any(|n| n == "libc.so.6"), needed, "{name}");
        assert_eq!(image.imports().any(|symbol| symbol.name == "printf"), needed, "{name}");
        let tls = image.tls().expect(name);
        assert!(tls.memsz >= 4, "{name}");
        let init = image.init_array().expect(name);
        assert!(init.end - init.start >= 8, "{name}");
        assert_eq!(image.build_id().expect(name).len(), 20, "{name}");
        assert_eq!(image.stack_perms().map(|perms| perms.exec), Some(false), "{name}");
    }
}

#[test]
fn system_libraries() {
    let libc = parse("/lib/x86_64-linux-gnu/libc.so.6");
    assert_eq!(libc.kind(), ImageKind::SharedLibrary);
    assert_eq!(libc.dynamic().soname.as_deref(), Some("libc.so.6"));
    let find = |name: &str| libc.functions().filter(|f| f.name == name).collect::<Vec<_>>();
    assert_eq!(find("memcpy").len(), 2, "memcpy has an old and a new version");
    assert!(find("memcpy").iter().any(|f| f.kind == SymbolKind::IndirectFunction));
    assert_eq!(find("malloc").len(), 1);
    assert_eq!(find("pthread_cond_wait").iter().filter(|f| f.default_version).count(), 1);
    assert!(find("pthread_cond_wait").iter().any(|f| !f.default_version));
    let relocations = libc.relocations();
    assert!(relocations.relative as u64 + relocations.packed_bytes > 100);
    assert!(libc.relocations().indirect > 10);

    let linker = parse("/lib64/ld-linux-x86-64.so.2");
    assert_eq!(linker.kind(), ImageKind::SharedLibrary);
    assert!(linker.entry_is_executable());
    assert_eq!(linker.interpreter(), None);

    let musl = parse("/lib/ld-musl-x86_64.so.1");
    assert_eq!(musl.kind(), ImageKind::SharedLibrary, "neither named nor marked");

    let ls = parse("/bin/ls");
    assert_eq!(ls.kind(), ImageKind::DynamicPie);
    assert!(ls.imports().any(|symbol| symbol.name == "__libc_start_main"));
}

/// Without section headers the tables are found through the dynamic section alone.
#[test]
fn symbols_without_section_headers() {
    for path in ["/bin/ls", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"] {
        let mut bytes = std::fs::read(path).expect(path);
        let with = Image::parse(bytes.clone(), path).expect(path);
        bytes[0x28..0x30].fill(0); // e_shoff
        let without = Image::parse(bytes, path).expect(path);
        let names = |image: &Image| {
            image.dynamic_symbols().map(|s| (s.name.to_string(), s.value)).collect::<Vec<_>>()
        };
        assert!(!names(&with).is_empty());
        assert_eq!(names(&with), names(&without), "{path}");
    }
}

fn message(bytes: &[u8]) -> String {
    Image::parse(bytes, "./prog").expect_err("must be refused").to_string()
}

/// Patches `value` into a copy of `bytes`.
fn patched(bytes: &[u8], offset: usize, value: &[u8]) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    copy[offset..offset + value.len()].copy_from_slice(value);
    copy
}

#[test]
fn refusals_of_foreign_files() {
    let scratch = Scratch::new();
    let good = std::fs::read(scratch.gcc("good", PROGRAM, &[])).expect("read");
    let object = std::fs::read(scratch.gcc("object", PROGRAM, &["-c"])).expect("read");
    assert_eq!(message(b""), "./prog: the file is empty");
    assert_eq!(message(b"hello"), "./prog: not an ELF file");
    assert_eq!(
        message(b"#!/bin/sh -e\necho\n"),
        "./prog: a script for /bin/sh -e, not an ELF program; run the interpreter on it"
    );
    assert_eq!(message(&good[..40]), "./prog: the file is truncated: the ELF header is cut off");
    assert_eq!(
        message(&patched(&good, 4, &[1])),
        "./prog: a 32-bit x86-64 program; only 64-bit x86-64 programs are supported"
    );
    for (machine, name) in [(40u16, "ARM"), (183, "AArch64"), (243, "RISC-V"), (20, "PowerPC")] {
        assert_eq!(
            message(&patched(&good, 18, &machine.to_le_bytes())),
            format!("./prog: made for {name}; only x86-64 programs are supported")
        );
    }
    assert_eq!(
        message(&patched(&patched(&good, 5, &[2]), 18, &[0, 21])),
        "./prog: a big-endian PowerPC64 program; only x86-64 programs are supported"
    );
    assert_eq!(message(&object), "./prog: a relocatable object file; link it into a program first");
    assert_eq!(message(&patched(&good, 16, &[4])), "./prog: a core dump, not a program");
}

#[test]
fn refusals_of_broken_programs() {
    let scratch = Scratch::new();
    let good = std::fs::read(scratch.gcc("good", PROGRAM, &["-static"])).expect("read");
    let header = |kind: u32, nth: usize| {
        let entries = (0..).map(|i| 64 + 56 * i);
        let mut found = entries.filter(|&at| good[at..at + 4] == kind.to_le_bytes());
        found.nth(nth).expect("program header")
    };
    let (first, second) = (header(1, 0), header(1, 1));
    let word = |value: u64| value.to_le_bytes();
    let cases = [
        (patched(&good, 56, &[0, 0]), "no loadable segment"),
        (patched(&good, 32, &word(u64::MAX - 8)), "program headers at offset"),
        (patched(&good, 54, &[55]), "malformed ELF header"),
        (good[..good.len() / 2].to_vec(), "the file is truncated: program header"),
        (patched(&good, first + 32, &word(u64::MAX)), "but only"),
        (patched(&good, first + 40, &word(u64::MAX)), "beyond the address space"),
        (patched(&good, first + 40, &word(1 << 37)), "overlaps program header"),
        (patched(&good, second + 16, &word(0x40_0000)), "overlaps program header"),
        (patched(&good, first + 48, &word(12345)), "not a power of two"),
        (patched(&good, first + 48, &word(1 << 40)), "the alignment 0x10000000000 is more"),
        (patched(&good, first + 16, &word(0x40_0010)), "disagree modulo the page size"),
        (patched(&good, first + 16, &word(0)), "is below 0x10000"),
        (patched(&good, 24, &word(0x12)), "the entry point 0x12 lies outside"),
        (patched(&good, header(1, 3) + 40, &word(1 << 36)), "more than the limit of 0x800000000"),
    ];
    for (bytes, part) in cases {
        let message = message(&bytes);
        assert!(message.starts_with("./prog: "), "{message}");
        assert!(message.contains(part), "{message:?} does not contain {part:?}");
    }
}

/// The functions that `nm` lists are the functions we list.
#[test]
fn functions_agree_with_nm() {
    let scratch = Scratch::new();
    let path = scratch.gcc("program", PROGRAM, &["-static"]);
    let output = Command::new("nm").arg("--no-demangle").arg(&path).output().expect("run nm");
    let text = String::from_utf8_lossy(&output.stdout);
    let image = parse(&path);
    let ours: std::collections::BTreeSet<(u64, String)> =
        image.full_symbols().filter(|s| s.defined).map(|s| (s.value, s.name.to_string())).collect();
    let mut compared = 0;
    for line in text.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [address, kind, name] = fields[..] else { continue };
        if !"tTwWi".contains(kind) {
            continue;
        }
        let address = u64::from_str_radix(address, 16).expect("address");
        let bare = name.split('@').next().expect("name");
        assert!(ours.contains(&(address, bare.to_string())), "{line}");
        compared += 1;
    }
    assert!(compared > 500, "only {compared} functions compared");
}
