//! Where a shared library is looked for, by the rules of glibc's and of musl's dynamic linker.
//!
//! glibc: RPATH of the file that asks and of those that loaded it (unless the asking file has a
//! RUNPATH); `LD_LIBRARY_PATH`; the asking file's RUNPATH; the library cache; the default
//! directories. musl: `LD_LIBRARY_PATH`; RUNPATH or RPATH of the asking file and of those that
//! loaded it; the directories of its path file, or its own default. Left out: the rules for
//! programs with more rights than their user, and audit modules.

use std::sync::Arc;

use super::cache::LibraryCache;
use super::image::Image;

/// Directories that glibc searches last.
pub(super) const DEFAULT_DIRECTORIES: [&str; 6] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
];

/// musl's directories if there is no path file.
const MUSL_DIRECTORIES: &str = "/lib:/usr/local/lib:/usr/lib";

/// The cache glibc's dynamic linker reads.
pub(super) const CACHE_PATH: &str = "/etc/ld.so.cache";

/// Most directories searched for one library, and the longest path (PATH_MAX of Linux): both only
/// bound the work on files made to cause it.
const PLACES_MAX: usize = 1024;
const PATH_LEN_MAX: usize = 4096;

/// The files as the guest will see them.
pub trait Files {
    /// The whole file; `None` if it is not there or not a readable regular file.
    fn read(&self, path: &str) -> Option<Arc<[u8]>>;
}

/// What the search depends on beside the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchOptions {
    /// Value of `LD_LIBRARY_PATH`.
    pub library_path: Option<String>,
    /// Value of `LD_PRELOAD`.
    pub preload: Option<String>,
    /// Directory of the program's file, without symbolic links (`$ORIGIN`).
    pub origin: String,
    /// Feature levels of the processor, highest first (`glibc-hwcaps` directories).
    pub feature_levels: Vec<String>,
}

/// A place to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A directory, without a final slash; empty for the current one.
    Directory(String),
    /// The library cache.
    Cache,
}

/// A loaded file in the chain of those that asked for each other.
pub(super) struct Link<'a> {
    pub image: &'a Image,
    /// Its directory.
    pub origin: &'a str,
}

/// Which dynamic linker's rules apply.
#[derive(Debug, Clone)]
pub(super) enum Rules {
    /// glibc, with its cache.
    Glibc(Option<LibraryCache>),
    /// musl, with its default directories.
    Musl(Vec<String>),
}

impl Rules {
    /// Chooses by the dynamic linker's file name.
    pub(super) fn of(interpreter: Option<&str>, files: &dyn Files) -> Rules {
        let path = interpreter.unwrap_or_default();
        let Some((directory, name)) = path.rsplit_once('/') else { return Rules::glibc(files) };
        if !name.starts_with("ld-musl-") {
            return Rules::glibc(files);
        }
        let architecture = name["ld-musl-".len()..].split('.').next().unwrap_or_default();
        let prefix = directory.rsplit_once('/').map_or("", |(prefix, _)| prefix);
        let path_file = files.read(&format!("{prefix}/etc/ld-musl-{architecture}.path"));
        let text = match &path_file {
            Some(bytes) => String::from_utf8_lossy(bytes),
            None => MUSL_DIRECTORIES.into(),
        };
        let directories = text.split([':', '\n']).filter(|part| !part.is_empty());
        Rules::Musl(directories.map(trimmed).take(PLACES_MAX).collect())
    }

    fn glibc(files: &dyn Files) -> Rules {
        Rules::Glibc(files.read(CACHE_PATH).and_then(LibraryCache::parse))
    }

