//! Names in the file system: links, renames, removals, the working directory.

use crate::errno::Errno;
use crate::process::Process;
use crate::syscall::names::number as nr;
use crate::testing::{HostNode, HostTree, SCRATCH, bytes, call, process_with, string};

const OTHER: u64 = SCRATCH + 0x1000;
const BUFFER: u64 = SCRATCH + 0x1_0000;

fn host() -> Process {
    process_with(HostTree::new(&[
        ("/d/a", HostNode::File(b"aaa".to_vec())),
        ("/d/b", HostNode::File(b"bb".to_vec())),
        ("/d/sub/c", HostNode::File(b"c".to_vec())),
        ("/d/link", HostNode::Link("a")),
    ]))
}

fn on_path(process: &mut Process, number: u64, path: &str, more: &[u64]) -> Result<u64, Errno> {
    let path = string(process, SCRATCH, path);
    call(process, number, &[&[path], more].concat())
}

fn on_two(process: &mut Process, number: u64, one: &str, two: &str) -> Result<u64, Errno> {
    let one = string(process, SCRATCH, one);
    let two = string(process, OTHER, two);
    call(process, number, &[one, two])
}

fn contents(process: &mut Process, path: &str) -> Result<Vec<u8>, Errno> {
    let fd = on_path(process, nr::OPEN, path, &[0, 0])?;
    let len = call(process, nr::READ, &[fd, BUFFER, 100])?;
    call(process, nr::CLOSE, &[fd])?;
    Ok(bytes(process, BUFFER, len))
}

/// The names in a directory, without the dots.
fn list(process: &mut Process, path: &str) -> Vec<String> {
    let fd = on_path(process, nr::OPEN, path, &[0, 0]).unwrap();
    let mut names = Vec::new();
    // A small buffer, so that several calls are needed.
    while let Ok(len @ 1..) = call(process, nr::GETDENTS64, &[fd, BUFFER, 60]) {
        let records = bytes(process, BUFFER, len);
        let mut rest = records.as_slice();
        while !rest.is_empty() {
            let len = u16::from_le_bytes([rest[16], rest[17]]) as usize;
            let name = rest[19..len].split(|&byte| byte == 0).next().unwrap();
            names.push(String::from_utf8(name.to_vec()).unwrap());
            rest = &rest[len..];
        }
    }
    call(process, nr::CLOSE, &[fd]).unwrap();
    assert_eq!(names[..2], [".", ".."]);
    names.split_off(2)
}

#[test]
fn a_removed_file_of_the_host_is_gone() {
    let mut process = host();
    let fd = on_path(&mut process, nr::OPEN, "/d/a", &[0, 0]).unwrap();
    assert_eq!(on_path(&mut process, nr::UNLINK, "/d/a", &[]), Ok(0));
    assert_eq!(contents(&mut process, "/d/a"), Err(Errno::ENOENT));
    assert_eq!(contents(&mut process, "/d/link"), Err(Errno::ENOENT));
    assert_eq!(list(&mut process, "/d"), ["b", "link", "sub"]);
    // Who has it open can go on reading.
    assert_eq!(call(&mut process, nr::READ, &[fd, BUFFER, 9]), Ok(3));
    assert_eq!(on_path(&mut process, nr::UNLINK, "/d/a", &[]), Err(Errno::ENOENT));
    assert_eq!(on_path(&mut process, nr::UNLINK, "/d/sub", &[]), Err(Errno::EISDIR));
    // A new file takes its place.
    let new = on_path(&mut process, nr::OPEN, "/d/a", &[0o101, 0o600]).unwrap();
    string(&mut process, BUFFER, "new");
    assert_eq!(call(&mut process, nr::WRITE, &[new, BUFFER, 3]), Ok(3));
    assert_eq!(contents(&mut process, "/d/link").unwrap(), b"new");
}

#[test]
fn directories_are_made_and_removed() {
    let mut process = host();
    assert_eq!(on_path(&mut process, nr::MKDIR, "/d/new", &[0o755]), Ok(0));
    assert_eq!(on_path(&mut process, nr::MKDIR, "/d/new", &[0o755]), Err(Errno::EEXIST));
    assert_eq!(on_path(&mut process, nr::MKDIR, "/x/new", &[0o755]), Err(Errno::ENOENT));
    assert_eq!(on_path(&mut process, nr::RMDIR, "/d/sub", &[]), Err(Errno::ENOTEMPTY));
    assert_eq!(on_path(&mut process, nr::RMDIR, "/d/a", &[]), Err(Errno::ENOTDIR));
    assert_eq!(on_path(&mut process, nr::UNLINK, "/d/sub/c", &[]), Ok(0));
    assert_eq!(on_path(&mut process, nr::RMDIR, "/d/sub", &[]), Ok(0));
    assert_eq!(list(&mut process, "/d"), ["a", "b", "link", "new"]);
    // A directory in place of a removed one does not show what was in that.
    assert_eq!(on_path(&mut process, nr::MKDIR, "/d/sub", &[0o755]), Ok(0));
    assert_eq!(list(&mut process, "/d/sub"), [""; 0]);
    assert_eq!(contents(&mut process, "/d/sub/c"), Err(Errno::ENOENT));
}

