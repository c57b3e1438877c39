//! Marks that tell a checker something and do nothing to the program.

use super::{Reply, Request};
use crate::process::Process;
use crate::syscall::objects;
use samovar_vm::monitor::Decision;
use std::sync::Arc;

/// The thread does something useful: a cycle through here is no livelock.
pub(super) fn progress(request: &mut Request<'_>) -> Reply {
    match request.witness.progress() {
        Decision::Proceed => Reply::Value(0),
        Decision::Stop => Reply::Before(objects::change(objects::progress_of(request.thread), 8)),
    }
}

/// From now on these bytes are no part of the state.
pub(super) fn ignore(request: &mut Request<'_>) -> Reply {
    let [addr, len, _] = request.args;
    let range = (addr, addr.saturating_add(len));
    if len != 0
        && let Err(place) = request.process.os.ignored.binary_search(&range)
    {
        Arc::make_mut(&mut request.process.os_mut().ignored).insert(place, range);
    }
    Reply::Value(0)
}

/// What reports call the thread.
pub(super) fn name(request: &mut Request<'_>) -> Reply {
    let label = request.text(request.args[0]);
    let thread = request.thread;
    request.process.os_mut().thread_mut(thread).label = Some(label.into());
    Reply::Value(0)
}

impl Process {
    /// Memory that the program wants to be left out of the state, as ranges of addresses in
    /// ascending order; they may overlap.
    pub fn ignored(&self) -> &[(u64, u64)] {
        &self.os.ignored
    }
}
