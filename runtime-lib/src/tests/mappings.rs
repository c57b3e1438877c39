//! Memory mappings and the heap of `brk`.

use crate::errno::Errno;
use crate::event::Event;
use crate::syscall::names::number as nr;
use crate::testing::{
    HostNode, HostTree, MAIN, Outcome, SCRATCH, bytes, call, call_by, process, process_with, string,
};
use samovar_vm::memory::region::Perms;

const SHARED: u64 = 1;
const PRIVATE: u64 = 2;
const ANONYMOUS: u64 = 0x20;
const FIXED: u64 = 0x10;
const NOREPLACE: u64 = 0x10_0000;
const ANYWHERE: u64 = PRIVATE | ANONYMOUS;
const NO_FILE: u64 = u64::MAX;

#[test]
fn anonymous_memory_is_zero_and_top_down() {
    let mut process = process();
    let first = call(&mut process, nr::MMAP, &[0, 5000, 3, ANYWHERE, NO_FILE, 0]).unwrap();
    let second = call(&mut process, nr::MMAP, &[0, 4096, 3, ANYWHERE, NO_FILE, 0]).unwrap();
    assert_eq!(first, 0x30_0000_0000 - 0x2000);
    assert_eq!(second, first - 0x1000);
    assert_eq!(bytes(&process, first, 0x2000), vec![0; 0x2000]);
    assert_eq!(call(&mut process, nr::MUNMAP, &[first, 0x2000]), Ok(0));
    assert!(process.machine.memory.read_u64(first).is_err());
    assert!(process.machine.memory.read_u64(second).is_ok());
}

#[test]
fn fixed_mappings_replace_unless_told_not_to() {
    let mut process = process();
    process.machine.memory.write_u64(SCRATCH, 7).unwrap();
    let keep = [SCRATCH, 4096, 3, ANYWHERE | NOREPLACE, NO_FILE, 0];
    assert_eq!(call(&mut process, nr::MMAP, &keep), Err(Errno::EEXIST));
    let replace = [SCRATCH, 4096, 1, ANYWHERE | FIXED, NO_FILE, 0];
    assert_eq!(call(&mut process, nr::MMAP, &replace), Ok(SCRATCH));
    assert_eq!(process.machine.memory.read_u64(SCRATCH), Ok(0));
    assert!(process.machine.memory.write_u64(SCRATCH, 1).is_err());
    let unaligned = [SCRATCH + 1, 4096, 1, ANYWHERE | FIXED, NO_FILE, 0];
    assert_eq!(call(&mut process, nr::MMAP, &unaligned), Err(Errno::EINVAL));
}

#[test]
fn bad_requests_fail_as_on_linux() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::MMAP, &[0, 0, 3, ANYWHERE, NO_FILE, 0]), Err(Errno::EINVAL));
    let huge = [0, 1 << 60, 3, ANYWHERE, NO_FILE, 0];
    assert_eq!(call(&mut process, nr::MMAP, &huge), Err(Errno::ENOMEM));
    assert_eq!(call(&mut process, nr::MMAP, &[0, 4096, 3, PRIVATE, 77, 0]), Err(Errno::EBADF));
    assert_eq!(call(&mut process, nr::MMAP, &[0, 4096, 3, 0, NO_FILE, 0]), Err(Errno::EINVAL));
    assert_eq!(call(&mut process, nr::MPROTECT, &[0x7000_0000, 4096, 1]), Err(Errno::ENOMEM));
    assert_eq!(call(&mut process, nr::MUNMAP, &[SCRATCH + 5, 4096]), Err(Errno::EINVAL));
}

#[test]
fn protection_changes_part_of_a_mapping() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::MPROTECT, &[SCRATCH + 0x1000, 0x1000, 1]), Ok(0));
    let memory = &mut process.machine.memory;
    assert!(memory.write_u64(SCRATCH, 1).is_ok());
    assert!(memory.write_u64(SCRATCH + 0x1000, 1).is_err());
    assert!(memory.write_u64(SCRATCH + 0x2000, 1).is_ok());
    assert_eq!(memory.regions().at(SCRATCH + 0x1000).unwrap().1.perms, Perms::R);
}

