//! Programs the tests need from the system: found on the path, or installed from Debian when the
//! tests run as root on a machine with apt-get (a fresh CI container).

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// The Debian package that brings a program, where the names differ.
const PACKAGES: &[(&str, &str)] = &[
    ("musl-gcc", "musl-tools"),
    ("clang++", "clang"),
    ("xz", "xz-utils"),
    ("qemu-x86_64", "qemu-user"),
    ("strip", "binutils"),
    ("ld", "binutils"),
    ("dot", "graphviz"),
    ("unshare", "util-linux"),
];

/// Programs without which the tests mean nothing: their absence is a failure, not a skip.
const ESSENTIAL: &[&str] = &["gcc", "busybox"];

static CACHE: Mutex<BTreeMap<String, Option<PathBuf>>> = Mutex::new(BTreeMap::new());

/// The path of `program`, installing its package if need be. `None` (after saying so on standard
/// error) means that the caller must skip what depends on it; essentials panic instead.
pub fn need(program: &str) -> Option<PathBuf> {
    let mut cache = CACHE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = cache.get(program) {
        return known.clone();
    }
    let found = find(program).or_else(|| install(program).and_then(|()| find(program)));
    if found.is_none() {
        assert!(!ESSENTIAL.contains(&program), "{program} is needed and cannot be installed");
        crate::announce(&format!("SKIPPED: {program} is missing and could not be installed"));
    }
    cache.insert(program.to_string(), found.clone());
    found
}

/// Debian's own programs come first: a language manager's shim is a script, not the program.
fn find(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|p| p.is_file());
    }
    let system = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"].map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = system.into_iter().chain(std::env::split_paths(&path));
    all.map(|directory| directory.join(program)).find(|candidate| candidate.is_file())
}

fn install(program: &str) -> Option<()> {
    let root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let allowed = std::env::var_os("SAMOVAR_NO_INSTALL").is_none();
    if !root || !allowed || !Path::new("/usr/bin/apt-get").exists() {
        return None;
    }
    let base = program.rsplit('/').next().unwrap_or(program);
    let package = PACKAGES.iter().find(|(name, _)| *name == base).map_or(base, |(_, p)| p);
    crate::announce(&format!("installing {package} for {program}"));
    // Other test processes may be doing the same: one apt-get at a time.
    let lock = std::env::temp_dir().join("samovar-tests-apt.lock");
    let script = "apt-get -qq update; apt-get -qq -y --no-install-recommends install \"$0\"";
    let status = Command::new("flock")
        .arg(&lock)
        .args(["sh", "-c", script, package])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success()).then_some(())
}
