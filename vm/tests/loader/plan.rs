//! The plan against the kernel: the same program, started natively without randomisation.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use samovar_vm::loader::{AuxKey, Image, Layout, Plan, PlanOptions, plan};

use crate::build::{PROGRAM, Scratch, parse};

fn strings(list: &[&str]) -> Vec<Vec<u8>> {
    list.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn plan_of(path: &Path) -> (Image, Plan) {
    let main = parse(path);
    let interpreter = main.interpreter().map(parse);
    let options = PlanOptions::new(path.to_string_lossy().as_bytes());
    let plan = plan(&main, interpreter.as_ref(), &strings(&["prog"]), &[], &options);
    (main, plan.expect("plan"))
}

/// Writes its own stack, from the first `rsp` up to the top, to standard output.
const STACK_DUMPER: &str = r#"
typedef unsigned long word;
__attribute__((noinline)) static long call(long n, long a, const void *b, long c) {
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
__attribute__((used)) void start(word *sp) {
    word *at = sp + 1 + *sp + 1;
    while (*at++) {}
    while (at[0] != 31) at += 2; /* AT_EXECFN: the highest string */
    char *end = (char *)at[1];
    while (*end++) {}
    end += 8;
    call(1, 1, &sp, sizeof sp);
    call(1, 1, sp, end - (char *)sp);
    call(231, 0, 0, 0);
}
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call start\n");
"#;

/// A stack as bytes from `rsp`, read back the way a C library does.
struct Stack<'a> {
    rsp: u64,
    bytes: &'a [u8],
}

impl Stack<'_> {
    fn word(&self, address: u64) -> u64 {
        let at = (address - self.rsp) as usize;
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().expect("word"))
    }

    fn string(&self, address: u64) -> Vec<u8> {
        let tail = &self.bytes[(address - self.rsp) as usize..];
        tail.iter().copied().take_while(|&byte| byte != 0).collect()
    }

    /// Pointers up to a zero word, and the address after it.
    fn pointers(&self, mut address: u64) -> (Vec<u64>, u64) {
        let mut list = Vec::new();
        while self.word(address) != 0 {
            list.push(self.word(address));
            address += 8;
        }
        (list, address + 8)
    }

    fn auxv(&self, mut address: u64) -> Vec<(u64, u64)> {
        let mut list = Vec::new();
        loop {
            let entry = (self.word(address), self.word(address + 8));
            list.push(entry);
            if entry.0 == 0 {
                return list;
            }
            address += 16;
        }
    }
}

