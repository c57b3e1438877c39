//! Finding the `samovar` executable under test.
//!
//! Cargo names the binary only to tests of its own package, so this crate asks cargo to build it
//! once per test process, in release mode (a debug interpreter is too slow for whole programs),
//! into the target directory that the test itself was built in. `SAMOVAR_BIN` overrides all this.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the samovar executable; builds it at the first call of a process.
pub fn samovar() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| match std::env::var_os("SAMOVAR_BIN") {
        Some(given) => PathBuf::from(given),
        None => build_release(),
    })
}

/// The root of the workspace that this crate belongs to.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate lies in a workspace")
}

/// The directory that the running executable was built below: `<target>/<profile>/deps/<name>`
/// for tests and benches, `<target>/<profile>/<name>` for binaries.
fn target_directory() -> PathBuf {
    let executable = std::env::current_exe().expect("the path of the running test");
    let mut directory = executable.parent().expect("an executable lies in a directory");
    if directory.ends_with("deps") {
        directory = directory.parent().expect("deps lies in the profile's directory");
    }
    directory.parent().expect("the profile lies in the target directory").to_path_buf()
}

fn build_release() -> PathBuf {
    let target = target_directory();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--quiet", "-p", "samovar", "--bin", "samovar"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(workspace())
        .output()
        .expect("cargo starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "building samovar failed:\n{log}");
    let path = target.join("release").join("samovar");
    assert!(path.is_file(), "no samovar executable at {}", path.display());
    path
}
