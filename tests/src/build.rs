//! Compiling the test programs: which compiler, which optimisation, which kind of executable.

use crate::directives::Directives;
use crate::tool::need;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The C compiler, and with it the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// GNU C with glibc.
    Gcc,
    /// LLVM's C with glibc.
    Clang,
    /// GNU C with musl, static only.
    Musl,
}

/// The kind of executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Dynamic, position independent.
    Pie,
    /// Dynamic, at fixed addresses.
    NoPie,
    /// Static, at fixed addresses.
    Static,
    /// Static, position independent.
    StaticPie,
}

/// One way to build a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// Who compiles.
    pub compiler: Compiler,
    /// The digit of `-O`.
    pub level: u8,
    /// What comes out.
    pub link: Link,
    /// Whether the symbol table is removed.
    pub stripped: bool,
}

const fn build(compiler: Compiler, level: u8, link: Link, stripped: bool) -> Build {
    Build { compiler, level, link, stripped }
}

/// What the quick selection draws from, besides `gcc -O2`, which every program gets.
const COVERING: &[Build] = &[
    build(Compiler::Gcc, 0, Link::Pie, false),
    build(Compiler::Clang, 2, Link::Pie, false),
    build(Compiler::Musl, 2, Link::Static, false),
    build(Compiler::Gcc, 3, Link::Static, false),
    build(Compiler::Clang, 0, Link::NoPie, false),
    build(Compiler::Gcc, 1, Link::StaticPie, false),
    build(Compiler::Clang, 3, Link::Static, true),
    build(Compiler::Gcc, 2, Link::Static, true),
    build(Compiler::Musl, 0, Link::Static, true),
    build(Compiler::Clang, 1, Link::StaticPie, false),
    build(Compiler::Gcc, 3, Link::NoPie, true),
];

impl Build {
    /// The plain build: `gcc -O2`, dynamic.
    pub const PLAIN: Build = build(Compiler::Gcc, 2, Link::Pie, false);

    /// Every build there is.
    pub fn all() -> Vec<Build> {
        let mut all = Vec::new();
        for compiler in [Compiler::Gcc, Compiler::Clang] {
            for level in 0..=3 {
                for link in [Link::Pie, Link::NoPie, Link::Static, Link::StaticPie] {
                    all.push(build(compiler, level, link, false));
                }
            }
        }
        for link in [Link::Pie, Link::NoPie, Link::Static, Link::StaticPie] {
            all.push(build(Compiler::Gcc, 2, link, true));
        }
        for level in 0..=3 {
            all.push(build(Compiler::Musl, level, Link::Static, level == 0));
        }
        all
    }

    /// The builds of the `index`-th program: all of them, or the plain one and three others that
    /// change with the index, so that a few programs together cover every build.
    pub fn selection(index: usize, directives: &Directives) -> Vec<Build> {
        let wanted = |build: &Build| !build.excluded_by(&directives.not);
        if crate::everything() {
            return Build::all().into_iter().filter(wanted).collect();
        }
        let start = index * 3 % COVERING.len();
        let rotated = COVERING.iter().cycle().skip(start).take(COVERING.len()).copied();
        let others = rotated.filter(|b| wanted(b)).take(3);
        std::iter::once(Build::PLAIN).filter(wanted).chain(others).collect()
    }

    fn excluded_by(&self, not: &[String]) -> bool {
        let library = if self.compiler == Compiler::Musl { "musl" } else { "glibc" };
        let compiler = match self.compiler {
            Compiler::Gcc => "gcc",
            Compiler::Clang => "clang",
            Compiler::Musl => "musl",
        };
        not.iter().any(|word| [library, compiler, self.link.name()].contains(&word.as_str()))
    }

    /// Compiles `source` (C or C++) into `directory`; `None` if the compiler is not there.
    pub fn compile(&self, source: &Path, d: &Directives, directory: &Path) -> Option<PathBuf> {
        let cpp = source.extension().is_some_and(|e| e == "cpp");
        let compiler = need(match (self.compiler, cpp) {
            (Compiler::Gcc, false) => "gcc",
            (Compiler::Gcc, true) => "g++",
            (Compiler::Clang, false) => "clang",
            (Compiler::Clang, true) => "clang++",
            (Compiler::Musl, _) => "musl-gcc",
        })?;
        let out = directory.join(format!("{}.{self}", stem(source)));
        let mut command = Command::new(compiler);
        command.args(["-g", "-pthread", "-w", if cpp { "-std=c++17" } else { "-std=gnu11" }]);
        command.arg(format!("-O{}", self.level)).args(self.link.flags()).args(&d.cflags);
        command.arg(source).arg("-o").arg(&out);
        if let Some(library) = &d.shared {
            shared_library(library, directory);
            command.arg("-L").arg(directory).arg(format!("-l{}", stem(Path::new(library))));
            command.arg("-Wl,-rpath,$ORIGIN");
        }
        if self.stripped {
            command.arg("-s");
        }
        execute(command.args(&d.libs));
        Some(out)
    }
}

impl Link {
    fn name(self) -> &'static str {
        match self {
            Link::Pie => "pie",
            Link::NoPie => "no-pie",
            Link::Static => "static",
            Link::StaticPie => "static-pie",
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Link::Pie => &["-fPIE", "-pie"],
            Link::NoPie => &["-fno-pie", "-no-pie"],
            Link::Static => &["-fno-pie", "-no-pie", "-static"],
            Link::StaticPie => &["-fPIE", "-static-pie"],
        }
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let compiler = format!("{:?}", self.compiler).to_lowercase();
        let strip = if self.stripped { "-stripped" } else { "" };
        write!(f, "{compiler}-O{}-{}{strip}", self.level, self.link.name())
    }
}

/// Builds `programs/lib/<name>` as `lib<stem>.so` in `directory`.
pub fn shared_library(name: &str, directory: &Path) -> PathBuf {
    let source = programs().join("lib").join(name);
    let out = directory.join(format!("lib{}.so", stem(&source)));
    let gcc = need("gcc").expect("gcc is essential");
    execute(Command::new(gcc).args(["-shared", "-fPIC", "-O1", "-o"]).arg(&out).arg(source));
    out
}

/// Compiles a Rust program with the given flags of rustc.
pub fn rust(source: &Path, flags: &[&str], directory: &Path) -> Option<PathBuf> {
    let rustc = need("rustc")?;
    let out = directory.join(format!("{}{}", stem(source), flags.join("").replace('/', "_")));
    let mut command = Command::new(rustc);
    execute(command.args(["--edition=2024"]).args(flags).arg("-o").arg(&out).arg(source));
    Some(out)
}

/// Where the test programs lie.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Runs a compiler; its failure is a failure of the test.
pub fn execute(command: &mut Command) {
    let output = command.output().expect("the compiler starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{log}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_covering_selection_covers_every_build_and_obeys_exclusions() {
        let free = Directives::default();
        for wanted in COVERING {
            let hit = (0..COVERING.len()).any(|i| Build::selection(i, &free).contains(wanted));
            assert!(hit, "{wanted} never comes up");
        }
        let not = Directives { not: vec!["glibc".to_string()], ..Directives::default() };
        assert!(Build::selection(0, &not).iter().all(|b| b.compiler == Compiler::Musl));
    }
}
