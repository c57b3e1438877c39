//! Files: overlay, descriptors, directories, pipes.

use crate::errno::Errno;
use crate::process::Process;
use crate::syscall::names::number as nr;
use crate::testing::{HostNode, HostTree, SCRATCH, bytes, call, process, process_with, string};

const BUFFER: u64 = SCRATCH + 0x1_0000;
const CREATE: u64 = 0o100;
const EXCLUSIVE: u64 = 0o200;
const TRUNCATE: u64 = 0o1000;
const APPEND: u64 = 0o2000;
const DIRECTORY: u64 = 0o200_000;

fn host() -> Process {
    process_with(HostTree::new(&[
        ("/etc/name", HostNode::File(b"hello world\n".to_vec())),
        ("/etc/link", HostNode::Link("name")),
        ("/etc/loop", HostNode::Link("/etc/loop")),
        ("/lib", HostNode::Link("/usr/lib")),
        ("/usr/lib/x.so", HostNode::File(b"library".to_vec())),
        ("/place/one", HostNode::File(b"1".to_vec())),
        ("/place/two", HostNode::File(b"22".to_vec())),
    ]))
}

fn open(process: &mut Process, path: &str, flags: u64) -> Result<u64, Errno> {
    let path = string(process, SCRATCH, path);
    call(process, nr::OPEN, &[path, flags, 0o644])
}

fn read(process: &mut Process, fd: u64, len: u64) -> Result<Vec<u8>, Errno> {
    let len = call(process, nr::READ, &[fd, BUFFER, len])?;
    Ok(bytes(process, BUFFER, len))
}

fn write(process: &mut Process, fd: u64, text: &str) -> Result<u64, Errno> {
    let addr = string(process, BUFFER, text);
    call(process, nr::WRITE, &[fd, addr, text.len() as u64])
}

fn size(process: &mut Process, path: &str) -> Result<u64, Errno> {
    let path = string(process, SCRATCH, path);
    call(process, nr::STAT, &[path, BUFFER])?;
    Ok(process.machine.memory.read_u64(BUFFER + 48).unwrap())
}

#[test]
fn files_of_the_host_can_be_read() {
    let mut process = host();
    let fd = open(&mut process, "/etc/link", 0).unwrap();
    assert_eq!(fd, 3);
    assert_eq!(read(&mut process, fd, 5).unwrap(), b"hello");
    assert_eq!(read(&mut process, fd, 50).unwrap(), b" world\n");
    assert_eq!(read(&mut process, fd, 50).unwrap(), b"");
    assert_eq!(call(&mut process, nr::LSEEK, &[fd, -6i64 as u64, 2]), Ok(6));
    assert_eq!(read(&mut process, fd, 3).unwrap(), b"wor");
    assert_eq!(call(&mut process, nr::PREAD64, &[fd, BUFFER, 2, 1]), Ok(2));
    assert_eq!(bytes(&process, BUFFER, 2), b"el");
    assert_eq!(read(&mut process, fd, 9).unwrap(), b"ld\n");
    assert_eq!(write(&mut process, fd, "x"), Err(Errno::EBADF));
    assert_eq!(call(&mut process, nr::CLOSE, &[fd]), Ok(0));
    assert_eq!(read(&mut process, fd, 1), Err(Errno::EBADF));
    assert_eq!(call(&mut process, nr::CLOSE, &[fd]), Err(Errno::EBADF));
}

#[test]
fn paths_are_resolved_as_on_linux() {
    let mut process = host();
    assert_eq!(size(&mut process, "/lib/x.so"), Ok(7));
    assert_eq!(size(&mut process, "/lib/../lib/./x.so"), Ok(7));
    assert_eq!(size(&mut process, "/lib/../etc/name"), Err(Errno::ENOENT));
    assert_eq!(size(&mut process, "/lib/../../etc//name"), Ok(12));
    assert_eq!(size(&mut process, "/usr/../etc//name"), Ok(12));
    assert_eq!(size(&mut process, "/etc/loop"), Err(Errno::ELOOP));
    assert_eq!(size(&mut process, "/etc/name/x"), Err(Errno::ENOTDIR));
    assert_eq!(size(&mut process, "/etc/name/"), Err(Errno::ENOTDIR));
    assert_eq!(size(&mut process, "/nowhere/name"), Err(Errno::ENOENT));
    assert_eq!(size(&mut process, ""), Err(Errno::ENOENT));
    assert_eq!(open(&mut process, "/etc/name", DIRECTORY), Err(Errno::ENOTDIR));
    assert_eq!(open(&mut process, "/etc", 1), Err(Errno::EISDIR));
    let path = string(&mut process, SCRATCH, "/usr");
    assert_eq!(call(&mut process, nr::CHDIR, &[path]), Ok(0));
    assert_eq!(size(&mut process, "lib/x.so"), Ok(7));
    assert_eq!(call(&mut process, nr::GETCWD, &[BUFFER, 100]), Ok(5));
    assert_eq!(bytes(&process, BUFFER, 5), b"/usr\0");
    assert_eq!(call(&mut process, nr::GETCWD, &[BUFFER, 4]), Err(Errno::ERANGE));
}

