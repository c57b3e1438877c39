//! Hostile bytes: mutated files through every door of the loader. Nothing may panic, and memory
//! stays a small multiple of the file. The sequence of mutations is the same in every run; the
//! variable SAMOVAR_FUZZ_ROUNDS makes it longer.

use std::sync::Arc;

use samovar_vm::loader::{
    Files, Image, LibraryCache, PlanOptions, SearchOptions, SymbolTable, plan, resolve_closure,
};

use crate::allocation::peak_of;
use crate::build::{PROGRAM, Scratch};

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Numbers that arithmetic likes to get wrong.
fn awkward(random: &mut Random, len: usize) -> u64 {
    let choices = [
        0,
        1,
        7,
        0xfff,
        0x1000,
        1 << 31,
        (1 << 32) - 1,
        (1 << 38) - 1,
        1 << 38,
        1 << 63,
        u64::MAX,
        u64::MAX - 7,
        u64::MAX - 0xfff,
        len as u64,
        len as u64 - 1,
    ];
    match random.below(4) {
        0 => random.next() % (2 * len as u64),
        1 => random.next(),
        _ => choices[random.below(choices.len())],
    }
}

/// Applies one to four changes, mostly where the headers and tables are.
fn mutate(original: &[u8], spots: &[usize], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        let len = bytes.len();
        if len < 64 {
            break;
        }
        let at = match random.below(4) {
            0 => random.below(len),
            1 => random.below(len.min(1024)),
            _ => (spots[random.below(spots.len())] + random.below(512)).min(len - 1),
        };
        let word = at & !7;
        match random.below(8) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2..=4 if word + 8 <= len => {
                let value = awkward(random, len);
                bytes[word..word + 8].copy_from_slice(&value.to_le_bytes());
            }
            5 if word + 4 <= len => {
                let value = awkward(random, len) as u32;
                bytes[word..word + 4].copy_from_slice(&value.to_le_bytes());
            }
            6 => bytes.truncate(at),
            _ => {
                let (from, count) = (random.below(len), random.below(256));
                let part = bytes[from..(from + count).min(len)].to_vec();
                let end = (at + part.len()).min(len);
                bytes[at..end].copy_from_slice(&part[..end - at]);
            }
        }
    }
    bytes
}

/// Answers every path with the same bytes.
struct Everywhere(Arc<[u8]>);

impl Files for Everywhere {
    fn read(&self, _: &str) -> Option<Arc<[u8]>> {
        Some(self.0.clone())
    }
}

/// Everything that can be asked of one file; whether it could be loaded at all.
fn exercise(bytes: Arc<[u8]>) -> bool {
    let Ok(image) = Image::parse(bytes.clone(), "mutant") else { return false };
    let _ = (image.build_id(), image.init_array(), image.fini_array(), image.relocations());
    let _ = (image.program_headers_address(), image.imports().count());
    for interpreter in [None, Some(&image)] {
        let plan = plan(&image, interpreter, &[], &[], &PlanOptions::new(b"mutant"));
        let Ok(plan) = plan else { continue };
        let mut end = 0;
        for mapping in &plan.mappings {
            assert!(mapping.addr >= end && mapping.len > 0);
            assert!(mapping.addr % 4096 == 0 && mapping.len % 4096 == 0);
            assert!(mapping.bytes().len() as u64 <= mapping.len);
            end = mapping.end();
        }
        assert!(end <= plan.stack.low);
        let runs = |m: &&_| plan_contains(m, plan.entry);
        assert!(plan.mappings.iter().find(runs).is_some_and(|m| m.perms.exec));
    }
    let options = SearchOptions { origin: "/".to_string(), ..SearchOptions::default() };
    let _ = resolve_closure(&image, &Everywhere(bytes), &options);
    let mut table = SymbolTable::new();
    let image = Arc::new(image);
    table.add("mutant", 0x10_0000_0000, image.clone());
    table.add("again", u64::MAX - 0x1000, image.clone());
    for address in [0, image.entry().wrapping_add(0x10_0000_0000), u64::MAX] {
        let _ = (table.function_at(address), table.object_at(address));
    }
    let _ = table.lookup("main");
    true
}

