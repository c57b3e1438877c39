//! Assertions that failed and places that must not be reached.

use super::{Reply, Request, Violation, ViolationKind};
use crate::event::Event;

pub(super) fn failed(request: &mut Request<'_>) -> Reply {
    let message = format!("assertion failed: {}", request.text(request.args[0]));
    violated(request, message)
}

pub(super) fn reached(request: &mut Request<'_>) -> Reply {
    let name = request.text(request.args[0]);
    let message = match name.is_empty() {
        true => "a place marked as unreachable was reached".to_string(),
        false => format!("{name} was called"),
    };
    violated(request, message)
}

fn violated(request: &Request<'_>, message: String) -> Reply {
    let [_, file, line] = request.args;
    let source = (file != 0).then(|| (request.text(file), line as u32));
    let address = request.address;
    let kind = ViolationKind::Assertion;
    Reply::Tell(Event::Violated(Violation { kind, message, source, data: None, address }))
}