/// Word for word the stack that the kernel makes, but for the entries left out on purpose.
#[test]
fn stack_is_the_kernels() {
    let scratch = Scratch::new();
    let flags = ["-nostdlib", "-static", "-no-pie", "-O1", "-fno-stack-protector"];
    let path = scratch.gcc("dump", STACK_DUMPER, &flags);
    let argument_sets: [&[&str]; 3] = [&[], &["one"], &["", "two words", "three"]];
    for args in argument_sets {
        let env = ["HOME=/nowhere", "EMPTY=", "X=1"];
        let mut command = Command::new("setarch");
        command.arg("-R").arg("env").arg("-i").args(env).arg(&path).args(args);
        let native = command.output().expect("run natively").stdout;
        let native_rsp = u64::from_le_bytes(native[..8].try_into().expect("rsp"));
        let native = Stack { rsp: native_rsp, bytes: &native[8..] };
        let (native_args, next) = native.pointers(native_rsp + 8);
        let (native_env, next) = native.pointers(next);
        let native_aux = native.auxv(next);
        let native_map: BTreeMap<u64, u64> = native_aux.iter().copied().collect();
        let value = |key: AuxKey| native_map[&(key as u64)];

        let options = PlanOptions {
            exec_path: native.string(value(AuxKey::Execfn)),
            hwcap: value(AuxKey::Hwcap),
            hwcap2: value(AuxKey::Hwcap2),
            signal_stack_min: value(AuxKey::Minsigstksz),
            clock_ticks: value(AuxKey::Clktck),
            uid: value(AuxKey::Uid),
            euid: value(AuxKey::Euid),
            gid: value(AuxKey::Gid),
            egid: value(AuxKey::Egid),
            random: {
                let at = (value(AuxKey::Random) - native_rsp) as usize;
                native.bytes[at..at + 16].try_into().expect("random")
            },
            layout: Layout {
                stack_top: native_rsp + native.bytes.len() as u64,
                ..Layout::STANDARD
            },
            ..PlanOptions::new(b"")
        };
        let all_args: Vec<Vec<u8>> = native_args.iter().map(|&at| native.string(at)).collect();
        let plan = plan(&parse(&path), None, &all_args, &strings(&env), &options).expect("plan");
        let ours = Stack { rsp: plan.rsp, bytes: &plan.stack.contents };

        assert_eq!(ours.word(plan.rsp), 1 + args.len() as u64);
        let (our_args, next) = ours.pointers(plan.rsp + 8);
        assert_eq!(our_args, native_args);
        let (our_env, next) = ours.pointers(next);
        assert_eq!(our_env, native_env);
        assert_eq!(ours.auxv(next), plan.stack.auxv);
        // Left out: the vdso (33) and restartable sequences (27, 28; newer kernels 29, 30).
        let left_out = |key: u64| matches!(key, 33 | 27..=30);
        let expected: Vec<_> =
            native_aux.iter().copied().filter(|&(key, _)| !left_out(key)).collect();
        assert_eq!(plan.stack.auxv, expected);
        let (vector_start, vector_end) = (plan.rsp - native_rsp, native_aux.len() * 16);
        assert_eq!(vector_start, 16 * (native_aux.len() - expected.len()) as u64);
        assert!(vector_end > 0);
        // Everything above the vector is identical.
        let above = (next - plan.rsp) as usize + expected.len() * 16;
        let native_above = above + vector_start as usize;
        assert_eq!(ours.bytes[above..], native.bytes[native_above..]);
    }
}

/// One line of /proc/self/maps.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    start: u64,
    end: u64,
    perms: String,
    offset: u64,
}

/// Prints its own mappings with plain system calls, so that no library adds or splits any.
const MAPS_DUMPER: &str = r#"
static long call(long n, long a, const void *b, long c) {
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
int initialised[3000] = {1, 2, 3};
char zeroed[100000];
const char text[9000] = "constant";
__attribute__((used)) void start(void) {
    char buffer[4096];
    long fd = call(2, (long)"/proc/self/maps", 0, 0), n;
    while ((n = call(0, fd, buffer, sizeof buffer)) > 0) call(1, 1, buffer, n);
    call(231, 0, 0, 0);
}
__asm__(".globl _start\n_start: and $-16, %rsp\n call start\n");
"#;

fn native_maps(path: &Path) -> Vec<Line> {
    let output = Command::new("setarch").arg("-R").arg(path).output().expect("run natively");
    let text = String::from_utf8(output.stdout).expect("text");
    let name = path.to_string_lossy();
    let lines = text.lines().filter(|line| {
        // The file's own lines and anonymous ones right of them (a line has five fields then).
        line.ends_with(&*name) || line.split_whitespace().count() == 5
    });
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (start, end) = fields[0].split_once('-').expect("range");
            let hex = |text: &str| u64::from_str_radix(text, 16).expect("hex");
            Line {
                start: hex(start),
                end: hex(end),
                perms: fields[1][..3].to_string(),
                offset: hex(fields[2]),
            }
        })
        .collect()
}

