//! Misuse: guests that reach for the host, and files that are no programs for this machine. Each
//! is answered by one clear sentence and exit status 2, and nothing on the host changes.

use samovar_tests::build::{Build, Link, execute, programs};
use samovar_tests::child::{Job, Outcome};
use samovar_tests::compare::MODELS;
use samovar_tests::directives::Directives;
use samovar_tests::scratch::Scratch;
use samovar_tests::tool::need;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

fn compile(name: &str, build: Build, scratch: &Scratch) -> PathBuf {
    let source = programs().join(name);
    build.compile(&source, &Directives::default(), scratch.path()).expect("gcc is essential")
}

/// Everything below a directory: path, mode, time of change, contents.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(path) = waiting.pop() {
        let own = fs::symlink_metadata(&path).expect("metadata");
        let contents = if own.is_file() { fs::read(&path).expect("contents") } else { Vec::new() };
        if own.is_dir() {
            let entries = fs::read_dir(&path).expect("a directory");
            waiting.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
        all.insert(path, (own.mode(), own.mtime(), own.mtime_nsec(), contents));
    }
    all
}

/// A directory with things in it that a program could change.
fn prey(label: &str) -> Scratch {
    let directory = Scratch::new(label);
    for name in
        ["overwritten", "appended", "patched", "removed", "renamed", "truncated", "untouched"]
    {
        fs::write(directory.join(name), format!("original {name}")).expect("a file");
    }
    directory
}

#[test]
fn writes_go_to_the_overlay() {
    let scratch = Scratch::new("overlay");
    let program = compile("misuse/intruder.c", Build::PLAIN, &scratch);
    let job = Job::new(&program, &[] as &[&str]);
    let playground = prey("native");
    let before = snapshot(playground.path());
    let native = job.clone().directory(playground.path()).run();
    assert!(native.status.success(), "{}", native.stderr_text());
    assert_ne!(before, snapshot(playground.path()), "natively it does change things");
    for (model, options) in MODELS {
        let untouched = prey(model);
        let before = snapshot(untouched.path());
        let guest = job.clone().directory(untouched.path()).under_samovar(options).run();
        assert_eq!(before, snapshot(untouched.path()), "--model {model}: the host was changed");
        assert_eq!(native.stdout_text(), guest.stdout_text(), "{}", guest.stderr_text());
        assert_eq!(guest.ending(), "exit status 0");
    }
}

#[test]
fn what_leads_out_of_the_process_is_refused_by_name() {
    let scratch = Scratch::new("escape");
    // Each way out, and the names under which it may be refused: spawning is a vfork or a clone.
    let ways: &[(&str, &[&str])] = &[
        ("socket", &["socket"]),
        ("execve", &["execve"]),
        ("fork", &["fork", "clone"]),
        ("vfork", &["vfork", "clone"]),
        ("spawn", &["vfork", "clone", "posix_spawn"]),
        ("system", &["vfork", "clone", "system", "fork"]),
        ("ptrace", &["ptrace"]),
        ("mount", &["mount", "165"]),
        ("unknown", &["999"]),
    ];
    for link in [Link::Pie, Link::Static] {
        let program = compile("misuse/escape.c", Build { link, ..Build::PLAIN }, &scratch);
        for (way, names) in ways {
            for (model, options) in MODELS {
                let playground = prey(way);
                let before = snapshot(playground.path());
                let job = Job::new(&program, &[way]).directory(playground.path());
                let outcome = job.under_samovar(options).run();
                let label = format!("{way}, --model {model}, {link:?}");
                assert_eq!(before, snapshot(playground.path()), "{label}: the host was changed");
                assert_eq!(outcome.stdout_text(), "before\n", "{label}");
                let said = assert_one_sentence(&outcome, &label);
                let named = names.iter().any(|name| said.contains(name));
                assert!(named, "{label}: the refusal does not name it: {said}");
            }
        }
    }
}

#[test]
fn signals_do_not_leave_the_process() {
    let scratch = Scratch::new("kill");
    let program = compile("misuse/escape.c", Build::PLAIN, &scratch);
    // The native run would kill this very test. Inside, the parent does not exist, or killing is
    // refused; both are fine, and in both the test goes on.
    let outcome = Job::new(&program, &["kill"]).under_samovar(&[]).run();
    let alone = outcome.stdout_text() == "before\nafter\n" && outcome.status.success();
    let refused = outcome.status.code() == Some(2) && outcome.stderr_text().contains("kill");
    assert!(alone || refused, "{}: {}", outcome.ending(), outcome.stderr_text());
}

/// Exit status 2 and exactly one line on standard error, which is returned.
fn assert_one_sentence(outcome: &Outcome, label: &str) -> String {
    let said = outcome.stderr_text();
    assert_eq!(outcome.ending(), "exit status 2", "{label}: {said}");
    assert_eq!(said.lines().count(), 1, "{label}: not one sentence: {said:?}");
    assert!(said.starts_with("samovar: ") && 20 < said.len(), "{label}: {said:?}");
    assert!(!said.contains("panicked"), "{label}: {said:?}");
    said
}

