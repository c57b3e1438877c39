//! Compiles small programs for the tests and keeps them for the life of the test process.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use samovar_vm::loader::Image;

/// A directory that disappears with the value.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A fresh, empty directory.
    pub fn new() -> Scratch {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("samovar-loader-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("scratch directory");
        Scratch(path)
    }

    /// A path inside.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Compiles `source` with gcc.
    pub fn gcc(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        self.compile("gcc", name, source, flags)
    }

    /// Compiles `source` with the named compiler.
    pub fn compile(&self, compiler: &str, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let input = self.path(&format!("{name}.c"));
        let output = self.path(name);
        std::fs::write(&input, source).expect("write source");
        let mut command = Command::new(compiler);
        command.current_dir(&self.0).arg(&input).arg("-o").arg(&output).args(flags);
        let result = command.output().expect("run compiler");
        let errors = String::from_utf8_lossy(&result.stderr);
        assert!(result.status.success(), "{compiler} {flags:?}: {errors}");
        output
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Reads and parses a file that must be loadable.
pub fn parse(path: impl AsRef<Path>) -> Image {
    let path = path.as_ref();
    let bytes = std::fs::read(path).expect("read file");
    Image::parse(bytes, &path.to_string_lossy()).expect("parse file")
}

/// A program with data, zeroed data, a thread-local variable and a constructor.
pub const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int initialised = 42;
static char zeroed[100000];
__thread int per_thread = 7;
__attribute__((constructor)) static void construct(void) { zeroed[5] = 1; }
__attribute__((noinline)) int twice(int x) { return 2 * x; }
int main(int argc, char **argv) {
    printf("%d %d %d\n", twice(initialised), zeroed[argc], per_thread);
    return argv[0] == NULL;
}
"#;
