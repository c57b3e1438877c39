//! Signal numbers and sets of them.

use std::fmt;

/// A signal, 1 to 64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(u8);

/// What happens when nobody handles a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultAction {
    Terminate,
    Ignore,
    Stop,
}

const NAMES: [&str; 32] = [
    "",
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];

#[allow(missing_docs)]
impl Signal {
    pub const HUP: Signal = Signal(1);
    pub const INT: Signal = Signal(2);
    pub const ILL: Signal = Signal(4);
    pub const TRAP: Signal = Signal(5);
    pub const ABRT: Signal = Signal(6);
    pub const BUS: Signal = Signal(7);
    pub const FPE: Signal = Signal(8);
    pub const KILL: Signal = Signal(9);
    pub const SEGV: Signal = Signal(11);
    pub const PIPE: Signal = Signal(13);
    pub const ALRM: Signal = Signal(14);
    pub const CHLD: Signal = Signal(17);
    pub const CONT: Signal = Signal(18);
    pub const STOP: Signal = Signal(19);
    pub const URG: Signal = Signal(23);
    pub const WINCH: Signal = Signal(28);
    pub const SYS: Signal = Signal(31);
}

impl Signal {
    /// The signal with this number, if there is one.
    pub fn new(number: u64) -> Option<Signal> {
        (1..=64).contains(&number).then_some(Signal(number as u8))
    }

    /// Its number.
    pub fn number(self) -> u32 {
        u32::from(self.0)
    }

    pub(crate) fn default_action(self) -> DefaultAction {
        match self {
            Signal::CHLD | Signal::CONT | Signal::URG | Signal::WINCH => DefaultAction::Ignore,
            Signal(19..=22) => DefaultAction::Stop,
            _ => DefaultAction::Terminate,
        }
    }

    /// Raised by the instruction being executed, not by somebody else.
    pub(crate) fn is_synchronous(self) -> bool {
        matches!(
            self,
            Signal::SEGV | Signal::BUS | Signal::FPE | Signal::ILL | Signal::TRAP | Signal::SYS
        )
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.get(self.0 as usize) {
            Some(name) => f.write_str(name),
            None => write!(f, "SIGRT{}", self.0),
        }
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of signals, as Linux's `sigset_t`: bit `n - 1` stands for signal `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SignalSet(pub u64);

impl SignalSet {
    /// No signal.
    pub const EMPTY: SignalSet = SignalSet(0);
    /// The signals that cannot be blocked.
    pub(crate) const UNBLOCKABLE: SignalSet = SignalSet(1 << 8 | 1 << 18);

    /// Whether a signal is in the set.
    pub fn contains(self, signal: Signal) -> bool {
        self.0 >> (signal.0 - 1) & 1 != 0
    }

    /// The set with one signal more.
    pub fn with(self, signal: Signal) -> SignalSet {
        SignalSet(self.0 | 1 << (signal.0 - 1))
    }

    /// The signals of either set.
    pub fn union(self, other: SignalSet) -> SignalSet {
        SignalSet(self.0 | other.0)
    }

    /// The signals that are not in `other`.
    pub fn minus(self, other: SignalSet) -> SignalSet {
        SignalSet(self.0 & !other.0)
    }

    /// A mask as a guest may set it.
    pub(crate) fn blockable(self) -> SignalSet {
        self.minus(SignalSet::UNBLOCKABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_the_range_are_no_signals() {
        assert_eq!(Signal::new(0), None);
        assert_eq!(Signal::new(65), None);
        assert_eq!(Signal::new(64).map(Signal::number), Some(64));
    }

    #[test]
    fn sets_follow_the_kernel_layout() {
        let set = SignalSet::EMPTY.with(Signal::HUP).with(Signal::KILL);
        assert_eq!(set.0, 0x101);
        assert_eq!(set.blockable().0, 1);
        assert!(SignalSet(1 << 63).contains(Signal(64)));
    }

    #[test]
    fn names_stand_at_their_numbers() {
        assert_eq!(Signal::SEGV.to_string(), "SIGSEGV");
        assert_eq!(Signal::SYS.to_string(), "SIGSYS");
        assert_eq!(Signal::WINCH.to_string(), "SIGWINCH");
        assert_eq!(Signal(34).to_string(), "SIGRT34");
    }
}
