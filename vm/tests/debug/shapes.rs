//! Debug information that no compiler writes, made by hand to be as unpleasant as possible: deep
//! nesting, cycles, huge tables that are referred to over and over again.

use std::sync::Arc;

use samovar_vm::debug::{DebugInfo, DebugModules, Limits, Scope};

use crate::harness::Frozen;

const CODE: u64 = 0x1000;
const DATA: u64 = 0x1100;

/// Puts sections into an ELF file with one segment of code and one of data.
fn elf(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = vec![0u8; 64 + 2 * 56];
    let mut names = vec![0u8];
    let mut headers = vec![[0u64; 8]];
    let all = sections.iter().map(|(name, bytes)| (*name, bytes.to_vec()));
    let mut all: Vec<(&str, Vec<u8>)> = all.collect();
    all.push((".shstrtab", Vec::new()));
    for (name, bytes) in &mut all {
        let name_at = names.len() as u64;
        names.extend(name.bytes().chain([0]));
        if *name == ".shstrtab" {
            bytes.clone_from(&names);
        }
        let kind = if *name == ".shstrtab" { 3 } else { 1 };
        headers.push([name_at | kind << 32, 0, 0, file.len() as u64, bytes.len() as u64, 0, 1, 0]);
        file.extend_from_slice(bytes);
    }
    let table = file.len() as u64;
    for header in &headers {
        file.extend(header.iter().flat_map(|word| word.to_le_bytes()));
    }
    let ident = [0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file[..16].copy_from_slice(&ident);
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(16, &[2, 0, 62, 0, 1, 0, 0, 0]);
    put(32, &64u64.to_le_bytes());
    put(40, &table.to_le_bytes());
    put(52, &[64, 0, 56, 0, 2, 0, 64, 0]);
    put(60, &(headers.len() as u16).to_le_bytes());
    put(62, &(headers.len() as u16 - 1).to_le_bytes());
    for (index, (start, flags)) in [(CODE, 5u64), (DATA, 6)].into_iter().enumerate() {
        let words = [1 | flags << 32, 0, start, start, 0x100, 0x100, 1];
        for (at, word) in words.iter().enumerate() {
            put(64 + index * 56 + at * 8, &word.to_le_bytes());
        }
    }
    file
}

/// A DWARF 4 unit with the given entries; they start at offset 11.
fn unit(entries: &[u8]) -> Vec<u8> {
    let mut unit = (entries.len() as u32 + 7).to_le_bytes().to_vec();
    unit.extend([4, 0, 0, 0, 0, 0, 8]);
    unit.extend(entries);
    unit
}

/// One abbreviation: code, tag, whether it has children, attributes with forms.
fn abbreviation(code: u8, tag: u8, children: bool, attributes: &[(u8, u8)]) -> Vec<u8> {
    let mut bytes = vec![code, tag, u8::from(children)];
    bytes.extend(attributes.iter().flat_map(|&(name, form)| [name, form]));
    bytes.extend([0, 0]);
    bytes
}

const NAME: (u8, u8) = (0x03, 0x08); // string
const LOW: (u8, u8) = (0x11, 0x01); // address
const HIGH: (u8, u8) = (0x12, 0x07); // 8 bytes
const TYPE: (u8, u8) = (0x49, 0x13); // 4 bytes, in the unit
const LOCATION: (u8, u8) = (0x02, 0x18); // expression
const EXTERNAL: (u8, u8) = (0x3f, 0x19); // present

fn table(abbreviations: &[Vec<u8>]) -> Vec<u8> {
    let mut table = abbreviations.concat();
    table.push(0);
    table
}

fn load(sections: &[(&str, &[u8])]) -> DebugModules {
    let mut modules = DebugModules::new();
    modules.add(DebugInfo::new(Arc::from(elf(sections)), 0).expect("an ELF file"));
    modules
}

fn low_high(low: u64, size: u64) -> Vec<u8> {
    [low.to_le_bytes(), size.to_le_bytes()].concat()
}

#[test]
fn nesting_without_end() {
    const COMPILE_UNIT: u8 = 0x11;
    const SUBPROGRAM: u8 = 0x2e;
    for (tag, has_ranges) in
        [(0x0b, false), (0x1d, true), (0x39, false), (0x13, false), (0x2e, true)]
    {
        let ranges: &[(u8, u8)] = if has_ranges { &[LOW, HIGH] } else { &[] };
        let abbreviations = table(&[
            abbreviation(1, COMPILE_UNIT, true, &[LOW, HIGH]),
            abbreviation(2, SUBPROGRAM, true, &[NAME, LOW, HIGH]),
            abbreviation(3, tag, true, ranges),
        ]);
        let mut entries = vec![1];
        entries.extend(low_high(CODE, 0x80));
        entries.extend(b"\x02deep\0");
        entries.extend(low_high(CODE, 0x40));
        let nested = if has_ranges { low_high(CODE, 0x40) } else { Vec::new() };
        entries.extend([vec![3], nested].concat().repeat(200_000));
        let modules = load(&[(".debug_abbrev", &abbreviations), (".debug_info", &unit(&entries))]);
        let frames = modules.locate(CODE + 4);
        let outermost = frames.last().expect("a frame");
        // A nested function is a function of its own, and the innermost one wins or is refused.
        assert!(outermost.function.as_deref() == Some("deep") || tag == 0x2e, "{tag:#x}");
        let _ = modules.locals(Scope::innermost(&Frozen, CODE + 4));
        assert_eq!(modules.functions_named("deep").len(), 1, "{tag:#x}");
    }
}

/// A variable `v` whose type is the entry behind it; `chain` are types that refer to each other.
fn variable_of(chain: &[Vec<u8>], abbreviations: &[Vec<u8>]) -> DebugModules {
    let mut all = vec![
        abbreviation(1, 0x11, true, &[LOW, HIGH]),
        abbreviation(2, 0x34, false, &[NAME, TYPE, LOCATION, EXTERNAL]),
    ];
    all.extend_from_slice(abbreviations);
    let mut entries = vec![1];
    entries.extend(low_high(CODE, 0x80));
    entries.extend(b"\x02v\0");
    let first = 11 + entries.len() as u32 + 4 + 10;
    entries.extend(first.to_le_bytes());
    entries.extend([9, 3]);
    entries.extend(DATA.to_le_bytes());
    assert_eq!(11 + entries.len() as u32, first);
    for entry in chain {
        entries.extend(entry);
    }
    entries.push(0);
    load(&[(".debug_abbrev", &table(&all)), (".debug_info", &unit(&entries))])
}

/// The offset of the first type in [`variable_of`].
const FIRST_TYPE: u32 = 11 + 17 + 3 + 4 + 10;

fn interrogate(modules: &DebugModules, what: &str) {
    let scope = Scope::global(&Frozen);
    let place = modules.find("v", scope).expect(what);
    assert_eq!(place.addr(), Some(DATA), "{what}");
    let _ = modules.type_name(place.ty);
    let _ = modules.size_of(place.ty);
    let _ = modules.value(&place, &Frozen, &Limits::default()).to_string();
    let _ = modules.read_scalar(&place, &Frozen);
    for path in ["v.x", "v[0]", "*v", "v[3][1].x", "v->x"] {
        let _ = modules.find(path, scope);
    }
    for size in [1, 4, 8] {
        let _ = modules.name_of_access(DATA + 3, size);
        let _ = modules.name_of_object(DATA, size);
    }
    assert!(modules.name_of_data(DATA).is_some(), "{what}");
}

#[test]
fn types_that_contain_themselves() {
    let to = |offset: u32| offset.to_le_bytes().to_vec();
    let reference = |code: u8, offset: u32| [vec![code], to(offset)].concat();
    // typedef, const, array, pointer, enumeration: each of itself.
    for tag in [0x16, 0x26, 0x01, 0x0f, 0x04, 0x10, 0x47] {
        let abbreviations = [abbreviation(3, tag, false, &[TYPE])];
        let own = variable_of(&[reference(3, FIRST_TYPE)], &abbreviations);
        interrogate(&own, &format!("tag {tag:#x}"));
        // Two of them, and a long chain that ends in the middle of nowhere.
        let pair = [reference(3, FIRST_TYPE + 5), reference(3, FIRST_TYPE)];
        interrogate(&variable_of(&pair, &abbreviations), &format!("two of tag {tag:#x}"));
        let chain: Vec<_> =
            (1..=50_000).map(|index| reference(3, FIRST_TYPE + index * 5)).collect();
        interrogate(&variable_of(&chain, &abbreviations), &format!("chain of tag {tag:#x}"));
    }
    // A function that takes itself, twice, and returns itself.
    let abbreviations =
        [abbreviation(3, 0x15, true, &[TYPE]), abbreviation(4, 0x05, false, &[TYPE])];
    let function = [reference(3, FIRST_TYPE), reference(4, FIRST_TYPE), reference(4, FIRST_TYPE)];
    let function = [function.concat(), vec![0]].concat();
    interrogate(&variable_of(&[function], &abbreviations), "a function");
    // A structure that has itself as member and base class, many times.
    let abbreviations = [
        abbreviation(3, 0x13, true, &[NAME, (0x0b, 0x0b)]),
        abbreviation(4, 0x0d, false, &[NAME, TYPE]),
        abbreviation(5, 0x1c, false, &[TYPE]),
        abbreviation(6, 0x0d, false, &[TYPE]),
        abbreviation(7, 0x0d, false, &[NAME, TYPE, (0x0d, 0x0b)]),
    ];
    let mut structure = b"\x03s\0\x08".to_vec();
    for _ in 0..50 {
        structure.extend([b"\x04m\0".to_vec(), to(FIRST_TYPE)].concat());
        structure.extend(reference(5, FIRST_TYPE));
        structure.extend(reference(6, FIRST_TYPE));
        structure.extend([b"\x07b\0".to_vec(), to(FIRST_TYPE), vec![200]].concat());
    }
    structure.push(0);
    interrogate(&variable_of(&[structure], &abbreviations), "a structure");
}

/// Everybody refers to the same large thing: the work is bounded, and that is reported.
#[test]
fn tables_that_are_shared_by_everybody() {
    // An abbreviation with 30,000 attributes that take no space.
    let flags = vec![(0x3f, 0x19); 30_000];
    let abbreviations =
        table(&[abbreviation(1, 0x11, true, &[LOW, HIGH]), abbreviation(2, 0x2e, false, &flags)]);
    let mut entries = vec![1];
    entries.extend(low_high(CODE, 0x80));
    entries.extend(vec![2; 400_000]);
    let modules = load(&[(".debug_abbrev", &abbreviations), (".debug_info", &unit(&entries))]);
    assert_eq!(modules.functions_named("f").len(), 0);
    let problems = modules.modules().next().expect("one").problems();
    assert_eq!(problems, [samovar_vm::debug::DebugError::TooMuchWork]);
    // 60,000 units with one large table of abbreviations, and one huge name.
    let mut units = Vec::new();
    let name_reference = (0x03, 0x0e);
    let many: Vec<Vec<u8>> =
        (1..=120).map(|code| abbreviation(code, 0x11, false, &[name_reference; 40])).collect();
    for _ in 0..20_000 {
        units.extend(unit(&[vec![1], vec![0; 160]].concat()));
    }
    let modules = load(&[
        (".debug_abbrev", &table(&many)),
        (".debug_info", &units),
        (".debug_str", &[b'x'; 1 << 20]),
    ]);
    assert_eq!(modules.functions_named("f").len(), 0);
    assert!(modules.modules().next().expect("one").has_dwarf());
}
