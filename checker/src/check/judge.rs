//! From the end of an execution to a finding: what went wrong, in one sentence.

use super::kind::ErrorKind;
use super::panic;
use super::verdict::Finding;
use crate::explore::choice::Wrong;
use crate::explore::moves::Ending;
use crate::trail::names::Names;
use samovar_runtime::{Misuse, Output, Process, Signal, Violation, ViolationKind};
use samovar_vm::fault::{AccessKind, Fault, FaultReason};
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::object::{Object, ObjectKind};
use samovar_vm::reg::Reg;

/// An access this far from the stack pointer, where nothing is mapped, is a stack that ran over.
const STACK_REACH: u64 = 256 << 10;

/// Bytes below the stack pointer that a function may use.
const RED_ZONE: u64 = 128;

/// Bytes of a frame that is taken for one.
const FRAME_MAX: u64 = 4 << 30;

/// Whether something that goes wrong may be an error of a kind that was asked for. Looks at how it
/// ended only, so that a search can ask often; what it says no to is none.
pub fn counts(wrong: &Wrong, asked: &[ErrorKind]) -> bool {
    let kinds: &[ErrorKind] = match wrong {
        Wrong::Deadlock => &[ErrorKind::Deadlock],
        Wrong::Property => &[ErrorKind::Invariant],
        Wrong::Stuck(_) => &[ErrorKind::PartialDeadlock],
        Wrong::Livelock => &[ErrorKind::Livelock],
        Wrong::Race { .. } => &[ErrorKind::Race],
        Wrong::Move(ending) => match ending {
            Ending::Done | Ending::Blocked | Ending::Exited(0) | Ending::Pruned => &[],
            Ending::Violated(violation) => match violation.kind {
                ViolationKind::Assertion | ViolationKind::Panic { .. } => &[ErrorKind::Assertion],
                ViolationKind::Privilege => &[ErrorKind::Privilege],
                ViolationKind::Leak => &[ErrorKind::Leak],
            },
            Ending::Exited(_) => &[ErrorKind::Exit],
            // The library aborts when it finds the heap in disorder.
            Ending::Killed(Signal::ABRT) => &[ErrorKind::Assertion, ErrorKind::Memory],
            Ending::Killed(Signal::FPE) => &[ErrorKind::Arithmetic],
            Ending::Killed(Signal::ILL) => &[ErrorKind::IllegalInstruction],
            Ending::Killed(_) => &[ErrorKind::Signal],
            Ending::Misuse(_, Misuse::Lock { .. }) => &[ErrorKind::Lock],
            Ending::Fault(_) | Ending::Misuse(..) => &[ErrorKind::Memory],
            Ending::Diverges | Ending::Unsupported(_) => &[ErrorKind::Livelock],
            Ending::Cut(_) => &[],
        },
    };
    kinds.iter().any(|kind| kind.counts(asked))
}

/// What is wrong with an execution whose last move, by `thread`, ended like this and wrote this
/// output. The process stands where it ended. `None` if nothing is wrong.
pub fn judge(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    ending: &Ending,
    output: &[Output],
) -> Option<Finding> {
    let (kind, detail, message) = match ending {
        Ending::Done | Ending::Blocked | Ending::Exited(0) => return None,
        Ending::Pruned | Ending::Unsupported(_) => return None,
        Ending::Exited(status) => {
            (ErrorKind::Exit, None, format!("the program ends with exit status {status}"))
        }
        Ending::Killed(signal) => killed(process, names, thread, *signal, output),
        Ending::Fault(fault) => {
            let detail = fault_detail(process, thread, fault);
            (ErrorKind::Memory, Some(detail), fault_message(process, names, thread, fault, detail))
        }
        Ending::Misuse(function, misuse) => misused(process, names, thread, function, *misuse),
        Ending::Violated(violation) if violation.kind == ViolationKind::Leak => {
            (ErrorKind::Leak, None, leak_message(process, names, violation))
        }
        Ending::Violated(violation) => {
            let kind = match violation.kind {
                ViolationKind::Panic { thread } => {
                    return Some(panicked(process, names, ThreadId(thread), violation, output));
                }
                ViolationKind::Assertion => ErrorKind::Assertion,
                ViolationKind::Privilege => ErrorKind::Privilege,
                ViolationKind::Leak => ErrorKind::Leak,
            };
            let name = |addr| names.variable(process, thread, addr, 1).map(|data| data.name);
            let message = match violation.data.and_then(name) {
                Some(name) => format!("{}: {name}", violation.message),
                None => violation.to_string(),
            };
            (kind, None, message)
        }
        Ending::Cut(_) => return None,
        Ending::Diverges => {
            let message = "the thread works on without end and without a visible effect";
            (ErrorKind::Livelock, None, message.to_string())
        }
    };
    Some(Finding {
        kind,
        detail: detail.map(str::to_string),
        message,
        thread: Some(names.thread(thread)),
        location: Some(names.standpoint(process, thread)),
        waits: Vec::new(),
        cycle: Vec::new(),
        accesses: Vec::new(),
    })
}