#[test]
fn the_break_grows_and_shrinks() {
    let mut process = process();
    let start = call(&mut process, nr::BRK, &[0]).unwrap();
    assert_eq!(call(&mut process, nr::BRK, &[start + 0x1234]), Ok(start + 0x1234));
    process.machine.memory.write_u64(start + 0x1000, 9).unwrap();
    assert_eq!(call(&mut process, nr::BRK, &[start + 8]), Ok(start + 8));
    assert!(process.machine.memory.read_u64(start + 0x1000).is_err());
    // Below the start, or beyond the address space: nothing changes.
    assert_eq!(call(&mut process, nr::BRK, &[start - 1]), Ok(start + 8));
    assert_eq!(call(&mut process, nr::BRK, &[1 << 50]), Ok(start + 8));
}

#[test]
fn remapping_keeps_the_contents() {
    let mut process = process();
    let old = call(&mut process, nr::MMAP, &[0, 0x2000, 3, ANYWHERE, NO_FILE, 0]).unwrap();
    // The page above belongs to something else, so growing has to move.
    let lower = call(&mut process, nr::MMAP, &[0, 0x1000, 3, ANYWHERE, NO_FILE, 0]).unwrap();
    process.machine.memory.write_u64(lower + 8, 0x1234).unwrap();
    assert_eq!(call(&mut process, nr::MREMAP, &[lower, 0x1000, 0x3000, 0]), Err(Errno::ENOMEM));
    let new = call(&mut process, nr::MREMAP, &[lower, 0x1000, 0x3000, 1]).unwrap();
    assert_ne!(new, lower);
    assert_eq!(process.machine.memory.read_u64(new + 8), Ok(0x1234));
    assert!(process.machine.memory.read_u64(lower).is_err());
    assert_eq!(call(&mut process, nr::MREMAP, &[old, 0x2000, 0x1000, 0]), Ok(old));
    assert!(process.machine.memory.read_u64(old + 0x1000).is_err());
}

#[test]
fn unneeded_pages_read_as_zero() {
    let mut process = process();
    let at = call(&mut process, nr::MMAP, &[0, 0x2000, 3, ANYWHERE, NO_FILE, 0]).unwrap();
    process.machine.memory.write_u64(at, 5).unwrap();
    process.machine.memory.write_u64(at + 0x1000, 6).unwrap();
    assert_eq!(call(&mut process, nr::MADVISE, &[at, 0x1000, 4]), Ok(0));
    assert_eq!(process.machine.memory.read_u64(at), Ok(0));
    assert_eq!(process.machine.memory.read_u64(at + 0x1000), Ok(6));
    assert_eq!(call(&mut process, nr::MADVISE, &[0x7000_0000, 0x1000, 4]), Err(Errno::ENOMEM));
}

fn open(process: &mut crate::Process, path: &str, flags: u64) -> u64 {
    let path = string(process, SCRATCH, path);
    call(process, nr::OPEN, &[path, flags, 0o644]).unwrap()
}

#[test]
fn private_file_mappings_are_copies() {
    let file = HostNode::File(b"0123456789".repeat(500));
    let mut process = process_with(HostTree::new(&[("/f", file)]));
    let fd = open(&mut process, "/f", 2);
    let at = call(&mut process, nr::MMAP, &[0, 0x2000, 3, PRIVATE, fd, 0x1000]).unwrap();
    assert_eq!(bytes(&process, at, 4), b"6789");
    // 5000 bytes in the file, so the rest of the page is zero.
    assert_eq!(bytes(&process, at + 903, 2), b"9\0");
    process.machine.memory.write(at, b"XX").unwrap();
    assert_eq!(call(&mut process, nr::PREAD64, &[fd, SCRATCH, 2, 0x1000]), Ok(2));
    assert_eq!(bytes(&process, SCRATCH, 2), b"67");
}

