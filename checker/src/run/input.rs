//! The guest's standard input: read from the host when the guest asks, and no further than it asks,
//! so that whoever shares the stream finds the rest.

use super::limit::Limit;
use crate::kernel;
use samovar_runtime::{InputSource, Stdin};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;

/// The host's standard input as a source for the guest. An input that cannot be read has ended; so
/// has one that gives nothing before the limit, and the limit is missed.
pub fn from_host(limit: Limit) -> Stdin {
    let Ok(descriptor) = io::stdin().as_fd().try_clone_to_owned() else {
        return Stdin::Bytes(Vec::new());
    };
    let mut file = File::from(descriptor);
    let source: InputSource = Box::new(move |wanted| {
        let in_time = match limit.left() {
            None => true,
            Some(left) => kernel::wait_readable(&file, left),
        };
        if !in_time {
            limit.miss();
            return Vec::new();
        }
        read_some(&mut file, wanted)
    });
    Stdin::Source(source)
}

/// What one read gives; interruptions aside.
fn read_some(file: &mut File, wanted: usize) -> Vec<u8> {
    // A guest may offer a huge buffer; what a terminal or a pipe gives is never that much.
    let mut bytes = vec![0; wanted.min(1 << 20)];
    let count = loop {
        match file.read(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break 0,
            Ok(count) => break count,
        }
    };
    bytes.truncate(count);
    bytes
}