/// A panic that nobody handles, at the place where it began.
fn panicked(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    violation: &Violation,
    output: &[Output],
) -> Finding {
    let said = standard_error(output);
    let message = panic::message(names, thread, violation, &said);
    let location = panic::location(violation, &said);
    Finding {
        thread: Some(names.thread(thread)),
        location: Some(location.unwrap_or_else(|| names.standpoint(process, thread))),
        ..Finding::new(ErrorKind::Assertion, message)
    }
}

/// What leaks, and where it was allocated as far as that is known.
fn leak_message(process: &Process, names: &Names, violation: &Violation) -> String {
    let message = &violation.message;
    match violation.data.and_then(|block| names.source(process, block)) {
        None => message.clone(),
        Some((_, place)) => {
            let at = if place.short().is_some() { "at " } else { "" };
            format!("{message}, allocated {at}{place}")
        }
    }
}

type Judgement = (ErrorKind, Option<&'static str>, String);

fn killed(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    signal: Signal,
    output: &[Output],
) -> Judgement {
    match signal {
        Signal::ABRT => aborted(&names.functions(process, thread), &standard_error(output)),
        Signal::FPE => {
            (ErrorKind::Arithmetic, None, "division by zero, or without a result".to_string())
        }
        Signal::ILL => (ErrorKind::IllegalInstruction, None, "illegal instruction".to_string()),
        signal => (ErrorKind::Signal, None, format!("the program is killed by {signal}")),
    }
}

/// Why a program called `abort`, by who called it and by what it said.
fn aborted(functions: &[String], said: &str) -> Judgement {
    let heap = [
        ("double free", "double-free"),
        ("invalid pointer", "invalid-free"),
        ("invalid size", "invalid-free"),
        ("stack smashing detected", "out-of-bounds"),
        ("buffer overflow detected", "out-of-bounds"),
        ("corrupted", "out-of-bounds"),
    ];
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if functions.iter().any(|name| name.starts_with("assert_fail")) || said.contains("Assertion `")
    {
        return (ErrorKind::Assertion, None, assertion(said));
    }
    if let Some(at) = said.find("terminate called") {
        return (ErrorKind::Assertion, None, exception(&said[at..]));
    }
    if functions.iter().any(|name| name.contains("libc_message") || name.contains("fortify_fail"))
        && let Some((_, detail)) = heap.iter().find(|(words, _)| last.contains(words))
    {
        return (ErrorKind::Memory, Some(detail), last.to_string());
    }
    if let Some(message) = panic::of_abort(said) {
        return (ErrorKind::Assertion, None, message);
    }
    // What comes last may be advice.
    let speaks = |line: &&str| line.to_ascii_lowercase().contains("assert");
    match said.lines().rev().find(speaks).unwrap_or(last).trim() {
        "" => (ErrorKind::Assertion, None, "the program aborts".to_string()),
        told => (ErrorKind::Assertion, None, format!("the program aborts: {told}")),
    }
}

/// The text of a failed assertion, out of what glibc or musl printed.
fn assertion(said: &str) -> String {
    let texts = [("Assertion `", "' failed"), ("Assertion failed: ", " (")];
    for (before, after) in texts {
        if let Some((_, rest)) = said.rsplit_once(before) {
            let text = rest.split(after).next().unwrap_or(rest);
            return format!("assertion `{}` fails", text.trim());
        }
    }
    "an assertion fails".to_string()
}

/// What the C++ library says about an exception that nobody catches.
fn exception(said: &str) -> String {
    let kind = said.split_once("instance of '").and_then(|(_, rest)| rest.split('\'').next());
    let what = said.split_once("what():").map(|(_, rest)| rest.lines().next().unwrap_or_default());
    match (kind, what) {
        (Some(kind), Some(what)) => format!("nobody catches {kind}: {}", what.trim()),
        (Some(kind), None) => format!("nobody catches {kind}"),
        (None, _) => "std::terminate is called without an exception".to_string(),
    }
}

fn standard_error(output: &[Output]) -> String {
    let pieces = output.iter().filter(|piece| piece.fd == 2);
    pieces.map(|piece| String::from_utf8_lossy(&piece.bytes).into_owned()).collect()
}

fn misused(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    function: &str,
    misuse: Misuse,
) -> Judgement {
    let block = names.block(process, process.machine.core(thread)[Reg::Rdi]);
    match misuse {
        Misuse::DoubleFree => {
            let message = format!("{function} of {block}, which was freed before");
            (ErrorKind::Memory, Some("double-free"), message)
        }
        Misuse::InvalidPointer => {
            let message = format!("{function} of {block}, which is no start of a heap block");
            (ErrorKind::Memory, Some("invalid-free"), message)
        }
        Misuse::Lock { fault, object } => {
            let object = names.object(process, thread, object);
            let message = format!("{function} of {object}: {fault}");
            (ErrorKind::Lock, Some(fault.name()), message)
        }
    }
}

fn fault_detail(process: &Process, thread: ThreadId, fault: &Fault) -> &'static str {
    let rsp = process.machine.core(thread)[Reg::Rsp];
    let memory = &process.machine.memory;
    let near_stack = fault.addr.abs_diff(rsp) < STACK_REACH && fault.kind != AccessKind::Execute;
    let above = memory.regions().iter().find(|(start, _)| fault.addr < *start);
    let below_writable = above.is_some_and(|(start, region)| {
        region.perms.write && start - fault.addr < STACK_REACH && rsp < start + STACK_REACH
    });
    // A frame that is larger than all that is left of the stack.
    let beyond_stack = fault.kind != AccessKind::Execute
        && memory.regions().at(rsp).is_none()
        && rsp <= fault.addr.saturating_add(RED_ZONE)
        && memory
            .regions()
            .iter()
            .find(|(start, region)| fault.addr < *start && region.perms.write)
            .is_some_and(|(start, _)| start - rsp < FRAME_MAX);
    let is_mapped = memory.regions().at(fault.addr).is_some_and(|(_, region)| region.perms.read);
    match fault.reason {
        FaultReason::Null => "null",
        FaultReason::Unmapped | FaultReason::Protected
            if (near_stack && below_writable || beyond_stack) && !is_mapped =>
        {
            "stack-overflow"
        }
        FaultReason::Protected if fault.kind == AccessKind::Write && is_mapped => "read-only",
        FaultReason::Unmapped | FaultReason::Protected | FaultReason::Misaligned => "wild",
        FaultReason::OutOfBounds | FaultReason::BeyondFrame | FaultReason::ReturnAddress => {
            "out-of-bounds"
        }
        FaultReason::UseAfterFree => "use-after-free",
    }
}