#[test]
fn shared_mappings_and_the_file_agree() {
    let mut process = process_with(HostTree::new(&[("/f", HostNode::File(vec![b'a'; 100]))]));
    let fd = open(&mut process, "/f", 2);
    let at = call(&mut process, nr::MMAP, &[0, 0x1000, 3, 1, fd, 0]).unwrap();
    process.machine.memory.write(at + 10, b"MAPPED").unwrap();
    assert_eq!(call(&mut process, nr::PREAD64, &[fd, SCRATCH, 8, 9]), Ok(8));
    assert_eq!(bytes(&process, SCRATCH, 8), b"aMAPPEDa");
    string(&mut process, SCRATCH, "WRITTEN");
    assert_eq!(call(&mut process, nr::PWRITE64, &[fd, SCRATCH, 7, 20]), Ok(7));
    assert_eq!(bytes(&process, at + 20, 7), b"WRITTEN");
    assert_eq!(bytes(&process, at + 10, 6), b"MAPPED");
    process.machine.memory.write(at, b"LAST").unwrap();
    assert_eq!(call(&mut process, nr::MUNMAP, &[at, 0x1000]), Ok(0));
    assert_eq!(call(&mut process, nr::PREAD64, &[fd, SCRATCH, 4, 0]), Ok(4));
    assert_eq!(bytes(&process, SCRATCH, 4), b"LAST");
}

#[test]
fn a_mapping_that_is_only_read_agrees_with_the_file_too() {
    let mut process = process_with(HostTree::new(&[("/f", HostNode::File(vec![b'a'; 5000]))]));
    let fd = open(&mut process, "/f", 0);
    let first = call(&mut process, nr::MMAP, &[0, 0x2000, 1, SHARED, fd, 0]).unwrap();
    let second = call(&mut process, nr::MMAP, &[0, 0x1000, 1, SHARED, fd, 0x1000]).unwrap();
    assert_eq!(call(&mut process, nr::CLOSE, &[fd]), Ok(0));
    let refused = call(&mut process, nr::MPROTECT, &[first, 0x1000, 3]);
    assert_eq!(refused, Err(Errno::EACCES));
    // By another descriptor, while the one that was mapped is closed.
    let fd = open(&mut process, "/f", 2);
    string(&mut process, SCRATCH, "WRITTEN");
    assert_eq!(call(&mut process, nr::PWRITE64, &[fd, SCRATCH, 7, 0x1000]), Ok(7));
    assert_eq!(bytes(&process, first + 0x1000, 8), b"WRITTENa");
    assert_eq!(bytes(&process, second, 8), b"WRITTENa");
    assert_eq!(call(&mut process, nr::FTRUNCATE, &[fd, 0x1003]), Ok(0));
    assert_eq!(bytes(&process, second, 8), b"WRI\0\0\0\0\0");
    open(&mut process, "/f", 0o1002);
    assert_eq!(bytes(&process, first, 2), b"\0\0");
}

#[test]
fn shared_mappings_that_would_go_stale_are_refused() {
    for (one, other) in [(0, 2), (2, 0), (2, 2)] {
        let mut process = process_with(HostTree::new(&[("/f", HostNode::File(vec![0; 4096]))]));
        let fd = open(&mut process, "/f", one);
        let at = call(&mut process, nr::MMAP, &[0, 0x1000, 1, SHARED, fd, 0]).unwrap();
        let fd = open(&mut process, "/f", other);
        let again = [0, 0x1000, 1, SHARED, fd, 0];
        let outcome = call_by(&mut process, MAIN, nr::MMAP, &again);
        let refused = matches!(outcome, Outcome::Stopped(Event::Unsupported(_)));
        assert!(refused, "{one} {other}: {outcome:?}");
        assert_eq!(call(&mut process, nr::MUNMAP, &[at, 0x1000]), Ok(0));
        assert!(call(&mut process, nr::MMAP, &again).is_ok(), "{one} {other}");
    }
}

#[test]
fn both_parts_of_a_mapping_with_a_hole_belong_to_the_file() {
    let mut process = process_with(HostTree::new(&[("/f", HostNode::File(vec![b'a'; 0x3000]))]));
    let fd = open(&mut process, "/f", 2);
    let at = call(&mut process, nr::MMAP, &[0, 0x3000, 3, SHARED, fd, 0]).unwrap();
    assert_eq!(call(&mut process, nr::MUNMAP, &[at + 0x1000, 0x1000]), Ok(0));
    for place in [0, 0x2000] {
        process.machine.memory.write(at + place, b"X").unwrap();
        assert_eq!(call(&mut process, nr::PREAD64, &[fd, SCRATCH, 1, place]), Ok(1));
        assert_eq!(bytes(&process, SCRATCH, 1), b"X", "{place:#x}");
    }
}
