//! Source lines and functions of every code address, against addr2line; lines to addresses and
//! back; statement starts.

use gimli::{EndianSlice, LittleEndian};
use goblin::elf::Elf;
use samovar_vm::debug::{DebugInfo, Frame};

use crate::data::WAYS;
use crate::harness::Program;

type Reader<'a> = EndianSlice<'a, LittleEndian>;
/// Function, file and line of each frame.
type Opinion = Vec<(Option<String>, Option<(String, u32)>)>;

/// The same question, answered by another implementation; function names as in the DWARF.
fn second_opinion(context: &addr2line::Context<Reader<'_>>, addr: u64) -> Opinion {
    let mut found = Vec::new();
    let mut frames = context.find_frames(addr).skip_all_loads().expect("frames");
    while let Some(frame) = frames.next().expect("a frame") {
        let name = frame.function.map(|name| name.raw_name().expect("a name").into_owned());
        let line = frame.location.and_then(|at| Some((at.file?.replace("/./", "/"), at.line?)));
        found.push((name, line));
    }
    found
}

fn own_opinion(frames: &[Frame]) -> Opinion {
    let line = |frame: &Frame| frame.line.as_ref().map(|at| (at.file.to_string(), at.line));
    frames.iter().map(|frame| (frame.function.clone(), line(frame))).collect()
}

/// Executable addresses of the file that DWARF may say something about.
fn text_range(bytes: &[u8]) -> std::ops::Range<u64> {
    let elf = Elf::parse(bytes).expect("an ELF file");
    let name = |at| elf.shdr_strtab.get_at(at);
    let text = elf.section_headers.iter().find(|header| name(header.sh_name) == Some(".text"));
    let text = text.expect("a text section");
    text.sh_addr..text.sh_addr + text.sh_size
}

#[test]
fn every_address_agrees_with_addr2line() {
    for way in WAYS {
        if way.contains("-gz") {
            continue; // The second opinion does not inflate sections.
        }
        let Some(program) = Program::compile(way, "lines.c") else { continue };
        let elf = Elf::parse(&program.bytes).expect("an ELF file");
        let section = |name: &str| {
            let is_named = |at| elf.shdr_strtab.get_at(at) == Some(name);
            let header = elf.section_headers.iter().find(|header| is_named(header.sh_name));
            let range = header.and_then(|header| header.file_range()).unwrap_or(0..0);
            EndianSlice::new(&program.bytes[range], LittleEndian)
        };
        let dwarf = gimli::Dwarf::load(|id| Ok::<_, gimli::Error>(section(id.name())));
        let context = addr2line::Context::from_dwarf(dwarf.expect("sections")).expect("a context");
        let info = program.debug_info();
        let mut described = 0;
        for addr in text_range(&program.bytes) {
            let expected = second_opinion(&context, addr);
            if expected.is_empty() {
                continue;
            }
            described += 1;
            assert_eq!(own_opinion(&info.locate(addr)), expected, "{addr:#x} with {way}");
        }
        assert!(described > 50, "{way}: only {described} addresses have lines");
    }
}

fn lines_of(info: &DebugInfo, function: &str) -> Vec<u32> {
    let functions = info.functions_named(function);
    assert_eq!(functions.len(), 1, "{function}");
    let mut lines: Vec<u32> = functions[0]
        .ranges
        .iter()
        .flat_map(|range| range.clone())
        .filter(|&addr| info.is_stmt_start(addr))
        .filter_map(|addr| info.line_of(addr))
        .map(|at| at.line)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn statements_start_where_the_source_says() {
    for way in ["gcc -O0 -gdwarf-5", "gcc -O0 -gdwarf-4", "clang -O0 -gdwarf-5"] {
        let Some(program) = Program::compile(way, "lines.c") else { continue };
        let info = program.debug_info();
        let expected: &[u32] = if way.starts_with("gcc") {
            &[16, 17, 18, 19, 20]
        } else {
            &[16, 17, 18, 19] // clang's last statement is the return itself
        };
        let lines: Vec<u32> =
            lines_of(&info, "outer").into_iter().filter(|&line| line > 10).collect();
        assert_eq!(lines, expected, "{way}");
        let body = info.body_start(&info.functions_named("outer")[0]).expect("a body");
        assert_eq!(info.line_of(body).map(|at| at.line), Some(17), "{way}");
    }
}

#[test]
fn lines_lead_to_addresses_and_back() {
    for way in WAYS {
        let Some(program) = Program::compile(way, "lines.c") else { continue };
        let info = program.debug_info();
        // Optimised lines may have no instruction of their own.
        for line in [6, 17, 18, 19, 26] {
            let found = info.addresses_of("lines.c", line).expect(way);
            let may_vanish = !way.contains("-O0");
            assert!(found.line == line || may_vanish && found.line > line, "{way}");
            assert!(!found.addresses.is_empty(), "{way}");
            for &addr in &found.addresses {
                // Inlined calls: some frame is on the line.
                let frames = info.locate(addr);
                let lines: Vec<u32> = frames
                    .iter()
                    .filter_map(|frame| frame.line.as_ref())
                    .map(|at| at.line)
                    .collect();
                assert!(
                    may_vanish || lines.contains(&line),
                    "{way}: {addr:#x} is on lines {lines:?}"
                );
                assert!(info.is_stmt_start(addr), "{way}: {addr:#x}");
            }
        }
        // Line 3 has no code; the next line that has some is taken.
        let next = info.addresses_of("programs/lines.c", 3).expect(way);
        assert_eq!(next.line, 6, "{way}");
        assert!(info.addresses_of("lines.h", 4).is_some(), "{way}");
        assert_eq!(info.addresses_of("ines.c", 6), None, "{way}");
        assert_eq!(info.addresses_of("lines.c", 10_000), None, "{way}");
    }
}

#[test]
fn without_dwarf_symbols_name_the_function() {
    let Some(program) = Program::compile("gcc -O0", "lines.c") else { return };
    let info = program.debug_info();
    assert!(!info.has_dwarf());
    assert_eq!(info.problems(), []);
    let outer = &info.functions_named("outer")[0];
    let frames = info.locate(outer.ranges[0].start + 5);
    let shown: Vec<String> = frames.iter().map(Frame::to_string).collect();
    assert_eq!(shown, ["outer+0x5"]);
    assert_eq!(info.line_of(outer.ranges[0].start), None);
    assert!(!info.is_stmt_start(outer.ranges[0].start));
    assert_eq!(info.locate(0xffff_ffff_0000), []);
}

#[test]
fn addresses_are_where_the_module_is_loaded() {
    let Some(program) = Program::compile("gcc -O0 -g -pie -fPIE", "lines.c") else { return };
    let low = program.debug_info();
    let bias = 0x10_0000_0000;
    let high = DebugInfo::new(program.bytes.clone(), bias).expect("an ELF file");
    let at_low = low.addresses_of("lines.c", 17).expect("line 17");
    let at_high = high.addresses_of("lines.c", 17).expect("line 17");
    assert_eq!(at_high.addresses, [at_low.addresses[0] + bias]);
    assert_eq!(high.locate(at_high.addresses[0]), low.locate(at_low.addresses[0]));
    assert_eq!(high.locate(at_low.addresses[0]), []);
    assert_eq!(high.extent().start, low.extent().start + bias);
    let (low, high) = (&low.functions_named("main")[0], &high.functions_named("main")[0]);
    assert_eq!(high.ranges[0].start, low.ranges[0].start + bias);
}
