//! How fast programs run inside the virtual CPU: `cargo bench -p samovar-tests`.
//!
//! The same static executable runs natively, under `samovar run`, and under qemu-user with
//! translated blocks and with one instruction per block. Every engine gets as many units of work
//! as keep it busy for a while; user time per unit, less the time of an empty run, is compared.
//! The checksum of each unit count must agree with the native one: a wrong result has no speed.
//! Targets are printed beside the figures, not asserted: machines differ.
//!
//! Arguments select kernels by name; `--quick` takes fewer repetitions.

use samovar_tests::build::{Build, Compiler, Link, execute, programs};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::directives::Directives;
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use std::path::{Path, PathBuf};
use std::process::Command;

const INTEGER: &[&str] =
    &["sieve", "xorshift", "collatz", "matrix", "crc32", "quicksort", "queens"];
const POINTER: &[&str] = &["list", "tree", "hash"];

/// User time that a measurement should take at least.
const BUSY: f64 = 0.4;

/// What runs a program.
struct Engine {
    name: &'static str,
    wrap: Box<dyn Fn(&Job) -> Job>,
}

fn engines() -> Vec<Engine> {
    let mut all = vec![
        Engine { name: "native", wrap: Box::new(Job::clone) },
        Engine { name: "samovar", wrap: Box::new(|job| job.under_samovar(&[])) },
    ];
    if let Some(qemu) = need("qemu-x86_64") {
        let help = Job::new(&qemu, &["--help"]).run().stdout_text();
        let single = ["-one-insn-per-tb", "-singlestep"].into_iter().find(|o| help.contains(o));
        let under = move |qemu: &Path, options: Vec<String>, job: &Job| {
            let mut args = options;
            args.push(job.program.display().to_string());
            args.extend(job.args.iter().cloned());
            Job { args, ..Job::new(qemu, &[] as &[&str]) }
        };
        if let Some(option) = single {
            let qemu = qemu.clone();
            let wrap = move |job: &Job| under(&qemu, vec![option.to_string()], job);
            all.push(Engine { name: "qemu one-insn", wrap: Box::new(wrap) });
        }
        all.push(Engine {
            name: "qemu tcg",
            wrap: Box::new(move |job| under(&qemu, Vec::new(), job)),
        });
    }
    all
}

/// One run of so many units.
fn run(engine: &Engine, program: &Path, kernel: &str, units: u64) -> Outcome {
    let outcome = (engine.wrap)(&Job::new(program, &[kernel, &units.to_string()])).run();
    let label = format!("{} {kernel} {units}: {}", engine.name, outcome.stderr_text());
    assert!(outcome.status.success(), "{label}");
    outcome
}

/// Seconds of user time per unit of work: the best of a few, start-up taken off.
fn seconds_per_unit(engine: &Engine, program: &Path, kernel: &str, repeats: u32) -> f64 {
    let empty = run(engine, program, kernel, 0).user.as_secs_f64();
    let mut units = 1;
    let busy = loop {
        let spent = run(engine, program, kernel, units).user.as_secs_f64() - empty;
        if spent >= BUSY / 2.0 || units >= 1 << 20 {
            break spent;
        }
        units = (units * 2).max((units as f64 * (BUSY * 0.6 / spent.max(0.005))) as u64);
    };
    let native = Job::new(program, &[kernel, &units.to_string()]).run().stdout;
    let mut best = busy;
    for _ in 0..repeats {
        let outcome = run(engine, program, kernel, units);
        assert_eq!(native, outcome.stdout, "{} computes {kernel} wrongly", engine.name);
        best = best.min(outcome.user.as_secs_f64() - empty);
    }
    best / units as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// The kernels of one kind, as rows of the table; returns the rows' figures.
fn kernels(names: &[&str], engines: &[Engine], program: &Path, options: &Options) {
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); engines.len()];
    for kernel in names.iter().filter(|name| options.wants(name)) {
        let times: Vec<f64> = engines
            .iter()
            .map(|engine| seconds_per_unit(engine, program, kernel, options.repeats))
            .collect();
        print_row(kernel, times[0] * 1e3, &times.iter().map(|t| t / times[0]).collect::<Vec<_>>());
        for (column, time) in columns.iter_mut().zip(&times) {
            column.push(time / times[0]);
        }
    }
    if columns[0].len() > 1 {
        let means: Vec<f64> = columns.iter().map(|column| geometric_mean(column)).collect();
        print_row("geometric mean", f64::NAN, &means);
    }
}

/// Ratios to native: native itself, samovar, then the others; and samovar against one-insn qemu.
fn print_row(name: &str, native_ms: f64, ratios: &[f64]) {
    let native = if native_ms.is_nan() { String::new() } else { format!("{native_ms:.3}") };
    let cells: Vec<String> = ratios[1..].iter().map(|r| format!("{r:.1}x")).collect();
    let gain = ratios.get(2).map_or(String::new(), |single| format!("{:.1}x", single / ratios[1]));
    println!("| {name} | {native} | {} | {gain} |", cells.join(" | "));
}

/// Start-up: wall-clock of a dynamic hello world from start to end.
fn start_up(engines: &[Engine], scratch: &Scratch) {
    let source = programs().join("c/hello.c");
    println!("\n| start-up of hello world, median of 20, ms | {} |", heads(engines));
    println!("|---|{}", "---|".repeat(engines.len()));
    for link in [Link::Pie, Link::Static] {
        let build = Build { link, ..Build::PLAIN };
        let program = build.compile(&source, &Directives::default(), scratch.path());
        let program = program.expect("gcc is essential");
        let job = Job::new(&program, &[] as &[&str]);
        let time = |engine: &Engine| {
            median((0..20).map(|_| (engine.wrap)(&job).run().time.as_secs_f64() * 1e3).collect())
        };
        let cells: Vec<String> = engines.iter().map(|e| format!("{:.1}", time(e))).collect();
        println!("| {build} | {} |", cells.join(" | "));
    }
    println!("target: the dynamic one below 50 ms under samovar");
}

fn heads(engines: &[Engine]) -> String {
    engines.iter().map(|engine| engine.name).collect::<Vec<_>>().join(" | ")
}

/// What was asked for on the command line.
struct Options {
    names: Vec<String>,
    repeats: u32,
}

impl Options {
    fn read() -> Options {
        let (flags, names): (Vec<_>, Vec<_>) =
            std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
        Options { names, repeats: if flags.contains(&"--quick".to_string()) { 1 } else { 3 } }
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|asked| name.contains(asked.as_str()))
    }
}

fn build_kernels(compiler: Compiler, scratch: &Scratch) -> Option<PathBuf> {
    let name = if compiler == Compiler::Clang { "clang" } else { "gcc" };
    let out = scratch.join(&format!("kernels-{name}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels.c");
    execute(Command::new(need(name)?).args(["-O2", "-static", "-o"]).arg(&out).arg(source));
    Some(out)
}

fn main() {
    let options = Options::read();
    let scratch = Scratch::new("speed");
    let engines = engines();
    let program = build_kernels(Compiler::Gcc, &scratch).expect("gcc is essential");
    println!("| gcc -O2 -static | native ms | {} | samovar over one-insn |", heads(&engines[1..]));
    println!("|---|{}", "---|".repeat(engines.len() + 1));
    kernels(INTEGER, &engines, &program, &options);
    kernels(POINTER, &engines, &program, &options);
    println!("targets: samovar at most 20x native, at least 5x faster than one-insn");
    if options.names.is_empty() {
        start_up(&engines, &scratch);
    }
}