#[test]
fn renaming_moves_files_and_own_directories() {
    let mut process = host();
    assert_eq!(on_two(&mut process, nr::RENAME, "/d/a", "/d/b"), Ok(0));
    assert_eq!(contents(&mut process, "/d/b").unwrap(), b"aaa");
    assert_eq!(contents(&mut process, "/d/a"), Err(Errno::ENOENT));
    assert_eq!(on_two(&mut process, nr::RENAME, "/d/b", "/d/sub"), Err(Errno::EISDIR));
    assert_eq!(on_two(&mut process, nr::RENAME, "/d/sub", "/d/s2"), Err(Errno::EXDEV));
    assert_eq!(on_path(&mut process, nr::MKDIR, "/d/m", &[0o755]), Ok(0));
    assert_eq!(on_two(&mut process, nr::RENAME, "/d/b", "/d/m/b"), Ok(0));
    assert_eq!(on_two(&mut process, nr::RENAME, "/d/m", "/d/m/x"), Err(Errno::EINVAL));
    assert_eq!(on_two(&mut process, nr::RENAME, "/d/m", "/d/n"), Ok(0));
    assert_eq!(contents(&mut process, "/d/n/b").unwrap(), b"aaa");
    assert_eq!(list(&mut process, "/d"), ["link", "sub", "n"]);
}

#[test]
fn links_share_or_point() {
    let mut process = host();
    assert_eq!(on_two(&mut process, nr::LINK, "/d/a", "/d/hard"), Ok(0));
    let fd = on_path(&mut process, nr::OPEN, "/d/hard", &[1, 0]).unwrap();
    string(&mut process, BUFFER, "XY");
    assert_eq!(call(&mut process, nr::WRITE, &[fd, BUFFER, 2]), Ok(2));
    assert_eq!(contents(&mut process, "/d/a").unwrap(), b"XYa");
    assert_eq!(on_path(&mut process, nr::UNLINK, "/d/a", &[]), Ok(0));
    assert_eq!(contents(&mut process, "/d/hard").unwrap(), b"XYa");
    assert_eq!(on_two(&mut process, nr::SYMLINK, "sub/c", "/d/soft"), Ok(0));
    assert_eq!(contents(&mut process, "/d/soft").unwrap(), b"c");
    assert_eq!(on_two(&mut process, nr::SYMLINK, "x", "/d/soft"), Err(Errno::EEXIST));
    assert_eq!(on_path(&mut process, nr::READLINK, "/d/soft", &[BUFFER, 3]), Ok(3));
    assert_eq!(bytes(&process, BUFFER, 3), b"sub");
    assert_eq!(on_path(&mut process, nr::READLINK, "/d/b", &[BUFFER, 3]), Err(Errno::EINVAL));
}

#[test]
fn facts_can_be_changed() {
    let mut process = host();
    assert_eq!(on_path(&mut process, nr::CHMOD, "/d/a", &[0o400]), Ok(0));
    assert_eq!(on_path(&mut process, nr::OPEN, "/d/a", &[1, 0]), Err(Errno::EACCES));
    assert_eq!(on_path(&mut process, nr::ACCESS, "/d/a", &[4]), Ok(0));
    assert_eq!(on_path(&mut process, nr::ACCESS, "/d/a", &[2]), Err(Errno::EACCES));
    for (at, word) in [(0, 11), (8, 0), (16, 22), (24, 5)] {
        process.machine.memory.write_u64(OTHER + at, word).unwrap();
    }
    let path = string(&mut process, SCRATCH, "/d/a");
    assert_eq!(call(&mut process, nr::UTIMENSAT, &[-100i64 as u64, path, OTHER, 0]), Ok(0));
    assert_eq!(on_path(&mut process, nr::STAT, "/d/a", &[BUFFER]), Ok(0));
    assert_eq!(process.machine.memory.read_u64(BUFFER + 88), Ok(22));
    assert_eq!(process.machine.memory.read_u32(BUFFER + 24).unwrap() & 0o7777, 0o400);
    // A directory without permission to write takes no new names.
    assert_eq!(on_path(&mut process, nr::CHMOD, "/d", &[0o500]), Ok(0));
    assert_eq!(on_path(&mut process, nr::MKDIR, "/d/x", &[0o755]), Err(Errno::EACCES));
    assert_eq!(on_path(&mut process, nr::UNLINK, "/d/b", &[]), Err(Errno::EACCES));
    assert_eq!(contents(&mut process, "/d/b").unwrap(), b"bb");
    // A foreign owner's file cannot be changed.
    process.config.uid = 5;
    assert_eq!(on_path(&mut process, nr::CHMOD, "/d/b", &[0o777]), Err(Errno::EPERM));
}
