//! House rules that a machine can check, as an ordinary test over every file of the repository.
//!
//! Each rule looks at one file and says what is wrong with which line. The rules are themselves
//! tested on text that breaks them. What clippy and rustfmt check is left to them.

use std::fs;
use std::path::{Path, PathBuf};

/// Longest line of Rust, in characters.
const COLUMNS_MAX: usize = 100;
/// Longest Rust file, in lines.
const LINES_MAX: usize = 800;

/// Files that are tables and may be longer: the match over all micro-ops.
const TABLES: &[&str] = &["vm/src/exec/dispatch.rs"];

/// Files that may contain `unsafe` code. ARCHITECTURE.md says what each needs it for.
const UNSAFE_FILES: &[&str] = &[
    "checker/src/kernel.rs",
    "checker/src/state/reserve.rs",
    "checker/src/native/ptrace.rs",
    "tests/src/child.rs",
    "vm/src/host_fp.rs",
    "vm/src/host_fp/sse.rs",
    "vm/src/host_fp/sse2.rs",
    "vm/src/host_fp/x87.rs",
    "vm/src/memory/space.rs",
    "vm/tests/debug/harness.rs",
    "vm/tests/host_cpu/native.rs",
    "vm/tests/loader/allocation.rs",
    "vm/tests/vector_native/mod.rs",
];

/// Macros that must not be left behind. In pieces, so that this file does not break its own rule.
const LEFTOVERS: &[&str] =
    &[concat!("to", "do!("), concat!("unimple", "mented!("), concat!("db", "g!(")];

/// Starts of paths that exist on one machine only, in pieces as well.
const HOMES: &[&str] = &[concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];

/// Directories that are not part of the repository.
const SKIPPED: &[&str] = &["target", ".git"];

/// Endings of the files that are text of ours.
const TEXT: &[&str] = &["rs", "md", "toml", "c", "cc", "cpp", "h", "sh", "yml", "s", "S"];

/// A file under test.
struct Source<'a> {
    /// Path from the root of the repository, with slashes.
    path: &'a str,
    text: &'a str,
}

/// A line and what is wrong with it.
type Complaint = (usize, String);

impl Source<'_> {
    /// Programs that are only checked, not part of the tool.
    fn is_guest(&self) -> bool {
        self.path.contains("/programs/")
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The lines with their numbers that `broken` complains about.
    fn complaints(&self, broken: impl Fn(&str) -> Option<String>) -> Vec<Complaint> {
        let numbered = self.text.lines().enumerate();
        numbered.filter_map(|(index, line)| Some((index + 1, broken(line)?))).collect()
    }
}

fn has_module_head(source: &Source) -> Vec<Complaint> {
    let headed = !source.is_rust() || source.is_guest() || source.text.starts_with("//!");
    if headed { Vec::new() } else { vec![(1, "no `//!` head that says what this is".into())] }
}

fn is_short(source: &Source) -> Vec<Complaint> {
    let count = source.text.lines().count();
    if !source.is_rust() || count <= LINES_MAX || TABLES.contains(&source.path) {
        return Vec::new();
    }
    vec![(count, format!("more than {LINES_MAX} lines: split the file by concept"))]
}

fn is_narrow(source: &Source) -> Vec<Complaint> {
    source.complaints(|line| {
        let columns = line.chars().count();
        let wide = source.is_rust() && !source.is_guest() && COLUMNS_MAX < columns;
        wide.then(|| format!("{columns} columns, at most {COLUMNS_MAX} are allowed"))
    })
}

fn has_no_leftovers(source: &Source) -> Vec<Complaint> {
    source.complaints(|line| {
        let leftover = LEFTOVERS.iter().find(|&&leftover| line.contains(leftover))?;
        source.is_rust().then(|| format!("`{leftover}…)` left behind"))
    })
}

fn is_safe(source: &Source) -> Vec<Complaint> {
    source.complaints(|line| {
        let code = line.split("//").next().unwrap_or_default();
        // Every other piece between quotes is inside of a string.
        let code: String = code.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let word = |character: char| character.is_alphanumeric() || character == '_';
        let found = code.split(|character| !word(character)).any(|name| name == "unsafe");
        let allowed = !source.is_rust() || source.is_guest() || UNSAFE_FILES.contains(&source.path);
        (found && !allowed).then(|| "`unsafe` outside of the modules declared for it".into())
    })
}

fn names_no_home(source: &Source) -> Vec<Complaint> {
    source.complaints(|line| {
        let home = HOMES.iter().find(|&&home| line.contains(home))?;
        Some(format!("a path of one machine only: {home}…"))
    })
}

fn has_no_trailing_space(source: &Source) -> Vec<Complaint> {
    source.complaints(|line| {
        line.ends_with(char::is_whitespace).then(|| "white space at the end".into())
    })
}

fn ends_with_newline(source: &Source) -> Vec<Complaint> {
    if source.text.is_empty() || source.text.ends_with('\n') && !source.text.ends_with("\n\n") {
        return Vec::new();
    }
    vec![(source.text.lines().count(), "the file must end with exactly one newline".into())]
}

