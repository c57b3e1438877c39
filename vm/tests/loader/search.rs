//! The closure of libraries against `ldd`, and the sentence for each that is missing.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use samovar_vm::loader::{Closure, Files, Image, LibraryCache, LoadError, SearchOptions};
use samovar_vm::loader::{ImageKind, resolve_closure};

use crate::build::{Scratch, parse};

/// The files of the host.
pub struct Host;

impl Files for Host {
    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        let bytes = std::fs::read(path).ok()?;
        Some(bytes.into())
    }
}

/// A few files in memory.
struct Memory(BTreeMap<String, Arc<[u8]>>);

impl Files for Memory {
    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        self.0.get(path).cloned()
    }
}

fn options(program: &Path) -> SearchOptions {
    let real = std::fs::canonicalize(program).expect("path");
    let origin = real.parent().expect("directory").to_string_lossy().to_string();
    SearchOptions { origin, ..SearchOptions::default() }
}

fn closure(program: &Path, options: &SearchOptions) -> Result<Closure, LoadError> {
    resolve_closure(&parse(program), &Host, options)
}

/// What `ldd` prints: name and path of each library, without the dynamic linker.
fn ldd(program: &Path, environment: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut command = Command::new("ldd");
    command.arg(program).env_remove("LD_LIBRARY_PATH").envs(environment.iter().copied());
    let text = command.output().expect("run ldd").stdout;
    let text = String::from_utf8(text).expect("text");
    let lines = text.lines().map(str::trim).filter(|line| !line.contains("linux-vdso"));
    let lines = lines.filter(|line| !line.starts_with("ERROR: ld.so: object"));
    let pairs = lines.filter_map(|line| {
        let line = line.split(" (0x").next()?;
        let (name, path) = line.split_once(" => ").unwrap_or((line, line));
        let linker = name.ends_with("ld-linux-x86-64.so.2");
        (!linker).then(|| (name.trim().to_string(), path.trim().to_string()))
    });
    pairs.collect()
}

fn ours(closure: &Closure) -> Vec<(String, String)> {
    closure.libraries.iter().map(|l| (l.name.clone(), l.path.clone())).collect()
}

#[test]
fn system_programs_agree_with_ldd() {
    let programs = ["ls", "bash", "gcc", "perl", "sqlite3", "gdb", "python3", "clang", "xz"];
    let mut compared = 0;
    for name in programs {
        let path = Path::new("/usr/bin").join(name);
        let Ok(bytes) = std::fs::read(&path) else { continue };
        if Image::parse(bytes, name).is_err() {
            continue;
        }
        let found = closure(&path, &options(&path)).expect(name);
        assert_eq!(ours(&found), ldd(&path, &[]), "{name}");
        let linker = found.interpreter.expect("interpreter");
        assert_eq!(linker.path, "/lib64/ld-linux-x86-64.so.2");
        compared += 1;
    }
    assert!(compared >= 3, "only {compared} programs compared");
}

/// A program needs a library, which needs a second: `program -> one -> two`, in directories of
/// their own.
struct Chain(Scratch);

impl Chain {
    fn build(program_flags: &[&str], one_flags: &[&str]) -> Chain {
        let scratch = Scratch::new();
        for directory in ["a", "b", "other"] {
            std::fs::create_dir(scratch.path(directory)).expect("directory");
        }
        let library = ["-shared", "-fPIC"];
        scratch.gcc("b/libtwo.so", "int two(void) { return 2; }", &library);
        let flags = [&library[..], &["-Lb", "-ltwo"], one_flags].concat();
        scratch.gcc("a/libone.so", "int two(void); int one(void) { return two(); }", &flags);
        let main = "int one(void); int main(void) { return one(); }";
        let flags = [&["-La", "-lone", "-Wl,-rpath-link,b"][..], program_flags].concat();
        scratch.gcc("program", main, &flags);
        Chain(scratch)
    }

    fn check(&self, environment: &[(&str, &str)]) -> Result<Closure, LoadError> {
        let program = self.0.path("program");
        let variable = |name: &str| {
            environment.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string())
        };
        let options = SearchOptions {
            library_path: variable("LD_LIBRARY_PATH"),
            preload: variable("LD_PRELOAD"),
            ..options(&program)
        };
        let found = closure(&program, &options);
        let native = ldd(&program, environment);
        match &found {
            Ok(found) => assert_eq!(ours(found), native),
            Err(_) => assert!(native.iter().any(|(_, path)| path == "not found"), "{native:?}"),
        }
        found
    }
}

