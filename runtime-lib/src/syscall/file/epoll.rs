//! `epoll`, on top of the same readiness as `poll`. Level-triggered only: an edge-triggered
//! interest is refused, because it would need a memory of what was already reported.

use super::wait::{finish_or_wait, readiness};
use crate::errno::Errno;
use crate::files::{OpenFile, OpenKind, Ready, flag};
use crate::syscall::call::{Call, SysResult, done, unsupported};
use crate::syscall::names::number as nr;
use std::collections::BTreeMap;
use std::sync::Arc;

const EDGE: u32 = 1 << 31;
const ONESHOT: u32 = 1 << 30;
/// Size of the packed `struct epoll_event`.
const EVENT_SIZE: u64 = 12;

type Interests = BTreeMap<u32, (u32, u64)>;

pub(crate) fn create(call: &mut Call<'_>, number: u64) -> SysResult {
    let flags = if number == nr::EPOLL_CREATE1 { call.args[0] as u32 } else { 0 };
    let flags = flags & flag::CLOEXEC | flag::RDWR;
    let path = b"anon_inode:[eventpoll]".as_slice().into();
    let file = OpenFile { kind: OpenKind::Epoll(Arc::default()), offset: 0, flags, path };
    done(call.os_mut().files_mut().table.add(file)?)
}

fn interests(call: &Call<'_>, fd: u64) -> Result<Arc<Interests>, Errno> {
    match &call.os().files.table.get(fd)?.kind {
        OpenKind::Epoll(interests) => Ok(Arc::clone(interests)),
        _ => Err(Errno::EINVAL),
    }
}

pub(crate) fn control(call: &mut Call<'_>) -> SysResult {
    let [epoll, operation, fd, event, ..] = call.args;
    let mut interests = interests(call, epoll)?;
    call.os().files.table.get(fd)?;
    let key = fd as u32;
    let known = interests.contains_key(&key);
    match (operation, known) {
        (1, true) => return Err(Errno::EEXIST.into()),
        (2 | 3, false) => return Err(Errno::ENOENT.into()),
        (2, true) => drop(Arc::make_mut(&mut interests).remove(&key)),
        (1 | 3, _) => {
            let events = call.read_u32(event)?;
            let word = call.read_u64(event.wrapping_add(4))?;
            if events & (EDGE | ONESHOT) != 0 {
                return unsupported("edge-triggered or one-shot interest");
            }
            Arc::make_mut(&mut interests).insert(key, (events, word));
        }
        _ => return Err(Errno::EINVAL.into()),
    }
    call.os_mut().files_mut().table.get_mut(epoll)?.kind = OpenKind::Epoll(interests);
    super::wait::wake_ready(call.process);
    done(0)
}

pub(crate) fn wait(call: &mut Call<'_>) -> SysResult {
    let [epoll, addr, count, timeout, mask, _] = call.args;
    if mask != 0 {
        return unsupported("with a signal mask");
    }
    if count as i32 <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let interests = interests(call, epoll)?;
    let always = u32::from(Ready::ERR | Ready::HUP);
    let mut ready = 0;
    for (&fd, &(events, word)) in interests.iter() {
        let found = u32::from(readiness(&call.os().files, u64::from(fd))) & (events | always);
        if found != 0 && ready < count {
            let at = addr.wrapping_add(ready * EVENT_SIZE);
            call.write(at, &found.to_le_bytes())?;
            call.write(at.wrapping_add(4), &word.to_le_bytes())?;
            ready += 1;
        }
    }
    let timeout = timeout as i32;
    let span = (timeout >= 0).then(|| timeout as u64 * 1_000_000);
    let wanted = interests.iter().map(|(&fd, &(events, _))| (fd, events as u16)).collect();
    finish_or_wait(call, ready, wanted, span)
}
