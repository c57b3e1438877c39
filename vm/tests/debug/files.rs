//! Files in all their forms: compressed sections, split and separate debug information, problems
//! that are reported.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use samovar_vm::debug::{DebugError, DebugInfo, DebugModules, debug_link_checksum};

use crate::harness::Program;

fn run(tool: &str, arguments: &[&Path], options: &[&str]) -> bool {
    match Command::new(tool).args(options).args(arguments).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(_) => {
            eprintln!("skipped: {tool} is not installed");
            false
        }
    }
}

fn knows_lines(info: &DebugInfo) -> bool {
    info.addresses_of("lines.c", 17).is_some()
}

#[test]
fn debug_information_can_be_shared_between_threads() {
    fn is_shareable<T: Send + Sync>() {}
    is_shareable::<DebugInfo>();
    is_shareable::<DebugModules>();
    let Some(program) = Program::compile("gcc -O2 -g", "lines.c") else { return };
    let info = program.debug_info();
    let lines = || info.addresses_of("lines.c", 17).map(|found| found.addresses);
    let answers: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(lines)).collect();
        threads.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer.is_some()));
}

#[test]
fn compressed_sections_are_read() {
    for way in ["gcc -O0 -g -gz=zlib", "gcc -O0 -gdwarf-4 -gz=zlib-gnu"] {
        let Some(program) = Program::compile(way, "lines.c") else { continue };
        let info = program.debug_info();
        assert!(knows_lines(&info), "{way}");
        assert_eq!(info.problems(), [], "{way}");
    }
}

#[test]
fn unknown_compression_is_reported() {
    let Some(program) = Program::compile("gcc -O0 -g -gz=zlib", "lines.c") else { return };
    let elf = goblin::elf::Elf::parse(&program.bytes).expect("an ELF file");
    let name = |at| elf.shdr_strtab.get_at(at);
    let is_info = |name: Option<&str>| name == Some(".debug_info");
    let header = elf.section_headers.iter().find(|header| is_info(name(header.sh_name)));
    let start = header.expect("debug information").sh_offset as usize;
    let with_method = |method: u8| {
        let mut bytes = program.bytes.to_vec();
        bytes[start] = method;
        DebugInfo::new(bytes.into(), 0).expect("still an ELF file")
    };
    assert!(knows_lines(&with_method(1)));
    let info = with_method(2);
    assert!(!knows_lines(&info));
    let problems: Vec<String> = info.problems().iter().map(DebugError::to_string).collect();
    assert_eq!(
        problems,
        ["debug section .debug_info is compressed with zstd; recompile with -gz=none"]
    );
    // Names come from symbols all the same.
    assert_eq!(info.functions_named("outer").len(), 1);
    let mut bytes = program.bytes.to_vec();
    bytes[start + 40] ^= 0xff;
    let info = DebugInfo::new(bytes.into(), 0).expect("still an ELF file");
    assert_eq!(info.problems(), [DebugError::Inflate(".debug_info".to_string())]);
}

#[test]
fn split_debug_information_is_reported() {
    for way in ["gcc -O0 -gdwarf-5 -gsplit-dwarf", "gcc -O0 -gdwarf-4 -gsplit-dwarf"] {
        let Some(program) = Program::compile(way, "lines.c") else { continue };
        let problems = program.debug_info().problems();
        let [DebugError::Split(file)] = &problems[..] else { panic!("{way}: {problems:?}") };
        assert!(file.ends_with(".dwo"), "{way}: {file}");
        let directory = program.path.parent().expect("a directory");
        let _ = std::fs::remove_file(directory.join(file));
        let advice = problems[0].to_string();
        assert!(advice.ends_with("recompile without -gsplit-dwarf"), "{advice}");
        // The skeleton still has the line table.
        assert!(knows_lines(&program.debug_info()), "{way}");
    }
}

#[test]
fn separate_debug_files_are_named_and_read() {
    let Some(program) = Program::compile("gcc -O0 -g -Wl,--build-id", "lines.c") else { return };
    let stripped = program.path.with_extension("stripped");
    let separate = program.path.with_extension("debug");
    let made = run("objcopy", &[&program.path, &separate], &["--only-keep-debug"])
        && run("objcopy", &[&program.path, &stripped], &["--strip-all"])
        && run("objcopy", &[&stripped], &[&format!("--add-gnu-debuglink={}", separate.display())]);
    if !made {
        return;
    }
    let read = |path: &Path| -> Arc<[u8]> { std::fs::read(path).expect("a file").into() };
    let (stripped_bytes, separate_bytes) = (read(&stripped), read(&separate));
    let plain = DebugInfo::new(stripped_bytes.clone(), 0).expect("an ELF file");
    assert!(!plain.has_dwarf() && !knows_lines(&plain));
    assert_eq!(plain.functions_named("outer"), []);
    let candidates = plain.debug_file_candidates("/opt/bin/lines", "/usr/lib/debug/");
    let name = separate.file_name().and_then(|name| name.to_str()).expect("a name");
    let paths: Vec<&str> = candidates.iter().map(|candidate| candidate.path.as_str()).collect();
    assert!(paths[0].starts_with("/usr/lib/debug/.build-id/"), "{paths:?}");
    assert_eq!(
        paths[1..],
        [
            format!("/opt/bin/{name}"),
            format!("/opt/bin/.debug/{name}"),
            format!("/usr/lib/debug/opt/bin/{name}"),
        ]
    );
    assert_eq!(candidates[1].checksum, Some(debug_link_checksum(&separate_bytes)));
    let bias = 0x10_0000_0000;
    let full = DebugInfo::with_debug_file(stripped_bytes.clone(), separate_bytes, bias);
    let full = full.expect("they belong together");
    let own = DebugInfo::new(program.bytes.clone(), bias).expect("an ELF file");
    assert_eq!(full.addresses_of("lines.c", 17), own.addresses_of("lines.c", 17));
    assert_eq!(full.functions_named("outer"), own.functions_named("outer"));
    let addr = own.functions_named("outer")[0].ranges[0].start;
    assert_eq!(full.locate(addr), own.locate(addr));
    let Some(other) = Program::compile("gcc -O1 -g -Wl,--build-id", "data.c") else { return };
    let wrong = DebugInfo::with_debug_file(stripped_bytes, other.bytes.clone(), 0);
    assert!(matches!(wrong, Err(DebugError::WrongBuild { .. })), "{wrong:?}");
    for path in [stripped, separate] {
        let _ = std::fs::remove_file(path);
    }
}