const RPATH: &str = "-Wl,--disable-new-dtags";
const RUNPATH: &str = "-Wl,--enable-new-dtags";

#[test]
fn old_search_path_is_inherited() {
    let chain = Chain::build(&[RPATH, "-Wl,-rpath,$ORIGIN/a:${ORIGIN}/b"], &[]);
    let found = chain.check(&[]).expect("closure");
    assert_eq!(found.libraries[0].name, "libone.so");
    assert!(found.libraries.iter().any(|library| library.name == "libtwo.so"));
    assert!(found.libraries[0].needed_by.ends_with("/program"));
}

#[test]
fn new_search_path_is_not_inherited() {
    let chain = Chain::build(&[RUNPATH, "-Wl,-rpath,$ORIGIN/a:$ORIGIN/b"], &[]);
    let message = chain.check(&[]).expect_err("libtwo.so is out of reach").to_string();
    assert!(message.contains("a/libone.so: needs the library libtwo.so, which was not found"));
    assert!(message.contains("(looked in /etc/ld.so.cache, /lib/x86_64-linux-gnu, "), "{message}");
    let b = chain.0.path("b").to_string_lossy().to_string();
    chain.check(&[("LD_LIBRARY_PATH", &b)]).expect("closure");
}

#[test]
fn a_new_search_path_disables_inherited_ones() {
    let chain = Chain::build(
        &[RPATH, "-Wl,-rpath,$ORIGIN/a:$ORIGIN/b"],
        &[RUNPATH, "-Wl,-rpath,$ORIGIN/../other"],
    );
    let message = chain.check(&[]).expect_err("libtwo.so is out of reach").to_string();
    assert!(message.contains("/a/../other, /etc/ld.so.cache"), "{message}");
    let own = Chain::build(&[RPATH, "-Wl,-rpath,$ORIGIN/a"], &[RUNPATH, "-Wl,-rpath,$ORIGIN/../b"]);
    own.check(&[]).expect("closure");
}

#[test]
fn environment_comes_between_the_old_and_the_new_path() {
    for (kind, wins) in [(RPATH, "/a/libone.so"), (RUNPATH, "/other/libone.so")] {
        let chain = Chain::build(&[kind, "-Wl,-rpath,$ORIGIN/a:$ORIGIN/b"], &[]);
        let flags = ["-shared", "-fPIC"];
        chain.0.gcc("other/libone.so", "int one(void) { return 1; }", &flags);
        let other = chain.0.path("other").to_string_lossy().to_string();
        let found = chain.check(&[("LD_LIBRARY_PATH", &other)]).expect("closure");
        assert!(found.libraries[0].path.ends_with(wins), "{}", found.libraries[0].path);
    }
}

#[test]
fn libraries_of_another_machine_are_passed_over() {
    let chain = Chain::build(&[RPATH, "-Wl,-rpath,$ORIGIN/other:$ORIGIN/a:$ORIGIN/b"], &[]);
    let mut foreign = std::fs::read(chain.0.path("a/libone.so")).expect("read");
    foreign[18..20].copy_from_slice(&183u16.to_le_bytes());
    std::fs::write(chain.0.path("other/libone.so"), &foreign).expect("write");
    chain.check(&[]).expect("closure");
    std::fs::write(chain.0.path("a/libone.so"), &foreign).expect("write");
    let message = chain.check(&[]).expect_err("wrong machine").to_string();
    assert!(message.contains("libone.so, which was found only for another machine"), "{message}");
}

#[test]
fn preloaded_libraries_come_first() {
    let chain = Chain::build(&[RPATH, "-Wl,-rpath,$ORIGIN/a:$ORIGIN/b"], &[]);
    let two = chain.0.path("b/libtwo.so").to_string_lossy().to_string();
    let preload = format!("{two} libnowhere.so");
    let found = chain.check(&[("LD_PRELOAD", &preload)]).expect("closure");
    assert_eq!(found.libraries[0].path, two);
    assert_eq!(found.libraries.iter().filter(|l| l.path.ends_with("libtwo.so")).count(), 1);
}