/// The program's pages are those that the kernel maps.
#[test]
fn mappings_are_the_kernels() {
    let scratch = Scratch::new();
    let common = ["-nostdlib", "-O1", "-fno-stack-protector"];
    let variants: [(&str, &[&str]); 6] = [
        ("fixed", &["-static", "-no-pie"]),
        ("pie", &["-static-pie", "-fPIE"]),
        ("lean", &["-static", "-no-pie", "-Wl,-z,noseparate-code"]),
        ("large_pages", &["-static", "-no-pie", "-Wl,-z,max-page-size=0x200000"]),
        ("no_relro", &["-static", "-no-pie", "-Wl,-z,norelro"]),
        ("stack_exec", &["-static", "-no-pie", "-Wl,-z,execstack"]),
    ];
    for (name, flags) in variants {
        let path = scratch.gcc(name, MAPS_DUMPER, &[&common[..], flags].concat());
        let native = native_maps(&path);
        let (_, plan) = plan_of(&path);
        let shift = native[0].start.wrapping_sub(plan.mappings[0].addr);
        assert!(name == "pie" || shift == 0, "{name}");
        let ours: Vec<Line> = plan
            .mappings
            .iter()
            .map(|mapping| Line {
                start: mapping.addr.wrapping_add(shift),
                end: mapping.end().wrapping_add(shift),
                perms: mapping.perms.to_string(),
                offset: mapping.file_offset.unwrap_or(0),
            })
            .collect();
        assert_eq!(ours, native, "{name}");
        assert_eq!(plan.stack.perms.exec, name == "stack_exec");
    }
}

/// Every byte that the guest can see in the file's pages, compared with the kernel's.
#[test]
fn bytes_are_the_kernels() {
    let scratch = Scratch::new();
    // Dumps its own pages from &__executable_start to the end of the zeroed data.
    let source = MAPS_DUMPER.replace(
        "long fd = call(2, (long)\"/proc/self/maps\", 0, 0), n;",
        "extern char __executable_start, _end; long fd = -1, n; (void)buffer;
         char *at = &__executable_start, *end = (char *)(((long)&_end + 4095) & -4096);
         for (; at < end; at += 4096) {
            long done = call(1, 1, at, 4096);
            if (done != 4096) { buffer[0] = 0; for (int i = 1; i < 4096; i++) buffer[i] = 0;
                call(1, 1, buffer, 4096); } }",
    );
    for (name, flag) in [("plain", "-Wl,-z,separate-code"), ("lean", "-Wl,-z,noseparate-code")] {
        let flags = ["-nostdlib", "-static", "-no-pie", "-O1", "-fno-stack-protector", flag];
        let path = scratch.gcc(name, &source, &flags);
        let native = Command::new(&path).output().expect("run natively").stdout;
        let (_, plan) = plan_of(&path);
        let base = plan.mappings[0].addr;
        let mut ours = vec![0; native.len()];
        for mapping in &plan.mappings {
            let at = (mapping.addr - base) as usize;
            ours[at..at + mapping.bytes().len()].copy_from_slice(mapping.bytes());
        }
        assert_eq!(ours.len() as u64, plan.brk_start - base, "{name}");
        let different = (0..native.len()).find(|&i| ours[i] != native[i]);
        assert_eq!(different, None, "{name}: first difference (offset from the base)");
    }
}

#[test]
fn layout_of_a_dynamic_program() {
    let scratch = Scratch::new();
    let (main, plan) = plan_of(&scratch.gcc("pie", PROGRAM, &["-pie", "-fPIE"]));
    assert_eq!(plan.main_bias, 0x10_0000_0000);
    assert_eq!(plan.interpreter_bias, Some(0x20_0000_0000));
    assert_eq!(plan.stack.high, 0x3f_ffff_f000);
    assert_eq!(plan.stack.high - plan.stack.low, 8 << 20);
    assert_eq!(plan.rsp % 16, 0);
    let linker = parse(main.interpreter().expect("interpreter"));
    assert_eq!(plan.entry, 0x20_0000_0000 + linker.entry());
    let auxv: BTreeMap<u64, u64> = plan.stack.auxv.iter().copied().collect();
    assert_eq!(auxv[&(AuxKey::Entry as u64)], 0x10_0000_0000 + main.entry());
    assert_eq!(auxv[&(AuxKey::Base as u64)], 0x20_0000_0000);
    assert_eq!(auxv[&(AuxKey::Phdr as u64)], 0x10_0000_0040);
    let last = plan.mappings.iter().rfind(|m| m.addr < 0x20_0000_0000).expect("mapping");
    assert_eq!(plan.brk_start, last.end());
}

