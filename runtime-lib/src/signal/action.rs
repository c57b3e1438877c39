//! What a process wants done about signals, and where handlers get their stack.

use super::{Signal, SignalSet};

/// Run the handler on the alternative stack.
pub(crate) const SA_ONSTACK: u64 = 0x0800_0000;
/// Go on with an interrupted system call.
pub(crate) const SA_RESTART: u64 = 0x1000_0000;
/// Do not block the signal while its handler runs.
pub(crate) const SA_NODEFER: u64 = 0x4000_0000;
/// Forget the handler when it is called.
pub(crate) const SA_RESETHAND: u64 = 0x8000_0000;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handler {
    Default,
    Ignore,
    /// Call this address.
    Call(u64),
}

/// The `sigaction` of one signal, in the kernel's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    pub handler: Handler,
    pub flags: u64,
    pub restorer: u64,
    pub mask: SignalSet,
}

impl Action {
    pub(crate) const DEFAULT: Action =
        Action { handler: Handler::Default, flags: 0, restorer: 0, mask: SignalSet::EMPTY };

    /// From the four words of the kernel's `struct sigaction`.
    pub(crate) fn from_words([handler, flags, restorer, mask]: [u64; 4]) -> Action {
        let handler = match handler {
            0 => Handler::Default,
            1 => Handler::Ignore,
            addr => Handler::Call(addr),
        };
        Action { handler, flags, restorer, mask: SignalSet(mask).blockable() }
    }

    /// The four words of the kernel's `struct sigaction`.
    pub(crate) fn to_words(self) -> [u64; 4] {
        let handler = match self.handler {
            Handler::Default => 0,
            Handler::Ignore => 1,
            Handler::Call(addr) => addr,
        };
        [handler, self.flags, self.restorer, self.mask.0]
    }

    /// Whether a signal with this action vanishes unseen.
    pub(crate) fn discards(self, signal: Signal) -> bool {
        match self.handler {
            Handler::Ignore => true,
            Handler::Default => signal.default_action() == super::number::DefaultAction::Ignore,
            Handler::Call(_) => false,
        }
    }
}

/// The alternative stack of a thread (`sigaltstack`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignalStack {
    /// Lowest address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// `SS_DISABLE` and friends.
    pub flags: u32,
}

/// No alternative stack is set.
pub(crate) const SS_DISABLE: u32 = 2;
/// The alternative stack is in use.
pub(crate) const SS_ONSTACK: u32 = 1;

impl Default for SignalStack {
    fn default() -> SignalStack {
        SignalStack { base: 0, size: 0, flags: SS_DISABLE }
    }
}

impl SignalStack {
    /// Whether a stack pointer lies on it.
    pub(crate) fn holds(&self, rsp: u64) -> bool {
        self.flags & SS_DISABLE == 0 && rsp > self.base && rsp - self.base <= self.size
    }
}