    /// The places for a library that the first of `chain` asks for; the others loaded each other,
    /// and the last one is the program.
    pub(super) fn places(&self, chain: &[Link<'_>], options: &SearchOptions) -> Vec<Place> {
        let environment = options.library_path.as_deref().unwrap_or_default();
        match self {
            Rules::Musl(defaults) => {
                let environment = split_path(environment, &[':', '\n'], trimmed);
                let inherited = chain.iter().flat_map(|link| {
                    let dynamic = link.image.dynamic();
                    let path = dynamic.runpath.as_deref().or(dynamic.rpath.as_deref());
                    expanded(path.unwrap_or_default(), link.origin)
                });
                let bounded = environment.chain(inherited).take(PLACES_MAX);
                bounded.chain(defaults.iter().cloned()).map(Place::Directory).collect()
            }
            Rules::Glibc(_) => {
                let Some(asking) = chain.first() else { return Vec::new() };
                let dynamic = asking.image.dynamic();
                let inheriting = if dynamic.runpath.is_none() { chain } else { &[] };
                let old = inheriting.iter().filter(|link| link.image.dynamic().runpath.is_none());
                let old = old.flat_map(|link| {
                    let path = link.image.dynamic().rpath.as_deref();
                    expanded(path.unwrap_or_default(), link.origin)
                });
                let environment = split_path(environment, &[':', ';'], |part| {
                    trimmed(&expand_tokens(part, &options.origin))
                });
                let own = expanded(dynamic.runpath.as_deref().unwrap_or_default(), asking.origin);
                let bounded = old.chain(environment).chain(own).take(PLACES_MAX);
                let mut places: Vec<Place> = bounded.map(Place::Directory).collect();
                places.push(Place::Cache);
                if !dynamic.no_default_directories {
                    let defaults = DEFAULT_DIRECTORIES.iter().map(|d| d.to_string());
                    places.extend(defaults.map(Place::Directory));
                }
                places
            }
        }
    }

    /// Whether a library of this name is the dynamic linker itself: musl's is libc, too.
    pub(super) fn is_linker(&self, name: &str) -> bool {
        let Rules::Musl(_) = self else { return false };
        let Some(rest) = name.strip_prefix("lib") else { return false };
        let parts = ["c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet."];
        parts.iter().any(|part| rest.starts_with(part))
    }
}

/// The directories of a search path in a file, with `$ORIGIN` and the like filled in.
fn expanded<'a>(path: &'a str, origin: &'a str) -> impl Iterator<Item = String> + 'a {
    split_path(path, &[':'], move |part| trimmed(&expand_tokens(part, origin)))
}

/// The directories of a search path; an empty path has none, an empty part is the current one.
fn split_path<'a>(
    path: &'a str,
    separators: &'a [char],
    map: impl Fn(&str) -> String + 'a,
) -> impl Iterator<Item = String> + 'a {
    let parts = path.split(separators).filter(move |_| !path.is_empty());
    parts.map(map).filter(|directory| directory.len() <= PATH_LEN_MAX)
}

/// Without final slashes, so that a name can be appended; the root becomes a single one.
fn trimmed(directory: &str) -> String {
    let short = directory.trim_end_matches('/');
    if short.is_empty() && !directory.is_empty() { "/".to_string() } else { short.to_string() }
}

/// Replaces `$ORIGIN`, `$LIB` and `$PLATFORM`, with or without braces. What grows beyond the
/// longest path is cut off there: no file has such a name.
pub(super) fn expand_tokens(text: &str, origin: &str) -> String {
    let tokens = [("ORIGIN", origin), ("LIB", "lib/x86_64-linux-gnu"), ("PLATFORM", "x86_64")];
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        if result.len() > PATH_LEN_MAX {
            return result;
        }
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let replaced = tokens.iter().find_map(|(name, value)| {
            let braced = rest.strip_prefix('{').and_then(|r| r.strip_prefix(name));
            let after = match braced {
                Some(after) => after.strip_prefix('}')?,
                None => {
                    let after = rest.strip_prefix(name)?;
                    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    if after.starts_with(word) {
                        return None;
                    }
                    after
                }
            };
            Some((after, value))
        });
        match replaced {
            Some((after, value)) => {
                result.push_str(value);
                rest = after;
            }
            None => result.push('$'),
        }
    }
    result + rest
}

/// Directory of a path; empty for a plain name.
pub(super) fn directory_of(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(at) => &path[..at],
        None => "",
    }
}

/// A name in a directory.
pub(super) fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_string(),
        "/" => format!("/{name}"),
        _ => format!("{directory}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let cases = [
            ("$ORIGIN/../lib", "/opt/bin/../lib"),
            ("${ORIGIN}", "/opt/bin"),
            ("/x/$LIB/$PLATFORM", "/x/lib/x86_64-linux-gnu/x86_64"),
            ("$ORIGINAL/$", "$ORIGINAL/$"),
            ("${ORIGIN/x", "${ORIGIN/x"),
            ("$$ORIGIN", "$/opt/bin"),
        ];
        for (text, expected) in cases {
            assert_eq!(expand_tokens(text, "/opt/bin"), expected, "{text}");
        }
    }

    #[test]
    fn paths() {
        let list = |path| expanded(path, "/o").collect::<Vec<_>>();
        assert_eq!(list("/a/:b::/:$ORIGIN"), ["/a", "b", "", "/", "/o"]);
        assert!(list("").is_empty());
        let long = "$ORIGIN".repeat(5000);
        assert!(list(&long).is_empty());
        assert_eq!(join("/", "x"), "/x");
        assert_eq!(join("", "x"), "x");
        assert_eq!(join("/a", "x"), "/a/x");
        assert_eq!(directory_of("/x"), "/");
        assert_eq!(directory_of("a/b/c"), "a/b");
        assert_eq!(directory_of("c"), "");
    }
}