fn fault_message(
    process: &Process,
    names: &Names,
    thread: ThreadId,
    fault: &Fault,
    detail: &str,
) -> String {
    let Fault { addr, size, kind, reason } = *fault;
    let bytes = if size == 1 { "1 byte".to_string() } else { format!("{size} bytes") };
    let deed = match kind {
        AccessKind::Read => format!("reads {bytes}"),
        AccessKind::Write => format!("writes {bytes}"),
        AccessKind::Execute => "jumps".to_string(),
    };
    let variable = names.variable(process, thread, addr, 1).map(|data| data.name);
    let place = variable.unwrap_or_else(|| format!("{addr:#x}"));
    let frame = names.standpoint(process, thread).function;
    let frame = frame.unwrap_or_else(|| "the function".to_string());
    match reason {
        _ if detail == "stack-overflow" => {
            format!("the stack of {} runs over", names.thread(thread))
        }
        FaultReason::Null if addr == 0 => format!("{deed} at a null pointer"),
        FaultReason::Null => format!("{deed} at offset {addr} from a null pointer"),
        FaultReason::Unmapped => format!("{deed} at {place}, where nothing is mapped"),
        FaultReason::Protected if kind == AccessKind::Execute => {
            format!("{deed} to {place}, which is no code")
        }
        FaultReason::Protected if detail == "read-only" => {
            format!("{deed} at {place}, which is read-only")
        }
        FaultReason::Protected => format!("{deed} at {place}, where no access is permitted"),
        FaultReason::Misaligned => format!("{deed} at {place}, which is not aligned"),
        FaultReason::BeyondFrame => format!("{deed} at {place}, beyond the frame of {frame}"),
        FaultReason::ReturnAddress => {
            format!("{deed} at {place}, over the return address of a function, from {frame}")
        }
        FaultReason::OutOfBounds | FaultReason::UseAfterFree => {
            format!("{deed} {}", relative(process, names, addr))
        }
    }
}

