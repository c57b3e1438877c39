//! Signals: numbers, sets, what is to be done about them, and the frame that a handler runs on.

mod action;
mod delivery;
mod frame;
mod number;

pub use action::SignalStack;
pub(crate) use action::{
    Action, Handler, SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_RESTART, SS_DISABLE,
};
pub(crate) use frame::{pop as frame_pop, siginfo_bytes};
pub use number::{Signal, SignalSet};

/// Where a signal came from and what it is about: the part of Linux's `siginfo_t` that is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Siginfo {
    /// Which signal.
    pub signal: Signal,
    /// `si_code`: who sent it, or what sort of fault it is.
    pub code: i32,
    /// Sender's process and user, or for a fault the address.
    pub payload: Payload,
}

/// The part of a `siginfo_t` that depends on the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payload {
    /// Sent by a process; always the guest itself.
    Sender {
        /// Process.
        pid: u32,
        /// User.
        uid: u32,
        /// What `sigqueue` attached.
        value: u64,
    },
    /// A fault at an address.
    Address(u64),
}

/// `si_code` of a signal sent by `kill`.
pub(crate) const SI_USER: i32 = 0;
/// `si_code` of a signal sent by `tgkill`.
pub(crate) const SI_TKILL: i32 = -6;
/// `si_code` of a signal from the kernel without a better reason.
pub(crate) const SI_KERNEL: i32 = 0x80;
