//! Paths as URIs, relative where they lie below the working directory.

use std::path::Path;

/// A directory as a `file:` URI with a slash at its end.
pub fn directory(path: &str) -> String {
    format!("file://{}/", encoded(path.trim_end_matches('/')))
}

/// A file: relative to `base` if it lies below, otherwise a `file:` URI; true if it is relative.
pub fn file(path: &str, base: &str) -> (String, bool) {
    match Path::new(path).strip_prefix(base) {
        Ok(relative) => (encoded(&relative.to_string_lossy()), true),
        Err(_) if path.starts_with('/') => (format!("file://{}", encoded(path)), false),
        Err(_) => (encoded(path), true),
    }
}

/// Percent signs before everything but the letters that need none.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for &byte in path.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_base_are_relative() {
        assert_eq!(file("/src/a b.c", "/src"), ("a%20b.c".to_string(), true));
        assert_eq!(file("/usr/x.c", "/src"), ("file:///usr/x.c".to_string(), false));
        assert_eq!(directory("/src/"), "file:///src/");
    }
}
