//! Broken and hostile files: never a panic, never work out of proportion. Each mutated file is
//! asked everything there is to ask.

use std::sync::Arc;

use samovar_vm::debug::{DebugInfo, DebugModules, FrameState, Limits, Scope, State};

use crate::harness::Program;

/// A small generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Memory and registers that are plausible enough to get far.
struct Plausible;

impl State for Plausible {
    fn read(&self, addr: u64, buf: &mut [u8]) -> bool {
        for (index, byte) in buf.iter_mut().enumerate() {
            *byte = [0x10, 0x40, 0, 0, 0, 0, 0, 0][(addr as usize).wrapping_add(index) % 8];
        }
        !addr.is_multiple_of(7)
    }

    fn register(&self, dwarf_register: u16) -> Option<u64> {
        Some(0x4000 + u64::from(dwarf_register) * 8)
    }

    fn fs_base(&self) -> Option<u64> {
        Some(0x8000)
    }
}

/// Asks a file everything; the answers do not matter.
fn interrogate(bytes: &[u8], names: &[&str]) {
    let Ok(info) = DebugInfo::new(Arc::from(bytes), 0) else { return };
    let addresses: Vec<u64> = info.extent().step_by(97).take(64).collect();
    let _ = info.problems();
    let _ = info.debug_file_candidates("/bin/program", "/usr/lib/debug");
    let mut modules = DebugModules::new();
    modules.add(info);
    for &addr in &addresses {
        let _ = modules.locate(addr);
        let _ = modules.is_stmt_start(addr);
        let _ = modules.name_of_access(addr, 4);
        let scope = Scope::innermost(&Plausible, addr);
        for local in modules.locals(scope) {
            show(&modules, modules.place_of(&local, scope).ok(), scope);
        }
    }
    for name in names {
        let scope = Scope::global(&Plausible);
        show(&modules, modules.find(name, scope).ok(), scope);
        for function in modules.functions_named(name) {
            let module = modules.modules().next().expect("the only one");
            let _ = module.body_start(&function);
            let _ = modules.locate(function.ranges[0].start);
        }
        let _ = modules.type_named(name).map(|id| modules.type_name(id));
    }
    for line in [1, 20, 60] {
        let _ = modules.addresses_of("data.c", line);
    }
    for frame in modules.backtrace(&Plausible, 16) {
        let state = FrameState::new(&Plausible, &frame);
        let _ = modules.locals(Scope::of_frame(&state, &frame));
    }
}

fn show(modules: &DebugModules, place: Option<samovar_vm::debug::Place>, scope: Scope<'_>) {
    if let Some(place) = place {
        let _ = modules.value(&place, scope.state, &Limits::default()).to_string();
        let _ = modules.type_name(place.ty);
        let _ = modules.read_scalar(&place, scope.state);
    }
}

/// Where the sections lie whose bytes are worth changing.
fn interesting_ranges(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let elf = goblin::elf::Elf::parse(bytes).expect("an ELF file");
    let mut ranges: Vec<_> = elf
        .section_headers
        .iter()
        .filter(|header| {
            let name = elf.shdr_strtab.get_at(header.sh_name).unwrap_or("");
            name.starts_with(".debug") || [".eh_frame", ".symtab"].contains(&name)
        })
        .filter_map(|header| header.file_range())
        .filter(|range| !range.is_empty())
        .collect();
    // The headers of the file and of its sections.
    ranges.push(0..64);
    ranges.push(elf.header.e_shoff as usize..bytes.len());
    ranges
}

fn mutate(bytes: &mut Vec<u8>, ranges: &[std::ops::Range<usize>], random: &mut Random) {
    for _ in 0..=random.below(8) {
        let range = ranges[random.below(ranges.len())].clone();
        let at = range.start + random.below(range.len());
        if at >= bytes.len() {
            continue;
        }
        match random.below(6) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            3 => {
                // An extreme number of four or eight bytes.
                let value = [0, u64::MAX, i64::MAX as u64, 1 << 31][random.below(4)];
                let width = [4, 8][random.below(2)];
                let end = (at + width).min(bytes.len());
                bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
            }
            4 => {
                // A piece of another place.
                let from = ranges[random.below(ranges.len())].clone();
                let from = from.start + random.below(from.len());
                let count = random.below(32).min(bytes.len() - at.max(from).min(bytes.len()));
                let piece: Vec<u8> = bytes[from.min(bytes.len() - count)..][..count].to_vec();
                bytes[at..at + count].copy_from_slice(&piece);
            }
            _ => {
                if random.below(20) == 0 {
                    bytes.truncate(at);
                }
            }
        }
    }
}

const NAMES: [&str; 8] =
    ["counter", "mixed", "head->next", "bits", "points[1]", "work", "tls_a", "first.at"];

fn torture(way: &str, source: &str, names: &[&str], rounds: u64) {
    let Some(program) = Program::compile(way, source) else { return };
    interrogate(&program.bytes, names);
    let ranges = interesting_ranges(&program.bytes);
    for seed in 1..=rounds {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut bytes = program.bytes.to_vec();
        mutate(&mut bytes, &ranges, &mut random);
        let outcome = std::panic::catch_unwind(|| interrogate(&bytes, names));
        assert!(outcome.is_ok(), "{way}: seed {seed} panics");
    }
}

/// Rounds for each way of compiling; more with `DEBUG_HOSTILE_ROUNDS`.
fn rounds() -> u64 {
    std::env::var("DEBUG_HOSTILE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

#[test]
fn mutated_c_programs() {
    for way in
        ["gcc -O0 -gdwarf-5", "gcc -O2 -gdwarf-4", "clang -O2 -gdwarf-5 -fdebug-types-section"]
    {
        torture(way, "data.c", &NAMES, rounds());
    }
}

#[test]
fn mutated_cxx_programs() {
    let names = ["account", "bank::Account", "nested", "hits", "name", "pointer->self"];
    torture("g++ -O1 -g -gdwarf-4 -fdebug-types-section", "classes.cc", &names, rounds() / 15);
}

#[test]
fn truncated_programs() {
    let Some(program) = Program::compile("gcc -O0 -g", "data.c") else { return };
    let size = program.bytes.len();
    for end in (0..size).step_by(size / 200 + 1) {
        interrogate(&program.bytes[..end], &NAMES);
    }
}

#[test]
fn files_that_are_no_programs() {
    for bytes in [&b""[..], b"\x7fELF", b"#!/bin/sh\necho\n", &[0; 4096], &[0xff; 4096]] {
        let error = DebugInfo::new(Arc::from(bytes), 0).expect_err("no program").to_string();
        assert!(error.starts_with("not an x86-64 ELF file: "), "{error}");
    }
    let Some(program) = Program::compile("gcc -O0 -g", "data.c") else { return };
    for (at, value, complaint) in [(4, 1, "64-bit"), (5, 2, ""), (18, 0xb7, "machine 183")] {
        let mut bytes = program.bytes.to_vec();
        bytes[at] = value;
        let error = DebugInfo::new(Arc::from(bytes), 0).expect_err("another machine").to_string();
        assert!(error.contains(complaint), "{error}");
    }
}
