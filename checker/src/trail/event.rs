//! What a step does, for programs: the same that its words say, without the words.
//!
//! Objects are told apart by their addresses: names are for people, and two locks on the heap may
//! well have the same one.

use super::names::hexadecimal;
use serde::{Deserialize, Serialize};

/// A visible operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What sort of operation.
    pub kind: EventKind,
    /// The object that it is about, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The same, by address.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hexadecimal::optional")]
    pub address: Option<u64>,
    /// The thread that is created or joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The thread waits after it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
}

/// Sorts of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// Takes a lock.
    Lock,
    /// Takes a lock if it is free.
    TryLock,
    /// Gives a lock back.
    Unlock,
    /// Waits on a condition variable.
    Wait,
    /// Wakes one waiter.
    Signal,
    /// Wakes all waiters.
    Broadcast,
    /// Takes from a semaphore.
    Take,
    /// Gives to a semaphore.
    Give,
    /// Arrives at a barrier.
    Arrive,
    /// Creates a thread.
    Create,
    /// Waits for the end of a thread.
    Join,
    /// The thread ends.
    End,
    /// Reads memory.
    Read,
    /// Writes memory.
    Write,
    /// Reads and writes memory as one.
    Update,
    /// Takes one of the values that the program leaves open.
    Choose,
    /// Time passes.
    Time,
    /// Something else.
    Other,
}

/// A lock that has another holder after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// The lock, by name.
    pub object: String,
    /// The lock, by address.
    #[serde(with = "hexadecimal")]
    pub address: u64,
    /// Who has it now; nobody if it is free.
    pub holder: Option<String>,
}

impl Event {
    /// An operation that is about nothing in particular.
    pub fn bare(kind: EventKind) -> Event {
        Event { kind, object: None, address: None, thread: None, waits: false }
    }

    /// An operation on an object.
    pub fn on(kind: EventKind, object: &str, address: u64) -> Event {
        Event { object: Some(object.to_string()), address: Some(address), ..Event::bare(kind) }
    }

    /// An operation that concerns a thread.
    pub fn about(kind: EventKind, thread: Option<String>) -> Event {
        Event { thread, ..Event::bare(kind) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_small_in_files() {
        let event = Event::on(EventKind::TryLock, "m", 0x10);
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(text, r#"{"kind":"try-lock","object":"m","address":"0x10"}"#);
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        assert_eq!(
            serde_json::to_string(&Event::bare(EventKind::End)).unwrap(),
            r#"{"kind":"end"}"#
        );
    }
}
