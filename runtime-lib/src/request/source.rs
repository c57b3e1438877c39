//! The C side of the requests, carried along: an installed `samovar` compiles programs that
//! include these headers without a checkout at hand.

/// Headers by file name.
pub const HEADERS: &[(&str, &str)] = &[
    ("samovar.h", include_str!("../../include/samovar.h")),
    ("ivmthread.h", include_str!("../../include/ivmthread.h")),
];

/// File name and contents of the library behind the de-facto names of verification benchmarks.
pub const VERIFIER: (&str, &str) =
    ("samovar_verifier.c", include_str!("../../lib/samovar_verifier.c"));

/// Whether a source file uses names that [`VERIFIER`] defines.
pub fn uses_verifier(source: &[u8]) -> bool {
    let contains = |name: &[u8]| source.windows(name.len()).any(|window| window == name);
    contains(b"__VERIFIER_") || contains(b"reach_error")
}
