//! Readable function names: Itanium C++ and Rust symbols, demangled with bounded output.
//!
//! A symbol that does not demangle, or would grow beyond the bound, stays as it is.

use cpp_demangle::{BorrowedSymbol, DemangleOptions};

/// Longer symbols are shown as they are.
const INPUT_MAX: usize = 4096;
/// Longer results are thrown away.
const OUTPUT_MAX: usize = 8192;

/// The readable form of a symbol: `ns::f(int)` of `_ZN2ns1fEi`, the symbol itself otherwise.
pub fn demangle(symbol: &str) -> String {
    demangle_with(symbol, true).unwrap_or_else(|| symbol.to_string())
}

/// Like [`demangle`], without the parameter list; None if the symbol is not mangled.
pub(super) fn demangle_path(symbol: &str) -> Option<String> {
    demangle_with(symbol, false)
}

fn demangle_with(symbol: &str, parameters: bool) -> Option<String> {
    if symbol.len() > INPUT_MAX {
        return None;
    }
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        let mut out = Bounded::default();
        // The alternate form leaves out the hash.
        return std::fmt::write(&mut out, format_args!("{name:#}")).is_ok().then_some(out.text);
    }
    if !symbol.starts_with("_Z") {
        return None;
    }
    let (name, tail) = BorrowedSymbol::with_tail(symbol.as_bytes()).ok()?;
    let mut options = DemangleOptions::new().recursion_limit(128);
    if !parameters {
        options = options.no_params().no_return_type();
    }
    let mut out = Bounded::default();
    name.structured_demangle(&mut out, &options).ok()?;
    // A clone suffix such as `.part.0` or `.cold` is kept as text.
    let tail = std::str::from_utf8(tail).ok()?;
    (tail.is_empty() || tail.starts_with('.')).then(|| out.text + tail)
}

#[derive(Default)]
struct Bounded {
    text: String,
}

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, part: &str) -> std::fmt::Result {
        if self.text.len() + part.len() > OUTPUT_MAX {
            return Err(std::fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_languages_and_of_none() {
        assert_eq!(demangle("_ZN2ns1fEi"), "ns::f(int)");
        assert_eq!(demangle("main"), "main");
        assert_eq!(
            demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
            "core::fmt::Write::write_fmt"
        );
        assert_eq!(demangle("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
        assert_eq!(demangle_path("_ZN2ns1fEi").as_deref(), Some("ns::f"));
        assert_eq!(demangle_path("main"), None);
        assert_eq!(demangle("_Z"), "_Z");
    }

    #[test]
    fn output_is_bounded() {
        // Each parameter repeats the one before twice: 2^n growth in the output.
        let mut symbol = String::from("_Z1fSt4pairIiiE");
        for index in 0..60u32 {
            let digit = std::char::from_digit(index % 36, 36).unwrap_or('0').to_ascii_uppercase();
            symbol.push_str(&format!("St4pairIS{digit}_S{digit}_E"));
        }
        assert!(demangle(&symbol).len() <= OUTPUT_MAX.max(symbol.len()));
    }
}
