//! Small processes for unit tests: a program of one instruction, scratch memory, and system calls
//! made as the guest would make them.

use crate::errno::Errno;
use crate::event::Event;
use crate::host::{DirEntry, FileStat, FileTime, FileType, HostFiles};
use crate::load::{LoadOptions, Model};
use crate::process::Process;
use crate::syscall;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::region::Perms;
use samovar_vm::monitor::Unwatched;
use samovar_vm::reg::Reg;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Memory that tests may use as they like.
pub(crate) const SCRATCH: u64 = 0x5000_0000;
/// Address of the program's `syscall` instruction.
const CODE: u64 = 0x40_0078;

/// The main thread.
pub(crate) const MAIN: ThreadId = ThreadId(0);

/// A static program: one readable and executable segment with `syscall`.
fn program() -> Arc<[u8]> {
    let mut bytes = Vec::new();
    bytes.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    bytes.extend([2, 0, 62, 0, 1, 0, 0, 0]);
    for word in [CODE, 64, 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0, 0, 0, 0, 64, 0, 56, 0, 1, 0, 64, 0, 0, 0, 0, 0]);
    bytes.extend([1, 0, 0, 0, 5, 0, 0, 0]);
    for word in [0, 0x40_0000, 0x40_0000, 0x100, 0x100, 0x1000] {
        bytes.extend(u64::to_le_bytes(word));
    }
    bytes.extend([0x0f, 0x05]);
    bytes.resize(0x100, 0);
    bytes.into()
}

/// A process without files.
pub(crate) fn process() -> Process {
    process_with(HostTree::default())
}

/// A process that sees these files of the host.
pub(crate) fn process_with(tree: HostTree) -> Process {
    let mut options = LoadOptions::new(b"/bin/program", program());
    options.files = Arc::new(tree);
    options.model = Model::None;
    let mut process = Process::new(options).expect("the program is well formed");
    process.machine.memory.map(SCRATCH, 0x10_0000, (Perms::RW, "[scratch]".into(), 0));
    process
}

/// Adds a thread by `clone` and returns its number.
pub(crate) fn add_thread(process: &mut Process) -> ThreadId {
    let made = call(process, 56, &[0x5_0f00, SCRATCH + 0x8_0000, 0, 0, 0]);
    let index = process.threads().len() as u32 - 1;
    assert_eq!(made, Ok(u64::from(1000 + index)));
    ThreadId(index)
}

/// What came of a system call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Returned(Result<u64, Errno>),
    Stopped(Event),
}

/// A system call of a thread.
pub(crate) fn call_by(
    process: &mut Process,
    thread: ThreadId,
    number: u64,
    args: &[u64],
) -> Outcome {
    let core = process.machine.core_mut(thread);
    core[Reg::Rax] = number;
    let order = [Reg::Rdi, Reg::Rsi, Reg::Rdx, Reg::R10, Reg::R8, Reg::R9];
    for (index, reg) in order.into_iter().enumerate() {
        core[reg] = args.get(index).copied().unwrap_or(0);
    }
    core.jump(CODE + syscall::SYSCALL_LEN);
    match syscall::serve(process, thread, &mut Unwatched) {
        Some(event) => Outcome::Stopped(event),
        None => Outcome::Returned(result(process, thread)),
    }
}

/// The result in `rax`.
pub(crate) fn result(process: &Process, thread: ThreadId) -> Result<u64, Errno> {
    let rax = process.machine.core(thread)[Reg::Rax];
    let error = (rax as i64).wrapping_neg();
    if (1..4096).contains(&error) { Err(Errno(error as u16)) } else { Ok(rax) }
}

/// A system call of the main thread that is expected to return.
#[track_caller]
pub(crate) fn call(process: &mut Process, number: u64, args: &[u64]) -> Result<u64, Errno> {
    match call_by(process, MAIN, number, args) {
        Outcome::Returned(result) => result,
        Outcome::Stopped(event) => panic!("system call {number} stopped: {event:?}"),
    }
}

/// Puts a string with its final zero into scratch memory.
pub(crate) fn string(process: &mut Process, addr: u64, text: &str) -> u64 {
    let bytes = [text.as_bytes(), &[0]].concat();
    process.machine.memory.write(addr, &bytes).expect("scratch memory is writable");
    addr
}

/// Bytes of the guest's memory.
pub(crate) fn bytes(process: &Process, addr: u64, len: u64) -> Vec<u8> {
    process.machine.memory.slice(addr, len).expect("the guest's memory is readable").to_vec()
}

/// What a made-up host has at a path.
#[derive(Clone, Debug)]
pub(crate) enum HostNode {
    File(Vec<u8>),
    Directory,
    Link(&'static str),
}

/// A made-up host: paths and what is there.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostTree(BTreeMap<Vec<u8>, HostNode>);

impl HostTree {
    /// A tree of these nodes; directories above them are there, too.
    pub(crate) fn new(nodes: &[(&str, HostNode)]) -> HostTree {
        let mut tree = BTreeMap::from([(b"/".to_vec(), HostNode::Directory)]);
        for (path, node) in nodes {
            let parents = path.match_indices('/').skip(1).map(|(at, _)| &path[..at]);
            for parent in parents {
                tree.entry(parent.as_bytes().to_vec()).or_insert(HostNode::Directory);
            }
            tree.insert(path.as_bytes().to_vec(), node.clone());
        }
        HostTree(tree)
    }

    fn get(&self, path: &Path) -> Result<&HostNode, Errno> {
        self.0.get(path.as_os_str().as_bytes()).ok_or(Errno::ENOENT)
    }
}

impl HostFiles for HostTree {
    fn stat(&self, path: &Path) -> Result<FileStat, Errno> {
        let (kind, size) = match self.get(path)? {
            HostNode::File(bytes) => (FileType::Regular, bytes.len()),
            HostNode::Directory => (FileType::Directory, 4096),
            HostNode::Link(target) => (FileType::Symlink, target.len()),
        };
        let number = self.0.keys().position(|key| key == path.as_os_str().as_bytes());
        Ok(FileStat {
            kind,
            mode: if kind == FileType::Directory { 0o777 } else { 0o666 },
            size: size as u64,
            links: 1,
            uid: 1000,
            gid: 1000,
            inode: 100 + number.unwrap_or(0) as u64,
            device: 1,
            special: 0,
            accessed: FileTime::default(),
            modified: FileTime::default(),
            changed: FileTime::default(),
        })
    }

    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Errno> {
        match self.get(path)? {
            HostNode::File(bytes) => Ok(bytes.as_slice().into()),
            _ => Err(Errno::EISDIR),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<DirEntry>, Errno> {
        let entries = self.0.keys().filter_map(|key| {
            let child = Path::new(std::ffi::OsStr::from_bytes(key));
            if child.parent() != Some(path) {
                return None;
            }
            let facts = self.stat(child).ok()?;
            let name = child.file_name()?.as_bytes().to_vec();
            Some(DirEntry { name, inode: facts.inode, kind: facts.kind.entry_type() })
        });
        Ok(entries.collect())
    }

    fn read_link(&self, path: &Path) -> Result<Vec<u8>, Errno> {
        match self.get(path)? {
            HostNode::Link(target) => Ok(target.as_bytes().to_vec()),
            _ => Err(Errno::EINVAL),
        }
    }
}