/// An address told by the heap block that it belongs to or has just missed.
pub(super) fn relative(process: &Process, names: &Names, addr: u64) -> String {
    let objects = process.machine.memory.objects();
    let before = objects.before(addr);
    let after = objects.iter().find(|(start, _)| addr < *start);
    let behind =
        before.map_or(u64::MAX, |(start, object)| (addr - start).saturating_sub(object.size));
    match (before, after) {
        (_, Some((start, object))) if start - addr < behind => {
            let block = block(process, names, start, object);
            match start - addr {
                1 => format!("just before {block}"),
                distance => format!("{distance} bytes before {block}"),
            }
        }
        (Some((start, object)), _) => {
            let (offset, block) = (addr - start, block(process, names, start, object));
            match offset.checked_sub(object.size) {
                None => format!("at offset {offset} of {block}"),
                Some(0) => format!("just behind {block}"),
                Some(beyond) => format!("{beyond} bytes behind {block}"),
            }
        }
        (None, _) => format!("at {addr:#x}, outside of every object"),
    }
}

/// A heap block or a static variable, with its size.
pub(super) fn block(process: &Process, names: &Names, start: u64, object: &Object) -> String {
    let size = object.size;
    match object.kind {
        ObjectKind::Freed { thread } => {
            let block = names.whole_block(process, start, size);
            format!("{block}, which {} has freed", names.thread(ThreadId(thread)))
        }
        ObjectKind::Heap { .. } => names.whole_block(process, start, size),
        ObjectKind::Global => {
            // The debug information names the first byte: an element or a member.
            let whole = |name: &str| name.split(['[', '.']).next().map(str::to_string);
            let data = names.debug().name_of_data(start);
            let name = data.and_then(|data| whole(&data.name));
            let name = name.unwrap_or_else(|| format!("the object at {start:#x}"));
            format!("{name}, which has {size} bytes")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_were_not_asked_for_do_not_count() {
        let asked = [ErrorKind::Deadlock];
        assert!(counts(&Wrong::Deadlock, &asked));
        assert!(!counts(&Wrong::Deadlock, &[]));
        assert!(!counts(&Wrong::Move(Ending::Exited(3)), &asked));
        assert!(!counts(&Wrong::Move(Ending::Killed(Signal::ABRT)), &asked));
        assert!(counts(&Wrong::Move(Ending::Killed(Signal::FPE)), &asked));
        assert!(!counts(&Wrong::Move(Ending::Exited(0)), &[ErrorKind::Exit]));
    }

    #[test]
    fn assertions_give_their_text() {
        let said = "noise\nprog: a.c:7: main: Assertion `x == 1' failed.\n";
        let expected = (ErrorKind::Assertion, None, "assertion `x == 1` fails".to_string());
        assert_eq!(aborted(&[], said), expected);
        let musl = "Assertion failed: x == 1 (a.c: main: 7)\n";
        assert_eq!(aborted(&["assert_fail".to_string()], musl), expected);
    }

    #[test]
    fn exceptions_give_type_and_text() {
        let said = "terminate called after throwing an instance of 'std::runtime_error'\n  \
                    what():  boom\n";
        let (kind, _, message) = aborted(&[], said);
        assert_eq!(kind, ErrorKind::Assertion);
        assert_eq!(message, "nobody catches std::runtime_error: boom");
    }

    #[test]
    fn the_librarys_own_complaints_are_about_memory() {
        let functions = ["libc_message_impl".to_string()];
        let (kind, detail, _) = aborted(&functions, "free(): double free detected in tcache 2\n");
        assert_eq!((kind, detail), (ErrorKind::Memory, Some("double-free")));
        let (kind, _, message) = aborted(&[], "double free, says the program\n");
        assert_eq!(kind, ErrorKind::Assertion);
        assert_eq!(message, "the program aborts: double free, says the program");
    }

    #[test]
    fn a_librarys_own_assertion_comes_before_its_advice() {
        let said = "OMP: Error #13: Assertion failure at kmp_runtime.cpp(6331).\n\
                    OMP: Hint Please submit a bug report with this message.\n";
        let (_, _, message) = aborted(&[], said);
        let told = "OMP: Error #13: Assertion failure at kmp_runtime.cpp(6331).";
        assert_eq!(message, format!("the program aborts: {told}"));
    }
}