#[test]
fn relative_to_a_directory() {
    let mut process = host();
    let dir = open(&mut process, "/usr", 0).unwrap();
    let path = string(&mut process, SCRATCH, "lib/x.so");
    assert!(call(&mut process, nr::OPENAT, &[dir, path, 0, 0]).is_ok());
    assert_eq!(call(&mut process, nr::OPENAT, &[99, path, 0, 0]), Err(Errno::EBADF));
    let file = open(&mut process, "/etc/name", 0).unwrap();
    let path = string(&mut process, SCRATCH, "lib/x.so");
    assert_eq!(call(&mut process, nr::OPENAT, &[file, path, 0, 0]), Err(Errno::ENOTDIR));
    let empty = string(&mut process, SCRATCH, "");
    assert_eq!(call(&mut process, nr::NEWFSTATAT, &[file, empty, BUFFER, 0x1000]), Ok(0));
    assert_eq!(process.machine.memory.read_u64(BUFFER + 48), Ok(12));
}

#[test]
fn writes_stay_in_the_overlay() {
    let mut process = host();
    let fd = open(&mut process, "/etc/name", 2).unwrap();
    let other = open(&mut process, "/etc/name", 0).unwrap();
    assert_eq!(write(&mut process, fd, "HELLO"), Ok(5));
    // Everybody who has the file open sees the change.
    assert_eq!(read(&mut process, other, 8).unwrap(), b"HELLO wo");
    assert_eq!(size(&mut process, "/etc/name"), Ok(12));
    assert_eq!(call(&mut process, nr::CLOSE, &[fd]), Ok(0));
    assert_eq!(call(&mut process, nr::CLOSE, &[other]), Ok(0));
    let again = open(&mut process, "/etc/link", 0).unwrap();
    assert_eq!(read(&mut process, again, 5).unwrap(), b"HELLO");
    let host = process.host.read(std::path::Path::new("/etc/name")).unwrap();
    assert_eq!(&*host, b"hello world\n");
}

#[test]
fn creating_truncating_appending() {
    let mut process = host();
    assert_eq!(open(&mut process, "/place/new", 1), Err(Errno::ENOENT));
    let fd = open(&mut process, "/place/new", 2 | CREATE).unwrap();
    assert_eq!(write(&mut process, fd, "abc"), Ok(3));
    let again = open(&mut process, "/place/new", CREATE | EXCLUSIVE);
    assert_eq!(again, Err(Errno::EEXIST));
    let append = open(&mut process, "/place/new", 1 | APPEND).unwrap();
    assert_eq!(write(&mut process, append, "def"), Ok(3));
    assert_eq!(call(&mut process, nr::PREAD64, &[fd, BUFFER, 10, 0]), Ok(6));
    assert_eq!(bytes(&process, BUFFER, 6), b"abcdef");
    assert_eq!(call(&mut process, nr::FTRUNCATE, &[fd, 2]), Ok(0));
    assert_eq!(size(&mut process, "/place/new"), Ok(2));
    open(&mut process, "/place/new", 1 | TRUNCATE).unwrap();
    assert_eq!(size(&mut process, "/place/new"), Ok(0));
    assert_eq!(open(&mut process, "/nowhere/x", 1 | CREATE), Err(Errno::ENOENT));
    assert_eq!(open(&mut process, "/place/", 1 | CREATE), Err(Errno::EISDIR));
}