/// Runs a file that is no program; the sentence must contain one of the words.
fn assert_refused(path: &Path, words: &[&str]) {
    let outcome = Job::new(path, &["argument"]).under_samovar(&[]).run();
    let label = path.display().to_string();
    let said = assert_one_sentence(&outcome, &label);
    assert!(outcome.stdout.is_empty(), "{label}: output: {}", outcome.stdout_text());
    let lower = said.to_lowercase();
    assert!(words.iter().any(|word| lower.contains(word)), "{label}: says not why: {said}");
}

/// An executable with some bytes of its header changed.
fn patched(original: &[u8], scratch: &Scratch, name: &str, at: usize, with: &[u8]) -> PathBuf {
    let mut bytes = original.to_vec();
    bytes[at..at + with.len()].copy_from_slice(with);
    write(scratch, name, &bytes)
}

fn write(scratch: &Scratch, name: &str, bytes: &[u8]) -> PathBuf {
    let path = scratch.join(name);
    fs::write(&path, bytes).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    path
}

#[test]
fn files_that_are_no_programs() {
    let scratch = Scratch::new("files");
    let hello = fs::read(compile("c/hello.c", Build::PLAIN, &scratch)).expect("the program");
    assert_refused(&scratch.join("absent"), &["no such"]);
    assert_refused(scratch.path(), &["directory"]);
    assert_refused(&write(&scratch, "script", b"#!/bin/sh\necho no\n"), &["script", "elf"]);
    assert_refused(&write(&scratch, "empty", b""), &["empty", "elf"]);
    assert_refused(&write(&scratch, "text", b"just some text\n"), &["elf"]);
    for length in [4, 20, 63, 64, 200, 700, 4096, hello.len() / 2] {
        let path = write(&scratch, &format!("truncated-{length}"), &hello[..length]);
        assert_refused(&path, &["truncated", "ends", "beyond", "outside", "short", "cut"]);
    }
    assert_refused(&Path::new("/dev").join("null"), &["regular", "empty", "elf"]);
}

#[test]
fn executables_of_other_machines() {
    let scratch = Scratch::new("machines");
    let hello = fs::read(compile("c/hello.c", Build::PLAIN, &scratch)).expect("the program");
    let machine = 18;
    assert_refused(&patched(&hello, &scratch, "arm", machine, &[40, 0]), &["arm"]);
    assert_refused(&patched(&hello, &scratch, "arm64", machine, &[183, 0]), &["aarch64", "arm"]);
    assert_refused(&patched(&hello, &scratch, "riscv", machine, &[243, 0]), &["risc"]);
    assert_refused(&patched(&hello, &scratch, "strange", machine, &[77, 77]), &["machine"]);
    assert_refused(&patched(&hello, &scratch, "narrow", 4, &[1]), &["32-bit"]);
    assert_refused(&patched(&hello, &scratch, "big-endian", 5, &[2]), &["endian"]);
    assert_refused(&patched(&hello, &scratch, "core", 16, &[4, 0]), &["core", "executable"]);
    assert_refused(&patched(&hello, &scratch, "object", 16, &[1, 0]), &["object", "executable"]);
    // A real 32-bit program, made without 32-bit libraries.
    let source = scratch.join("tiny.s");
    fs::write(&source, ".globl _start\n_start: mov $1, %eax\nint $0x80\n").expect("a file");
    let (object, program) = (scratch.join("tiny.o"), scratch.join("tiny"));
    let gcc = need("gcc").expect("gcc is essential");
    execute(Command::new(gcc).args(["-m32", "-c", "-o"]).arg(&object).arg(&source));
    if let Some(linker) = need("ld") {
        execute(Command::new(linker).args(["-m", "elf_i386", "-o"]).arg(&program).arg(&object));
        assert_refused(&program, &["32-bit"]);
    }
}

#[test]
fn unreadable_files() {
    let scratch = Scratch::new("unreadable");
    let path = write(&scratch, "locked", b"\x7fELF");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("permissions");
    if fs::read(&path).is_ok() {
        samovar_tests::announce("SKIPPED: unreadable files (this user may read everything)");
        return;
    }
    assert_refused(&path, &["cannot be read", "permission"]);
}

#[test]
fn missing_interpreter_and_library() {
    let scratch = Scratch::new("missing");
    let source = programs().join("c/hello.c");
    let flags = |flag: &str| Directives { cflags: vec![flag.to_string()], ..Directives::default() };
    let interpreter = flags("-Wl,--dynamic-linker=/nonexistent/ld-none.so.9");
    let program = Build::PLAIN.compile(&source, &interpreter, scratch.path());
    assert_refused(&program.expect("gcc is essential"), &["ld-none.so.9"]);

    let library =
        Directives { shared: Some("tlslib.c".to_string()), ..flags("-Wl,--no-as-needed") };
    let program = Build::PLAIN.compile(&source, &library, scratch.path());
    let program = program.expect("gcc is essential");
    let present = Job::new(&program, &[] as &[&str]).run();
    assert!(present.status.success(), "it runs while the library is there");
    fs::remove_file(scratch.join("libtlslib.so")).expect("the library was built");
    assert_refused(&program, &["libtlslib.so"]);
}
