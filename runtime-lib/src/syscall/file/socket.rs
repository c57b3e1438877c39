//! Sockets, which do not exist, except for one question that glibc asks whenever it looks up a
//! user or group: whether a name service cache daemon listens. There is none.

use crate::errno::Errno;
use crate::files::{OpenFile, OpenKind, flag};
use crate::syscall::call::{Call, SysResult, done, unsupported};

const AF_UNIX: u64 = 1;
/// The type of socket that glibc's question uses: a stream, closed on exec, not blocking.
const QUESTION: u64 = 1 | (flag::CLOEXEC | flag::NONBLOCK) as u64;
/// Where the daemon would listen.
const DAEMON: &[u8] = b"/var/run/nscd/socket";

pub(crate) fn socket(call: &mut Call<'_>) -> SysResult {
    let [family, kind, protocol, ..] = call.args;
    if (family, kind, protocol) != (AF_UNIX, QUESTION, 0) {
        return unsupported("the guest has no network");
    }
    let path = b"socket:[1]".as_slice().into();
    let flags = flag::RDWR | flag::CLOEXEC | flag::NONBLOCK;
    let file = OpenFile { kind: OpenKind::Socket, offset: 0, flags, path };
    done(call.os_mut().files_mut().table.add(file)?)
}

pub(crate) fn connect(call: &mut Call<'_>) -> SysResult {
    let [fd, addr, len, ..] = call.args;
    match call.os().files.table.get(fd)?.kind {
        OpenKind::Socket => {}
        _ => return Err(Errno::ENOTSOCK.into()),
    }
    let mut name = vec![0; len.min(110) as usize];
    call.memory().read(addr, &mut name)?;
    let path = name.get(2..).unwrap_or_default();
    let path = path.split(|&byte| byte == 0).next().unwrap_or_default();
    match path == DAEMON {
        true => Err(Errno::ENOENT.into()),
        false => unsupported(format!("to {}", String::from_utf8_lossy(path))),
    }
}
