//! Capstone as the second opinion on every instruction that iced decodes: in the C library, the
//! dynamic linker, the C++ library, a few programs of the system and freshly compiled ones, both
//! decoders must agree on the length and the mnemonic.
//!
//! Executable sections are swept linearly; where both agree that bytes are no instruction, and
//! after a disagreement, the sweep goes on at the next function symbol. The decoders name some
//! instructions differently; [`same_name`] lists these differences.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use capstone::prelude::*;
use goblin::elf::{Elf, header, section_header::SHF_EXECINSTR, sym};
use iced_x86::{Decoder, DecoderOptions, Instruction};

/// Fewer instructions than this mean that the sweep did not see the libraries.
const INSTRUCTIONS_MIN: u64 = 200_000;
/// Disagreements told in full.
const TOLD_MAX: usize = 40;

#[test]
fn libraries_and_system_programs() {
    let mut sweep = Sweep::default();
    for path in loaded_objects() {
        sweep.file(&path);
    }
    for path in ["/bin/busybox", "/bin/ls", "/usr/bin/lua5.4"] {
        sweep.file(Path::new(path));
    }
    println!("{}", sweep.summary());
    assert!(sweep.instructions >= INSTRUCTIONS_MIN, "{}", sweep.summary());
    assert!(sweep.told.is_empty(), "{}\n{}", sweep.told.join("\n"), sweep.summary());
}

#[test]
fn freshly_compiled_programs() {
    let directory = std::env::temp_dir().join(format!("second-opinion-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("temporary directory");
    let mut sweep = Sweep::default();
    for compiler in ["gcc", "clang"] {
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
            if let Some(program) = compile(&directory, compiler, level) {
                sweep.file(&program);
            }
        }
    }
    fs::remove_dir_all(&directory).expect("temporary directory");
    println!("{}", sweep.summary());
    assert!(sweep.files >= 5, "no compiler found: {}", sweep.summary());
    assert!(sweep.told.is_empty(), "{}\n{}", sweep.told.join("\n"), sweep.summary());
}

#[test]
fn a_wrong_name_or_length_is_noticed() {
    let mut sweep = Sweep::default();
    let nop = Decoder::new(64, &[0x90], DecoderOptions::NONE).decode();
    sweep.judge(&nop, Some(("add", 1)), &[0x90]);
    sweep.judge(&nop, Some(("nop", 2)), &[0x90]);
    sweep.judge(&nop, None, &[0x90]);
    assert_eq!(sweep.told.len(), 3, "{:?}", sweep.told);
    sweep.judge(&nop, Some(("nop", 1)), &[0x90]);
    assert_eq!((sweep.told.len(), sweep.instructions), (3, 4));
}

/// The shared objects of this very process and the C++ library next to them.
fn loaded_objects() -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").expect("/proc/self/maps");
    let mut paths: BTreeSet<PathBuf> = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5))
        .filter(|path| path.starts_with('/') && path.contains(".so"))
        .map(PathBuf::from)
        .collect();
    let libraries: Vec<PathBuf> =
        paths.iter().filter_map(|path| Some(path.parent()?.join("libstdc++.so.6"))).collect();
    paths.extend(libraries.into_iter().filter(|path| path.exists()));
    paths
}

fn compile(directory: &Path, compiler: &str, level: &str) -> Option<PathBuf> {
    let source = directory.join("program.c");
    fs::write(&source, PROGRAM).expect("temporary file");
    let output = directory.join(format!("{compiler}{level}"));
    let mut command = Command::new(compiler);
    command.arg(level).arg("-static").arg("-pthread").arg("-o").arg(&output).arg(&source);
    command.arg("-lm").status().ok()?.success().then_some(output)
}

const PROGRAM: &str = r#"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static _Atomic long total;
static float row[64];
static void *work(void *argument) {
    for (long i = 0; i < 1000; i++) atomic_fetch_add(&total, i * (long)argument);
    return 0;
}
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)(long)argc);
    pthread_join(thread, 0);
    for (int i = 0; i < 64; i++) row[i] = sqrtf(i) * argc / (1 + i);
    long double wide = strtold(argv[0], 0);
    printf("%ld %f %Lf %s\n", total, row[7], wide * 3, strchr(argv[0], '/'));
    return total % 7 == 0;
}
"#;

#[derive(Default)]
struct Sweep {
    files: usize,
    instructions: u64,
    /// Bytes that both decoders refuse.
    refused: u64,
    told: Vec<String>,
    /// The kinds of disagreement seen; each is told once.
    kinds: BTreeSet<String>,
    /// How often a pair of different names was accepted.
    aliases: BTreeMap<String, u64>,
    current: String,
}

impl Sweep {
    /// Sweeps the executable sections of an ELF file, if it is there.
    fn file(&mut self, path: &Path) {
        let Ok(bytes) = fs::read(path) else { return };
        let elf = Elf::parse(&bytes).expect("system files are well-formed");
        if elf.header.e_machine != header::EM_X86_64 {
            return;
        }
        self.files += 1;
        self.current = path.display().to_string();
        let symbols: BTreeSet<u64> = elf
            .syms
            .iter()
            .chain(elf.dynsyms.iter())
            .filter(|symbol| symbol.st_type() == sym::STT_FUNC)
            .map(|symbol| symbol.st_value)
            .collect();
        for section in &elf.section_headers {
            let is_code = section.sh_flags & u64::from(SHF_EXECINSTR) != 0;
            if let Some(range) = section.file_range().filter(|_| is_code) {
                self.section(&bytes[range], section.sh_addr, &symbols);
            }
        }
    }