fn plan_contains(mapping: &samovar_vm::loader::Mapping, address: u64) -> bool {
    mapping.addr <= address && address < mapping.end()
}

/// Offsets of the tables worth breaking: program headers, dynamic section, section headers,
/// symbols.
fn spots(bytes: &[u8]) -> Vec<usize> {
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("word")) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let (section_headers, count) = (word(40), half(60));
    let mut spots = vec![0, 64, 128, section_headers];
    for header in (0..count).map(|i| section_headers + i * 64) {
        spots.push(header);
        // SYMTAB, STRTAB, RELA, HASH, DYNAMIC, NOTE, DYNSYM, GNU_HASH
        let kind = u32::from_le_bytes(bytes[header + 4..header + 8].try_into().expect("type"));
        if matches!(kind, 2..=7 | 11 | 0x6fff_fff6) {
            spots.extend([word(header + 24); 4]);
        }
    }
    spots
}

#[test]
fn mutated_files_never_panic() {
    let scratch = Scratch::new();
    let small = "int f(int x) { return x; } void _start(void) { for (;;) f(1); }";
    let files = [
        (scratch.gcc("small", small, &["-nostdlib", "-static", "-no-pie"]), 4000),
        (scratch.gcc("pie", PROGRAM, &["-pie", "-fPIE"]), 4000),
        (scratch.gcc("sysv", PROGRAM, &["-no-pie", "-Wl,--hash-style=sysv"]), 2000),
        (scratch.gcc("library.so", PROGRAM, &["-shared", "-fPIC"]), 2000),
        ("/lib64/ld-linux-x86-64.so.2".into(), 300),
        (scratch.gcc("static_pie", PROGRAM, &["-static-pie", "-fPIE"]), 100),
    ];
    let rounds = std::env::var("SAMOVAR_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds: usize = rounds.unwrap_or(1);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut loaded, mut refused) = (0, 0);
    for (path, cases) in files {
        let original = std::fs::read(&path).expect("read");
        let spots = spots(&original);
        for case in 0..cases * rounds {
            let bytes: Arc<[u8]> = mutate(&original, &spots, &mut random).into();
            let len = bytes.len();
            let (accepted, peak) = peak_of(|| exercise(bytes));
            let limit = 16 * len + (2 << 20);
            assert!(peak <= limit, "{path:?} case {case}: {peak} bytes for a file of {len}");
            *(if accepted { &mut loaded } else { &mut refused }) += 1;
        }
    }
    // Mutants that are all refused, or all accepted, would test little.
    assert!(loaded > 2000 && refused > 2000, "{loaded} loaded, {refused} refused");
}

#[test]
fn every_truncation_of_a_small_program_is_survived() {
    let scratch = Scratch::new();
    let small = "void _start(void) { for (;;) {} }";
    let path = scratch.gcc("small", small, &["-nostdlib", "-no-pie", "-Wl,-z,noseparate-code"]);
    let bytes = std::fs::read(path).expect("read");
    assert!(exercise(bytes.clone().into()));
    for len in 0..bytes.len() {
        exercise(bytes[..len].into());
    }
}

#[test]
fn mutated_caches_never_panic() {
    let bytes = std::fs::read("/etc/ld.so.cache").expect("cache");
    let mut random = Random(0x1234_5678_9abc_def1);
    let levels = ["x86-64-v3".to_string()];
    let mut recognised = 0;
    for _ in 0..1000 {
        let mutant = mutate(&bytes, &[0, 48, bytes.len() - 512], &mut random);
        let len = mutant.len();
        let (found, peak) = peak_of(|| {
            LibraryCache::parse(mutant).map(|cache| cache.lookup("libc.so.6", &levels).len())
        });
        recognised += usize::from(found.is_some());
        assert!(peak <= 2 * len + (1 << 20), "{peak}");
    }
    assert!(recognised > 100, "{recognised}");
}
