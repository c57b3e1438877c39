//! The files that a source file includes, found without a compiler.
//!
//! `#include` lines are followed whatever conditions they are under. A file is looked for among
//! those that debug information names, beside the one that includes it, in the directories of those
//! that are named, and where a system has its headers. Left out: directories that only the
//! compiler's options named, if nothing in debug information comes from them.

use super::source::Sources;
use std::collections::HashSet;

/// Most files that are read for one.
const FILES_MAX: usize = 512;
/// Most text that is read for one.
const BYTES_MAX: usize = 16 << 20;
/// Where a system has headers.
const SYSTEM: [&str; 3] = ["/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"];

/// A file and all that it includes; `named` are the files of its unit in debug information.
pub fn with_headers(sources: &mut Sources, file: &str, named: &[&str]) -> Vec<String> {
    let mut found = vec![file.to_string()];
    found.extend(named.iter().map(|file| (*file).to_string()));
    let mut known: HashSet<String> = HashSet::new();
    found.retain(|file| known.insert(file.clone()));
    let (mut at, mut bytes) = (0, 0);
    while at < found.len() {
        let file = found[at].clone();
        at += 1;
        let Some(lines) = sources.lines(&file) else { continue };
        bytes += lines.iter().map(String::len).sum::<usize>();
        if BYTES_MAX < bytes {
            break;
        }
        let included: Vec<String> = lines.iter().filter_map(|line| included(line)).collect();
        for name in included {
            if FILES_MAX <= found.len() {
                break;
            }
            let path = places(&file, &name, named)
                .find(|path| known.contains(path) || sources.lines(path).is_some());
            found.extend(path.filter(|path| known.insert(path.clone())));
        }
    }
    found
}

/// The name in an `#include` line.
fn included(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let rest = rest.trim_start();
    let close = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    let (name, _) = rest[1..].split_once(close)?;
    (!name.is_empty()).then(|| name.to_string())
}

/// Where a file may be that another one includes, best first.
fn places<'a>(
    includer: &'a str,
    name: &'a str,
    named: &'a [&str],
) -> impl Iterator<Item = String> + 'a {
    let is_it = move |file: &&&str| {
        file.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let directory = |file: &'a str| file.rsplit_once('/').map_or(".", |(directory, _)| directory);
    let beside = std::iter::once(directory(includer));
    let directories = beside.chain(named.iter().map(move |file| directory(file))).chain(SYSTEM);
    let named = named.iter().filter(is_it).map(|file| (*file).to_string());
    named.chain(directories.map(move |directory| format!("{directory}/{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_told_from_other_lines() {
        assert_eq!(included("  #  include  <a/b.h> // c"), Some("a/b.h".to_string()));
        assert_eq!(included("#include \"x.h\""), Some("x.h".to_string()));
        for other in ["include <a.h>", "#include MACRO", "#include <a.h", "#define include <a>"] {
            assert_eq!(included(other), None, "{other}");
        }
    }

    #[test]
    fn files_are_looked_for_where_they_may_be() {
        let named = ["/p/src/main.c", "/p/include/sub/x.h"];
        let all: Vec<String> = places("/p/src/main.c", "sub/x.h", &named).take(2).collect();
        assert_eq!(all, ["/p/include/sub/x.h", "/p/src/sub/x.h"]);
        let all: Vec<String> = places("main.c", "y.h", &[]).take(2).collect();
        assert_eq!(all, ["./y.h", "/usr/local/include/y.h"]);
    }
}
