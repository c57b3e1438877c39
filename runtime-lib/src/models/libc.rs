//! Recognising the C library, by what it defines.

use crate::process::Process;
use samovar_vm::loader::{Image, ImageKind};

/// Which C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Libc {
    Glibc,
    Musl,
}

/// The least that glibc has in its record of a thread, which begins where the thread's variables
/// end.
const RECORD_LEN: u64 = 0x700;

impl Process {
    /// How much of the C library's record of a thread lies from its FS base on, as far as that is
    /// known of the library.
    pub fn record_len(&self) -> u64 {
        let found = self.modules().iter().find_map(|module| recognise(&module.image));
        if found.is_some_and(|found| found.libc == Libc::Glibc) { RECORD_LEN } else { 0 }
    }
}

/// A C library found in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub libc: Libc,
    /// Its `malloc` is the library's, not one that a static program brought along.
    pub own_heap: bool,
}

/// The C library in a module: a shared one, or one linked into a static program with symbols.
pub(super) fn recognise(image: &Image) -> Option<Found> {
    let mut libc = None;
    let (mut public, mut glibc_private, mut musl_private) = (None, None, None);
    for symbol in image.functions() {
        match symbol.name {
            "__libc_start_main" => libc = libc.or(Some(Libc::Musl)),
            "__libc_early_init" | "gnu_get_libc_version" | "__libc_setup_tls" => {
                libc = Some(Libc::Glibc);
            }
            "malloc" => public = Some(symbol.value),
            "__libc_malloc" => glibc_private = Some(symbol.value),
            "default_malloc" => musl_private = Some(symbol.value),
            _ => {}
        }
    }
    let libc = libc?;
    let own_heap = match libc {
        Libc::Glibc => public == glibc_private,
        Libc::Musl if image.kind() == ImageKind::SharedLibrary => true,
        Libc::Musl => public == musl_private,
    };
    Some(Found { libc, own_heap: own_heap && public.is_some() })
}