#[test]
fn static_programs_need_nothing() {
    let scratch = Scratch::new();
    let path = scratch.gcc("program", "int main(void) { return 0; }", &["-static"]);
    let found = closure(&path, &options(&path)).expect("closure");
    assert!(found.interpreter.is_none() && found.libraries.is_empty());
}

#[test]
fn a_missing_dynamic_linker_is_named() {
    let nothing = Memory(BTreeMap::new());
    let error = resolve_closure(&parse("/bin/ls"), &nothing, &SearchOptions::default());
    let message = error.expect_err("no linker").to_string();
    let sentence = "/bin/ls: needs the dynamic linker /lib64/ld-linux-x86-64.so.2, which was not \
                    found";
    assert_eq!(message, sentence);
}

#[test]
fn musl_programs_follow_musl_rules() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("a")).expect("directory");
    let library = ["-shared", "-fPIC"];
    scratch.compile("musl-gcc", "a/libone.so", "int one(void) { return 1; }", &library);
    let main = "int one(void); int main(void) { return one(); }";
    let flags = ["-La", "-lone", RUNPATH, "-Wl,-rpath,$ORIGIN/a"];
    let path = scratch.compile("musl-gcc", "program", main, &flags);
    let found = closure(&path, &options(&path)).expect("closure");
    let linker = found.interpreter.expect("interpreter");
    assert_eq!(linker.path, "/lib/ld-musl-x86_64.so.1");
    let names: Vec<&str> = found.libraries.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["libone.so"], "libc.so is the dynamic linker itself");

    let path = scratch.compile("musl-gcc", "lost", main, &["-La", "-lone"]);
    let message = closure(&path, &options(&path)).expect_err("missing").to_string();
    assert!(message.contains("needs the library libone.so, which was not found (looked in /"));
    assert!(!message.contains("ld.so.cache"), "{message}");
}

/// A library that needs itself under ever new names ends with a sentence, not never.
#[test]
fn endless_needs_come_to_an_end() {
    struct Endless {
        image: Vec<u8>,
        name_at: usize,
    }
    impl Files for Endless {
        fn read(&self, path: &str) -> Option<Arc<[u8]>> {
            let number: u64 = path.strip_prefix("/lib64/lib")?.strip_suffix(".so")?.parse().ok()?;
            let mut bytes = self.image.clone();
            let next = format!("lib{:07}.so", number + 1);
            bytes[self.name_at..self.name_at + next.len()].copy_from_slice(next.as_bytes());
            Some(bytes.into())
        }
    }
    let scratch = Scratch::new();
    scratch.gcc("lib0000000.so", "int f(void) { return 0; }", &["-shared", "-nostdlib"]);
    let flags = ["-shared", "-nostdlib", "-L.", "-l0000000"];
    let path = scratch.gcc("start.so", "int f(void); int g(void) { return f(); }", &flags);
    let image = std::fs::read(&path).expect("read");
    assert_eq!(parse(&path).kind(), ImageKind::SharedLibrary);
    let name_at = image.windows(13).position(|w| w == b"lib0000000.so").expect("name");
    let endless = Endless { image, name_at };
    let error = resolve_closure(&parse(&path), &endless, &SearchOptions::default());
    let message = error.expect_err("endless").to_string();
    assert!(message.contains("needs more than 1024 libraries"), "{message}");
}

/// Every library that `ldconfig -p` lists is found in the host's cache, at the same path.
#[test]
fn the_hosts_cache_agrees_with_ldconfig() {
    let Ok(bytes) = std::fs::read("/etc/ld.so.cache") else { return };
    let cache = LibraryCache::parse(bytes).expect("cache");
    let output = Command::new("/sbin/ldconfig").arg("-p").output().expect("run ldconfig");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut compared = 0;
    for line in text.lines().filter(|line| line.contains("(libc6,x86-64)")) {
        let (name, path) = line.trim().split_once(" (libc6,x86-64) => ").expect("line");
        assert!(cache.lookup(name, &[]).iter().any(|p| p == path), "{line}");
        compared += 1;
    }
    assert!(compared > 10, "only {compared} libraries compared");
}