#[test]
fn vectors_and_duplicates() {
    let mut process = host();
    let fd = open(&mut process, "/place/v", 2 | CREATE).unwrap();
    string(&mut process, BUFFER, "abcdef");
    let vector = SCRATCH + 0x2000;
    for (at, word) in [(0, BUFFER), (8, 2), (16, BUFFER + 3), (24, 3)] {
        process.machine.memory.write_u64(vector + at, word).unwrap();
    }
    assert_eq!(call(&mut process, nr::WRITEV, &[fd, vector, 2]), Ok(5));
    let twin = call(&mut process, nr::DUP, &[fd]).unwrap();
    assert_eq!(call(&mut process, nr::LSEEK, &[fd, 1, 0]), Ok(1));
    assert_eq!(read(&mut process, twin, 9).unwrap(), b"bdef");
    assert_eq!(call(&mut process, nr::DUP2, &[fd, 20]), Ok(20));
    assert_eq!(call(&mut process, nr::FCNTL, &[20, 1]), Ok(0));
    assert_eq!(call(&mut process, nr::DUP3, &[fd, 21, 0o2_000_000]), Ok(21));
    assert_eq!(call(&mut process, nr::FCNTL, &[21, 1]), Ok(1));
    assert_eq!(call(&mut process, nr::DUP3, &[fd, fd, 0]), Err(Errno::EINVAL));
    assert_eq!(call(&mut process, nr::DUP2, &[77, 3]), Err(Errno::EBADF));
}

#[test]
fn output_is_captured() {
    let mut process = process();
    assert_eq!(write(&mut process, 1, "one "), Ok(4));
    assert_eq!(write(&mut process, 1, "two"), Ok(3));
    assert_eq!(write(&mut process, 2, "err"), Ok(3));
    let output = process.take_output();
    let pieces: Vec<(u32, &[u8])> = output.iter().map(|o| (o.fd, o.bytes.as_slice())).collect();
    assert_eq!(pieces, [(1, b"one two".as_slice()), (2, b"err")]);
    assert!(process.take_output().is_empty());
    assert_eq!(read(&mut process, 1, 1), Err(Errno::EBADF));
    assert_eq!(call(&mut process, nr::WRITE, &[1, 0, 5]), Err(Errno::EFAULT));
    assert_eq!(call(&mut process, nr::LSEEK, &[1, 0, 0]), Err(Errno::ESPIPE));
}

#[test]
fn devices_and_processes_are_made_up() {
    let mut process = host();
    let null = open(&mut process, "/dev/null", 2).unwrap();
    assert_eq!(write(&mut process, null, "gone"), Ok(4));
    assert_eq!(read(&mut process, null, 4).unwrap(), b"");
    let zero = open(&mut process, "/dev/zero", 0).unwrap();
    assert_eq!(read(&mut process, zero, 3).unwrap(), [0; 3]);
    let full = open(&mut process, "/dev/full", 1).unwrap();
    assert_eq!(write(&mut process, full, "x"), Err(Errno::ENOSPC));
    assert_eq!(open(&mut process, "/dev/tty", 2), Err(Errno::ENXIO));
    assert_eq!(open(&mut process, "/dev/sda", 0), Err(Errno::ENOENT));
    assert_eq!(open(&mut process, "/proc/1/maps", 0), Err(Errno::ENOENT));
    let random = open(&mut process, "/dev/urandom", 0).unwrap();
    assert_ne!(read(&mut process, random, 16).unwrap(), [0; 16]);
    let exe = string(&mut process, SCRATCH, "/proc/self/exe");
    assert_eq!(call(&mut process, nr::READLINK, &[exe, BUFFER, 100]), Ok(12));
    assert_eq!(bytes(&process, BUFFER, 12), b"/bin/program");
    let maps = open(&mut process, "/proc/self/maps", 0).unwrap();
    let text = String::from_utf8(read(&mut process, maps, 9999).unwrap()).unwrap();
    assert!(text.contains("00400000-00401000 r-xp"), "{text}");
    assert!(text.contains("[stack]"), "{text}");
    let cpus = open(&mut process, "/sys/devices/system/cpu/online", 0).unwrap();
    assert_eq!(read(&mut process, cpus, 9).unwrap(), b"0-3\n");
    let out = open(&mut process, "/dev/stdout", 1).unwrap();
    assert_eq!(write(&mut process, out, "via fd"), Ok(6));
    assert_eq!(process.take_output()[0].bytes, b"via fd");
}

#[test]
fn terminals_are_told_apart() {
    let mut process = process();
    assert_eq!(call(&mut process, nr::IOCTL, &[1, 0x5401, BUFFER]), Err(Errno::ENOTTY));
    process.config.terminals[1] = true;
    assert_eq!(call(&mut process, nr::IOCTL, &[1, 0x5401, BUFFER]), Ok(0));
    assert_eq!(call(&mut process, nr::FSTAT, &[1, BUFFER]), Ok(0));
    let mode = process.machine.memory.read_u32(BUFFER + 24).unwrap();
    assert_eq!(mode & 0o170_000, 0o020_000);
    assert_eq!(call(&mut process, nr::IOCTL, &[9, 0x5401, BUFFER]), Err(Errno::EBADF));
}