/// The dynamic linker itself shows the keys that a native program gets.
#[test]
fn auxiliary_keys_are_those_a_native_program_sees() {
    let shown = Command::new("/bin/true").env("LD_SHOW_AUXV", "1").output().expect("run").stdout;
    let shown = String::from_utf8_lossy(&shown).to_string();
    let key = |line: &str| line.split(':').next().unwrap_or_default().to_string();
    let native: Vec<String> = shown
        .lines()
        .map(key)
        .filter(|key| key.starts_with("AT_") && !key.contains('?'))
        .filter(|key| !matches!(key.as_str(), "AT_SYSINFO_EHDR" | "AT_RSEQ_FEATURE_SIZE"))
        .filter(|key| key != "AT_RSEQ_ALIGN")
        .collect();
    let (_, plan) = plan_of(Path::new("/bin/true"));
    let names = [
        (51, "AT_MINSIGSTKSZ"),
        (16, "AT_HWCAP"),
        (6, "AT_PAGESZ"),
        (17, "AT_CLKTCK"),
        (3, "AT_PHDR"),
        (4, "AT_PHENT"),
        (5, "AT_PHNUM"),
        (7, "AT_BASE"),
        (8, "AT_FLAGS"),
        (9, "AT_ENTRY"),
        (11, "AT_UID"),
        (12, "AT_EUID"),
        (13, "AT_GID"),
        (14, "AT_EGID"),
        (23, "AT_SECURE"),
        (25, "AT_RANDOM"),
        (26, "AT_HWCAP2"),
        (31, "AT_EXECFN"),
        (15, "AT_PLATFORM"),
    ];
    let names: BTreeMap<u64, &str> = names.into_iter().collect();
    let ours: Vec<&str> =
        plan.stack.auxv.iter().filter(|e| e.0 != 0).map(|e| names[&e.0]).collect();
    assert_eq!(ours, native);
}

#[test]
fn refusals() {
    let scratch = Scratch::new();
    let program = parse(scratch.gcc("pie", PROGRAM, &["-pie", "-fPIE"]));
    let linker = parse(program.interpreter().expect("interpreter"));
    let library = parse(scratch.gcc("library", "int f(void) { return 1; }", &["-shared"]));
    let options = PlanOptions::new(b"./prog");
    let message = |main: &Image, interpreter, args: &[Vec<u8>], options: &PlanOptions| {
        plan(main, interpreter, args, &[], options).expect_err("must be refused").to_string()
    };
    let no_linker = message(&program, None, &[], &options);
    assert!(no_linker.contains("needs the dynamic linker /lib64/ld-linux-x86-64.so.2"));
    assert!(message(&library, None, &[], &options).ends_with("not a program"));
    let zero = message(&program, Some(&linker), &[b"a\0b".to_vec()], &options);
    assert!(zero.ends_with("argument 0 contains a zero byte"), "{zero}");
    let long = message(&program, Some(&linker), &[vec![b'a'; 200_000]], &options);
    assert!(long.contains("at most 131072"), "{long}");
    let many = message(&program, Some(&linker), &vec![vec![b'a'; 100_000]; 30], &options);
    assert!(many.contains("at most 2097152"), "{many}");
    let layout = Layout { interpreter_base: 0x10_0000_1000, ..Layout::STANDARD };
    let collision = PlanOptions { layout, ..options.clone() };
    assert!(message(&program, Some(&linker), &[], &collision).contains("collide with"));
    let layout = Layout { pie_base: 0x3f_ffff_0000, ..Layout::STANDARD };
    let collision = PlanOptions { layout, ..options };
    let stack = message(&program, Some(&linker), &[], &collision);
    assert!(stack.contains("collide with"), "{stack}");
}
