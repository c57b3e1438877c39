//! Undo: every change of the operating system's state is taken back.

use crate::syscall::names::number as nr;
use crate::testing::{HostNode, HostTree, SCRATCH, add_thread, bytes, call, process_with, string};

/// Marks, changes one thing of every sort, undoes, and finds everything as before.
#[test]
fn undoing_restores_the_world() {
    let file = HostNode::File(b"contents".to_vec());
    let mut process = process_with(HostTree::new(&[("/f", file)]));
    let path = string(&mut process, SCRATCH, "/f");
    let fd = call(&mut process, nr::OPEN, &[path, 2, 0]).unwrap();
    process.machine.memory.journal.set_on(true);
    let mark = process.mark();
    let before = format!("{:?} {:?}", process.os(), process.machine.core(crate::testing::MAIN));
    let regions = format!("{:?}", process.machine.memory.regions());
    let scratch = bytes(&process, SCRATCH, 0x1000);

    add_thread(&mut process);
    call(&mut process, nr::WRITE, &[fd, SCRATCH, 2]).unwrap();
    call(&mut process, nr::WRITE, &[1, SCRATCH, 2]).unwrap();
    call(&mut process, nr::CLOSE, &[fd]).unwrap();
    call(&mut process, nr::UNLINK, &[path]).unwrap();
    call(&mut process, nr::PIPE, &[SCRATCH + 64]).unwrap();
    call(&mut process, nr::GETRANDOM, &[SCRATCH + 80, 8, 0]).unwrap();
    call(&mut process, nr::CLOCK_GETTIME, &[0, SCRATCH + 96]).unwrap();
    call(&mut process, nr::BRK, &[0x50_0000]).unwrap();
    call(&mut process, nr::MMAP, &[0, 0x1000, 3, 0x22, u64::MAX, 0]).unwrap();
    call(&mut process, nr::MUNMAP, &[SCRATCH + 0x5000, 0x1000]).unwrap();
    call(&mut process, nr::UMASK, &[0]).unwrap();
    call(&mut process, nr::KILL, &[1000, 6]).unwrap();
    process.take_output();
    assert!(process.ended().is_some());

    process.undo_to(&mark);
    let after = format!("{:?} {:?}", process.os(), process.machine.core(crate::testing::MAIN));
    assert_eq!(after, before);
    assert_eq!(format!("{:?}", process.machine.memory.regions()), regions);
    assert_eq!(bytes(&process, SCRATCH, 0x1000), scratch);
    assert_eq!(process.machine.thread_count(), 1);
    // And the world goes on from there.
    assert_eq!(call(&mut process, nr::READ, &[fd, SCRATCH, 4]), Ok(4));
    assert_eq!(bytes(&process, SCRATCH, 4), b"cont");
}
