//! Finding the `samovar` executable under test.
//!
//! Cargo names the binary only to tests of its own package, so this crate asks cargo to build it
//! once per test process, in release mode (a debug interpreter is too slow for whole programs), or
//! in the profile `quick` if the test was built in that,
//! into the target directory that the test itself was built in. If `cargo test --workspace` has
//! just built one there, it is taken as it is: cargo would build everything once more with the
//! features of that package alone. `SAMOVAR_BIN` overrides all this.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The path of the samovar executable; builds it at the first call of a process.
pub fn samovar() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| match std::env::var_os("SAMOVAR_BIN") {
        Some(given) => PathBuf::from(given),
        None => build(),
    })
}

/// The root of the workspace that this crate belongs to.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate lies in a workspace")
}

/// The directory that the running executable was built in: `<target>/<profile>/deps/<name>` for
/// tests and benches, `<target>/<profile>/<name>` for binaries.
fn profile_directory() -> PathBuf {
    let executable = std::env::current_exe().expect("the path of the running test");
    let mut directory = executable.parent().expect("an executable lies in a directory");
    if directory.ends_with("deps") {
        directory = directory.parent().expect("deps lies in the profile's directory");
    }
    directory.to_path_buf()
}

/// Whether an executable is newer than everything that it is made of.
fn is_fresh(executable: &Path) -> bool {
    let Some(built) = changed(executable) else { return false };
    let parts = ["Cargo.lock", "Cargo.toml", "vm", "runtime-lib", "checker"];
    let mut todo: Vec<PathBuf> = parts.iter().map(|part| workspace().join(part)).collect();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a directory of the workspace");
            todo.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if changed(&path).is_none_or(|at| built <= at) {
            return false;
        }
    }
    true
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|about| about.modified()).ok()
}

fn build() -> PathBuf {
    let own = profile_directory();
    let target = own.parent().expect("the profile lies in the target directory");
    let profile = if own.ends_with("quick") { "quick" } else { "release" };
    let path = target.join(profile).join("samovar");
    if is_fresh(&path) {
        return path;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let output = Command::new(cargo)
        .args(["build", "--profile", profile, "--quiet", "-p", "samovar", "--bin", "samovar"])
        .arg("--target-dir")
        .arg(target)
        .current_dir(workspace())
        .output()
        .expect("cargo starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "building samovar failed:\n{log}");
    assert!(path.is_file(), "no samovar executable at {}", path.display());
    path
}
