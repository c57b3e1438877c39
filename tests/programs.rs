//! The programs of `programs/`, built in many ways, each run natively and inside the virtual CPU.

use samovar_tests::build::{self, Build, Compiler};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::compare::{MODELS, SEEDED, complaints};
use samovar_tests::directives::Directives;
use samovar_tests::scratch::Scratch;
use std::path::{Path, PathBuf};

/// One test per program; the position in the list decides which builds the quick selection takes.
macro_rules! programs {
    ($kind:ident, $runner:ident: $($name:ident)*) => {
        mod $kind {
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];
            $(
                #[test]
                fn $name() {
                    super::$runner(stringify!($name), NAMES);
                }
            )*
        }
    };
}

programs! { c, check_c:
    atomics atomics16 big_output bits clocks constructors control ctype_locale deaths directory
    environment exit_codes files heap hello int128 mappings math philosophers pipes plugin
    printf_float printf_int printf_long_double quick_exit random recursion regex rounding scanf
    setjmp shared_memory
    signals sleepers sorting string_ops strings struct_copy threads_barrier threads_basic
    threads_c11 threads_cancel threads_cancel_wait threads_cond threads_exit threads_malloc
    threads_limits threads_many threads_mutex threads_named threads_robust threads_rwlock
    threads_sem tls tls_shared varargs vectors wc wide
}

programs! { cpp, check_cpp:
    containers exceptions filter futures synchronised threads
}

programs! { rust, check_rust:
    threads values
}

/// Rust is built with these flags; the quick selection takes the first and one other.
const RUST_BUILDS: &[&[&str]] = &[
    &["-O"],
    &["-Copt-level=0"],
    &["-O", "-Ctarget-feature=+crt-static"],
    &["-Copt-level=3", "-Crelocation-model=static", "-Cstrip=symbols"],
];

fn check_c(name: &str, names: &[&str]) {
    check_source(build::programs().join(format!("c/{name}.c")), index(name, names));
}

fn check_cpp(name: &str, names: &[&str]) {
    check_source(build::programs().join(format!("cpp/{name}.cpp")), index(name, names));
}

fn check_rust(name: &str, names: &[&str]) {
    let source = build::programs().join(format!("rust/{name}.rs"));
    let (directives, scratch) = prepare(&source);
    let other = 1 + index(name, names) % (RUST_BUILDS.len() - 1);
    let mut lines = Vec::new();
    for (number, flags) in RUST_BUILDS.iter().enumerate() {
        if number != 0 && number != other && !samovar_tests::everything() {
            continue;
        }
        if let Some(program) = build::rust(&source, flags, scratch.path()) {
            let label = flags.join(" ");
            lines.extend(check_program(&program, &directives, &scratch, number == 0, &label));
        }
    }
    assert!(lines.is_empty(), "{} complaints:\n{}", lines.len(), lines.join("\n"));
}

fn index(name: &str, names: &[&str]) -> usize {
    names.iter().position(|n| *n == name).expect("a test is in its list")
}

fn prepare(source: &Path) -> (Directives, Scratch) {
    let text = std::fs::read_to_string(source).expect("the program's source");
    let directives = Directives::parse(&text).unwrap_or_else(|e| panic!("{source:?}: {e}"));
    let label = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    (directives, Scratch::new(&label))
}

fn check_source(source: PathBuf, index: usize) {
    let (mut directives, scratch) = prepare(&source);
    if source.extension().is_some_and(|e| e == "cpp") {
        directives.not.push("musl".to_string());
    }
    let mut lines = Vec::new();
    for (number, build) in Build::selection(index, &directives).into_iter().enumerate() {
        if let Some(program) = build.compile(&source, &directives, scratch.path()) {
            let label = build.to_string();
            lines.extend(check_program(&program, &directives, &scratch, number == 0, &label));
        }
    }
    assert!(lines.is_empty(), "{} complaints:\n{}", lines.len(), lines.join("\n"));
}

/// All runs of one executable; random schedules too if asked for.
fn check_program(
    program: &Path,
    directives: &Directives,
    scratch: &Scratch,
    first: bool,
    label: &str,
) -> Vec<String> {
    let seeded = directives.threads && (first || samovar_tests::everything());
    let mut lines = Vec::new();
    for (args, ending) in &directives.runs {
        let job = job(program, args, directives, scratch);
        let native = job.run();
        assert_native(&job, &native, ending);
        let mut found = complaints(&job, &native, MODELS);
        if seeded {
            found.extend(complaints(&job, &native, SEEDED));
        }
        if let Some(name) = &directives.full_may_refuse {
            found.retain(|line| !(line.starts_with("[full") && is_refusal_of(name, line)));
        }
        lines.extend(found.into_iter().map(|line| format!("{label} {line}")));
    }
    lines
}

/// Whether a complaint says that the virtual CPU refused to do what `name` stands for.
fn is_refusal_of(name: &str, complaint: &str) -> bool {
    complaint.contains("] unsupported (samovar: unsupported") && complaint.contains(name)
}

fn job(program: &Path, args: &[String], directives: &Directives, scratch: &Scratch) -> Job {
    let mut job = Job::new(program, args).stdin(directives.stdin.clone());
    job = job.directory(scratch.path());
    for (name, value) in &directives.env {
        job = job.env(name, value);
    }
    if let Some(plugin) = &directives.plugin {
        let path = build::shared_library(plugin, scratch.path());
        job = job.env("PLUGIN", &path.display().to_string());
    }
    job
}

/// The native run must be the one the program's author had in mind, or the test tests nothing.
fn assert_native(job: &Job, native: &Outcome, ending: &str) {
    let seen = native.ending();
    let (line, said) = (job.command_line(), native.stderr_text());
    assert_eq!(seen, ending, "natively, {line} ended otherwise; stderr:\n{said}");
}

/// Programs for processors up to SSE4.2, on a virtual CPU that has it; glibc picks other string
/// functions there, too.
#[test]
fn x86_64_v2() {
    const NAMES: &[&str] = &["bits", "strings", "vectors", "math", "sorting", "wc", "int128"];
    let way: &[(&str, &[&str])] = &[("v2", &["--cpu", "v2"])];
    let mut lines = Vec::new();
    for (name, compiler) in NAMES.iter().zip([Compiler::Gcc, Compiler::Clang].iter().cycle()) {
        let source = build::programs().join(format!("c/{name}.c"));
        let (mut directives, scratch) = prepare(&source);
        directives.cflags.push("-march=x86-64-v2".to_string());
        let build = Build { compiler: *compiler, level: 3, ..Build::PLAIN };
        let Some(program) = build.compile(&source, &directives, scratch.path()) else { continue };
        let job = job(&program, &[], &directives, &scratch);
        let native = job.run();
        assert_native(&job, &native, "exit status 0");
        lines.extend(complaints(&job, &native, way));
    }
    assert!(lines.is_empty(), "{} complaints:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn every_program_is_listed() {
    for (kind, extension, names) in
        [("c", "c", c::NAMES), ("cpp", "cpp", cpp::NAMES), ("rust", "rs", rust::NAMES)]
    {
        let files = std::fs::read_dir(build::programs().join(kind)).expect("the programs");
        for file in files.map(|entry| entry.expect("an entry").path()) {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            assert!(file.extension().is_some_and(|e| e == extension), "{file:?} is no program");
            assert!(names.contains(&stem.as_str()), "{file:?} is not in the list above");
        }
    }
}