    fn section(&mut self, code: &[u8], start: u64, symbols: &BTreeSet<u64>) {
        let capstone = Capstone::new().x86().mode(arch::x86::ArchMode::Mode64).build();
        let capstone = capstone.expect("capstone knows x86");
        let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
        let mut opinions = capstone.disasm_iter(code, start).expect("capstone");
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            let at = decoder.position();
            decoder.decode_out(&mut instruction);
            let opinion = opinions.next();
            let opinion = opinion.as_ref().and_then(|it| Some((it.mnemonic()?, it.len())));
            let is_agreed = self.judge(&instruction, opinion, &code[at..]);
            if !is_agreed || instruction.is_invalid() {
                let here = start + at as u64;
                let Some(&next) = symbols.range(here + 1..).next() else { return };
                let offset = (next - start) as usize;
                if decoder.set_position(offset).is_err() || offset >= code.len() {
                    return;
                }
                decoder.set_ip(next);
                opinions.reset(&code[offset..], next);
            }
        }
    }

    /// Compares one decoded instruction with Capstone's mnemonic and length. False if they are not
    /// at the same place afterwards.
    fn judge(&mut self, iced: &Instruction, other: Option<(&str, usize)>, bytes: &[u8]) -> bool {
        self.instructions += 1;
        let Some((name, len)) = other else {
            if iced.is_invalid() {
                self.refused += 1;
                return true;
            }
            self.tell(iced, bytes, "capstone refuses it");
            return false;
        };
        if iced.is_invalid() || iced.len() != len {
            self.tell(iced, bytes, &format!("capstone: {name}, {len} bytes"));
            return false;
        }
        let mnemonic = name.rsplit(' ').next().unwrap_or(name);
        let iced_name = format!("{:?}", iced.mnemonic()).to_lowercase();
        if iced_name == mnemonic {
            return true;
        }
        if same_name(iced, mnemonic) {
            *self.aliases.entry(format!("{iced_name}={mnemonic}")).or_default() += 1;
            return true;
        }
        self.tell(iced, bytes, &format!("capstone: {name}"));
        true
    }

    fn tell(&mut self, iced: &Instruction, bytes: &[u8], opinion: &str) {
        let is_new = self.kinds.insert(format!("{:?} {opinion}", iced.mnemonic()));
        if is_new && self.told.len() < TOLD_MAX {
            let bytes: Vec<_> = bytes.iter().take(15).map(|byte| format!("{byte:02x}")).collect();
            let (file, address, len) = (&self.current, iced.ip(), iced.len());
            let (bytes, mnemonic) = (bytes.join(" "), iced.mnemonic());
            let iced = format!("iced: {mnemonic:?}, {len} bytes");
            self.told.push(format!("{file} {address:#x}: {bytes}: {iced}; {opinion}"));
        }
    }

    fn summary(&self) -> String {
        let (files, instructions, refused) = (self.files, self.instructions, self.refused);
        let aliases: Vec<_> =
            self.aliases.iter().map(|(pair, count)| format!("{pair} ({count})")).collect();
        let aliases = aliases.join(", ");
        format!("{files} files, {instructions} instructions, {refused} refused by both; {aliases}")
    }
}

/// Names that Capstone gives to instructions, first iced's name, then Capstone's.
const ALIASES: [(&str, &str); 3] = [
    // Intel's manual and the assembler differ about the order of the letters.
    ("fucomip", "fucompi"),
    ("fcomip", "fcompi"),
    // The form with a 64-bit immediate or offset.
    ("mov", "movabs"),
];

/// Whether Capstone's name means the same instruction as iced's.
fn same_name(iced: &Instruction, other: &str) -> bool {
    let name = format!("{:?}", iced.mnemonic()).to_lowercase();
    ALIASES.contains(&(&name, other)) || is_predicate_name(iced, &name, other)
}

/// Capstone writes comparisons with the predicate in the name: `cmpltps` for `cmpps ..., 1`.
fn is_predicate_name(iced: &Instruction, name: &str, other: &str) -> bool {
    const FLOAT: [&str; 8] = ["eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord"];
    const INTEGER: [&str; 8] = ["eq", "lt", "le", "false", "neq", "nlt", "nle", "true"];
    let Some(last) = iced.op_count().checked_sub(1) else { return false };
    let Some(at) = name.find("cmp").map(|at| at + 3) else { return false };
    let names = if name[at..].contains(['p', 's']) { FLOAT } else { INTEGER };
    let Ok(predicate) = usize::try_from(iced.try_immediate(last).unwrap_or(u64::MAX)) else {
        return false;
    };
    let expected = names.get(predicate);
    expected.is_some_and(|infix| other == format!("{}{infix}{}", &name[..at], &name[at..]))
}