/// A comment introduces each dependency of the workspace, or a few that belong together.
fn justifies_dependencies(source: &Source) -> Vec<Complaint> {
    if source.path != "Cargo.toml" {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    let mut inside = false;
    let mut justified = false;
    for (index, line) in source.text.lines().enumerate() {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        }
        let external = inside && line.contains(" = ") && !line.contains("path = ");
        justified = line.starts_with('#') || external && justified;
        if external && !justified {
            complaints.push((index + 1, "a dependency without a line that justifies it".into()));
        }
    }
    complaints
}

/// The targets of the links of a markdown line that lead to files.
fn relative_links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let targets = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    targets.filter_map(|target| target.split('#').next()).filter(|target| !target.is_empty())
}

fn links_resolve(source: &Source) -> Vec<Complaint> {
    let directory = root().join(source.path).parent().map(Path::to_path_buf).unwrap_or_default();
    source.complaints(|line| {
        let broken = relative_links(line).find(|target| !directory.join(target).exists())?;
        source.path.ends_with(".md").then(|| format!("a link to {broken}, which does not exist"))
    })
}

/// A house rule.
type Rule = fn(&Source) -> Vec<Complaint>;

const RULES: &[Rule] = &[
    has_module_head,
    is_short,
    is_narrow,
    has_no_leftovers,
    is_safe,
    names_no_home,
    has_no_trailing_space,
    ends_with_newline,
    justifies_dependencies,
    links_resolve,
];

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the tests are a directory of the repository").to_path_buf()
}

fn is_text(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    file.ends_with(".ci/run") || ending.is_some_and(|ending| TEXT.contains(&ending))
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).expect("a directory of the repository can be read");
    for entry in entries {
        let path = entry.expect("an entry can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if SKIPPED.contains(&name.as_str()) || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if is_text(&path) {
            files.push(path);
        }
    }
}

#[test]
fn the_repository_is_tidy() {
    let root = root();
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(20 < files.len(), "only {} files found below {}", files.len(), root.display());

    let mut complaints = String::new();
    for file in &files {
        let path = file.strip_prefix(&root).expect("found below the root").to_string_lossy();
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => panic!("{path} cannot be read: {error}"),
        };
        let source = Source { path: &path, text: &text };
        for (line, complaint) in RULES.iter().flat_map(|rule| rule(&source)) {
            complaints += &format!("{path}:{line}: {complaint}\n");
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn declared_exceptions_are_needed() {
    for path in UNSAFE_FILES {
        let text = fs::read_to_string(root().join(path)).unwrap_or_default();
        let undeclared = Source { path: "elsewhere.rs", text: &text };
        assert!(!is_safe(&undeclared).is_empty(), "{path} is declared, but has no unsafe code");
    }
    for path in TABLES {
        let text = fs::read_to_string(root().join(path)).unwrap_or_default();
        assert!(LINES_MAX < text.lines().count(), "{path} is declared, but not long");
    }
}

#[test]
fn rules_catch_what_they_are_for() {
    let catches = |rule: Rule, path: &str, text: &str| !rule(&Source { path, text }).is_empty();
    let long = "//! Head.\n".repeat(LINES_MAX + 1);
    let wide = format!("//! {}\n", "x".repeat(COLUMNS_MAX - 3));
    let leftover = format!("fn f() {{ {}) }}\n", LEFTOVERS[0]);
    let home = format!("see {}someone/notes\n", HOMES[0]);
    assert!(catches(has_module_head, "a.rs", "use std::fs;\n"));
    assert!(catches(is_short, "a.rs", &long));
    assert!(catches(is_narrow, "a.rs", &wide));
    assert!(catches(has_no_leftovers, "a.rs", &leftover));
    assert!(catches(is_safe, "a.rs", "    let x = unsafe { read(p) };\n"));
    assert!(catches(names_no_home, "README.md", &home));
    assert!(catches(has_no_trailing_space, "a.toml", "[package] \n"));
    assert!(catches(ends_with_newline, "a.md", "text"));
    assert!(catches(ends_with_newline, "a.md", "text\n\n"));
    assert!(catches(
        justifies_dependencies,
        "Cargo.toml",
        "[workspace.dependencies]\nfoo = \"1\"\n"
    ));
    assert!(catches(links_resolve, "README.md", "see [this](no/such/file.md#there)\n"));
}

#[test]
fn rules_leave_good_text_alone() {
    let good = "//! Head.\n\n/// About `unsafe` code and unsafe_op_in_unsafe_fn.\nfn f() {}\n";
    let link = "[web](https://example.invalid) [here](#here) [readme](README.md#top)\n";
    for rule in RULES {
        assert_eq!(rule(&Source { path: "a.rs", text: good }), []);
        assert_eq!(rule(&Source { path: "ARCHITECTURE.md", text: link }), []);
    }
}
